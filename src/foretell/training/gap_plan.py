"""What to fit and how long: regressions on a fixed sample, as one frozen value."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from foretell.core.architecture import Architecture
from foretell.plain.canonical import content_hash
from foretell.plain.errors import BadInput
from foretell.tasks.boolean import BooleanTask


@dataclass(frozen=True)
class GapMember:
    """One model of a fleet: its seed, learning rate and function."""

    seed: int
    learning_rate: float
    task: BooleanTask


@dataclass(frozen=True, kw_only=True)
class GapPlan:
    """Models of one shape, each fitted to its own sample of its own function.

    A member whose mean squared error on all its training inputs falls below `threshold` at a check
    is fitted and stops changing.
    """

    architecture: Architecture
    members: tuple[GapMember, ...]
    samples: int
    validation: int
    steps: int
    check_every: int
    threshold: float
    batch: int = 256
    weight_decay: float = 1e-4
    dropout: float = 0.0
    draws: int = 32  # random vectors behind the estimate of the trace
    segment: int = 50

    def __post_init__(self) -> None:
        if not self.members:
            raise BadInput("a plan needs members")
        for name in ("samples", "validation", "steps", "check_every", "batch", "segment"):
            if getattr(self, name) < 1:
                raise BadInput(
                    f"fitting needs at least 1 for {name.replace('_', ' ')}",
                    seen=getattr(self, name),
                )
        if self.check_every % self.segment or self.steps % self.segment:
            raise BadInput(
                "steps, checks and segments do not fit",
                seen=f"steps {self.steps}, check every {self.check_every}, segment {self.segment}",
                why="steps and the check interval must be multiples of the segment",
            )
        if not self.threshold > 0 or not 0 <= self.dropout < 1 or self.weight_decay < 0:
            raise BadInput(
                "a threshold is above 0, dropout lies in [0, 1), weight decay is not negative",
                seen=f"{self.threshold:g}, {self.dropout:g}, {self.weight_decay:g}",
            )
        if len({member.task.bits for member in self.members}) > 1:
            raise BadInput("the functions of one fleet must have equally many bits")
        if len({member.task.steps for member in self.members}) > 1:
            raise BadInput("the models of one fleet all answer in one pass, or all in steps")

    def as_json(self) -> dict[str, Any]:
        """Everything that decides the outcome of the run."""
        return {
            **self._alike(),
            "members": [
                {
                    "seed": member.seed,
                    "learning_rate": member.learning_rate,
                    "task": member.task.as_json(),
                }
                for member in self.members
            ],
        }

    def _alike(self) -> dict[str, Any]:
        return {
            "architecture": self.architecture.as_json(),
            "samples": self.samples,
            "validation": self.validation,
            "steps": self.steps,
            "check_every": self.check_every,
            "threshold": self.threshold,
            "batch": self.batch,
            "weight_decay": self.weight_decay,
            "dropout": self.dropout,
            "draws": self.draws,
            "segment": self.segment,
        }

    @property
    def hash(self) -> str:
        """Content hash: names the run in the store."""
        return content_hash(self.as_json())

    @property
    def kind(self) -> str:
        """The same for plans that one compiled program can train together."""
        return content_hash(self._alike())
