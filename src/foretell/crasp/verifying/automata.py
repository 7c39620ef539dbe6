"""An automaton as a reference: membership, or the letters with which a prefix can still go on."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar, final

import numpy as np

from foretell.core.alphabet import Alphabet
from foretell.crasp.verifying.reference import Answers, Kind, Reference, Tree
from foretell.crasp.words import Words
from foretell.languages.dfa import DFA


@final
@dataclass(frozen=True)
class AutomatonReference(Reference):
    """A finite automaton that answers one kind of question.

    Legal next symbols are defined on live prefixes only: after that nothing is legal, and nobody
    asks.
    """

    dfa: DFA
    kind: Kind
    every_prefix: ClassVar[bool] = True

    @property
    def letters(self) -> tuple[str, ...]:  # type: ignore[override]
        """The automaton's alphabet."""
        return self.dfa.alphabet.symbols

    def renumbered(self, letters: tuple[str, ...]) -> AutomatonReference:
        """Columns of the transition table in another order."""
        if letters == self.letters:
            return self
        order = [self.letters.index(symbol) for symbol in letters]
        delta = tuple(tuple(row[old] for old in order) for row in self.dfa.delta)
        moved = DFA(Alphabet(letters), delta, self.dfa.start, self.dfa.final)
        return AutomatonReference(moved, self.kind)

    @cached_property
    def delta(self) -> np.ndarray:
        """[state, letter]"""
        return np.array(self.dfa.delta, np.int32)

    @cached_property
    def table(self) -> Answers:
        """The answers, one row a state."""
        states = range(len(self.dfa.delta))
        final_states = np.array([[state in self.dfa.final] for state in states])
        if self.kind == "accept":
            return Answers.all_defined(final_states)
        live = np.array([state in self.dfa.live for state in states])
        return Answers(np.concatenate([live[self.delta], final_states], axis=1), live)

    @cached_property
    def matters(self) -> np.ndarray:
        """[state]: is an answer defined here, or after more letters? Dead states ask nothing."""
        return self.table.defined  # whatever is live is defined, whatever is dead stays dead

    def _look_up(self, states: np.ndarray) -> Answers:
        return Answers(self.table.values[states], self.table.defined[states])

    def empty(self) -> Answers:
        """The start."""
        return self._look_up(np.array([self.dfa.start]))

    def at_ends(self, words: Words) -> Answers:
        """Walk all words side by side."""
        return self._look_up(self.states(words)[words.ends - 1])

    def everywhere(self, words: Words) -> Answers:
        """Walk all words side by side."""
        return self._look_up(self.states(words))

    def states(self, words: Words) -> np.ndarray:
        """[token]: the state after every prefix, position by position over all words that last."""
        starts, lengths = words.starts, words.ends - words.starts
        found = np.zeros(len(words.letters), np.int32)
        order = np.argsort(-lengths, kind="stable")
        lasting = len(words) - np.searchsorted(
            np.sort(lengths), np.arange(lengths.max(initial=0)), "right"
        )
        state = np.full(len(words), self.dfa.start, np.int32)
        starts = starts[order]
        for position, count in enumerate(lasting.tolist()):
            tokens = starts[:count] + position
            state = self.delta[state[:count], words.letters[tokens]]
            found[tokens] = state
        return found

    def tree(self) -> Tree:
        """States of all words from those of their prefixes."""
        return _Growing(self, np.array([self.dfa.start], np.int32))

    def draw(self, generator: np.random.Generator, count: int, length: int) -> list[np.ndarray]:
        """Random walks through live states, half of them with a few letters changed."""
        live = np.array([state in self.dfa.live for state in range(len(self.dfa.delta))])
        if not live[self.dfa.start]:
            return []
        # Letters are tried in a random order of their own at every state: take the first live one.
        word = np.zeros((count, length), np.int32)
        state = np.full(count, self.dfa.start, np.int32)
        stuck = np.full(count, length)
        for position in range(length):
            priority = generator.random((count, len(self.letters)))
            priority[~live[self.delta[state]]] = -1.0
            chosen = priority.argmax(axis=1)
            lost = priority.max(axis=1) < 0
            stuck = np.where(lost, np.minimum(stuck, position), stuck)
            word[:, position] = chosen
            state = self.delta[state, chosen]
        changed = _with_changes(generator, word[1::2], len(self.letters))
        rows = [row[:end] for row, end in zip(word[::2], stuck[::2].tolist(), strict=True)]
        return [row for row in (*rows, *changed) if len(row)]


@dataclass
class _Growing(Tree):
    reference: AutomatonReference
    states: np.ndarray

    def grow(self) -> Answers:
        """Every state's row of the transition table."""
        self.states = self.reference.delta[self.states].reshape(-1)
        return self.reference._look_up(self.states)


def _with_changes(generator: np.random.Generator, words: np.ndarray, letters: int) -> np.ndarray:
    """One to three letters of every word replaced by random ones."""
    found = words.copy()
    rows = np.arange(len(found))
    for _ in range(generator.integers(1, 4)):
        places = generator.integers(0, found.shape[1], len(found))
        found[rows, places] = generator.integers(0, letters, len(found))
    return found
