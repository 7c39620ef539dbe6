"""What training showed: values per seed and size range, an interval, a verdict, a provenance."""

from __future__ import annotations

from dataclasses import dataclass
from math import isfinite
from typing import Any

from foretell.core.question import Question, SizeRange, Verdict
from foretell.plain.errors import BadInput


@dataclass(frozen=True)
class Interval:
    """Where the true value plausibly lies."""

    low: float
    high: float

    def __post_init__(self) -> None:
        if not self.low <= self.high:
            raise BadInput("an interval is reversed", seen=f"[{self.low}, {self.high}]")


@dataclass(frozen=True)
class Value:
    """One measured quantity: a probe on a range of sizes, seed by seed."""

    probe: str
    sizes: SizeRange
    seeds: tuple[float, ...]
    mean: float
    interval: Interval
    runs: tuple[int, ...] = ()  # the seed numbers behind `seeds`, in the same order
    baseline: float | None = None  # what guessing without the input would score
    looking_back: tuple[float, ...] = ()  # what tables of the last 1, 2, 4, … tokens would score

    def as_json(self) -> dict[str, object]:
        """Plain values."""
        return {
            "probe": self.probe,
            "size_range": [self.sizes.low, self.sizes.high],
            "seeds": list(self.seeds),
            "mean": self.mean,
            "interval": [
                x if isfinite(x) else None for x in (self.interval.low, self.interval.high)
            ],
            "runs": list(self.runs),
            "baseline": self.baseline,
            "looking_back": {str(2**at): share for at, share in enumerate(self.looking_back)},
        }


@dataclass(frozen=True)
class Curve:
    """One seed's score size by size: (size, right, tried)."""

    probe: str
    seed: int
    points: tuple[tuple[int, int, int], ...]


@dataclass(frozen=True, kw_only=True)
class Measurement:
    """The answer of an experiment to a question."""

    protocol: str
    question: Question
    verdict: Verdict
    reason: str
    rule: str  # the decision rule, fixed before the run
    values: tuple[Value, ...]
    curves: tuple[Curve, ...]
    notes: tuple[str, ...]
    provenance: dict[str, Any]
    bar: float | None = None  # what a score must reach, for figures

    def __post_init__(self) -> None:
        if not self.rule or not self.reason:
            raise BadInput("a measurement states its decision rule and its reason")
        missing = [name for name in ("versions", "device", "seeds") if name not in self.provenance]
        if missing:
            raise BadInput(
                "a measurement lacks provenance",
                seen=", ".join(missing),
                why="a number without the run behind it is not a result",
            )

    def as_json(self) -> dict[str, object]:
        """The form promised by `foretell measure --json`."""
        return {
            "protocol": self.protocol,
            "architecture": self.question.architecture.as_json(),
            "values": [value.as_json() for value in self.values],
            "verdict": self.verdict.value,
            "reason": self.reason,
            "rule": self.rule,
            "notes": list(self.notes),
            "provenance": self.provenance,
        }
