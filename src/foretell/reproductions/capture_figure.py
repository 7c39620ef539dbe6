"""Samples that adapting takes, against size: sequences that are captured, graphs that are not.

What: For induction, sorting and string matching, and for shortest path and minimum cut, shallow
    and deep: how many samples of size T does a model need that was trained up to size T0?
Definition: Each curve is one question of the protocol `capture`. Sequences: rotary positions, two
    layers. Graphs: points without order, two layers or eight. On a GPU: bfloat16 (sorting and deep
    models float32), three seeds (sequences in the way half five), sizes to 4,096 (sorting and
    graphs 256; sorting-long from 512 on, step by step), given up after 65,536 samples of a size,
    larger sizes left out of an arm that most runs had missed; from scratch to 256 only. On a CPU:
    two layers only, sizes up to six times the first, and given up after 6,400 samples. Models,
    vocabularies, batches and rates are the same on both, but for sorting's symbols and the deep
    models. Each task is asked in three ways, by what models adapt on: half (inputs of size T and
    smaller ones, half of each), alone (size T only), mixed (all sizes up to T, equally likely). A
    task is captured if it is in some way, and not if it is in none.
Example:
    >>> from foretell.protocols._asking import Budget
    >>> [line.label for line in CaptureFigure().lines(Budget.CPU)][:2]
    ['induction-heads-half', 'induction-heads-alone']

Known limits: What the original's numbers were is unknown: sizes, thresholds, widths, depths, rates
    and batches are lost, so all settings are ours and only the shapes of curves can be compared
    (sequences flat or logarithmic, graphs not reached or as a power). "Not reached" means: not
    within the samples that were given. Sorting ends earlier, since all its sizes share symbols,
    twice as many as the largest size, and all must be learned at the first; hence a second curve
    that begins where a list shows many of them (256; without controls). Deep is what a half hour of
    one GPU allows; `foretell check` asks for other shapes, sizes and steps. Three ways are three
    chances to say yes; they were not fixed at once: alone came first, mixed when runs had lost
    symbols, half when mixed had cost sorting its yes. The GPU's rows, but for half of sequences and
    sorting-long, were trained when every size drew the same random numbers from its first step on,
    so that longer inputs began as shorter ones; induction alone and string matching mixed also
    went on beyond a size that most runs had missed. Single steps were judged by their sum until
    a simulation showed that sums of powers pass for logarithms; no verdict changed with the rule.
Sources: arXiv 2603.11161, Figure 1 and Appendix C (words; the numbers are lost)
"""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from typing import Any, final

from foretell.protocols._asking import Budget, Request
from foretell.protocols._running import Asked
from foretell.protocols.capture import HALF, INPUTS, Capture
from foretell.reproductions import Line, Reproduction
from foretell.training.capture_plan import STEP_BY_STEP

GRAPHS = ("shortest-path", "min-cut")
DEEP = {"layers": 8, "heads": 4, "width": 128, "learning_rate": 1e-3}
SEEDS, FEWER_SEEDS = 5, 3  # of sequences in the default way, which are quick, and of all else


@dataclass(frozen=True)
class Row:
    """A task: what is asked, by its name in the catalogue, and what differs from the usual."""

    label: str
    what: str
    settings: tuple[tuple[str, Any], ...] = ()


def rows_for(budget: Budget) -> tuple[Row, ...]:
    """Every task of the figure: sequences, then graphs."""
    if budget is Budget.SMOKE:
        return (
            Row("induction-heads", "induction-heads:vocabulary=4", (("start", 4),)),
            Row("shortest-path", "shortest-path:degree=6", (("start", 8),)),
        )
    if budget is Budget.CPU:
        return (
            Row("induction-heads", "induction-heads"),
            Row("string-matching", "string-matching"),
            Row("sorting", "sorting"),
            Row("shortest-path", "shortest-path"),
            Row("min-cut", "min-cut"),
        )
    large, small = (("sizes", _doublings(32, 4_096)),), (("sizes", _doublings(16, 256)),)
    exact = (("precision", "float32"),)
    # Symbols for so many places take a start that shows each of them often enough.
    long = (("start", 256), ("sizes", _doublings(512, 4_096)), ("arms", STEP_BY_STEP))
    deep = small + exact + tuple(DEEP.items())
    return (
        Row("induction-heads", "induction-heads", large),
        Row("string-matching", "string-matching", large),
        Row("sorting", "sorting", small + exact),
        Row("sorting-long", "sorting", long + exact),
        Row("shortest-path", "shortest-path", small),
        Row("shortest-path-deep", "shortest-path", deep),
        Row("min-cut", "min-cut", small),
        Row("min-cut-deep", "min-cut", deep),
    )


def _doublings(first: int, last: int) -> tuple[int, ...]:
    return tuple(first << times for times in range((last // first).bit_length()))


@final
class CaptureFigure(Reproduction):
    """Figure 1 of the paper on capture."""

    about = "capture"
    title = "Adapting to larger sizes: how many samples it takes"
    source = "arXiv 2603.11161, Figure 1 and Appendix C"

    def lines(self, budget: Budget, seeds: int | None = None) -> tuple[Line, ...]:
        """Task by task, in every way."""
        return tuple(
            line_of(row, inputs, Budget(budget), seeds)
            for row in rows_for(Budget(budget))
            for inputs in INPUTS
        )


def line_of(row: Row, inputs: str, budget: Budget, seeds: int | None) -> Line:
    """The curve of a task in one way."""
    asked = asked_of(row, budget, seeds, inputs=inputs)
    return Line(row.label, f"{row.label}-{inputs}", asked, setting=inputs)


def asked_of(row: Row, budget: Budget, seeds: int | None, **changed: Any) -> Asked:
    """The question of a curve, with what somebody wants otherwise."""
    large = budget is Budget.GPU
    if large and seeds is None:
        graph = row.what.startswith(GRAPHS)
        seeds = SEEDS if changed.get("inputs") == HALF and not graph else FEWER_SEEDS
    usual = {"precision": "bfloat16" if large else "float32"}
    settings = {**usual, **dict(row.settings), **changed}
    request = Request(what=row.what, protocol="capture", budget=budget, seeds=seeds, **settings)
    protocol = Capture.from_request(request)
    if large and not _is_left(row, protocol):
        protocol = dataclasses.replace(protocol, fresh=False)
    return Asked(request.question(), protocol, request.seed_list())


def _is_left(row: Row, protocol: Capture) -> bool:
    """What no GPU had trained when sizes began to draw samples of their own; the rest did not."""
    graph = row.what.startswith(GRAPHS)
    return row.label == "sorting-long" or (protocol.half and not graph)
