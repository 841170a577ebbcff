"""``emulator init`` in a project with pytest and nothing else."""

import json
import subprocess
from pathlib import Path

ROOT = Path(__file__).parent / "../.."


def test_init_ends_with_a_test_that_passed(tmp_path):
    (tmp_path / "requirements.txt").write_text("pytest\n")
    (tmp_path / "node_modules").mkdir()
    (tmp_path / "node_modules/trace-platform-emulator").symlink_to(ROOT.resolve())
    words = ["node", str(ROOT / "dist/bin/emulator.js"), "init", "--json"]
    ended = subprocess.run(words, cwd=tmp_path, capture_output=True, text=True)
    report = json.loads(ended.stdout)
    command = "python3 -m pytest tests/test_emulator.py"
    assert (ended.returncode, report["test"]) == (0, {"command": command, "passed": True}), ended.stderr
    assert report["runner"] == "pytest"
