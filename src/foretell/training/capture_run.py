"""Run a measurement of capture: stage after stage, each an ordinary run of one fleet.

A stage that is finished leaves its weights and what it showed in the run's folder, under names that
the store clears away with every other checkpoint. The stage in work has a folder of its own with
the checkpoints of its run. A process killed at any moment goes on with the stage it was in.
"""

from __future__ import annotations

import dataclasses
import json
import shutil
import time
from collections.abc import Callable, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any, final

import numpy as np
from safetensors import SafetensorError
from safetensors.numpy import load, save

from foretell.plain.errors import BadInput, StoreProblem
from foretell.plain.files import write_atomically
from foretell.training.capture_plan import (
    FROM_SCRATCH,
    FROM_START,
    PRE_TRAINING,
    STEP_BY_STEP,
    CapturePlan,
    Stage,
)
from foretell.training.capture_stage import (
    Models,
    Shown,
    StageRun,
    fleet_for,
    read_stage,
    require_memory,
)
from foretell.training.checkpoint import POINTER, fill, named_arrays
from foretell.training.engine import Progress, Work, this_session
from foretell.training.plan import join
from foretell.training.record import AdaptedMember, CaptureRecord
from foretell.training.stopping import Interrupted

VERSION = 1  # of what a stage leaves behind


