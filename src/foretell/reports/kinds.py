"""Task by kind of model, where several kinds were asked: predicted sign over measured score."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import final

from foretell.core.question import Verdict
from foretell.core.scoreboard import Row, Scoreboard
from foretell.reports import phrases

SIGNS = {Verdict.YES: "✓", Verdict.NO: "✗", Verdict.UNDECIDED: "?"}
SILENT = "·"  # no theory applies
NOTE = (
    "In a cell: what the strongest theory that applies says (✓ yes, ✗ no, ? undecided, · none "
    "applies), then the score at the largest sizes and the verdict of the run; a line a model."
)


@final
@dataclass(frozen=True)
class Matrix:
    """Names of kinds, and for every task what stands under each kind, a line a model."""

    kinds: tuple[str, ...]
    tasks: tuple[str, ...]
    cells: tuple[tuple[tuple[str, ...], ...], ...]


def kinds_matrix(scoreboard: Scoreboard) -> Matrix | None:
    """Tasks that two kinds of model or more were measured on; nothing if there are none."""
    found: dict[str, dict[str, list[Row]]] = {}
    for row in scoreboard.rows:
        if row.measurement is not None:
            name = f"{row.question.task.name}: {row.question.outcome.name}"
            own = found.setdefault(name, {})
            own.setdefault(row.question.architecture.kind, []).append(row)
    compared = {name: own for name, own in found.items() if len(own) > 1}
    if not compared:
        return None
    kinds = tuple(dict.fromkeys(kind for own in compared.values() for kind in own))
    cells = tuple(tuple(_told(own.get(kind, ())) for kind in kinds) for own in compared.values())
    return Matrix(kinds, tuple(compared), cells)


def _told(rows: Iterable[Row]) -> tuple[str, ...]:
    return tuple(f"{_sign(row)} {_score(row)}" for row in rows)


def _sign(row: Row) -> str:
    return SIGNS[row.stated[0].verdict] if row.stated else SILENT


def _score(row: Row) -> str:
    assert row.measurement is not None
    value = phrases.largest_value(row.measurement)
    score = phrases.score(value.mean) if value else "–"
    return f"{score} {SIGNS[row.measurement.verdict]}"
