"""Every operation at every position of one word: a program's work laid open."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from foretell.crasp import tree
from foretell.crasp.core_form import core_statements, operation_names
from foretell.crasp.interpreter import OnWords, evaluate
from foretell.crasp.printing import write, write_letters
from foretell.crasp.program import Program
from foretell.crasp.words import Words, read_word
from foretell.plain.errors import BadInput

LONGEST = 1_000  # positions a table can show


@dataclass(frozen=True)
class TraceRow:
    """One operation: its name, what it says, its value at each position."""

    name: str
    text: str
    values: tuple[bool | int, ...]


@dataclass(frozen=True)
class Trace:
    """A word and what every operation makes of it."""

    word: tuple[str, ...]
    rows: tuple[TraceRow, ...]
    answer: dict[str, Any]

    def as_json(self) -> dict[str, Any]:
        """Plain values."""
        rows = [{"name": r.name, "text": r.text, "values": list(r.values)} for r in self.rows]
        return {"word": list(self.word), "operations": rows, **self.answer}


def trace(program: Program, word: str | Sequence[str], core: bool = False) -> Trace:
    """Values of all definitions, or of all core operations."""
    symbols = read_word(word, program.letters)
    if len(symbols) > LONGEST:
        raise BadInput(
            f"a trace shows words of up to {LONGEST:,} letters",
            seen=f"{len(symbols):,}",
            hint="foretell crasp run takes words of any length",
        )
    named = _core_rows(program) if core else _definition_rows(program)
    values: dict[int, Any] = {}
    if symbols:
        batch = Words.of([program.encode(symbols)])
        places = [place for _, _, place in named]
        values = evaluate(program.core, OnWords.create(program.core, batch), places)
    rows = tuple(
        TraceRow(name, text, _everywhere(values[place], len(symbols)) if symbols else ())
        for name, text, place in named
    )
    return Trace(symbols, rows, program.answers([symbols])[0])


def _everywhere(value: Any, length: int) -> tuple[bool | int, ...]:
    """A constant is one number; a table wants it at every position."""
    return tuple(np.broadcast_to(np.asarray(value), (length,)).tolist())


def _core_rows(program: Program) -> list[tuple[str, str, int]]:
    names = operation_names(program.core)
    bodies = core_statements(program.core)[: len(names)]
    return [
        (name, write(body.body), place)
        for place, (name, body) in enumerate(zip(names, bodies, strict=True))
        if isinstance(body, tree.Definition)
    ]


def _definition_rows(program: Program) -> list[tuple[str, str, int]]:
    bodies = {
        item.name + write_letters(item.letters): write(item.body)
        for item in program.statements
        if isinstance(item, tree.Definition)
    }
    macros = {
        item.name: write(item.body) for item in program.statements if isinstance(item, tree.Macro)
    }
    rows = [
        (name, bodies.get(name) or macros.get(name.partition("[")[0], ""), place)
        for name, place in program.core.names
        if place in program.core.live
    ]
    known = {name for name, _, _ in rows}
    following = ((f"next{write_letters((symbol,))}", place) for symbol, place in program.core.next)
    return rows + [(n, macros.get("next", ""), place) for n, place in following if n not in known]
