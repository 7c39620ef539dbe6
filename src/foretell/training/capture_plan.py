"""What a measurement of capture trains, as one frozen value: small sizes first, then one by one.

The first stage trains up to the starting size. Every later stage is one larger size, where several
arms adapt side by side, each from its own weights: one fleet, one compiled program a size.
"""

from __future__ import annotations

import dataclasses
import itertools
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from foretell.core.architecture import Architecture
from foretell.core.question import SizeRange
from foretell.core.task import Task
from foretell.plain.canonical import content_hash
from foretell.plain.errors import BadInput
from foretell.training.plan import Member, Plan, Trial, dispatched, require_sizes

FROM_START = "from the start"  # from the weights that the small sizes gave
STEP_BY_STEP = "step by step"  # from the weights that the previous size gave
FROM_SCRATCH = "from scratch"  # from fresh weights: what the small sizes were worth
ARMS = (FROM_START, STEP_BY_STEP, FROM_SCRATCH)
PRE_TRAINING = "pre-training"


@dataclass(frozen=True)
class Stage:
    """One size and the arms that adapt to it, each with the stage whose weights it begins with.

    A source of nothing means fresh weights.
    """

    number: int
    sizes: SizeRange
    sources: Mapping[str, int | None]

    @property
    def name(self) -> str:
        """For progress."""
        if PRE_TRAINING in self.sources:
            return f"{PRE_TRAINING} at sizes {self.sizes}"
        return f"size {self.sizes.high}"

    def without(self, arms: Collection[str]) -> Stage:
        """The same stage, for the other arms only."""
        left = {arm: source for arm, source in self.sources.items() if arm not in arms}
        return dataclasses.replace(self, sources=left)


