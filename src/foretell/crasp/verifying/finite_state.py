"""Any alphabet, any depth, as long as the two sides together have finitely many states.

A breadth-first search over where both sides can stand. Runs with the same future (`Future.keys`)
are followed once; when no new future turns up, every word has been covered and agreement is proved.
Counters may grow without end as long as nothing depends on them any more. The search goes by
length, so a difference comes out as a shortest word.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import final

import numpy as np

from foretell.crasp.interpreter import INT64, largest_count
from foretell.crasp.verifying.future import Future
from foretell.crasp.verifying.joint import Decision, DoesNotApplyError, Joint
from foretell.crasp.verifying.machine import Machine, Runs

METHOD = "finite-state"
STATES = 200_000
WORK = 150_000_000  # operations on forms times runs times letters; a step has its own price
STEP_PRICE = 1_500
LONGEST = 100_000
CELLS = 2**17  # runs times letters that are analysed at once


def decide(joint: Joint, states: int = STATES, work: int = WORK) -> Decision:
    """Search until nothing new turns up, a difference does, or the means run out."""
    if joint.same:
        return Decision(METHOD, "agree", "both answers are the same operations")
    machine = Machine(joint.core)
    if not machine.fits(LONGEST) or 8 * largest_count(joint.core, LONGEST) > INT64:
        reason = "a window is wider than 61 positions, or a factor too large"
        return Decision(METHOD, "does not apply", reason)
    try:
        return _Search(joint, machine, states, work).run()
    except DoesNotApplyError as stop:
        return Decision(METHOD, "does not apply", str(stop))


@final
@dataclass
class _Search:
    joint: Joint
    machine: Machine
    most: int
    work: int
    weight: int = 1  # what one run costs; known after the first step
    seen: set[bytes] = field(default_factory=set)
    parents: list[np.ndarray] = field(default_factory=list)  # by length: the child's row above
    letters: list[np.ndarray] = field(default_factory=list)

    def run(self) -> Decision:
        runs = self.machine.start()
        automaton = self.joint.automaton
        states = np.array([automaton.dfa.start if automaton is not None else 0])
        while len(runs):
            self._pay(len(runs))
            below, letters = self.machine.branch(runs)
            size = len(self.joint.core.letters)
            rows = np.arange(len(below)) // size
            if automaton is not None:
                states = automaton.delta[states[rows], letters]
            else:
                states = np.zeros(len(below), np.int64)
            below, values = self.machine.step(below, letters)
            wrong = np.flatnonzero(self.joint.differs(values, states))
            if len(wrong):
                word = self._word(int(rows[wrong[0]]), int(letters[wrong[0]]))
                return Decision(METHOD, "differ", "the search met a difference", word, True)
            new = self._new(below, states)
            self.parents.append(rows[new])
            self.letters.append(letters[new])
            runs, states = below.chosen(new), states[new]
        count = f"{len(self.seen):,} joint state{'s' * (len(self.seen) != 1)}"
        return Decision(METHOD, "agree", f"{count} after every word, and they agree in all of them")

    def _new(self, runs: Runs, states: np.ndarray) -> np.ndarray:
        """Rows whose future has not been met, the first of each kind."""
        found = []
        step = max(1, CELLS // len(self.joint.core.letters))
        for first in range(0, len(runs), step):
            piece = slice(first, first + step)
            future = Future(self.joint, self.machine, runs.chosen(piece), states[piece])
            self.weight = future.weight
            for row, key in enumerate(future.keys(), start=first):
                if key not in self.seen:
                    self.seen.add(key)
                    found.append(row)
            if len(self.seen) > self.most:
                self._stop(f"more than {self.most:,} joint states")
        return np.array(found, np.int64)

    def _pay(self, runs: int) -> None:
        cells = runs * len(self.joint.core.letters)
        self.work -= self.weight * (cells + STEP_PRICE)
        if self.work < 0 or len(self.parents) >= LONGEST:
            self._stop(f"{len(self.seen):,} joint states")

    def _stop(self, seen: str) -> None:
        raise DoesNotApplyError(
            f"the search did not end: {seen} after length {len(self.parents):,}, so perhaps there "
            "are infinitely many"
        )

    def _word(self, row: int, last: int) -> tuple[int, ...]:
        found = [last]
        for rows, letters in zip(reversed(self.parents), reversed(self.letters), strict=True):
            found.append(int(letters[row]))
            row = int(rows[row])
        return tuple(reversed(found))
