"""The programs that come with foretell: `library/*.crasp`, found by name.

A file is named after the task or language it solves, so `load(task.name)` finds a task's program.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path

from foretell.crasp.printing import print_program
from foretell.crasp.program import Program
from foretell.plain import catalogue
from foretell.plain.errors import BadInput

FOLDER = Path(__file__).parent / "library"
DEPTHS = ("d-2", "d-3", "d-4", "d-12")  # of the benchmark; others can be loaded as well


def names() -> tuple[str, ...]:
    """Every program, sorted by name."""
    return tuple(sorted([*(file.stem for file in FOLDER.glob("*.crasp")), *DEPTHS]))


def path(name: str) -> Path:
    """The file a program is read from."""
    if name not in names() and not re.fullmatch(r"d-[1-9][0-9]{0,3}", name):
        raise BadInput(
            "unknown program",
            seen=name,
            why="no file of the library has that name",
            hint=catalogue.suggest(name, names()) or "foretell list programs",
        )
    stem, _ = _setting(name)
    return FOLDER / f"{stem}.crasp"


def _setting(name: str) -> tuple[str, tuple[tuple[str, int], ...]]:
    """Which file, and what is set in it: every d-5 is d-n with n = 5."""
    depth = re.fullmatch(r"d-([0-9]+)", name)
    return ("d-n", (("n", int(depth[1])),)) if depth else (name, ())


def load(
    name: str, values: Mapping[str, int] | None = None, letters: Sequence[str] | None = None
) -> Program:
    """The program of that name; `values` sets its parameters, `letters` replaces its alphabet.

    >>> load("d-12").run("a" * 12 + "b" * 12), load("d-n", {"n": 2}).run("aaabbb")
    (True, False)
    >>> load("sort", letters=["low", "mid", "high", "<sep>"]).answers(["high low <sep> low"])
    [{'accept': False, 'next': ['high']}]
    """
    chosen = tuple(sorted((values or {}).items()))
    return _load(name, chosen, None if letters is None else tuple(letters))


@cache
def _load(
    name: str, values: tuple[tuple[str, int], ...], letters: tuple[str, ...] | None
) -> Program:
    text = path(name).read_text(encoding="utf-8")
    _, own = _setting(name)
    settings = {**dict(own), **dict(values)}
    program = Program.parse(text, settings)
    if letters is None or letters == program.letters:
        return program
    # through the text, so that the other alphabet meets every check of the first
    return Program.parse(print_program(letters, program.statements), settings)
