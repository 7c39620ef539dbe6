"""The programs that come with foretell: `library/*.crasp`, found by name.

A file is named after the task or language it solves, so `load(task.name)` finds a task's program.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from types import MappingProxyType

from foretell.crasp.printing import print_program
from foretell.crasp.program import Program
from foretell.plain import catalogue
from foretell.plain.errors import BadInput

FOLDER = Path(__file__).parent / "library"
SETTINGS = MappingProxyType(  # names that are another program with its parameters set
    {f"d-{depth}": ("d-n", (("n", depth),)) for depth in (2, 3, 4, 12)}
)


def names() -> tuple[str, ...]:
    """Every program, sorted by name."""
    return tuple(sorted([*(file.stem for file in FOLDER.glob("*.crasp")), *SETTINGS]))


def path(name: str) -> Path:
    """The file a program is read from."""
    if name not in names():
        raise BadInput(
            "unknown program",
            seen=name,
            why="no file of the library has that name",
            hint=catalogue.suggest(name, names()) or "foretell list programs",
        )
    stem, _ = SETTINGS.get(name, (name, ()))
    return FOLDER / f"{stem}.crasp"


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
    _, own = SETTINGS.get(name, (name, ()))
    settings = {**dict(own), **dict(values)}
    program = Program.parse(text, settings)
    if letters is None or letters == program.letters:
        return program
    # through the text, so that the other alphabet meets every check of the first
    return Program.parse(print_program(letters, program.statements), settings)
