"""Run a plan from wherever it was left to its record: segments, checks, checkpoints, tests."""

from __future__ import annotations

import abc
import dataclasses
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from foretell.plain.errors import BadInput
from foretell.training.checkpoint import load_checkpoint, named_arrays, save_checkpoint
from foretell.training.fleet import Fleet
from foretell.training.loops import Tree
from foretell.training.member import DIVERGED, FITTED, RUNNING, MemberState
from foretell.training.provenance import describe_machine
from foretell.training.stopping import Interrupted, interrupt_flag

SAVE_SECONDS = 10.0  # between checkpoints, at least; a segment of a large model may take longer
SAVE_SHARE = 0.05  # of the time goes to saving, at most
# What a fleet of another size must save: twice what compiling took on an H200 at 6 layers of 256
# (results/performance/compiling-alone-h200.json), for members may stop before the last step.
WORTH_SECONDS = 40.0
LEAVING = (
    8  # at least one in so many leaves at a time, so that a fleet is compiled a few times only
)
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


Deliver = Callable[[int, Any, dict[str, Any]], None]  # place of a plan, its record, its weights


class Work(abc.ABC):
    """What a plan needs done in a folder: it can be interrupted, and goes on where it was.

    Of several plans some may be done long before the others. Work that does not let them wait
    gives them to `deliver`, if there is one; they are in `handed` from then on.
    """

    plan: Any
    sessions: list[dict[str, Any]]  # when, with which code and where it was worked on
    handed: set[int]  # places of plans whose results somebody has
    deliver: Deliver | None = None

    @staticmethod
    @abc.abstractmethod
    def join(parts: Sequence[Any]) -> Any:
        """One plan with the members of all."""

    @abc.abstractmethod
    def execute(self) -> list[tuple[Any, dict[str, Any]]]:
        """Do it. Returns the record and the final weights of each plan not handed over before."""


