"""Every name that is used exists.

The linter's own rule is off because it takes the axis names of jaxtyping for forward references, so
it is asked here for all files without them.
"""

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]


def undefined(*files: Path) -> str:
    command = [sys.executable, "-m", "ruff", "check", "--no-cache", "--isolated"]
    command += ["--select", "F821", "--output-format", "concise", *map(str, files)]
    return subprocess.run(command, capture_output=True, text=True, check=False).stdout


def test_no_name_is_undefined():
    files = [
        path
        for folder in ("src", "benchmarks", "tests")
        for path in sorted((ROOT / folder).rglob("*.py"))
        if "jaxtyping" not in path.read_text(encoding="utf-8")
    ]
    assert len(files) > 200
    assert "F821" not in undefined(*files)


def test_the_rule_finds_one(tmp_path):
    wrong = tmp_path / "wrong.py"
    wrong.write_text("def f():\n    return nothing_of_that_name\n")
    assert "F821" in undefined(wrong)
