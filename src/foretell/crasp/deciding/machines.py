"""What a program has to keep track of: the automaton, without what comes for free.

A program sees the letter at the last position anyway. So with acceptance at the last letter it is
enough to know, before reading a letter, which letters would be accepted: the *next-letter machine*,
whose states are the states of the minimal automaton with equal successors merged. When instead the
state has to be known at every prefix (before any further letter is seen), nothing is free, and the
machine is the minimal automaton itself.

Letters that act alike are one letter here; words name the first of them.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Literal, final

from foretell.crasp.deciding.graphs import components, shortest_word
from foretell.languages.dfa import DFA

Accept = Literal["last-letter", "every-prefix"]
ACCEPT: tuple[Accept, ...] = ("last-letter", "every-prefix")
Edge = tuple[int, int]  # a state and a letter


@final
@dataclass(frozen=True)
class Machine:
    """A minimal automaton with letters grouped, and the states a program must tell apart.

    `delta` is the automaton's table, one column a group of letters. `block[state]` is the state of
    the reduced machine, whose table is `moves`; `wanted[block]` are the groups of letters that are
    accepted when read there (all or none when the state itself must be known).
    """

    dfa: DFA
    accept: Accept
    groups: tuple[tuple[int, ...], ...]
    delta: tuple[tuple[int, ...], ...]
    block: tuple[int, ...]
    moves: tuple[tuple[int, ...], ...]
    wanted: tuple[frozenset[int], ...]

    @classmethod
    def of(cls, dfa: DFA, accept: Accept) -> Machine:
        """The machine of a language."""
        dfa = dfa.minimal()
        groups = _alike(dfa.delta)
        delta = tuple(tuple(row[group[0]] for group in groups) for row in dfa.delta)
        every = frozenset(range(len(groups)))
        if accept == "last-letter":
            signs = [
                frozenset(k for k, target in enumerate(row) if target in dfa.final) for row in delta
            ]
            # Equal rows mean equal futures; in a minimal automaton nothing else does.
            names: dict[tuple[int, ...], int] = {}
            block = tuple(names.setdefault(row, len(names)) for row in delta)
        else:
            signs = [every if state in dfa.final else frozenset() for state in range(len(delta))]
            block = tuple(range(len(delta)))
        moves: list[tuple[int, ...]] = []
        wanted: list[frozenset[int]] = []
        for state, row in enumerate(delta):
            if block[state] == len(moves):
                moves.append(tuple(block[target] for target in row))
                wanted.append(signs[state])
        return cls(dfa, accept, groups, delta, block, tuple(moves), tuple(wanted))

    @property
    def start(self) -> int:
        """The reduced machine's start: minimal automata start at 0, and so do blocks."""
        return 0

    @cached_property
    def strong(self) -> tuple[list[int], list[list[int]]]:
        """Strong components of the minimal automaton, the last first."""
        return components(self.delta)

    @cached_property
    def representatives(self) -> tuple[int, ...]:
        """For each block its first state."""
        found: dict[int, int] = {}
        for state, block in enumerate(self.block):
            found.setdefault(block, state)
        return tuple(found[block] for block in range(len(self.moves)))

    def spell(self, word: tuple[int, ...]) -> tuple[str, ...]:
        """A word over groups as symbols."""
        symbols = self.dfa.alphabet.symbols
        return tuple(symbols[self.groups[letter][0]] for letter in word)

    def access(self, state: int) -> tuple[int, ...]:
        """A shortest word to a state of the automaton."""
        found = shortest_word(
            self.dfa.start, lambda q, a: self.delta[q][a], len(self.groups), lambda q: q == state
        )
        assert found is not None, "every state of a minimal automaton can be reached"
        return found

    def separating(self, one: int, two: int, least: int = 0) -> tuple[int, ...] | None:
        """A shortest suffix of at least that length accepted from exactly one of two states."""
        final_states = self.dfa.final

        def step(node: tuple[int, int, int], letter: int) -> tuple[int, int, int]:
            left, right, missing = node
            return self.delta[left][letter], self.delta[right][letter], max(0, missing - 1)

        def goal(node: tuple[int, int, int]) -> bool:
            return not node[2] and (node[0] in final_states) != (node[1] in final_states)

        return shortest_word((one, two, least), step, len(self.groups), goal)


def _alike(delta: tuple[tuple[int, ...], ...]) -> tuple[tuple[int, ...], ...]:
    """Letters in groups with equal columns, in the order of their first letters."""
    found: dict[tuple[int, ...], list[int]] = {}
    for letter, column in enumerate(zip(*delta, strict=True)):
        found.setdefault(column, []).append(letter)
    return tuple(map(tuple, found.values()))
