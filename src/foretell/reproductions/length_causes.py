"""Why rows of the length figure differ from what was published: one change at a time.

What: `length-figure` computes in bfloat16 and stops a run when it fits. Published runs computed in
    float32, and those of regular languages went on to their last step. Here rows that differ are
    trained again with one of these changed, and with both; `length-figure-released` changes the
    words and lengths. Ours stands beside the published values in every way of training.
Definition: The shapes, rates, words, sizes and tests of `length-figure`. Base: bfloat16 arithmetic
    with float32 weights, a run stops at the first check without a mistake. The rate decays over
    the same steps whether a run stops or not.
Example:
    >>> [way.name for way in WAYS]
    ['base', 'float32', 'to the end', 'float32, to the end']

Known limits: On a CPU only the counter languages are trained, whose shape is small, and no run in
    bfloat16, which is slow there, goes on to the end. Whether a run fits is looked at every
    3,000 steps.
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

COUNTERS = ("dyck-1", "anbn", "anbncn")
ROWS = {
    Budget.SMOKE: tuple((name, "nope") for name in COUNTERS[:2]),
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

    name: str
    precision: Precision = Precision.BFLOAT16
    to_the_end: bool = False


WAYS = (
    Way("base"),
    Way("float32", precision=Precision.FLOAT32),
    Way("to the end", to_the_end=True),
    Way("float32, to the end", precision=Precision.FLOAT32, to_the_end=True),
)


def ways_for(budget: Budget) -> tuple[Way, ...]:
    """Every way that the budget has the time for."""
    return WAYS if budget is not Budget.CPU else (*WAYS[:2], WAYS[3])


@final
class LengthCauses(Reproduction):
    """Some rows of the length figure in four ways."""

    title = "Why rows of the length figure differ: one change at a time"
    source = "published values: Huang et al. 2024, Figure 1, and the authors' released logs"

    def lines(self, budget: Budget, seeds: int | None = None) -> tuple[Line, ...]:
        """Way by way, each row."""
        path = Path(__file__).with_name("length_figure.toml")
        table = tomllib.loads(path.read_text(encoding="utf-8"))
        scores = {name: row for group in table.values() for name, row in group.items()}
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
    group = "As in the figure" if way == WAYS[0] else "Trained otherwise"
    return Line(group, name, asked, published, setting=way.name)
