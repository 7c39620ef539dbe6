"""Why rows of the length figure differ from what was published: one change at a time.

What: `length-figure` mostly computes in bfloat16 and stops a run when it fits. Published runs
    computed in float32, and those of regular languages went on to their last step. Here rows that
    differ are trained again with one of these changed, and with both; `length-figure-released`
    changes words and lengths. Ours stands beside the published values in every way of training.
Definition: The shapes, rates, words, sizes and tests of `length-figure`. bfloat16: all arithmetic
    but norms, softmax and sums, weights in float32. A run stops at the first check (every 3,000
    steps) without a mistake, or goes on to the end. The rate decays over the same steps whether it
    stops or not.
Example:
    >>> [str(way) for way in WAYS][:3]
    ['bfloat16', 'float32', 'bfloat16, to the end']

Known limits: On a CPU only the counter languages are trained, whose shape is small, and of the runs
    that go on to the end only those in float32: bfloat16 is emulated there, and slow.
Sources: as for `length-figure`; the authors' released training code for what published runs did
"""

from __future__ import annotations

import dataclasses
import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import Any, final

from foretell.core.architecture import Precision
from foretell.protocols._asking import Budget, Request
from foretell.protocols._running import Asked
from foretell.protocols.length import Length
from foretell.reproductions import Line, Reproduction
from foretell.reproductions.length_figure import GROUPS
from foretell.reproductions.length_search import COUNTERS

ROWS = {
    Budget.SMOKE: ((COUNTERS[0], "nope"),),
    Budget.CPU: tuple((name, positional) for name in COUNTERS for positional in ("ape", "nope")),
    Budget.GPU: (
        *((name, positional) for name in COUNTERS for positional in ("ape", "nope")),
        *((name, positional) for name in ("d-3", "d-4", "d-12") for positional in ("ape", "nope")),
        *((name, positional) for name in ("ab-d-bc", "tomita-4") for positional in ("ape", "nope")),
        ("aa-star", "ape"),
        ("majority", "nope"),
    ),
}
SEEDS = {Budget.SMOKE: 1, Budget.CPU: 5, Budget.GPU: 5}


@dataclass(frozen=True)
class Way:
    """One way of training."""

    precision: Precision
    to_the_end: bool = False

    def __str__(self) -> str:
        return f"{self.precision}, to the end" if self.to_the_end else str(self.precision)


WAYS = tuple(
    Way(precision, end)
    for end in (False, True)
    for precision in (Precision.BFLOAT16, Precision.FLOAT32)
)


def ways_for(budget: Budget) -> tuple[Way, ...]:
    """Every way that the budget has the time for."""
    return WAYS if budget is not Budget.CPU else (*WAYS[:2], WAYS[-1])


@final
class LengthCauses(Reproduction):
    """Some rows of the length figure in several ways."""

    title = "Why rows of the length figure differ: one change at a time"
    source = "published values: Huang et al. 2024, Figure 1, and the authors' released logs"

    def lines(self, budget: Budget, seeds: int | None = None) -> tuple[Line, ...]:
        """Way by way, each row."""
        path = Path(__file__).with_name("length_figure.toml")
        table = tomllib.loads(path.read_text(encoding="utf-8"))
        scores = {name: row for group in GROUPS for name, row in table[group].items()}
        return tuple(
            _line(way, name, positional, scores[name][positional], budget, seeds)
            for way in ways_for(budget)
            for name, positional in ROWS[budget]
        )


def _line(
    way: Way, name: str, positional: str, scores: list[float], budget: Budget, seeds: int | None
) -> Line:
    # A CPU takes the rows that it can, trained as on an accelerator.
    settings: dict[str, Any] = {"what": name, "positional": positional, "precision": way.precision}
    if budget is Budget.SMOKE:
        settings |= {"layers": 1, "heads": 1, "width": 16, "steps": 100, "check_every": 100}
    request = Request(
        **settings, budget=Budget.GPU, seeds=SEEDS[budget] if seeds is None else seeds
    )
    protocol = request.build_protocol()
    assert isinstance(protocol, Length)
    protocol = dataclasses.replace(protocol, to_the_end=way.to_the_end)
    asked = Asked(request.question(), protocol, request.seed_list())
    published = tuple(score / 100 for score in scores)
    return Line("Rows that differ", name, asked, published, setting=str(way))
