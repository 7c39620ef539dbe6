"""What happened, the value seen, why, what to try: always in this layout."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from foretell.plain.errors import BadInput, StoreProblem


def test_the_full_layout() -> None:
    error = BadInput("no such thing", seen="x", why="there is none", hint="y")
    assert str(error) == "no such thing\n  seen: x\n  why:  there is none\n  try:  y"


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ({}, "what"),
        ({"seen": 0}, "what\n  seen: 0"),
        ({"seen": False}, "what\n  seen: False"),
        ({"seen": ""}, "what\n  seen: "),
        ({"why": "w"}, "what\n  why:  w"),
        ({"hint": "h"}, "what\n  try:  h"),
        ({"seen": 1, "hint": "h"}, "what\n  seen: 1\n  try:  h"),
    ],
)
def test_only_what_is_known_is_printed(given: dict[str, object], expected: str) -> None:
    assert str(BadInput("what", **given)) == expected  # type: ignore[arg-type]


def test_json_has_the_four_parts_and_is_plain() -> None:
    described = BadInput("what", seen=Path("/a/b"), why="w", hint="h").as_json()
    assert described == {"error": "what", "seen": "/a/b", "why": "w", "try": "h"}
    assert json.loads(json.dumps(described)) == described
    assert BadInput("what").as_json() == {"error": "what", "seen": None, "why": None, "try": None}


def test_a_store_problem_is_bad_input_so_the_command_line_explains_it() -> None:
    with pytest.raises(BadInput):
        raise StoreProblem("cannot write")
