"""Train on short inputs, test on longer ones.

What: Models are trained on sizes up to 50 (by default) and tested there and on longer ranges that
    training never saw. An example counts only if every scored position is right.
Definition: Batches are drawn on the fly with sizes uniform over the training range. At every
    check the in-range test (2,000 fixed samples) is scored; a run that gets all of it right is
    fitted and stops. Then every range is tested with 2,000 fixed samples of each probe, positions
    starting at 0, and, where training shifts positions, once more at random offsets, which do not
    count for the verdict. Scores are averaged over the fitted runs, with a 95 % interval over
    seeds.
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
from foretell.core.question import GeneralizesInLength, Question, Verdict
from foretell.models.positional import load as load_positional
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
    count_unfitted: bool = False  # for full published budgets, where not fitting is a result

    def __post_init__(self) -> None:
        if not 0 < self.learning_rate < 1:
            raise BadInput(
                "a learning rate lies between 0 and 1", seen=self.learning_rate, hint="0.001"
            )
        if self.samples < 1:
            raise BadInput("a test needs at least one sample", seen=self.samples)
        if not 0 < self.bar <= 1 or self.warmup < 0:
            raise BadInput(
                "the bar lies in (0, 1] and the warm-up is not negative",
                seen=f"bar {self.bar:g}, warm-up {self.warmup}",
            )

    @property
    def rule(self) -> str:
        """The decision rule in words."""
        unfitted = (
            "runs that do not fit the training range count like the others if fewer than half do"
            if self.count_unfitted
            else "when fewer than half of the runs fit the training range perfectly: undecided, "
            "whatever the longer ranges show"
        )
        return (
            f"yes: the 95 % interval of the mean over fitted runs lies at or above {self.bar:g} "
            f"in every longer range, on the training distribution; no: it lies below {self.bar:g} "
            f"in some longer range; undecided: otherwise, and always with fewer than two runs; "
            f"{unfitted}"
        )

    def as_json(self) -> dict[str, Any]:
        """Settings as plain values."""
        return {"name": self.name, **dataclasses.asdict(self)}

    def plan(self, question: Question, seeds: tuple[int, ...]) -> Plan:
        """One fleet, a member a seed; the in-range test first."""
        outcome, task = question.outcome, question.task
        if not isinstance(outcome, GeneralizesInLength):
            raise BadInput("the length protocol measures length questions", seen=outcome.name)
        if not seeds or len(set(seeds)) < len(seeds):
            raise BadInput(
                "a measurement needs seeds, each once", seen=list(seeds), hint="--seeds 4"
            )
        ranges = (outcome.seen, *outcome.asked)
        for sizes in ranges:
            require_sizes(task, sizes)
        trials = [
            Trial(probe, sizes, self.samples)
            for probe in task.probes
            for sizes in ranges
            if task.sizes(sizes.low, sizes.high, probe)
        ]
        if load_positional(question.architecture.positional).random_offsets:
            trials += [Trial(task.probes[0], sizes, self.samples, True) for sizes in ranges]
        segment = next(s for s in (50, 25, 20, 10, 5, 2, 1) if self.check_every % s == 0)
        return Plan(
            architecture=question.architecture,
            members=tuple(Member(seed, self.learning_rate, task) for seed in seeds),
            train=outcome.seen,
            trials=tuple(trials),
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
        runs = [member.seed for member in record.members]
        fitted = [member.seed for member in record.members if member.status == "fitted"]
        mostly = 2 * len(fitted) >= len(runs)
        values = tuple(
            self._value(trial, record, fitted if mostly else runs) for trial in plan.trials
        )
        verdict, reason = self._decide(question, values, fitted, runs)
        diverged = [str(member.seed) for member in record.members if member.status == "diverged"]
        notes = [f"{len(fitted)} of {len(runs)} runs fit the training range perfectly"]
        if not mostly:
            notes.append("fewer than half fitted: the table shows all runs, fitted or not")
        elif len(fitted) < len(runs):
            notes.append("the table shows the fitted runs only")
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
            provenance={**provenance, "seeds": runs},
            bar=self.bar,
        )

    def _value(self, trial: Trial, record: Record, used: list[int]) -> Value:
        place = (trial.label, trial.sizes.low, trial.sizes.high)
        scores = [s for s in record.scores if (s.probe, s.low, s.high) == place]
        shares = tuple(_share([s for s in scores if s.seed == seed], place) for seed in used)
        mean, low, high = over_seeds(shares, trial.count)
        baseline = next((found[3] for found in record.baselines if found[:3] == place), None)
        interval = Interval(low, high)
        return Value(trial.label, trial.sizes, shares, mean, interval, tuple(used), baseline)

    def _decide(
        self, question: Question, values: tuple[Value, ...], fitted: list[int], runs: list[int]
    ) -> tuple[Verdict, str]:
        assert isinstance(question.outcome, GeneralizesInLength)
        probe, seen = question.task.probes[0], question.outcome.seen
        longer = [value for value in values if value.probe == probe and value.sizes != seen]
        below = [value for value in longer if value.interval.high < self.bar]
        worst = min(below or longer, key=lambda value: value.mean)
        found = (
            f"{worst.mean:.4f} [{worst.interval.low:.4f}, {worst.interval.high:.4f}] "
            f"at sizes {worst.sizes}"
        )
        mostly = 2 * len(fitted) >= len(runs)
        if not mostly and not self.count_unfitted:
            return (
                Verdict.UNDECIDED,
                f"not learned: {len(fitted)} of {len(runs)} runs fit the training range, so "
                f"longer inputs are no test of the theory yet; {found}",
            )
        if len(fitted if mostly else runs) < 2:
            return Verdict.UNDECIDED, f"one run says nothing about another; {found}"
        if below:
            return Verdict.NO, f"worst longer range: {found}"
        if mostly and all(value.interval.low >= self.bar for value in longer):
            return Verdict.YES, f"worst longer range: {found}"
        return Verdict.UNDECIDED, f"the interval straddles {self.bar:g}: {found}"


def _share(scores: list[Score], place: tuple[str, int, int]) -> float:
    tried = sum(score.tried for score in scores)
    if not tried:
        raise BadInput(
            "a record lacks the scores of a run", seen=f"{place[0]} {place[1]}-{place[2]}"
        )
    return sum(score.right for score in scores) / tried


def _curves(record: Record) -> tuple[Curve, ...]:
    found: dict[tuple[str, int], list[tuple[int, int, int]]] = {}
    for score in record.scores:
        found.setdefault((score.probe, score.seed), []).append(
            (score.size, score.right, score.tried)
        )
    return tuple(
        Curve(probe, seed, tuple(sorted(points))) for (probe, seed), points in found.items()
    )
