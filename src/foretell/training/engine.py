"""Run a plan from wherever it was left to its record: segments, checks, checkpoints, tests."""

from __future__ import annotations

import itertools
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from foretell.core.task import Example
from foretell.plain.errors import BadInput
from foretell.training.checkpoint import load_checkpoint, named_arrays, save_checkpoint
from foretell.training.evaluation import guess_from_current_token
from foretell.training.fleet import Fleet, Tree
from foretell.training.member import DIVERGED, FITTED, RUNNING, MemberState, own_rows
from foretell.training.plan import Plan, join
from foretell.training.provenance import describe_machine
from foretell.training.record import Baseline, MemberRecord, Record, Score, by_size
from foretell.training.stopping import Interrupted, interrupt_flag

SAVE_SECONDS = 10.0  # between checkpoints, at least; a segment of a large model may take longer
SAVE_SHARE = 0.05  # of the time goes to saving, at most
COMPILE_SECONDS = 60.0  # what a fleet of another size costs before it saves anything
STATUS = {RUNNING: "not fitted", FITTED: "fitted", DIVERGED: "diverged"}


@dataclass(frozen=True)
class Progress:
    """Where a run stands; handed to whoever shows it."""

    step: int
    steps: int
    members: int
    running: int
    loss: float
    accuracy: float | None
    rate: float  # model-steps per second
    seconds_left: float
    phase: str


