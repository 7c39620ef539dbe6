"""Test a network that was compiled from a program, without training anything.

What: The task's C-RASP program is compiled into the weights of a transformer with the context that
    the longest test needs (or a saved network is read), and scored on the same samples as a
    trained model would be.
Definition: No step of training. Every range is tested with 500 fixed samples of each probe,
    positions starting at 0, and again at random offsets where the network uses positions. Seeds
    differ only in what is drawn.
Example:
    >>> Compiled(program="alphabet a\\naccept(i) := Q_a(i)").rule.split(":")[0]
    'yes'

Known limits: Says what a transformer can compute, not what training finds. Works where a program
    is known: library programs, `.crasp` files, saved networks. Float32 arithmetic; the compiler
    refuses contexts at which it cannot be exact.
Sources: Huang et al., A formal framework for understanding length generalization, Theorem 9 and
    Lemma 47
"""

from __future__ import annotations

import dataclasses
import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

from foretell.compiler.for_task import compile_for_task
from foretell.core.architecture import Architecture
from foretell.core.measurement import Interval, Measurement, Value
from foretell.core.protocol import Protocol
from foretell.core.question import IsComputed, Question, SizeRange, Verdict
from foretell.core.task import Task
from foretell.numerics.intervals import wilson
from foretell.plain.errors import BadInput
from foretell.protocols._asking import SAMPLES, either
from foretell.protocols._scores import curves_of, trials_for, values_of
from foretell.tasks.attached import attached_program
from foretell.training.networks import read_network
from foretell.training.plan import Member, Network, Plan, Trial
from foretell.training.record import Record

SMALLEST_TEST = 100
MOST_SAMPLES = 500  # of a range unless asked for: a built network does not vary from run to run
UNUSED_RATE = 0.001  # a plan names a learning rate; nothing here learns


@dataclass(frozen=True, kw_only=True)
class Compiled(Protocol[Plan, Record]):
    """Which program or file, and how many samples."""

    name = "compiled"
    reads: ClassVar = {"train", "bins", "context", "samples", "weights"}
    program: str
    weights: str | None = None
    digest: str | None = None
    samples: int = 2000

    @property
    def rule(self) -> str:
        """The decision rule in words."""
        return (
            "yes: every scored position of every sample is right, in every range and from every "
            "offset; no: some answer is wrong; undecided: all are right, but there are fewer than "
            f"{SMALLEST_TEST} samples a range"
        )

    @classmethod
    def outcome(cls, request: Any, task: Task) -> IsComputed:
        """The same ranges as for training, the training range among them."""
        seen = request.train or SizeRange(max(1, task.smallest), 50)
        return IsComputed((seen, *request.bins))

    @classmethod
    def architecture(cls, request: Any, task: Task) -> Architecture:
        """Decided by the program and the context."""
        if request.weights is not None:
            return read_network(request.weights, task).architecture
        context = either(request.context, task.width(request.largest))
        compiled = compile_for_task(_program(task), task, context)
        return compiled.transformer.architecture

    @classmethod
    def from_request(cls, request: Any) -> Compiled:
        """The program of the task, or the saved network."""
        samples = either(request.samples, min(MOST_SAMPLES, SAMPLES[request.budget]))
        if request.weights is not None:
            content = Path(request.weights).read_bytes()  # readable: `architecture` has read it
            digest = hashlib.sha256(content).hexdigest()
            return cls(program="", weights=request.weights, digest=digest, samples=samples)
        program = _program(request.task())
        return cls(program=program.show(), samples=samples)

    @classmethod
    def seeds(cls, request: Any) -> int:
        """One: the network is the same for all, only the samples would differ."""
        return 1

    def as_json(self) -> dict[str, Any]:
        """Settings as plain values."""
        return {"name": self.name, **dataclasses.asdict(self)}

    def plan(self, question: Question, seeds: tuple[int, ...]) -> Plan:
        """Tests only."""
        outcome, task = question.outcome, question.task
        if not isinstance(outcome, IsComputed):
            raise BadInput("this protocol tests built networks", seen=outcome.name)
        return Plan(
            architecture=question.architecture,
            members=tuple(Member(seed, UNUSED_RATE, task) for seed in seeds),
            train=outcome.asked[0],
            trials=trials_for(question, outcome.asked, self.samples),
            steps=1,
            check_every=1,
            segment=1,
            network=Network(self.program, self.weights, self.digest),
        )

    def read(
        self, question: Question, plan: Plan, record: Record, provenance: Mapping[str, Any]
    ) -> Measurement:
        """All right, or not."""
        seeds = [member.seed for member in record.members]
        found = values_of(plan, record, seeds)  # last answers alone come behind, and are left out
        values = tuple(map(_with_interval, found, plan.trials))
        tried = sum(score.tried for score in record.scores)
        right = sum(score.right for score in record.scores)
        worst = min(values, key=lambda value: value.mean)
        reason = f"{right:,} of {tried:,} samples right; lowest {worst.mean:.4f} at {worst.sizes}"
        verdict = Verdict.YES if right == tried else Verdict.NO
        if self.samples < SMALLEST_TEST and verdict is Verdict.YES:
            verdict, reason = Verdict.UNDECIDED, f"few samples; {reason}"
        made = f"read from {self.weights}" if self.weights else "compiled from the task's program"
        return Measurement(
            protocol=self.name,
            question=question,
            verdict=verdict,
            reason=reason,
            rule=self.rule,
            values=values,
            curves=curves_of(record),
            notes=(
                f"the network was {made}; nothing was trained",
                f"sampler: {question.task.sampler}",
            ),
            provenance={**provenance, "seeds": seeds},
            bar=1.0,
        )


def _with_interval(value: Value, trial: Trial) -> Value:
    """All seeds run one network, so what is uncertain is the sample, not the seed."""
    tried = trial.count * len(value.seeds)
    interval = Interval(*wilson(round(value.mean * tried), tried))
    return dataclasses.replace(value, interval=interval)


def _program(task: Task) -> Any:
    program = attached_program(task)
    if program is None:
        raise BadInput(
            "there is no program to compile for this task",
            seen=task.name,
            why="neither the library nor the task has one",
            hint="a .crasp file, or a name from foretell list programs",
        )
    return program
