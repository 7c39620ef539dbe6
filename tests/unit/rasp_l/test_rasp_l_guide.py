"""The examples of the guide run."""

from __future__ import annotations

import doctest
from pathlib import Path

GUIDE = Path(__file__).parents[3] / "docs" / "rasp-l.md"


def test_the_guide_says_what_happens() -> None:
    found = doctest.testfile(str(GUIDE), module_relative=False)
    assert found.attempted > 10
    assert found.failed == 0
