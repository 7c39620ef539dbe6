"""Run a plan from wherever it was left to its record: segments, checks, checkpoints, tests."""

from __future__ import annotations

import contextlib
import signal
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from foretell.core.task import Example
from foretell.training.checkpoint import load_checkpoint, named_arrays, save_checkpoint
from foretell.training.evaluation import guess_from_current_token
from foretell.training.fleet import Fleet, Tree
from foretell.training.member import DIVERGED, FITTED, RUNNING
from foretell.training.plan import Plan, Trial
from foretell.training.provenance import describe_machine

SAVE_SECONDS = 10.0  # between checkpoints, at least; a segment of a large model may take longer
SAVE_SHARE = 0.05  # of the time goes to saving, at most
STATUS = {RUNNING: "not fitted", FITTED: "fitted", DIVERGED: "diverged"}


@dataclass(frozen=True)
class Score:
    """How often one member was right on one test, at one size."""

    seed: int
    probe: str
    low: int
    high: int
    size: int
    right: int
    tried: int


@dataclass(frozen=True)
class MemberRecord:
    """How one member's training ended."""

    seed: int
    learning_rate: float
    status: str
    steps: int
    loss: float | None  # nothing when it was no number


@dataclass(frozen=True)
class Record:
    """Everything a run showed, as plain values."""

    members: tuple[MemberRecord, ...]
    scores: tuple[Score, ...]
    baselines: tuple[tuple[str, int, int, float], ...]  # probe, low, high, score of guessing
    history: tuple[dict[str, Any], ...]  # one entry a check: step, losses, in-range scores
    seconds: float


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


class Interrupted(KeyboardInterrupt):
    """Ctrl-C, after everything was saved."""

    def __init__(self, step: int) -> None:
        super().__init__(f"stopped at step {step}; the same command continues from there")


@contextlib.contextmanager
def interrupt_flag() -> Iterator[threading.Event]:
    """Turn the first Ctrl-C into a flag the loop reads between segments; a second one is real."""
    asked = threading.Event()
    if threading.current_thread() is not threading.main_thread():
        yield asked
        return

    def handler(number: int, frame: Any) -> None:
        if asked.is_set():
            raise KeyboardInterrupt
        asked.set()

    previous = signal.signal(signal.SIGINT, handler)
    try:
        yield asked
    finally:
        signal.signal(signal.SIGINT, previous)


class Run:
    """One execution of a plan in a folder."""

    def __init__(self, plan: Plan, folder: Path, show: Callable[[Progress], None]) -> None:
        self.plan, self.folder, self.show = plan, folder, show
        self.fleet = Fleet(plan)
        self.history: list[dict[str, Any]] = []
        self.done = 0  # steps of the members that still run
        self.seconds = 0.0
        machine = describe_machine()  # a run may be continued by other code, elsewhere
        self.sessions = [{name: machine[name] for name in ("time", "commit", "device")}]
        self.steps_here = 0  # model-steps done by this process, for the rate
        self.started = self.saved = time.monotonic()
        self.save_after = SAVE_SECONDS

    def execute(self) -> tuple[Record, dict[str, np.ndarray]]:
        """Train and test. Returns the record and the final weights."""
        with interrupt_flag() as stop:
            states = self.fleet.built() if self.plan.network else self._train(stop)
            record = self._test(states, stop)
        models = [state.model for state in self.fleet.members(states)]
        if self.plan.network:
            return record, named_arrays(models[0])
        weights = {
            f"seed-{each.seed}.{name}": array
            for each, model in zip(self.plan.members, models, strict=True)
            for name, array in named_arrays(model).items()
        }
        return record, weights

    def _train(self, stop: threading.Event) -> Tree:
        states = self._resume()
        while self.done < self.plan.steps and self._running(states):
            states = self._to_next_check(states, stop)
        self._save(states)
        return states

    def _resume(self) -> Tree:
        loaded = load_checkpoint(self.folder, self.fleet.shapes(), len(self.plan.members))
        if loaded is None:
            return self.fleet.start()
        members, notes = loaded
        self.history, self.done = notes["history"], notes["done"]
        self.seconds = notes["seconds"]
        self.sessions = [*notes["sessions"], *self.sessions]
        return self.fleet.loop.spread(members)

    def _to_next_check(self, states: Tree, stop: threading.Event) -> Tree:
        while True:
            running = self._running(states)
            states = self.fleet.advance(states)
            self.done += self.plan.segment
            self.steps_here += self.plan.segment * running
            if self.done % self.plan.check_every == 0:
                break
            self._report(states, "training")
            stopping = stop.is_set()
            if stopping or time.monotonic() - self.saved > self.save_after:
                self._save(states)
            if stopping:
                raise Interrupted(self.done)
        states, scores = self.fleet.check(states)
        losses = [loss for _, loss in self.fleet.standing(states)]
        self.history.append(
            {
                "step": self.done,
                "loss": [loss if np.isfinite(loss) else None for loss in losses],
                "in_range": scores,
            }
        )
        self._save(states)
        self._report(states, "training")
        self._stop_if_asked(stop)
        return states

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
                members=len(members),
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
        save_checkpoint(self.folder, self.fleet.members(states), notes)
        self.saved = time.monotonic()
        self.seconds += self.saved - began
        self.save_after = max(SAVE_SECONDS, (self.saved - began) / SAVE_SHARE)

    def _test(self, states: Tree, stop: threading.Event) -> Record:
        scores: list[Score] = []
        baselines = []
        seen = self._first_example(self.fleet.in_range)
        for index, trial in enumerate(self.plan.trials):
            samples = self.fleet.in_range if index == 0 else self.fleet.samples(trial)
            scores += self._score(states, trial, samples)
            guessed = guess_from_current_token(seen, self._first_example(samples))
            place = (trial.label, trial.sizes.low, trial.sizes.high)
            baselines.append((*place, float(guessed.mean())))
            self._report(states, f"testing {trial.label} {trial.sizes}")
            self._stop_if_asked(stop)
        members = tuple(
            MemberRecord(
                each.seed,
                each.learning_rate,
                STATUS[int(state.status)],
                int(state.step),
                float(state.loss) if np.isfinite(state.loss) else None,
            )
            for each, state in zip(self.plan.members, self.fleet.members(states), strict=True)
        )
        self.seconds += time.monotonic() - self.saved
        return Record(members, tuple(scores), tuple(baselines), tuple(self.history), self.seconds)

    def _first_example(self, samples: Tree) -> Example:
        return self.fleet.loop.gather(samples)[0].example

    def _score(self, states: Tree, trial: Trial, samples: Tree) -> list[Score]:
        rights = self.fleet.score(states, trial, samples)
        drawn = self.fleet.loop.gather(samples)
        place = (trial.label, trial.sizes.low, trial.sizes.high)
        found = []
        for each, right, own in zip(self.plan.members, rights, drawn, strict=True):
            if not each.task.sizes(trial.sizes.low, trial.sizes.high, trial.probe):
                continue
            sizes = np.asarray(own.sizes)[: trial.count]
            for size in np.unique(sizes).tolist():
                at = sizes == size
                hits, tried = int(right[at].sum()), int(at.sum())
                found.append(Score(each.seed, *place, size, hits, tried))
        return found
