"""Lazy against trained: how fast do finite transformers approach their infinite-width limit?

What: Bounds on what can be captured are proved for infinitely wide transformers, which are kernels.
    Here networks of growing width and the kernel learn the same small inputs of induction heads,
    and of majority as a control, and answer the same unseen ones: how far are they apart, how
    does that fall with the width, and which of the two is right more often?
Definition: One block without mask, norm or output matrix, standard normal weights in the NTK
    parametrisation, width N with N/4 heads and keys of width N/4, read at the last token.
    Features are one-hot tokens and positions. Gradient descent on all training inputs, squared
    error; the NTK's answer is that after the same steps, not at their end. Distance: root mean
    square over test inputs between a network, less its answers at the start, and the kernel.
Example:
    >>> from foretell.protocols._asking import Budget
    >>> len(LazyCapture().cells(Budget.CPU))
    10

Known limits: Small inputs only: T = 6 with three symbols, T = 7 with two. Nothing is published to
    compare with. The kernel is sampled, and its error is shown: distances near it mean nothing.
    At these widths networks may still learn features, which keeps them away from the kernel.
Sources: arXiv 2603.11161 (the architecture and its limit); the comparison and its settings are ours
"""

from __future__ import annotations

import dataclasses
import time
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, final

from foretell.plain.errors import BadInput
from foretell.protocols._asking import Budget
from foretell.reproductions import Cell, Experiment
from foretell.reproductions._computing import in_parts
from foretell.reproductions._lazy import Lesson, compare, draw_inputs, limit
from foretell.training.engine import Progress

SHAPES = {"induction": (6, 3), "majority": (7, 2)}  # length, symbols
MOST_SEEDS = 1_000


class Extent(NamedTuple):
    """How much a budget computes."""

    widths: tuple[int, ...]
    seeds: int
    train: int
    test: int
    steps: int
    draws: int


EXTENTS = {
    Budget.SMOKE: Extent((8, 16), 2, 16, 16, 50, 256),
    Budget.CPU: Extent((8, 16, 32, 64, 128), 4, 32, 32, 200, 1024),
    Budget.GPU: Extent((16, 32, 64, 128, 256, 512), 8, 64, 64, 1_000, 16_384),
}


@final
class LazyCapture(Experiment):
    """Networks beside their kernel."""

    name = "lazy-capture"
    title = "Lazy against trained: do networks approach their kernel?"
    source = "ours, on the architecture of arXiv 2603.11161"

    def cells(self, budget: Budget, seeds: int | None = None) -> tuple[Cell, ...]:
        """Task by task, width by width; all seeds of a width are one cell."""
        extent = EXTENTS[budget]
        count = extent.seeds if seeds is None else seeds
        if not 1 <= count <= MOST_SEEDS:
            raise BadInput(f"seeds must be between 1 and {MOST_SEEDS:,}", seen=count)
        return tuple(
            _cell(task, width, count, extent) for task in SHAPES for width in extent.widths
        )

    def parts(self, cells: Sequence[Cell]) -> list[tuple[Cell, ...]]:
        """All widths of a task: they share the kernel."""
        return in_parts(cells, _lesson, lambda each: each.task, len(cells) or 1)

    def compute(
        self, part: Sequence[Cell], show: Callable[[Progress], None]
    ) -> list[dict[str, Any]]:
        """The kernel once, then the networks, narrow ones first."""
        lesson = _lesson(part[0])
        train, test = draw_inputs(lesson, seed=0)
        began, found = time.monotonic(), []
        limited = limit(lesson, train, test)
        for number, cell in enumerate(part, 1):
            width, seeds = cell.settings["width"], cell.settings["seeds"]
            found.append(compare(lesson, limited, train, test, width, seeds))
            rate = number / max(time.monotonic() - began, 1e-9)
            show(
                Progress(
                    step=number,
                    steps=len(part),
                    members=seeds,
                    running=seeds,
                    loss=sum(found[-1]["errors"]) / seeds,
                    accuracy=None,
                    rate=rate * seeds,
                    seconds_left=(len(part) - number) / rate,
                    phase=f"{lesson.task}, width {width}",
                )
            )
        return found


def _lesson(cell: Cell) -> Lesson:
    names = [field.name for field in dataclasses.fields(Lesson)]
    return Lesson(**{name: cell.settings[name] for name in names})


def _cell(task: str, width: int, seeds: int, extent: Extent) -> Cell:
    length, symbols = SHAPES[task]
    lesson = Lesson(
        task=task,
        length=length,
        symbols=symbols,
        train=extent.train,
        test=extent.test,
        steps=extent.steps,
        draws=extent.draws,
    )
    settings = {"experiment": LazyCapture.name, "kind": task, "width": width, "seeds": seeds}
    return Cell(task, f"width {width}", {**settings, **dataclasses.asdict(lesson)})
