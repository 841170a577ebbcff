"""The example on the page about the library."""

import re
from pathlib import Path

pytest_plugins = ["pytester"]

PAGE = Path(__file__).parents[2] / "docs/do/use-from-python.md"


def test_the_example_on_the_page_passes(pytester):
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
