"""Two sides as one object: the operations of both programs, each once, or one and an automaton.

What both programs compute in the same way is computed once, so it cannot make them differ.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Literal, final

import numpy as np

from foretell.crasp.builder import Builder
from foretell.crasp.operations import Core, move
from foretell.crasp.verifying.automata import AutomatonReference
from foretell.crasp.verifying.programs import ProgramReference
from foretell.crasp.verifying.reference import Reference


@final
@dataclass(frozen=True)
class Decision:
    """What an exact method found, for all words or not at all.

    `word` is a word on which the two sides differ, `shortest` when there is no shorter one. The
    empty word is compared elsewhere: programs declare what they say about it.
    """

    method: str
    outcome: Literal["agree", "differ", "does not apply"]
    reason: str
    word: tuple[int, ...] | None = None
    shortest: bool = False


class DoesNotApplyError(Exception):
    """Raised inside a method, which turns it into a `Decision`."""


@final
@dataclass(frozen=True)
class Joint:
    """Columns of the left program, and of the right one or the automaton."""

    core: Core
    left: tuple[int, ...]
    right: tuple[int, ...] | None
    automaton: AutomatonReference | None

    @cached_property
    def pairs(self) -> tuple[tuple[int, int], ...]:
        """Outputs of two programs that are not the same operation."""
        pairs = zip(self.left, self.right or self.left, strict=True)
        return tuple((left, right) for left, right in pairs if left != right)

    @property
    def same(self) -> bool:
        """Two programs whose answers are the same operations."""
        return self.automaton is None and not self.pairs

    def differs(self, values: Mapping[int, np.ndarray], states: np.ndarray) -> np.ndarray:
        """Where do the sides disagree, given the outputs and the automaton's states?"""
        if self.automaton is None:
            found = np.zeros(len(states), bool)
            for left, right in self.pairs:
                found |= values[left] != values[right]
            return found
        table = self.automaton.table
        said = np.stack([values[place] for place in self.left], axis=1)
        return (said != table.values[states]).any(axis=1) & table.defined[states]


def join(left: Reference, right: Reference) -> Joint | None:
    """Both sides together, if the left is a program and the right a program or an automaton."""
    if not isinstance(left, ProgramReference):
        return None
    builder = Builder(left.letters)
    own = _merge(builder, left)
    if isinstance(right, ProgramReference):
        other = _merge(builder, right)
        outputs = (*own, *other)
        return Joint(_core(builder, outputs), own, other, None)
    if isinstance(right, AutomatonReference):
        return Joint(_core(builder, own), own, None, right)
    return None


def _merge(builder: Builder, side: ProgramReference) -> tuple[int, ...]:
    moved: dict[int, int] = {}
    for place, operation in enumerate(side.asked.operations):
        moved[place] = builder.put(move(operation, moved))
    return tuple(builder.truth(False) if p is None else moved[p] for p in side.places)


def _core(builder: Builder, outputs: tuple[int, ...]) -> Core:
    named = tuple((f"output {number}", place) for number, place in enumerate(outputs))
    return Core(builder.letters, tuple(builder.operations), (), None, named)
