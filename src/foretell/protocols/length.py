"""Train on short inputs, test on longer ones.

What: Models are trained on sizes up to 50 (by default) and tested there and on longer ranges that
    training never saw. An example counts only if every scored position is right.
Definition: Batches are drawn on the fly with sizes uniform over the training range. At every
    check the in-range test (2,000 fixed samples) is scored; a run that gets all of it right is
    fitted and stops. Then every range is tested with 2,000 fixed samples of each probe, positions
    starting at 0. Scores are averaged over the fitted runs, with a 95 % interval over seeds.
Example:
    >>> Length(steps=1000, check_every=500, learning_rate=1e-3).rule.split(":")[0]
    'yes'

Known limits: When training stops changes the score at long sizes, so the check interval is part
    of the protocol. Runs that do not fit the training range say nothing about longer inputs: with
    fewer than half of them fitted the verdict is undecided. One seed is never enough.
Sources: Huang et al., A formal framework for understanding length generalization, Section 5 and
    Appendix E.3
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from foretell.core.measurement import Curve, Interval, Measurement, Value
from foretell.core.protocol import Protocol
from foretell.core.question import GeneralizesInLength, Question, SizeRange, Verdict
from foretell.numerics.intervals import over_seeds
from foretell.plain.errors import BadInput
from foretell.training.engine import Record, Score
from foretell.training.plan import Member, Plan, Trial, require_sizes


@dataclass(frozen=True, kw_only=True)
class Length(Protocol[Plan, Record]):
    """Settings of the length protocol; a run is decided by these, the question and the seeds."""

    name = "length"
    steps: int
    check_every: int
    learning_rate: float
    warmup: int = 0
    batch: int = 64
    samples: int = 2000
    bar: float = 0.95

    def __post_init__(self) -> None:
        if not 0 < self.learning_rate < 1:
            raise BadInput(
                "a learning rate lies between 0 and 1", seen=self.learning_rate, hint="0.001"
            )
        if self.samples < 1:
            raise BadInput("a test needs at least one sample", seen=self.samples)

    @property
    def rule(self) -> str:
        """The decision rule in words."""
        return (
            f"yes: the 95 % interval of the mean over fitted runs lies at or above {self.bar:g} "
            f"in every longer range; no: it lies below {self.bar:g} in some longer range; "
            "undecided: otherwise, or when fewer than half of the runs (or fewer than two) fit "
            "the training range perfectly"
        )

    def as_json(self) -> dict[str, Any]:
        """Settings as plain values."""
        return {"name": self.name, **dataclasses.asdict(self)}

    def plan(self, question: Question, seeds: tuple[int, ...]) -> Plan:
        """One fleet, a member a seed; the in-range test first."""
        outcome, task = question.outcome, question.task
        if not isinstance(outcome, GeneralizesInLength):
            raise BadInput("the length protocol measures length questions", seen=outcome.name)
        if not seeds:
            raise BadInput("a measurement needs at least one seed", seen=0, hint="--seeds 4")
        ranges = (outcome.seen, *outcome.asked)
        for sizes in ranges:
            require_sizes(task, sizes)
        tests = [
            Trial(probe, sizes, self.samples)
            for probe in task.probes
            for sizes in ranges
            if task.sizes(sizes.low, sizes.high, probe)
        ]
        segment = next(s for s in (50, 25, 20, 10, 5, 2, 1) if self.check_every % s == 0)
        return Plan(
            architecture=question.architecture,
            members=tuple(Member(seed, self.learning_rate, task) for seed in seeds),
            train=outcome.seen,
            trials=tuple(tests),
            steps=self.steps,
            check_every=self.check_every,
            batch=self.batch,
            warmup=self.warmup,
            segment=segment,
        )

    def read(
        self, question: Question, plan: Plan, record: Record, provenance: Mapping[str, Any]
    ) -> Measurement:
        """Scores by range, then the rule."""
        fitted = [member.seed for member in record.members if member.status == "fitted"]
        enough = len(fitted) >= max(2, (len(record.members) + 1) // 2)
        used = fitted if enough else [member.seed for member in record.members]
        values = tuple(self._value(test, record, used) for test in plan.trials)
        verdict, reason = self._decide(question, values, len(fitted), len(record.members), enough)
        diverged = [str(member.seed) for member in record.members if member.status == "diverged"]
        notes = [f"{len(fitted)} of {len(record.members)} runs fit the training range perfectly"]
        if not enough:
            notes.append("too few runs fitted: the table shows all runs, fitted or not")
        if diverged:
            notes.append(f"diverged and stopped: seeds {', '.join(diverged)}")
        notes.append(f"sampler: {question.task.sampler}")
        return Measurement(
            protocol=self.name,
            question=question,
            verdict=verdict,
            reason=reason,
            rule=self.rule,
            values=values,
            curves=_curves(record),
            notes=tuple(notes),
            provenance={**provenance, "seeds": [member.seed for member in record.members]},
        )

    def _value(self, test: Trial, record: Record, used: list[int]) -> Value:
        scores = [
            score
            for score in record.scores
            if (score.probe, score.low, score.high) == (test.probe, test.sizes.low, test.sizes.high)
        ]
        shares = tuple(_share([s for s in scores if s.seed == seed]) for seed in used)
        mean, low, high = over_seeds(shares, test.count)
        place = (test.probe, test.sizes.low, test.sizes.high)
        baseline = next((found[3] for found in record.baselines if found[:3] == place), None)
        return Value(test.probe, test.sizes, shares, mean, Interval(low, high), baseline)

    def _decide(
        self, question: Question, values: tuple[Value, ...], fitted: int, runs: int, enough: bool
    ) -> tuple[Verdict, str]:
        probe = question.task.probes[0]
        assert isinstance(question.outcome, GeneralizesInLength)
        longer = [v for v in values if v.probe == probe and v.sizes != question.outcome.seen]
        worst = min(longer, key=lambda value: value.mean)
        found = (
            f"{worst.mean:.3f} [{worst.interval.low:.3f}, {worst.interval.high:.3f}] "
            f"at sizes {worst.sizes}"
        )
        if not enough:
            return (
                Verdict.UNDECIDED,
                f"only {fitted} of {runs} runs fit the training range; {found}",
            )
        if all(value.interval.low >= self.bar for value in longer):
            return Verdict.YES, f"worst longer range: {found}"
        if any(value.interval.high < self.bar for value in longer):
            return Verdict.NO, f"worst longer range: {found}"
        return Verdict.UNDECIDED, f"the interval straddles {self.bar:g}: {found}"


def length_outcome(seen: SizeRange, asked: tuple[SizeRange, ...]) -> GeneralizesInLength:
    """The outcome this protocol measures."""
    return GeneralizesInLength(seen, asked)


def _share(scores: list[Score]) -> float:
    tried = sum(score.tried for score in scores)
    return sum(score.right for score in scores) / tried if tried else 0.0


def _curves(record: Record) -> tuple[Curve, ...]:
    found: dict[tuple[str, int], list[tuple[int, int, int]]] = {}
    for score in record.scores:
        found.setdefault((score.probe, score.seed), []).append(
            (score.size, score.right, score.tried)
        )
    return tuple(
        Curve(probe, seed, tuple(sorted(points))) for (probe, seed), points in found.items()
    )