class Run(Work):
    """One execution of plans of one shape in a folder, as one fleet.

    The members of all plans train side by side; each plan gets its own record. `fleet` holds the
    members in training, at the places `active` of the whole; the others wait in `parked`.
    """

    def __init__(
        self,
        parts: Sequence[Any],
        folder: Path,
        show: Callable[[Progress], None],
        seconds: float | None = None,
    ) -> None:
        for part in parts:
            if len({member.seed for member in part.members}) < len(part.members):
                raise BadInput("the members of a plan need different seeds: records go by seed")
        self.parts, self.folder, self.show = tuple(parts), folder, show
        self.limit = seconds  # after which to save and stop
        self.plan = self.join(parts)
        self.whole = self.fleet = self.fleet_of(self.plan)
        self.active = list(range(len(self.plan.members)))
        self.parked: dict[int, MemberState] = {}
        self.handed: set[int] = set()
        self.history: list[dict[str, Any]] = []
        self.done = 0  # steps of the members that still run
        self.seconds = 0.0
        self.sessions = [this_session()]
        self.steps_here = 0  # model-steps done by this process, for the rate
        self.started = self.saved = self.counted = time.monotonic()
        self.save_after = SAVE_SECONDS
        self.last: Progress | None = None  # that was shown

    @staticmethod
    def join(parts: Sequence[Any]) -> Any:
        """One plan with the members of all."""
        first = parts[0]
        if any(part.kind != first.kind for part in parts):
            raise BadInput("plans of one fleet differ only in their members")
        members = tuple(member for part in parts for member in part.members)
        return dataclasses.replace(first, members=members)

    @staticmethod
    @abc.abstractmethod
    def fleet_of(plan: Any) -> Fleet:
        """The fleet that trains the plan."""

    @abc.abstractmethod
    def finish(self, states: Tree, stop: threading.Event) -> list[tuple[Any, dict[str, Any]]]:
        """Test what was trained: the record and the final weights of each plan."""

    def execute(self) -> list[tuple[Any, dict[str, Any]]]:
        """Train and test. Returns record and final weights of each plan not handed over before."""
        with interrupt_flag(self.limit) as stop:
            return self.finish(self._train(stop), stop)

    def share_out(
        self, members: Sequence[MemberState], described: Sequence[Any], record: type
    ) -> list[tuple[Any, dict[str, Any]]]:
        """Each plan's record of what is said of its members, and their weights."""
        found, first = [], 0
        for at, part in enumerate(self.parts):
            own = slice(first, first + len(part.members))
            first = own.stop
            if at in self.handed:
                continue
            history = tuple(
                {**check, "loss": check["loss"][own], "in_range": check["in_range"][own]}
                for check in self.history
            )
            weights = {
                f"seed-{each.seed}.{name}": array
                for each, state in zip(part.members, members[own], strict=True)
                for name, array in named_arrays(state.model).items()
            }
            found.append((record(tuple(described[own]), history, self.seconds), weights))
        return found

    def count_seconds(self) -> None:
        """Add what has passed since the last call: training, saving and testing."""
        now = time.monotonic()
        self.seconds += now - self.counted
        self.counted = now

    def _train(self, stop: threading.Event) -> Tree:
        states = self._begin(self._resume())
        while self.done < self.plan.steps and self._running(states):
            states = self._to_next_check(self._narrow(states), stop)
            self._hand_over(states, stop)
        self._save(states)
        return self.whole.loop.spread(self._everyone(states))

    def _hand_over(self, states: Tree, stop: threading.Event) -> None:
        """Deliver, after a check, what is done before the others are: in most runs it waits."""

    def _begin(self, states: Tree) -> Tree:
        """What happens before the first step: nothing, in most runs."""
        return states

    def _start(self) -> Tree:
        """Members that nothing was saved of."""
        return self.fleet.start()

    def _resume(self) -> Tree:
        loaded = load_checkpoint(self.folder, self.fleet.shapes(), len(self.plan.members))
        if loaded is None:
            return self._start()
        members, notes = loaded
        self.history, self.done = notes["history"], notes["done"]
        self.seconds = notes["seconds"]
        self.sessions = [*notes["sessions"], *self.sessions]
        return self.fleet.loop.spread(members)

    def _everyone(self, states: Tree) -> list[MemberState]:
        known = {**self.parked, **dict(zip(self.active, self.fleet.members(states), strict=True))}
        return [known[place] for place in range(len(self.plan.members))]

    def _narrow(self, states: Tree) -> Tree:
        """Let members that have stopped leave the fleet, where that saves more than it costs."""
        standing = self.fleet.standing(states)
        places = [place for place, (status, _) in enumerate(standing) if status == RUNNING]
        leaving = len(standing) - len(places)
        if LEAVING * leaving < len(standing) or not self.fleet.loop.batched:
            return states
        rate = self.steps_here / max(time.monotonic() - self.started, 1e-9)
        if self.steps_here and leaving * (self.plan.steps - self.done) < WORTH_SECONDS * rate:
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
            self.report(states, "training")
            self._save_in_time(states, stop)
        states = self.check(states)
        self.report(states, "training")
        self._save_in_time(states, stop)
        return states

    def _save_in_time(self, states: Tree, stop: threading.Event) -> None:
        """A checkpoint where the last is old, or where somebody wants to stop: then also stop.

        Not at every check: some runs check every few steps, and saving would be most of the work.
        """
        stopping = stop.is_set()
        if stopping or time.monotonic() - self.saved > self.save_after:
            self._save(states)
        if stopping:
            raise Interrupted(self.done)

    def check(self, states: Tree) -> Tree:
        """How every member does, into the history; those that are done stop."""
        states, scores = self.fleet.check(states, last=self.done >= self.plan.steps)
        self._note(scores, [loss for _, loss in self.fleet.standing(states)])
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

    def stop_if_asked(self, stop: threading.Event) -> None:
        """Everything is saved: Ctrl-C, or the time is up."""
        if stop.is_set():
            raise Interrupted(self.done)

    def _running(self, states: Tree) -> int:
        return sum(status == RUNNING for status, _ in self.fleet.standing(states))

    def report(self, states: Tree, phase: str) -> None:
        """Say where the run stands."""
        members = self.fleet.standing(states)
        running = [loss for status, loss in members if status == RUNNING]
        elapsed = time.monotonic() - self.started
        rate = self.steps_here / max(elapsed, 1e-9)
        left = (self.plan.steps - self.done) * len(running) / max(rate, 1e-9)
        scores = self.history[-1]["in_range"] if self.history else []
        self.last = Progress(
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
        self.show(self.last)

    def _save(self, states: Tree) -> None:
        began = time.monotonic()
        self.count_seconds()
        notes = {"done": self.done, "history": self.history, "seconds": self.seconds}
        notes["sessions"] = self.sessions
        save_checkpoint(self.folder, self._everyone(states), notes)
        self.saved = time.monotonic()
        self.save_after = max(SAVE_SECONDS, (self.saved - began) / SAVE_SHARE)


def this_session() -> dict[str, Any]:
    """Who works now: a run may be continued by other code, elsewhere."""
    machine = describe_machine()
    return {name: machine[name] for name in ("time", "commit", "device")}
