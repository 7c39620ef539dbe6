"""Why adapting to long inputs stalls: one change at a time.

What: Models that adapt to inputs of size T alone, step by step, take a logarithm of samples, until
    some runs stop short of the threshold at a thousand tokens and more. Is that the size, or how
    they adapt? Induction heads and string matching again, each time with one thing changed.
Definition: The models, sizes and seeds of `capture-figure`, and its own curves of the ways alone,
    mixed and half. All others are alone, step by step only. learned-better: a share of 0.99 right
    at the small sizes before anything adapts, instead of 0.95. better-throughout: 0.99 at every
    size. slower: a quarter of the learning rate while adapting. larger-batches: four times as
    large, with a quarter of the steps. float32: all arithmetic, where the figure has bfloat16.
    log-length: attention's logits times the logarithm of what is seen, from the first step on. A
    run is given up after as many samples in every way.
Example:
    >>> from foretell.protocols._asking import Budget
    >>> [line.label for line in CaptureCauses().lines(Budget.GPU)][:2]
    ['induction-heads-half', 'induction-heads-alone']

Known limits: The figure's own curves have all arms, and go on to larger sizes for the sake of
    others. One change at a time says nothing about two. The ways were chosen after a look at
    induction heads at 128 tokens on a CPU, where models that had lost one of eight symbols stayed
    at 0.89.
Sources: ours; the figure is that of arXiv 2603.11161
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, final

from foretell.protocols._asking import Budget
from foretell.protocols._running import Asked
from foretell.protocols.capture import ALONE, INPUTS, Capture
from foretell.reproductions import Line, Reproduction
from foretell.reproductions.capture_figure import Row, asked_of, line_of, rows_for
from foretell.training.capture_plan import STEP_BY_STEP

TIMES = 4
ROWS = ("induction-heads", "string-matching")


def _same(usual: Capture) -> dict[str, Any]:
    return {}


def _larger_batches(usual: Capture) -> dict[str, Any]:
    return {
        "adapting_batch": TIMES * usual.adapting_batch,
        "adapting_steps": usual.adapting_steps // TIMES,
        "adapting_check": max(1, usual.adapting_check // TIMES),
    }


@dataclass(frozen=True)
class Way:
    """One thing that is done otherwise: in what is asked, or in the protocol."""

    label: str
    settings: dict[str, Any] = field(default_factory=dict)
    protocol: Callable[[Capture], dict[str, Any]] = _same


WAYS = (
    Way("learned-better", protocol=lambda usual: {"first_threshold": 0.99}),
    Way("better-throughout", {"threshold": 0.99}),
    Way("slower", protocol=lambda usual: {"adapting_rate": usual.adapting_rate / TIMES}),
    Way("larger-batches", protocol=_larger_batches),
    Way("float32", {"precision": "float32"}),
    Way("log-length", {"attention_scale": "log-length"}),
)


@final
class CaptureCauses(Reproduction):
    """Two curves of the capture figure in several ways."""

    about = "capture"
    title = "Why adapting to long inputs stalls: one change at a time"
    source = "our own runs; the figure is that of arXiv 2603.11161"

    def lines(self, budget: Budget, seeds: int | None = None) -> tuple[Line, ...]:
        """Task by task: the figure's own curves, then way by way."""
        found = []
        for row in rows_for(budget):
            if row.label in ROWS:
                usual = asked_of(row, budget, seeds)
                found += [line_of(row, inputs, budget, seeds) for inputs in INPUTS]
                found += [_line(row, way, budget, seeds) for way in WAYS if _differs(way, usual)]
        return tuple(found)


def _differs(way: Way, usual: Asked) -> bool:
    """On a CPU the figure is in float32 already."""
    return way.settings.get("precision") != usual.question.architecture.precision


def _line(row: Row, way: Way, budget: Budget, seeds: int | None) -> Line:
    asked = asked_of(row, budget, seeds, inputs=ALONE, **way.settings)
    assert isinstance(asked.protocol, Capture)
    # drawn as the curve that they are compared with
    changed = {"arms": (STEP_BY_STEP,), **way.protocol(asked.protocol)}
    protocol = dataclasses.replace(asked.protocol, **changed)
    asked = dataclasses.replace(asked, protocol=protocol)
    return Line(row.label, f"{row.label}-{way.label}", asked, setting=way.label)