class Run:
    """One execution of plans of one shape in a folder, as one fleet.

    The members of all plans train side by side; each plan gets its own record. `fleet` holds the
    members in training, at the places `active` of the whole; the others wait in `parked`.
    """

    def __init__(
        self,
        parts: Sequence[Plan],
        folder: Path,
        show: Callable[[Progress], None],
        seconds: float | None = None,
    ) -> None:
        for part in parts:
            if len({member.seed for member in part.members}) < len(part.members):
                raise BadInput("the members of a plan need different seeds: records go by seed")
        self.parts, self.folder, self.show = tuple(parts), folder, show
        self.limit = seconds  # after which to save and stop
        self.plan = join(parts)
        self.whole = self.fleet = Fleet(self.plan)
        self.active = list(range(len(self.plan.members)))
        self.parked: dict[int, MemberState] = {}
        self.history: list[dict[str, Any]] = []
        self.done = 0  # steps of the members that still run
        self.seconds = 0.0
        machine = describe_machine()  # a run may be continued by other code, elsewhere
        self.sessions = [{name: machine[name] for name in ("time", "commit", "device")}]
        self.steps_here = 0  # model-steps done by this process, for the rate
        self.started = self.saved = time.monotonic()
        self.save_after = SAVE_SECONDS

    def execute(self) -> list[tuple[Record, dict[str, np.ndarray]]]:
        """Train and test. Returns the record and the final weights of each plan."""
        with interrupt_flag(self.limit) as stop:
            states = self.whole.built() if self.plan.network else self._train(stop)
            scores, baselines = self._test(states, stop)
        self.seconds += time.monotonic() - self.saved
        members = self.whole.members(states)
        found, first = [], 0
        for part in self.parts:
            own = slice(first, first + len(part.members))
            found.append(
                (
                    self._record(part, own, members[own], scores[own], baselines[first]),
                    self._weights(part, members[own]),
                )
            )
            first = own.stop
        return found

    def _record(
        self,
        part: Plan,
        own: slice,
        states: list[MemberState],
        scores: list[list[Score]],
        baselines: list[Baseline],
    ) -> Record:
        asked = {
            (label, t.sizes.low, t.sizes.high)
            for t in part.trials
            for label in (t.label, t.last_label)
        }
        members = tuple(
            MemberRecord(
                each.seed,
                each.learning_rate,
                STATUS[int(state.status)],
                int(state.step),
                float(state.loss) if np.isfinite(state.loss) else None,
            )
            for each, state in zip(part.members, states, strict=True)
        )
        return Record(
            members,
            tuple(s for each in scores for s in each if (s.probe, s.low, s.high) in asked),
            tuple(found for found in baselines if found[:3] in asked),
            tuple(
                {
                    "step": check["step"],
                    "loss": check["loss"][own],
                    "in_range": check["in_range"][own],
                }
                for check in self.history
                if any(check["step"] <= int(state.step) for state in states)
            ),
            self.seconds,
        )

    def _weights(self, part: Plan, states: list[MemberState]) -> dict[str, np.ndarray]:
        if part.network:
            return named_arrays(states[0].model)
        return {
            f"seed-{each.seed}.{name}": array
            for each, state in zip(part.members, states, strict=True)
            for name, array in named_arrays(own_rows(state.model, each.task)).items()
        }

    def _train(self, stop: threading.Event) -> Tree:
        states = self._resume()
        while self.done < self.plan.steps and self._running(states):
            states = self._to_next_check(self._narrow(states), stop)
        self._save(states)
        return self.whole.loop.spread(self._everyone(states))

    def _resume(self) -> Tree:
        loaded = load_checkpoint(self.folder, self.fleet.shapes(), len(self.plan.members))
        if loaded is None:
            return self.fleet.start()
        members, notes = loaded
        self.history, self.done = notes["history"], notes["done"]
        self.seconds = notes["seconds"]
        self.sessions = [*notes["sessions"], *self.sessions]
        return self.fleet.loop.spread(members)

    def _everyone(self, states: Tree) -> list[MemberState]:
        known = {**self.parked, **dict(zip(self.active, self.fleet.members(states), strict=True))}
        return [known[place] for place in range(len(self.plan.members))]

    def _narrow(self, states: Tree) -> Tree:
        """Let members that have stopped leave the fleet, where that saves more than it costs.

        At most half may stay, so that a fleet is compiled anew a few times only.
        """
        standing = self.fleet.standing(states)
        places = [place for place, (status, _) in enumerate(standing) if status == RUNNING]
        if 2 * len(places) > len(standing) or not self.fleet.loop.batched:
            return states
        rate = self.steps_here / max(time.monotonic() - self.started, 1e-9)
        idle = (len(standing) - len(places)) * (self.plan.steps - self.done)
        if self.steps_here and idle < COMPILE_SECONDS * rate:
            return states
        members = self.fleet.members(states)
        self.parked |= {
            self.active[place]: state for place, state in enumerate(members) if place not in places
        }
        self.active = [self.active[place] for place in places]
        self.fleet = self.fleet.keep(places)
        return self.fleet.loop.keep(states, places)

    def _to_next_check(self, states: Tree, stop: threading.Event) -> Tree:
        while True:
            running = self._running(states)
            states = self.fleet.advance(states)
            self.done += self.plan.segment
            self.steps_here += self.plan.segment * running
            if self.done % self.plan.check_every == 0 or self.done >= self.plan.steps:
                break
            self._report(states, "training")
            stopping = stop.is_set()
            if stopping or time.monotonic() - self.saved > self.save_after:
                self._save(states)
            if stopping:
                raise Interrupted(self.done)
        states, scores = self.fleet.check(states, last=self.done >= self.plan.steps)
        self._note(scores, [loss for _, loss in self.fleet.standing(states)])
        self._save(states)
        self._report(states, "training")
        self._stop_if_asked(stop)
        return states

    def _note(self, scores: list[float], losses: list[float]) -> None:
        """One entry of history for everybody; who has left the fleet keeps the last values."""
        count = len(self.plan.members)
        loss: list[float | None] = [None] * count
        in_range = [0.0] * count
        if self.history:
            loss, in_range = list(self.history[-1]["loss"]), list(self.history[-1]["in_range"])
        for place, score, value in zip(self.active, scores, losses, strict=True):
            loss[place] = value if np.isfinite(value) else None
            in_range[place] = score
        self.history.append({"step": self.done, "loss": loss, "in_range": in_range})

    def _stop_if_asked(self, stop: threading.Event) -> None:
        if stop.is_set():
            raise Interrupted(self.done)

    def _running(self, states: Tree) -> int:
        return sum(status == RUNNING for status, _ in self.fleet.standing(states))

    def _report(self, states: Tree, phase: str) -> None:
        members = self.fleet.standing(states)
        running = [loss for status, loss in members if status == RUNNING]
        elapsed = time.monotonic() - self.started
        rate = self.steps_here / max(elapsed, 1e-9)
        left = (self.plan.steps - self.done) * len(running) / max(rate, 1e-9)
        scores = self.history[-1]["in_range"] if self.history else []
        self.show(
            Progress(
                step=self.done,
                steps=self.plan.steps,
                members=len(self.plan.members),
                running=len(running),
                loss=float(np.mean(running or [loss for _, loss in members])),
                accuracy=float(np.mean(scores)) if scores else None,
                rate=rate,
                seconds_left=left,
                phase=phase,
            )
        )

    def _save(self, states: Tree) -> None:
        began = time.monotonic()
        self.seconds += began - self.saved
        notes = {"done": self.done, "history": self.history, "seconds": self.seconds}
        notes["sessions"] = self.sessions
        save_checkpoint(self.folder, self._everyone(states), notes)
        self.saved = time.monotonic()
        self.seconds += self.saved - began
        self.save_after = max(SAVE_SECONDS, (self.saved - began) / SAVE_SHARE)

    def _test(
        self, states: Tree, stop: threading.Event
    ) -> tuple[list[list[Score]], list[list[Baseline]]]:
        """Scores and baselines of every member, trial by trial."""
        self.fleet, self.active = self.whole, list(range(len(self.plan.members)))
        count = len(self.plan.members)
        scores: list[list[Score]] = [[] for _ in range(count)]
        baselines: list[list[Baseline]] = [[] for _ in range(count)]
        seen = self._examples(self.whole.in_range)
        for index, trial in enumerate(self.plan.trials):
            samples = self.whole.in_range if index == 0 else self.whole.samples(trial)
            rights = self.whole.score(states, trial, samples)
            drawn = self.whole.loop.gather(samples)
            place = (trial.label, trial.sizes.low, trial.sizes.high)
            for at, each in enumerate(self.plan.members):
                if not each.task.sizes(trial.sizes.low, trial.sizes.high, trial.probe):
                    continue
                sizes = np.asarray(drawn[at].sizes)[: trial.count]
                scores[at] += by_size(each.seed, place, sizes, np.asarray(rights[at].everywhere))
                if each.task.last_apart:
                    apart = (trial.last_label, *place[1:])
                    scores[at] += by_size(each.seed, apart, sizes, np.asarray(rights[at].last))
                if at in self._firsts:
                    guessed = guess_from_current_token(seen[at], drawn[at].example)
                    baselines[at].append((*place, float(guessed.mean())))
            self._report(states, f"testing {trial.label} {trial.sizes}")
            self._stop_if_asked(stop)
        return scores, baselines

    @property
    def _firsts(self) -> set[int]:
        """The first member of each part: baselines belong to the task, one sample is enough."""
        ends = itertools.accumulate((len(part.members) for part in self.parts), initial=0)
        return set(ends)

    def _examples(self, samples: Tree) -> list[Example]:
        return [drawn.example for drawn in self.whole.loop.gather(samples)]
