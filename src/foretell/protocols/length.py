"""Train on short inputs, test on longer ones.

What: Models are trained on sizes up to 50 (by default) and tested there and on longer ranges that
    training never saw. An example counts only if every scored position is right.
Definition: Batches are drawn on the fly with sizes uniform over the training range, in pairs of
    a long and a short example. At every check (and at the end) the in-range test (2,000 fixed
    samples) is scored; a run that gets all of it right is fitted and stops. Then every range is
    tested with 2,000 fixed samples of each probe, positions starting at 0, and, where training
    shifts positions, once more at random offsets, which do not count for the verdict. Scores are
    averaged over the fitted runs, with a 95 % interval over seeds. Beside each stands what a table
    would score that answers by the last 1, 2, 4, … 32 tokens, made of the in-range test's samples:
    a test that it passes shows no more of a network than looking back so far.
Example:
    >>> Length(steps=1000, check_every=500, learning_rate=1e-3).rule.split(":")[0]
    'yes'

Known limits: When training stops changes the score at long sizes, so the check interval is part
    of the protocol. Runs that do not fit the training range say nothing about longer inputs: with
    fewer than half of them fitted the verdict is undecided. A few seeds cannot rule out that some
    would come out otherwise: the interval of the share says how far they reach.
Sources: Huang et al., A formal framework for understanding length generalization, Section 5 and
    Appendix E.3
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from foretell.core.architecture import Architecture
from foretell.core.measurement import Measurement, Value
from foretell.core.protocol import Protocol
from foretell.core.question import GeneralizesInLength, Question, SizeRange, Verdict
from foretell.core.task import Task
from foretell.models.position_products import FIRST_KEY
from foretell.numerics.intervals import wilson
from foretell.plain.errors import BadInput
from foretell.protocols._asking import CHECK_EVERY, SAMPLES, SEEDS, either
from foretell.protocols._reads import SHAPED
from foretell.protocols._scores import curves_of, trials_for, values_of
from foretell.training.look_back import BACKS
from foretell.training.plan import Member, Plan, dispatched, require_sizes
from foretell.training.record import Record

DECAY = 0.01
FEWEST, SMALLEST_TEST = 3, 100  # runs and samples that must count before a verdict


@dataclass(frozen=True, kw_only=True)
class Length(Protocol[Plan, Record]):
    """Settings of the length protocol; a run is decided by these, the question and the seeds."""

    name = "length"
    reads: ClassVar = (
        SHAPED
        | {"train", "bins", "learning_rate", "steps", "check_every", "warmup", "samples"}
        | {"position_penalty"}
    )
    steps: int
    check_every: int
    learning_rate: float
    warmup: int = 0
    batch: int = 64
    weight_decay: float = DECAY
    position_penalty: float = 0.0
    penalized: str = FIRST_KEY
    to_the_end: bool = False  # go on after fitting, until the learning rate has decayed
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
        for name in ("position_penalty", "weight_decay"):
            if not 0 <= getattr(self, name) < math.inf:
                raise BadInput("a penalty is a number from 0 on", seen=getattr(self, name))
        if not 0 < self.bar <= 1 or self.warmup < 0:
            raise BadInput(
                "the bar lies in (0, 1] and the warm-up is not negative",
                seen=f"bar {self.bar:g}, warm-up {self.warmup}",
            )

    @property
    def rule(self) -> str:
        """The decision rule in words."""
        unfitted = (
            "if fewer than half of the runs fit the training range, all of them count, and the "
            "answer is at best undecided"
            if self.count_unfitted
            else "undecided if fewer than half of the runs fit the training range"
        )
        return (
            f"yes: every run that fits the training range scores {self.bar:g} or more in every "
            f"longer range, on the training distribution; no: none does in some longer range; "
            f"undecided: the runs disagree, or fewer than {FEWEST} count, or the tests have fewer "
            f"than {SMALLEST_TEST} samples; {unfitted}"
        )

    @classmethod
    def outcome(cls, request: Any, task: Task) -> GeneralizesInLength:
        """Trained on short sizes, asked about longer ones."""
        train = request.train or SizeRange(max(1, task.smallest), 50)
        for sizes in (train, *request.bins):  # nobody can be right or wrong where there is no input
            require_sizes(task, sizes)
        return GeneralizesInLength(train, request.bins)

    @classmethod
    def architecture(cls, request: Any, task: Task) -> Architecture:
        """What the request says, or the published setting for the task."""
        shape: Architecture = request.trained_shape(task)
        return shape

    @classmethod
    def from_request(cls, request: Any) -> Length:
        """The budget's schedule; not fitting counts only against the full published training."""
        steps = either(request.steps, request.setting.steps)
        return cls(
            steps=steps,
            check_every=either(
                request.check_every, min(CHECK_EVERY[request.budget], max(1, steps))
            ),
            learning_rate=either(request.learning_rate, request.setting.learning_rate),
            warmup=either(request.warmup, min(request.setting.warmup, max(steps, 0))),
            position_penalty=either(request.position_penalty, 0.0),
            samples=either(request.samples, SAMPLES[request.budget]),
            count_unfitted=request.published,
        )

    @classmethod
    def seeds(cls, request: Any) -> int:
        """By budget."""
        return SEEDS[request.budget]

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
        return Plan(
            architecture=question.architecture,
            members=tuple(Member(seed, self.learning_rate, task) for seed in seeds),
            train=outcome.seen,
            trials=trials_for(question, (outcome.seen, *outcome.asked), self.samples),
            steps=self.steps,
            check_every=self.check_every,
            batch=self.batch,
            warmup=self.warmup,
            weight_decay=self.weight_decay,
            position_penalty=self.position_penalty,
            penalized=self.penalized,
            to_the_end=self.to_the_end,
            segment=dispatched(self.steps, self.check_every),
        )

    def read(
        self, question: Question, plan: Plan, record: Record, provenance: Mapping[str, Any]
    ) -> Measurement:
        """Scores by range, then the rule."""
        runs = [member.seed for member in record.members]
        fitted = [member.seed for member in record.members if member.status == "fitted"]
        mostly = 2 * len(fitted) >= len(runs)
        values = values_of(plan, record, fitted if mostly else runs)
        verdict, reason = self.decide(question, values, fitted, runs)
        return Measurement(
            protocol=self.name,
            question=question,
            verdict=verdict,
            reason=reason,
            rule=self.rule,
            values=values,
            curves=curves_of(record),
            notes=self._notes(question, record, values),
            provenance={**provenance, "seeds": runs, "fitted": fitted},
            bar=self.bar,
        )

    def _notes(
        self, question: Question, record: Record, values: Sequence[Value]
    ) -> tuple[str, ...]:
        """What a reader of the table must know beside it."""
        runs, fitted = len(record.members), sum(own.status == "fitted" for own in record.members)
        diverged = [str(member.seed) for member in record.members if member.status == "diverged"]
        notes = [f"{fitted} of {runs} runs fit the training range perfectly"]
        if 2 * fitted < runs:
            notes.append("fewer than half fitted: the table shows all runs, fitted or not")
        elif fitted < runs:
            notes.append("the table shows the fitted runs only")
        if diverged:
            notes.append(f"diverged and stopped: seeds {', '.join(diverged)}")
        notes += self._looking_back(_longer(question, values))
        notes.append(
            f"at most {self.steps:,} steps of {self.batch} examples, checked every "
            f"{self.check_every:,}, learning rate {self.learning_rate:g}"
        )
        if self.position_penalty:
            notes.append(
                f"with a penalty on products of positions, {self.penalized}, times "
                f"{self.position_penalty:g}"
            )
        if self.weight_decay != DECAY:
            notes.append(f"weight decay {self.weight_decay:g}")
        if self.to_the_end:
            notes.append("no run stopped when it fitted: all went on to the last step")
        notes.append(f"sampler: {question.task.sampler}")
        return tuple(notes)

    def _looking_back(self, longer: Sequence[Value]) -> list[str]:
        """Whether a table of the last few tokens would pass: then passing says little."""
        shares = [min(each) for each in zip(*(value.looking_back for value in longer), strict=True)]
        enough = next((BACKS[at] for at, share in enumerate(shares) if share >= self.bar), None)
        if enough is not None:
            tokens = "current token" if enough == 1 else f"last {enough} tokens"
            return [
                f"a table of the {tokens} reaches the bar in every longer range too: passing does "
                "not show more than looking back that far"
            ]
        if len(shares) < len(BACKS):  # a run from before there were larger tables
            return []
        return [
            f"looking back does not pass: tables of the last 1 to {BACKS[-1]} tokens have at most "
            f"{max(shares):.2f} in the longer range that is hardest for them"
        ]

    def decide(
        self,
        question: Question,
        values: tuple[Value, ...],
        fitted: Sequence[int],
        runs: Sequence[int],
    ) -> tuple[Verdict, str]:
        """The rule, on the longer ranges that the values have."""
        longer = _longer(question, values)
        reached = {value: sum(s >= self.bar for s in value.seeds) for value in longer}
        worst = min(longer, key=lambda value: (reached[value], value.mean, -value.sizes.high))
        count = len(worst.seeds)
        low, high = wilson(reached[worst], count)
        found = (
            f"at sizes {worst.sizes} {reached[worst]} of {count} runs reach {self.bar:g} "
            f"(95 % interval of that share {low:.2f} to {high:.2f}), mean {worst.mean:.4f}"
        )
        mostly = 2 * len(fitted) >= len(runs)
        if not mostly and not self.count_unfitted:
            return (
                Verdict.UNDECIDED,
                f"not learned: {len(fitted)} of {len(runs)} runs fit the training range, so "
                f"longer inputs are no test yet; {found}",
            )
        if count < FEWEST or self.samples < SMALLEST_TEST:
            few = f"fewer than {FEWEST} runs, or {SMALLEST_TEST} test samples, count"
            return Verdict.UNDECIDED, f"{few}; {found}"
        if reached[worst] == 0:
            return Verdict.NO, found
        if reached[worst] == count and mostly:
            return Verdict.YES, found
        return Verdict.UNDECIDED, f"the runs disagree or do not fit; {found}"


def _longer(question: Question, values: Sequence[Value]) -> list[Value]:
    """The tests that decide: the training distribution on longer inputs."""
    assert isinstance(question.outcome, GeneralizesInLength)
    probe, seen = question.task.probes[0], question.outcome.seen
    return [value for value in values if value.probe == probe and value.sizes != seen]