@dataclass(frozen=True, kw_only=True)
class CapturePlan:
    """Seeds that train up to a size and then adapt to larger ones, until a share is right."""

    architecture: Architecture
    task: Task
    seeds: tuple[int, ...]
    start: SizeRange  # of pre-training
    sizes: tuple[int, ...]
    threshold: float
    learning_rate: float
    adapting_rate: float
    first_steps: int  # of pre-training, at most
    adapting_steps: int  # at each size, at most
    first_check: int  # steps between checks while pre-training
    adapting_check: int
    batch: int = 64
    adapting_batch: int = 64
    samples: int = 512  # held out, of each size, for the checks
    warmup: int = 0
    arms: tuple[str, ...] = ARMS
    largest_from_scratch: int | None = None  # size; beyond it the control would cost the most
    stop_at_miss: bool = False  # leave out larger sizes of a way of adapting that most runs missed
    first_threshold: float | None = None  # of pre-training, where it is another
    mixed: bool = False  # adapt at all sizes up to a size, instead of at that size alone,
    half: bool = False  # or half of the inputs at that size, half at smaller ones
    fresh: bool = False  # each size draws samples of its own; runs kept from before did not

    def __post_init__(self) -> None:
        if not self.seeds or len(set(self.seeds)) < len(self.seeds):
            raise BadInput("a measurement needs seeds, each once", seen=list(self.seeds))
        unknown = [arm for arm in self.arms if arm not in ARMS]
        if unknown or len(set(self.arms)) < len(self.arms) or not self.arms:
            raise BadInput(
                "arms are known by name, each once",
                seen=", ".join(unknown or self.arms) or "none",
                hint=", ".join(ARMS),
            )
        if FROM_SCRATCH in self.arms and len(self.arms) == 1:
            raise BadInput("a control needs something to be compared with", hint=FROM_START)
        whole = (self.start.high, *self.sizes)
        if not self.sizes or any(b <= a for a, b in itertools.pairwise(whole)):
            raise BadInput("sizes to adapt to grow from the start", seen=list(whole))
        for threshold in (self.threshold, self.learned):
            if not 0 < threshold <= 1:
                raise BadInput("a threshold lies in (0, 1]", seen=threshold, hint="0.95")
        require_sizes(self.task, self.start)
        for size in self.sizes:
            require_sizes(self.task, SizeRange(size, size))
        self.parts(self.stages[0], self.seeds)  # which checks steps and batches
        self.parts(self.stages[1], self.seeds)

    @property
    def stages(self) -> tuple[Stage, ...]:
        """Pre-training, then size by size."""
        found = [Stage(0, self.start, {PRE_TRAINING: None})]
        for number, size in enumerate(self.sizes, 1):
            before = {FROM_START: 0, STEP_BY_STEP: number - 1, FROM_SCRATCH: None}
            sources = {
                arm: before[arm]
                for arm in self.arms
                if size in self.sizes_of(arm) and not self._shared(arm, number)
            }
            found.append(Stage(number, SizeRange(size, size), sources))
        return tuple(found)

    def sizes_of(self, arm: str) -> tuple[int, ...]:
        """The sizes that an arm is trained at."""
        most = self.largest_from_scratch
        if arm != FROM_SCRATCH or most is None:
            return self.sizes
        return tuple(size for size in self.sizes if size <= most)

    def _shared(self, arm: str, number: int) -> bool:
        """The first larger size is one step from the start: the same run in both arms."""
        return arm == STEP_BY_STEP and number == 1 and FROM_START in self.arms

    def parts(self, stage: Stage, seeds: Sequence[int]) -> tuple[Plan, ...]:
        """The stage as ordinary plans, one an arm, that train as one fleet."""
        first = stage.number == 0
        rate = self.learning_rate if first else self.adapting_rate
        steps = self.first_steps if first else self.adapting_steps
        check = self.first_check if first else self.adapting_check
        tests = SizeRange(stage.sizes.high, stage.sizes.high)
        several = self.mixed or self.half
        trained = SizeRange(self.start.low, stage.sizes.high) if several else stage.sizes
        plan = Plan(
            architecture=self.architecture,
            members=tuple(Member(seed, rate, self.task) for seed in seeds),
            train=trained,
            trials=(Trial(self.task.probes[0], tests, self.samples),),
            steps=steps,
            check_every=check,
            batch=self.batch if first else self.adapting_batch,
            warmup=self.warmup if first else 0,
            weight_decay=0.0,
            until=self.learned if first else self.threshold,
            half_largest=self.half and not first,
            steps_before=self._steps_before(stage.number) if self.fresh else 0,
            segment=dispatched(steps, check),
        )
        return (plan,) * len(stage.sources)

    def _steps_before(self, number: int) -> int:
        """Steps that all stages before may have made."""
        return 0 if number == 0 else self.first_steps + (number - 1) * self.adapting_steps

    @property
    def learned(self) -> float:
        """The share that must be right at the small sizes before a model adapts."""
        return self.threshold if self.first_threshold is None else self.first_threshold

    @property
    def members(self) -> tuple[tuple[str, int], ...]:
        """Who trains side by side at a size: arms and seeds."""
        return tuple((arm, seed) for arm in self.arms for seed in self.seeds)

    @property
    def steps(self) -> int:
        """Of one seed in one arm, at most."""
        return self.first_steps + len(self.sizes) * self.adapting_steps

    @property
    def cap(self) -> int:
        """Samples that adapting to one size may take."""
        return self.adapting_steps * self.adapting_batch

    def as_json(self) -> dict[str, Any]:
        """Everything that decides the outcome of the run."""
        own: tuple[str, ...]
        own = ("threshold", "learning_rate", "adapting_rate", "first_steps", "adapting_steps")
        own += ("first_check", "adapting_check", "batch", "adapting_batch", "samples", "warmup")
        own += ("largest_from_scratch",)
        own += ("stop_at_miss",) * self.stop_at_miss  # runs from before it keep their names
        own += ("first_threshold",) * (self.first_threshold is not None)
        own += ("mixed",) * self.mixed + ("half",) * self.half + ("fresh",) * self.fresh
        return {
            "architecture": self.architecture.as_json(),
            "task": self.task.as_json(),
            "seeds": list(self.seeds),
            "start": [self.start.low, self.start.high],
            "sizes": list(self.sizes),
            **{name: getattr(self, name) for name in own},
            "arms": list(self.arms),
            "steps": self.steps,
        }

    @property
    def hash(self) -> str:
        """Content hash: names the run in the store."""
        return content_hash({"capture": self.as_json()})

    @property
    def kind(self) -> str:
        """Every measurement of capture is a fleet of its own: its stages wait for each other."""
        return self.hash
