"""Samples that adapting takes, against size: sequences that are captured, graphs that are not.

What: For induction, sorting and string matching, and for shortest path and minimum cut, shallow
    and deep: how many samples of size T does a model need that was trained up to size T0?
Definition: Each curve is one question of the protocol `capture`. Sequences: rotary positions, two
    layers. Graphs: points without order, two layers or twelve. On a CPU two layers only, sizes
    up to eight times the first, small vocabularies, and few samples before a run is given up.
Example:
    >>> from foretell.protocols._asking import Budget
    >>> [line.label for line in CaptureFigure().lines(Budget.CPU)][:2]
    ['induction-heads', 'string-matching']

Known limits: What the original's numbers were is unknown: sizes, thresholds, widths, depths, rates
    and batches are lost, so all settings are ours and only the shapes of curves can be compared
    (sequences flat or logarithmic, graphs not reached or as a power). Sizes end at 1,024 (sorting
    512): attention goes by blocks, so larger ones may be asked for with `foretell check`.
Sources: arXiv 2603.11161, Figure 1 and Appendix C (words; the numbers are lost)
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, final

from foretell.protocols._asking import Budget, Request
from foretell.protocols._running import Asked
from foretell.reproductions import Line, Reproduction

SEQUENCES, GRAPHS = "sequences", "graphs"
DEEP = {"layers": 12, "heads": 8, "width": 256}


@dataclass(frozen=True)
class Row:
    """One curve: what is asked, by its name in the catalogue, and what differs from the usual."""

    group: str
    label: str
    what: str
    settings: tuple[tuple[str, Any], ...] = ()


def _rows(budget: Budget) -> tuple[Row, ...]:
    if budget is Budget.SMOKE:
        return (
            Row(SEQUENCES, "induction-heads", "induction-heads:vocabulary=4", (("start", 4),)),
            Row(GRAPHS, "shortest-path", "shortest-path:degree=6", (("start", 8),)),
        )
    if budget is Budget.CPU:
        return (
            Row(SEQUENCES, "induction-heads", "induction-heads"),
            Row(SEQUENCES, "string-matching", "string-matching"),
            Row(SEQUENCES, "sorting", "sorting"),
            Row(GRAPHS, "shortest-path", "shortest-path"),
            Row(GRAPHS, "min-cut", "min-cut"),
        )
    deep = tuple(DEEP.items())
    return (
        *(Row(SEQUENCES, name, name) for name in ("induction-heads", "string-matching", "sorting")),
        Row(GRAPHS, "shortest-path", "shortest-path"),
        Row(GRAPHS, "shortest-path, deep", "shortest-path", deep),
        Row(GRAPHS, "min-cut", "min-cut"),
        Row(GRAPHS, "min-cut, deep", "min-cut", deep),
    )


@final
class CaptureFigure(Reproduction):
    """Figure 1 of the paper on capture."""

    about = "capture"
    title = "Adapting to larger sizes: how many samples it takes"
    source = "arXiv 2603.11161, Figure 1 and Appendix C"

    def lines(self, budget: Budget, seeds: int | None = None) -> tuple[Line, ...]:
        """Curve by curve: sequences, then graphs."""
        return tuple(_line(row, Budget(budget), seeds) for row in _rows(Budget(budget)))


def _line(row: Row, budget: Budget, seeds: int | None) -> Line:
    request = Request(
        what=row.what, protocol="capture", budget=budget, seeds=seeds, **dict(row.settings)
    )
    asked = Asked(request.question(), request.build_protocol(), request.seed_list())
    return Line(row.group, row.label, asked)
