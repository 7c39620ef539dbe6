"""A program as a machine that reads one letter at a time, many runs side by side.

Between letters a run remembers how often each counted Boolean has been true so far, and, for counts
over a window, the Boolean's last values as the bits of a whole number (bit d: d positions ago).
All runs stand at the same position. This is the interpreter's meaning, one position at a time, so
the words of length n share the work that was done for their prefixes.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, final

import numpy as np

from foretell.crasp import operations as op
from foretell.crasp.interpreter import INT64, Backend, evaluate, largest_count
from foretell.crasp.operations import Core

WIDEST = 62  # bits a window's memory may have


@final
@dataclass(frozen=True)
class Runs:
    """Where some runs of a program stand."""

    counters: np.ndarray  # [run, counter]
    memories: np.ndarray  # [run, window]
    position: int

    @classmethod
    def together(cls, parts: Sequence[Runs]) -> Runs:
        """Runs at the same position, one after the other."""
        counters = np.concatenate([part.counters for part in parts])
        memories = np.concatenate([part.memories for part in parts])
        return cls(counters, memories, parts[0].position)

    def chosen(self, rows: Any) -> Runs:
        """Some of the runs, or some of them several times."""
        return Runs(self.counters[rows], self.memories[rows], self.position)

    def __len__(self) -> int:
        return len(self.counters)


@final
@dataclass(frozen=True)
class Machine:
    """Steps through the live operations of a core program."""

    core: Core

    @cached_property
    def counters(self) -> tuple[int, ...]:
        """Places of the live counts over everything, in order: the columns of `Runs.counters`."""
        return tuple(place for place, item in op.walk(self.core) if _is_count(item, local=False))

    @cached_property
    def windows(self) -> tuple[int, ...]:
        """Places of the live counts over a window: the columns of `Runs.memories`."""
        return tuple(place for place, item in op.walk(self.core) if _is_count(item, local=True))

    def reach(self, place: int) -> int:
        """How far back a window looks."""
        operation = self.core.operations[place]
        assert isinstance(operation, op.Count) and operation.offsets is not None
        return max(operation.offsets, default=0)

    def fits(self, length: int) -> bool:
        """Do words this long stay within whole numbers of 64 bits?"""
        widest = max(map(self.reach, self.windows), default=0)
        return min(widest, length) < WIDEST and largest_count(self.core, length) < INT64

    def start(self) -> Runs:
        """One run that has read nothing."""
        shapes = (1, len(self.counters)), (1, len(self.windows))
        return Runs(np.zeros(shapes[0], np.int64), np.zeros(shapes[1], np.int64), 0)

    def step(self, runs: Runs, letters: np.ndarray) -> tuple[Runs, Mapping[int, np.ndarray]]:
        """Each run reads its letter; then where they stand, and the values of the outputs."""
        backend = _OneStep(self, runs, letters)
        values = evaluate(self.core, backend)
        return backend.after(), values

    def branch(self, runs: Runs) -> tuple[Runs, np.ndarray]:
        """Every run once for every letter, and those letters."""
        size = len(self.core.letters)
        rows = np.repeat(np.arange(len(runs)), size)
        return runs.chosen(rows), np.tile(np.arange(size, dtype=np.int32), len(runs))


class _OneStep(Backend):
    """The n-th count asked for is the n-th column: `evaluate` goes through them in order."""

    def __init__(self, machine: Machine, runs: Runs, letters: np.ndarray) -> None:
        self.runs, self.letters = runs, letters
        self.counters: list[np.ndarray] = []
        self.memories: list[np.ndarray] = []
        # Bits beyond the reach are forgotten, so that equal memories have equal futures.
        self.kept = [
            np.int64(2 ** min(machine.reach(place), WIDEST) - 1) for place in machine.windows
        ]

    def letter(self, number: int) -> np.ndarray:
        """Compare with the letters read."""
        return self.letters == number

    def constant(self, value: bool) -> np.ndarray:
        """Full of it."""
        return np.full(len(self.letters), value)

    def residue(self, modulus: int, residues: tuple[int, ...]) -> np.ndarray:
        """All runs stand at the same position."""
        return self.constant((self.runs.position + 1) % modulus in residues)

    def total(self, body: np.ndarray) -> np.ndarray:
        """One more where the body holds."""
        self.counters.append(self.runs.counters[:, len(self.counters)] + body)
        return self.counters[-1]

    def near(self, body: np.ndarray, offsets: tuple[int, ...]) -> np.ndarray:
        """Shift the newest value in, and count the bits at the offsets."""
        number = len(self.memories)
        bits = (self.runs.memories[:, number] << 1) | body
        self.memories.append(bits & self.kept[number])
        mask = np.int64(sum(1 << offset for offset in offsets if offset <= WIDEST))
        return np.bitwise_count(bits & mask).astype(np.int64)

    def choose(self, condition: np.ndarray, then: Any, otherwise: Any) -> np.ndarray:
        """Element by element."""
        return np.where(condition, then, otherwise)

    def after(self) -> Runs:
        """Where the runs stand now."""
        empty = np.zeros((len(self.letters), 0), np.int64)
        counters = np.stack(self.counters, axis=1) if self.counters else empty
        memories = np.stack(self.memories, axis=1) if self.memories else empty
        return Runs(counters, memories, self.runs.position + 1)


def _is_count(operation: op.Operation, local: bool) -> bool:
    return isinstance(operation, op.Count) and (operation.offsets is not None) == local