@final
class CaptureRun(Work):
    """All stages of one plan."""

    plan: CapturePlan

    def __init__(
        self,
        parts: Sequence[CapturePlan],
        folder: Path,
        show: Callable[[Progress], None],
        seconds: float | None = None,
    ) -> None:
        self.plan, self.folder, self.show = self.join(parts), folder, show
        self.end = None if seconds is None else time.monotonic() + seconds
        self.sessions = [this_session()]
        self.done: list[Shown] = []
        self.handed: set[int] = set()
        self.seconds = 0.0

    @staticmethod
    def join(parts: Sequence[CapturePlan]) -> CapturePlan:
        """There is one: its stages wait for each other."""
        if len(parts) != 1:
            raise BadInput("measurements of capture run one at a time", seen=len(parts))
        return parts[0]

    def execute(self) -> list[tuple[CaptureRecord, dict[str, np.ndarray]]]:
        """Every stage that is not done yet, then the record of all."""
        self._resume()
        for stage in self.plan.stages[len(self.done) :]:
            require_memory(self.plan.parts(stage, self.plan.seeds))
        for stage in self.plan.stages[len(self.done) :]:
            seeds = self.trained
            if stage.number and not seeds:
                break  # nobody learned the small sizes: there is nothing to adapt
            if self.plan.stop_at_miss:
                stage = stage.without(self._missed)
                if not any(arm != FROM_SCRATCH for arm in stage.sources):
                    break  # larger sizes cannot change what was shown
            began = time.monotonic()
            shown = self._run(stage, seeds)
            self.done.append(shown)
            self.seconds += time.monotonic() - began
            self._save(stage, shown)
        record = CaptureRecord(
            tuple(member for shown in self.done for member in shown.members),
            tuple(check for shown in self.done for check in shown.checks),
            self.seconds,
        )
        return [(record, self._weights())]

    @property
    def trained(self) -> tuple[int, ...]:
        """Seeds that reached the threshold at the small sizes; before that, all of them."""
        if not self.done:
            return self.plan.seeds
        return tuple(own.seed for own in self.done[0].members if own.reached)

    @property
    def _missed(self) -> set[str]:
        """Ways of adapting in which most runs have missed some size; controls are none.

        The first larger size is one run for both ways, on record under the first.
        """
        missed: set[str] = set()
        for shown in self.done[1:]:
            for arm in {own.arm for own in shown.members} - {FROM_SCRATCH}:
                reached = [own.reached for own in shown.members if own.arm == arm]
                if 2 * sum(reached) < len(reached):
                    missed.add(arm)
                    if arm == FROM_START and shown is self.done[1]:
                        missed.add(STEP_BY_STEP)
        return missed

    def _run(self, stage: Stage, seeds: Sequence[int]) -> Shown:
        left = None if self.end is None else self.end - time.monotonic()
        if left is not None and left <= 0:
            raise Interrupted(0)
        places = [(arm, seed) for arm in stage.sources for seed in seeds]
        models = [self._source(stage, *place) for place in places]
        folder = self._stage_folder(stage)
        folder.mkdir(exist_ok=True)
        run = StageRun(self.plan.parts(stage, seeds), folder, self._shown_as(stage), left, models)
        ((states, _),) = run.execute()
        return read_stage(stage, places, run, states)

    def _source(self, stage: Stage, arm: str, seed: int) -> Any:
        """The weights that an arm begins a stage with."""
        source = stage.sources[arm]
        if source is None:
            return self._fresh[self.plan.seeds.index(seed)]
        known = self.done[source].models
        if source == 0:
            return known[PRE_TRAINING, seed]
        return known.get((arm, seed), known.get((FROM_START, seed)))

    @cached_property
    def _fresh(self) -> list[Any]:
        """Untrained weights, as each seed draws them."""
        fleet = fleet_for(join(self.plan.parts(self.plan.stages[0], self.plan.seeds)))
        return [state.model for state in fleet.members(fleet.start())]

    def _shown_as(self, stage: Stage) -> Callable[[Progress], None]:
        of = f"{stage.name} (stage {stage.number + 1} of {len(self.plan.stages)})"
        return lambda now: self.show(dataclasses.replace(now, phase=f"{now.phase}, {of}"))

    def _stage_folder(self, stage: Stage) -> Path:
        return self.folder / f"stage-{stage.number}"

    def _arrays_file(self, number: int) -> Path:
        return self.folder / f"checkpoint-stage-{number}.safetensors"

    def _save(self, stage: Stage, shown: Shown) -> None:
        """Arrays first, then the pointer, then away with what only the running stage needed."""
        arrays = {
            f"{arm}/{seed}/{name}": array
            for (arm, seed), model in shown.models.items()
            for name, array in named_arrays(model).items()
        }
        write_atomically(self._arrays_file(stage.number), save(arrays))
        notes = {
            "version": VERSION,
            "plan": self.plan.hash,
            "seconds": self.seconds,
            "sessions": self.sessions,
            "stages": [
                {"members": [*map(dataclasses.asdict, own.members)], "checks": own.checks}
                for own in self.done
            ],
        }
        write_atomically(self.folder / POINTER, json.dumps(notes))
        shutil.rmtree(self._stage_folder(stage), ignore_errors=True)

    def _resume(self) -> None:
        path = self.folder / POINTER
        if not path.exists():
            return
        try:
            notes = json.loads(path.read_text())
            if (notes.get("version"), notes.get("plan")) != (VERSION, self.plan.hash):
                raise ValueError("it was written by another version of foretell")
            for stage, told in zip(self.plan.stages, notes["stages"], strict=False):
                members = tuple(AdaptedMember(**own) for own in told["members"])
                models = self._load(stage.number, members)
                self.done.append(Shown(members, tuple(told["checks"]), models))
            self.seconds = float(notes["seconds"])
            self.sessions = [*notes["sessions"], *self.sessions]
        except (OSError, ValueError, KeyError, TypeError, AttributeError, SafetensorError) as error:
            raise StoreProblem(
                "what the finished stages left cannot be used",
                seen=path,
                why=str(error).splitlines()[0],
                hint=f"delete {path} to train this run from the start; other runs are intact",
            ) from None
        for stage in self.plan.stages[: len(self.done)]:  # killed before it was cleared away
            shutil.rmtree(self._stage_folder(stage), ignore_errors=True)

    def _load(self, number: int, members: Sequence[AdaptedMember]) -> Models:
        arrays: dict[str, dict[str, np.ndarray]] = {}
        for name, array in load(self._arrays_file(number).read_bytes()).items():
            arm, seed, rest = name.split("/", 2)
            arrays.setdefault(f"{arm}/{seed}", {})[rest] = array
        like = self._fresh[0]
        return {(own.arm, own.seed): fill(like, arrays[f"{own.arm}/{own.seed}"]) for own in members}

    def _weights(self) -> dict[str, np.ndarray]:
        """What the small sizes gave, and what became of it at the largest: from the start, or step
        by step where nothing adapts from the start that far."""
        found, last = {}, {arm for arm, _ in self.done[-1].models}
        adapted = FROM_START if FROM_START in last else STEP_BY_STEP
        for name, shown in {"start": self.done[0], "adapted": self.done[-1]}.items():
            for (arm, seed), model in shown.models.items():
                if arm in (PRE_TRAINING, adapted):
                    for path, array in named_arrays(model).items():
                        found[f"{name}.seed-{seed}.{path}"] = array
        return found
