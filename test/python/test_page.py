"""The example on the page about the library."""

import re
from pathlib import Path

pytest_plugins = ["pytester"]

PAGE = Path(__file__).parents[2] / "docs/do/use-from-python.md"


DECISIVE = re.compile(r"^ +(?:clock\.advance|faults\.arm)\(.*\n", re.MULTILINE)


def test_the_example_on_the_page_passes_and_fails_without_each_decisive_line(pytester):
    files = dict(re.findall(r"^```python\n# ([\w.]+)\n(.*?)^```$", PAGE.read_text(), re.DOTALL | re.MULTILINE))
    assert sorted(files) == ["conftest.py", "test_nightly.py"]
    for name, text in files.items():
        (pytester.path / name).write_text(text)
    package = pytester.path / "node_modules/trace-platform-emulator"
    package.parent.mkdir()
    package.symlink_to(PAGE.parents[2])
    settings = re.search(r"^```toml\n# pyproject.toml\n(.*?)^```$", PAGE.read_text(), re.DOTALL | re.MULTILINE)
    (pytester.path / "pyproject.toml").write_text(settings.group(1))
    pytester.runpytest_subprocess().assert_outcomes(passed=2)

    (pytester.path / "test_nightly.py").unlink()
    text = files["test_nightly.py"]
    for number, line in enumerate(DECISIVE.finditer(text)):
        (pytester.path / f"test_mutant_{number}.py").write_text(text[: line.start()] + text[line.end() :])
    result = pytester.runpytest_subprocess("-rf")
    result.assert_outcomes(passed=3, failed=3, errors=1)  # a fault that never triggers
    for number in range(3):
        result.stdout.fnmatch_lines([f"FAILED test_mutant_{number}.py*"])
