"""What a query-only tester found, and how sure that is."""

from __future__ import annotations

import dataclasses
import math
from dataclasses import dataclass
from typing import Any, final

from foretell.plain.errors import BadInput

MOST_QUERIES = 1 << 30


@final
@dataclass(frozen=True)
class TriedLevel:
    """One degree or width that was tried.

    `statistic` is the largest over all trials: it decides by comparison with a threshold.
    """

    level: int
    accepted: bool
    statistic: float
    queries: int


@final
@dataclass(frozen=True, kw_only=True)
class QueriedBound:
    """A degree or a width found by asking for values only.

    The test is one-sided. That the true value is at least `found` is certain, for every function
    within `tolerance` of the one that was asked; that it is not more is the side with a
    confidence, and in a weakened sense: see `meaning`.
    """

    measure: str  # "degree" or "width"
    bits: int
    levels: tuple[TriedLevel, ...]
    trials: int  # for each level
    epsilon: float
    delta: float
    tolerance: float
    meaning: str

    @property
    def accepted(self) -> bool:
        """Whether a level passed; if not, every level that was tried was refused."""
        return self.levels[-1].accepted

    @property
    def found(self) -> int:
        """The level that passed, or the one after the last that was tried."""
        return self.levels[-1].level + (not self.accepted)

    @property
    def queries(self) -> int:
        """How many values were asked for, over all levels."""
        return sum(level.queries for level in self.levels)

    @property
    def confidence(self) -> float:
        """Of the upper side; the lower side is certain."""
        return 1 - self.delta

    def as_json(self) -> dict[str, Any]:
        """Everything, for scripts."""
        also = ("found", "accepted", "queries", "confidence")
        return dataclasses.asdict(self) | {name: getattr(self, name) for name in also}


def check_chances(epsilon: float, delta: float, tolerance: float, seed: int) -> None:
    """Refuse what no test can be run with."""
    if not 0 < delta < 1:
        raise BadInput(
            "delta must lie strictly between 0 and 1",
            seen=delta,
            why="it is the chance that the upper bound is wrong",
            hint="0.01",
        )
    if not 0 < epsilon <= 1:
        raise BadInput(
            "epsilon must be more than 0 and at most 1",
            seen=epsilon,
            why="it is the share that may stay unseen",
            hint="0.01",
        )
    if not (math.isfinite(tolerance) and tolerance >= 0):
        raise BadInput(
            "a tolerance must be a finite number, 0 or more",
            seen=tolerance,
            why="it is how far values may be from those of the function that is meant",
        )
    if seed < 0:
        raise BadInput("a seed must be 0 or more", seen=seed)


def check_queries(queries: int) -> None:
    """Refuse a level that would ask for more values than anyone waits for."""
    if queries > MOST_QUERIES:
        raise BadInput(
            "the test would ask for too many values",
            seen=f"{queries:,} queries",
            why=f"at most {MOST_QUERIES:,} for one level",
            hint="a larger epsilon or delta, or a smaller largest level",
        )
