"""A newcomer who follows CONTRIBUTING.md to the letter gets a task that works everywhere."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


@pytest.mark.slow
def test_the_example_task_is_one_file_and_known_everywhere(tmp_path):
    text = (ROOT / "CONTRIBUTING.md").read_text()
    (code,) = re.findall(r"```python\n(.*?)```", text, re.DOTALL)
    (place,) = re.findall(r"`(src/foretell/tasks/\S+\.py)`", text)
    shutil.copytree(ROOT / "src", tmp_path / "src", ignore=shutil.ignore_patterns("__pycache__"))
    (tmp_path / place).write_text(code)
    environment = {**os.environ, "PYTHONPATH": str(tmp_path / "src")}

    def run(*command):
        done = subprocess.run(
            [sys.executable, "-m", *command],
            cwd=tmp_path,
            env=environment,
            capture_output=True,
            text=True,
            timeout=300,
        )
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    assert "first-symbol" in run("foretell", "list", "tasks")
    assert "first symbol" in run("foretell", "explain", "first-symbol")
    run("foretell", "export", "first-symbol", "--sizes", "1..5", "--count", "10")
    assert (tmp_path / "first-symbol.jsonl").stat().st_size > 0
    said = run("foretell", "check", "first-symbol", "--budget", "smoke", "--bins", "51-60")
    assert "length-generalizes" in said
    contract = ROOT / "tests" / "contracts" / "test_every_task.py"
    found = run("pytest", "-q", "-k", "first-symbol", str(contract), "-p", "no:cacheprovider")
    assert re.search(r"\b6 passed", found), found
