"""Counters in an automaton: words that turn a few states in a circle.

A language is star-free exactly when no word turns a tuple of different states of its minimal
automaton in a circle (McNaughton & Papert, Counter-free automata, 1971); a tuple of prime length
is enough. It is in AC0 exactly when no such word has a companion of the same length that leaves
each state of the tuple where it is (Barrington, Compton, Straubing & Thérien, 1992: the stable
semigroup has a group). Both are questions about one graph, of tuples of states, so for short
tuples they are answered without the monoid.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import gcd
from typing import final

import numpy as np

from foretell.languages.algebra.green import components
from foretell.languages.algebra.maps import Ids, Maps, letter_maps
from foretell.languages.algebra.monoid import NONE
from foretell.languages.dfa import DFA

NODE_LIMIT = 40_000
_PRIMES = (2, 3, 5, 7, 11, 13)


@final
@dataclass(frozen=True)
class Counters:
    """What the tuples of states say.

    `turn` is a word that turns a tuple; `even_turn` and `even_rest` have one length, the first
    turns a tuple and the second leaves it alone. Words are letter indices. `complete` is true when
    every possible tuple was looked at, so that a word that is missing does not exist.
    """

    turn: tuple[int, ...] | None
    even_turn: tuple[int, ...] | None
    even_rest: tuple[int, ...] | None
    complete: bool


def counters(dfa: DFA, node_limit: int = NODE_LIMIT) -> Counters:
    """Look for counters of the minimal automaton among tuples of prime length, shortest first.

    >>> from foretell.languages.regular import RegularLanguage
    >>> found = counters(RegularLanguage.from_regex("(aa)*").dfa)
    >>> found.turn, found.even_turn, found.complete
    ((0,), None, True)
    """
    letters = letter_maps(dfa.minimal())
    label = components(letters.T)
    largest = int(np.bincount(label).max())
    turn: tuple[int, ...] | None = None
    for prime in _PRIMES:
        if prime > largest:
            return Counters(turn, None, None, complete=True)
        # Pairs are the cheapest graph and refute most: they may be ten times as many.
        if letters.shape[1] ** prime > node_limit * (10 if prime == 2 else 1):
            break
        graph = _TupleGraph(letters, label, prime)
        turned = graph.turned()
        if len(turned) and turn is None:
            turn = graph.word(int(turned[0]))
        for node in graph.evenly(turned):
            return Counters(turn, *graph.even_words(node), complete=True)
    return Counters(turn, None, None, complete=False)


class _TupleGraph:
    """Tuples of different states of one strong component, as numbers in base n."""

    def __init__(self, letters: Maps, label: Ids, length: int) -> None:
        states = letters.shape[1]
        self.powers = states ** np.arange(length)
        count = states**length
        digits = (np.arange(count)[:, None] // self.powers) % states
        ordered = np.sort(digits, axis=1)
        good = (ordered[:, 1:] != ordered[:, :-1]).all(axis=1)
        good &= (label[digits] == label[digits[:, :1]]).all(axis=1)
        # A tuple and its turns behave alike: those that begin with their least state are sources
        # of the questions, but all are nodes, since words pass through any of them.
        self.nodes = np.flatnonzero(good)
        number = np.full(count, NONE, np.int64)
        number[self.nodes] = np.arange(len(self.nodes))
        self.digits = digits[self.nodes]
        targets = [number[row[self.digits].astype(np.int64) @ self.powers] for row in letters]
        self.targets = np.stack(targets, axis=1)
        self.turn = number[np.roll(self.digits, -1, axis=1) @ self.powers]
        self.component = components(self.targets) if len(self.nodes) else self.turn

    def turned(self) -> Ids:
        """Tuples, least state first, that some word turns."""
        least_first = self.digits[:, 0] == self.digits.min(
            axis=1, initial=self.digits.max(initial=0)
        )
        return np.flatnonzero((self.component[self.turn] == self.component) & least_first)

    def word(self, node: int) -> tuple[int, ...]:
        """A shortest word that turns the tuple."""
        layers = self._layers(node, int(self.turn[node]), [])
        return self._back(layers, int(self.turn[node]))

    def evenly(self, turned: Ids) -> list[int]:
        """One tuple for each component in which turning and staying take equally long."""
        found: list[int] = []
        for component in np.unique(self.component[turned]):
            node = int(turned[self.component[turned] == component][0])
            depth, period = self._depths(node)
            here = turned[self.component[turned] == component]
            even = here[(depth[self.turn[here]] - depth[here]) % max(period, 1) == 0]
            found.extend(int(each) for each in even[:1])
        return found

    def _depths(self, node: int) -> tuple[np.ndarray, int]:
        """Distance from a node to all of its component, and the component's period."""
        depth = np.full(len(self.nodes), NONE)
        depth[node] = 0
        frontier = np.array([node])
        while len(frontier):
            reached = np.unique(self.targets[frontier])
            reached = reached[(reached >= 0)]
            reached = reached[
                (depth[reached] < 0) & (self.component[reached] == self.component[node])
            ]
            depth[reached] = depth[frontier[0]] + 1
            frontier = reached
        period = 0
        for column in self.targets.T:
            inside = np.flatnonzero((depth >= 0) & (column >= 0))
            inside = inside[depth[column[inside]] >= 0]
            gaps = np.abs(depth[inside] + 1 - depth[column[inside]])
            period = gcd(period, int(np.gcd.reduce(gaps, initial=0)))
        return depth, period

    def even_words(self, node: int) -> tuple[tuple[int, ...], tuple[int, ...]]:
        """Two words of one length: one turns the tuple, one leaves it alone."""
        turn = int(self.turn[node])
        layers = self._layers(node, turn, [node])
        return self._back(layers, turn), self._back(layers, node)

    def _layers(self, node: int, target: int, others: list[int]) -> list[np.ndarray]:
        """Nodes after 0, 1, 2, … letters, until one layer holds all that is asked for."""
        layer = np.zeros(len(self.nodes), bool)
        layer[node] = True
        layers = [layer]
        while not (layer[target] and layer[others].all()):
            reached = self.targets[layer].reshape(-1)
            layer = np.zeros(len(self.nodes), bool)
            layer[reached[reached >= 0]] = True
            layers.append(layer)
        return layers

    def _back(self, layers: list[np.ndarray], node: int) -> tuple[int, ...]:
        found = []
        for layer in reversed(layers[:-1]):
            sources, letters = np.nonzero((self.targets == node) & layer[:, None])
            found.append(int(letters[0]))
            node = int(sources[0])
        return tuple(reversed(found))
