"""A program as a reference: it answers at every prefix for the price of the whole word."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import ClassVar, final

import numpy as np

from foretell.crasp import operations as op
from foretell.crasp.interpreter import OnWords, evaluate
from foretell.crasp.operations import Core
from foretell.crasp.verifying.machine import Machine, Runs
from foretell.crasp.verifying.reference import Answers, Kind, Reference, Tree
from foretell.crasp.words import Words
from foretell.plain.errors import BadInput

LONGEST_TREE = 60  # no tree of all words gets that deep; a window's memory has as many bits
ROWS = 2**16  # runs that are stepped at once


@final
@dataclass(frozen=True)
class ProgramReference(Reference):
    """A core program that answers one kind of question."""

    core: Core
    kind: Kind
    every_prefix: ClassVar[bool] = True

    def __post_init__(self) -> None:
        if self.kind == "accept" and self.core.accept is None:
            raise BadInput(
                "the program predicts symbols, it does not accept words",
                why="it defines next[…], but not accept",
                hint="compare next symbols",
            )
        if self.kind == "next" and not self.core.next:
            raise BadInput("the program does not predict symbols", hint="let next[x](i) := …")

    @property
    def letters(self) -> tuple[str, ...]:  # type: ignore[override]
        """The program's alphabet."""
        return self.core.letters

    def renumbered(self, letters: tuple[str, ...]) -> ProgramReference:
        """The same operations with other letter numbers."""
        if letters == self.letters:
            return self
        number = {old: letters.index(symbol) for old, symbol in enumerate(self.letters)}
        operations = tuple(
            op.Letter(number[item.letter]) if isinstance(item, op.Letter) else item
            for item in self.core.operations
        )
        changed = replace(self.core, letters=letters, operations=operations)
        return ProgramReference(changed, self.kind)

    @cached_property
    def asked(self) -> Core:
        """The part of the program that this kind of question needs."""
        accepting = self.kind == "accept"
        own = replace(self.core, next=()) if accepting else replace(self.core, accept=None)
        return own.pruned()

    @cached_property
    def places(self) -> tuple[int | None, ...]:
        """For each column the operation of `asked`; None for a symbol that never may follow."""
        if self.kind == "accept":
            return (self.asked.accept,)
        known = dict(self.asked.next)
        return tuple(known.get(symbol) for symbol in self.columns)

    @cached_property
    def machine(self) -> Machine:
        """The part that is asked, letter by letter."""
        return Machine(self.asked)

    @property
    def weight(self) -> int:
        """Every run holds all counters."""
        return 1 + (len(self.machine.counters) + len(self.machine.windows)) // 16

    def empty(self) -> Answers:
        """What the program declares."""
        if self.kind == "accept":
            return Answers.all_defined(np.array([[self.core.accepts_empty]]))
        chosen = [symbol in self.core.next_of_empty for symbol in self.columns]
        return Answers.all_defined(np.array([chosen]))

    def at_ends(self, words: Words) -> Answers:
        """Run the words, look at their last positions."""
        return self._run(words, words.ends - 1)

    def everywhere(self, words: Words) -> Answers:
        """Run the words."""
        return self._run(words, slice(None))

    def _run(self, words: Words, rows: np.ndarray | slice) -> Answers:
        values = evaluate(self.asked, OnWords.create(self.asked, words))
        return self.answers(values, rows, len(words.letters))

    def answers(
        self, values: Mapping[int, np.ndarray], rows: np.ndarray | slice, size: int
    ) -> Answers:
        """Rows of answers from the values of the outputs, which have `size` entries."""
        never = np.zeros(size, bool)
        columns = [never if place is None else values[place] for place in self.places]
        return Answers.all_defined(np.stack([column[rows] for column in columns], axis=1))

    def tree(self) -> Tree:
        """Step by step where whole numbers of 64 bits suffice."""
        if not self.machine.fits(LONGEST_TREE):
            return super().tree()
        return _Growing(self, self.machine, self.machine.start())


@dataclass
class _Growing(Tree):
    reference: ProgramReference
    machine: Machine
    runs: Runs

    def grow(self) -> Answers:
        """Every run reads every letter, some runs at a time."""
        step = max(1, ROWS // len(self.machine.core.letters))
        parts = [
            self.machine.step(*self.machine.branch(self.runs.chosen(slice(first, first + step))))
            for first in range(0, len(self.runs), step)
        ]
        self.runs = Runs.together([runs for runs, _ in parts])
        answers = [
            self.reference.answers(values, slice(None), len(runs)).values for runs, values in parts
        ]
        return Answers.all_defined(np.concatenate(answers))
