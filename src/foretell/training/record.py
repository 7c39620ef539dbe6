"""What a run showed, as plain values: the store writes them, protocols read them."""

from __future__ import annotations

import abc
import dataclasses
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple, final

import numpy as np

from foretell.tasks.capturing import (
    CapturesAlgorithm as CapturesAlgorithm,  # so that stored questions read back
)

# probe, low, high, what tables of the last 1, 2, 4, … tokens score: in older records just the first
Baseline = tuple[str, int, int, tuple[float, ...]]


class Score(NamedTuple):
    """How often one member was right on one test, at one size.

    A tuple, since a store of hundreds of runs has millions of them.
    """

    seed: int
    probe: str
    low: int
    high: int
    size: int
    right: int
    tried: int


@dataclass(frozen=True)
class MemberRecord:
    """How one member's training ended."""

    seed: int
    learning_rate: float
    status: str
    steps: int
    loss: float | None  # nothing when it was no number


@dataclass(frozen=True)
class Record:
    """Everything a run on sequences showed."""

    kind: ClassVar[str] = "scores"
    members: tuple[MemberRecord, ...]
    scores: tuple[Score, ...]
    baselines: tuple[Baseline, ...]
    history: tuple[dict[str, Any], ...]  # one entry a check: step, losses, in-range scores
    seconds: float

    def lines(self) -> list[dict[str, Any]]:
        """What there is much of, a line each."""
        return _packed(self.scores)

    def summary(self) -> dict[str, Any]:
        """The rest."""
        return {
            "members": [dataclasses.asdict(member) for member in self.members],
            "baselines": self.baselines,
            "history": self.history,
            "seconds": self.seconds,
        }

    @classmethod
    def read(cls, run: Mapping[str, Any], lines: Sequence[Mapping[str, Any]]) -> Record:
        """From what `summary` and `lines` gave."""
        return cls(
            tuple(MemberRecord(**member) for member in run["members"]),
            tuple(score for line in lines for score in _unpacked(line)),
            tuple((str(p), int(a), int(b), _shares(v)) for p, a, b, v in run["baselines"]),
            tuple(run["history"]),
            float(run["seconds"]),
        )


@dataclass(frozen=True)
class FittedMember:
    """How the training of one regression ended, and what its model is like."""

    seed: int
    learning_rate: float
    status: str
    steps: int
    train: float  # mean squared error on all training inputs
    validation: float  # on fresh ones
    deviation: float  # standard error of the validation loss
    squared_norm: float
    trace: float  # of the Hessian of the training loss, estimated
    trace_error: float  # standard error of that
    sub_gaussian: float  # constant of the validation losses
    wrong: float | None = None  # share of wrong answers, where there are right ones

    @property
    def gap(self) -> float:
        """How much worse fresh inputs are."""
        return self.validation - self.train


@dataclass(frozen=True)
class MembersRecord(abc.ABC):
    """A run of which everything is said member by member."""

    kind: ClassVar[str]
    member: ClassVar[type]
    members: tuple[Any, ...]
    history: tuple[dict[str, Any], ...]  # one entry a check: step, losses, gain over a constant
    seconds: float

    def lines(self) -> list[dict[str, Any]]:
        """A line a member."""
        return [dataclasses.asdict(member) for member in self.members]

    def summary(self) -> dict[str, Any]:
        """The rest."""
        return {"history": self.history, "seconds": self.seconds}

    @classmethod
    def read(cls, run: Mapping[str, Any], lines: Sequence[Mapping[str, Any]]) -> Any:
        """From what `summary` and `lines` gave."""
        members = tuple(cls.member(**line) for line in lines)
        return cls(members, tuple(run["history"]), float(run["seconds"]))


@final
@dataclass(frozen=True)
class GapRecord(MembersRecord):
    """Everything a run of regressions showed."""

    kind = "gap"
    member = FittedMember
    members: tuple[FittedMember, ...]


@dataclass(frozen=True)
class SymbolMemberRecord:
    """How training on templates ended, and the losses where validation was best."""

    seed: int
    learning_rate: float
    status: str
    steps: int
    best_step: int  # where validation was best
    train: float  # loss of the last batch before that
    validation: float
    test: float  # on symbols never seen
    seen: float  # on other strings of the symbols of training
    key_query: float  # size of the multiples of the identity, over all heads
    value_output: float


@final
@dataclass(frozen=True)
class SymbolRecord(MembersRecord):
    """Everything a run on templates showed."""

    kind = "symbols"
    member = SymbolMemberRecord
    members: tuple[SymbolMemberRecord, ...]


@dataclass(frozen=True)
class AdaptedMember:
    """How one seed adapted to one size in one arm; pre-training is an arm of its own."""

    arm: str
    size: int
    seed: int
    status: str
    samples: int  # until the threshold, or until it was stopped
    before: float  # share of right answers at that size before the first step
    after: float
    constant: float | None = None  # what the commonest answer, always given, would score there
    by_symbol: dict[str, float] | None = None  # share right in the end, by the token that asks

    @property
    def reached(self) -> bool:
        """Was it right often enough in the end?"""
        return self.status == "fitted"


@final
@dataclass(frozen=True)
class CaptureRecord(MembersRecord):
    """Everything a measurement of capture showed: a line an arm, a size and a seed."""

    kind = "capture"
    member = AdaptedMember
    members: tuple[AdaptedMember, ...]


AnyRecord = Record | GapRecord | SymbolRecord | CaptureRecord
KINDS: dict[str, type[Record] | type[GapRecord] | type[SymbolRecord] | type[CaptureRecord]] = {
    each.kind: each for each in (Record, GapRecord, SymbolRecord, CaptureRecord)
}


def by_size(
    seed: int, place: tuple[str, int, int], sizes: np.ndarray, right: np.ndarray
) -> list[Score]:
    """Scores of one member in one test, size by size."""
    found = []
    for size in np.unique(sizes).tolist():
        at = sizes == size
        found.append(Score(seed, *place, size, int(right[at].sum()), int(at.sum())))
    return found


def _shares(found: float | Sequence[float]) -> tuple[float, ...]:
    return tuple(found) if isinstance(found, Sequence) else (found,)


def _packed(scores: Sequence[Score]) -> list[dict[str, Any]]:
    """One line a seed, probe and range: a line a size would be ten times as much to keep."""
    lines: dict[tuple[int, str, int, int], dict[str, Any]] = {}
    for s in scores:
        line = lines.setdefault(
            (s.seed, s.probe, s.low, s.high),
            {"seed": s.seed, "probe": s.probe, "low": s.low, "high": s.high}
            | {"size": [], "right": [], "tried": []},
        )
        for name in ("size", "right", "tried"):
            line[name].append(getattr(s, name))
    return list(lines.values())


def _unpacked(line: Mapping[str, Any]) -> list[Score]:
    place = line["seed"], line["probe"], line["low"], line["high"]
    counted = zip(line["size"], line["right"], line["tried"], strict=True)
    return [Score(*place, *each) for each in counted]
