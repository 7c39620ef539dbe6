"""What to train and how to test it, as one frozen value: protocols write it, the fleet runs it."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from foretell.core.architecture import KINDS, Architecture
from foretell.core.question import SizeRange
from foretell.core.task import Task
from foretell.models.position_products import FIRST_KEY, PENALTIES
from foretell.plain.canonical import content_hash
from foretell.plain.errors import BadInput


@dataclass(frozen=True)
class Member:
    """One model of a fleet: its seed, learning rate and task."""

    seed: int
    learning_rate: float
    task: Task


@dataclass(frozen=True)
class Trial:
    """Fixed samples of one probe in one range of sizes.

    `shifted` moves every example to a random offset that fits the context, as in training.
    """

    probe: str
    sizes: SizeRange
    count: int
    shifted: bool = False

    @property
    def label(self) -> str:
        """Name in records and tables."""
        return f"{self.probe}, shifted" if self.shifted else self.probe

    @property
    def last_label(self) -> str:
        """The same for the last answer alone."""
        return f"{self.label}, last letter"


@dataclass(frozen=True)
class Network:
    """A network that is built instead of trained: compiled from a program, or read from a file.

    `digest` names the file's content, so that a changed file is another run.
    """

    program: str
    weights: str | None = None
    digest: str | None = None

    def as_json(self) -> dict[str, Any]:
        """What identifies it."""
        return {"program": self.program, "digest": self.digest}


@dataclass(frozen=True, kw_only=True)
class Plan:
    """Members of one shape, a training range and schedule, and tests.

    `trials[0]` is the in-range test: a member that gets all of it right at a check is fitted and
    stops changing, or goes on `to_the_end`, where the last check alone counts. With `until` less
    is enough: that share of all scored positions; the rate then does not fall after its warm-up,
    for nobody knows how many steps it takes.
    """

    architecture: Architecture
    members: tuple[Member, ...]
    train: SizeRange
    trials: tuple[Trial, ...]
    steps: int
    check_every: int
    batch: int = 64
    warmup: int = 0
    weight_decay: float = 0.01
    clip: float = 1.0
    position_penalty: float = 0.0  # times the regularizer on products of position vectors,
    penalized: str = FIRST_KEY  # which has two forms
    to_the_end: bool = False
    until: float | None = None
    steps_before: int = 0  # that these models have made: what they draw now is not what they drew
    half_largest: bool = False  # half of a batch has the largest size, the other half smaller ones
    network: Network | None = None  # with one, nothing is trained: it is tested as it is
    segment: int = 50  # steps in one dispatch; progress, checkpoints and Ctrl-C wait for it

    def __post_init__(self) -> None:
        if not self.members or not self.trials:
            raise BadInput("a plan needs members and tests")
        for name in ("steps", "check_every", "batch", "segment"):
            if getattr(self, name) < 1:
                raise BadInput(
                    f"training needs at least 1 for {name.replace('_', ' ')}",
                    seen=getattr(self, name),
                )
        if self.check_every % self.segment or self.steps % self.segment:
            raise BadInput(
                "steps, checks and segments do not fit",
                seen=f"steps {self.steps}, check every {self.check_every}, segment {self.segment}",
                why="steps and the check interval must be multiples of the segment",
                hint=f"--steps {-(-self.steps // self.segment) * self.segment}",
            )
        self._check_penalty()
        if self.until is not None and not 0 < self.until <= 1:
            raise BadInput("a share of right answers lies in (0, 1]", seen=self.until)
        if self.batch % 2:
            raise BadInput("a batch must be even", seen=self.batch, why="examples go in pairs")
        if any(not 0 <= member.seed < 2**31 for member in self.members):
            raise BadInput("seeds are whole numbers from 0 to 2^31 - 1")
        first = self.members[0].task
        for member in self.members:
            # One compiled program draws the data of all members: what differs must be in tables.
            if type(member.task) is not type(first) or (
                member.task != first and first.tables == ()
            ):
                raise BadInput(
                    "the tasks of one fleet must be of one family",
                    seen=f"{first.name} and {member.task.name}",
                    why="one compiled program draws the data of all members",
                )
            if member.task.longest != first.longest:
                raise BadInput("the tasks of one fleet must reach equally far", seen=member.task)
            if self._laid_out(member.task) != self._laid_out(first):
                raise BadInput(
                    "the tasks of one fleet must be asked at the same places",
                    seen=f"{first.name} and {member.task.name}",
                )
            require_sizes(member.task, self.train)

    def _laid_out(self, task: Task) -> list[int]:
        """Tokens and answers of the longest training input."""
        return [task.width(self.train.high), task.scored(self.train.high)]

    def _check_penalty(self) -> None:
        if self.position_penalty and self.architecture.kind != KINDS[0]:
            raise BadInput(
                "only transformers have products of positions to penalise",
                seen=self.architecture.kind,
                hint="leave out --position-penalty",
            )
        if self.penalized not in PENALTIES:
            choices = " or ".join(PENALTIES)
            raise BadInput("there is no such penalty", seen=self.penalized, hint=choices)

    def as_json(self) -> dict[str, Any]:
        """Everything that decides the outcome of the run."""
        return {
            "architecture": self.architecture.as_json(),
            "members": [
                {
                    "seed": member.seed,
                    "learning_rate": member.learning_rate,
                    "task": member.task.as_json(),
                }
                for member in self.members
            ],
            "train": [self.train.low, self.train.high],
            "trials": [
                {
                    "probe": trial.probe,
                    "sizes": [trial.sizes.low, trial.sizes.high],
                    "count": trial.count,
                    "shifted": trial.shifted,
                }
                for trial in self.trials
            ],
            "steps": self.steps,
            "check_every": self.check_every,
            "batch": self.batch,
            "warmup": self.warmup,
            "weight_decay": self.weight_decay,
            "clip": self.clip,
            "segment": self.segment,
            **({"position_penalty": self.position_penalty} if self.position_penalty else {}),
            **({"penalized": self.penalized} if self._pays_otherwise else {}),
            **({"to_the_end": True} if self.to_the_end else {}),
            **({} if self.until is None else {"until": self.until}),
            **({"half_largest": True} if self.half_largest else {}),
            **({"steps_before": self.steps_before} if self.steps_before else {}),
            **({"network": self.network.as_json()} if self.network else {}),
        }

    @property
    def _pays_otherwise(self) -> bool:
        return bool(self.position_penalty) and self.penalized != FIRST_KEY

    def training_sizes(self, task: Task) -> tuple[int, ...]:
        """What sizes are drawn from, all equally likely: some stand there more than once.

        >>> from foretell.tasks.lookup import find_task
        >>> shape = Architecture(layers=1, heads=1, width=8, positional="nope", context=9)
        >>> member = Member(0, 1e-3, find_task("parity", 6))
        >>> trial = Trial("typical", SizeRange(3, 6), 8)
        >>> plan = Plan(architecture=shape, members=(member,), train=trial.sizes, trials=(trial,),
        ...             steps=50, check_every=50, half_largest=True)
        >>> plan.training_sizes(member.task)
        (3, 4, 5, 6, 6, 6)
        """
        *smaller, largest = task.sizes(self.train.low, self.train.high)
        times = max(1, len(smaller)) if self.half_largest else 1
        return (*smaller, *[largest] * times)

    @property
    def one_size(self) -> bool:
        """Are all examples equally long?"""
        return self.until is not None and self.train.low == self.train.high

    @property
    def hash(self) -> str:
        """Content hash: names the run in the store."""
        return content_hash(self.as_json())

    @property
    def kind(self) -> str:
        """The same for plans that one compiled program can train together."""
        if self.network is not None:
            return self.hash
        alike = dataclasses.replace(self, trials=self.trials[:1]).as_json()
        task = self.members[0].task
        family = type(task).__qualname__ if task.tables != () else task.as_json()
        own = {
            "family": family,
            "probes": list(task.probes),
            "longest": task.longest,
            "laid_out": self._laid_out(task),
        }
        return content_hash({**alike, "members": None, **own})


def join(plans: Sequence[Plan]) -> Plan:
    """One plan with the members and tests of all: many questions, one compiled program.

    A member is decided by its seed, task and learning rate, not by who trains beside it, so the
    parts can be read apart afterwards.
    """
    first = plans[0]
    for other in plans[1:]:
        alike = dataclasses.replace(first, members=other.members, trials=other.trials)
        if alike != other or first.trials[0] != other.trials[0] or first.network:
            raise BadInput(
                "plans of one fleet differ only in their members and their longer tests",
                seen=f"{first.members[0].task.name} and {other.members[0].task.name}",
            )
    return dataclasses.replace(
        first,
        members=tuple(member for plan in plans for member in plan.members),
        trials=tuple(dict.fromkeys(trial for plan in plans for trial in plan.trials)),
    )


def require_sizes(task: Task, wanted: SizeRange, probe: str | None = None) -> tuple[int, ...]:
    """Legal sizes in the range, or a message that names the nearest ones outside it."""
    sizes = task.sizes(wanted.low, wanted.high, probe)
    if sizes:
        return sizes
    nearest = " and ".join(map(str, task.nearest_sizes(wanted.low, wanted.high, probe)))
    raise BadInput(
        f"{task.name} has no input in that range of sizes",
        seen=str(wanted),
        why=f"nearest sizes that exist: {nearest or 'none'}",
        hint="a range that contains one of them" if nearest else None,
    )


def dispatched(steps: int, check_every: int, most: int = 50) -> int:
    """Steps in one dispatch: a part of both.

    >>> dispatched(4000, 1000), dispatched(700, 7), dispatched(4000, 7)
    (50, 7, 1)
    """
    both = math.gcd(steps, check_every)
    return next((size for size in range(min(both, most), 0, -1) if both % size == 0), 1)
