"""Words that lead states, pairs and triples side by side through one strong component."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import final

from foretell.crasp.deciding.graphs import shortest_word
from foretell.crasp.deciding.machines import Machine

States = tuple[int, ...]
SEARCHED = 512  # anchor lengths up to which the least common one is looked for


@final
@dataclass(frozen=True)
class SideBySide:
    """Searches for words over several states at once, that all stay in their component."""

    machine: Machine

    def step(self, states: States, letter: int) -> States | None:
        """Where a letter leads them all; None when one leaves the component."""
        delta, home = self.machine.delta, self.machine.strong[0]
        part = home[states[0]]
        targets = []
        for state in states:
            target = delta[state][letter]
            if home[target] != part:
                return None
            targets.append(target)
        return tuple(targets)

    def word(self, start: States, end: States, modulus: int) -> tuple[int, ...]:
        """A shortest word from here to there, of a length that the modulus divides."""

        def step(node: tuple[States, int], letter: int) -> tuple[States, int] | None:
            states = self.step(node[0], letter)
            return None if states is None else (states, (node[1] + 1) % modulus)

        letters = len(self.machine.groups)
        found = shortest_word((start, 0), step, letters, lambda node: node == (end, 0))
        assert found is not None, f"no word from {start} to {end} of length 0 modulo {modulus}"
        return found

    def loop(self, states: States, modulus: int = 1) -> tuple[int, ...] | None:
        """A shortest non-empty word that leads them all back, of a length the modulus divides."""
        # One letter first, so that the search does not stop where it starts.
        letters = len(self.machine.groups)

        def step(node: tuple[States, int, bool], letter: int) -> tuple[States, int, bool] | None:
            targets = self.step(node[0], letter)
            return None if targets is None else (targets, (node[1] + 1) % modulus, True)

        return shortest_word((states, 0, False), step, letters, lambda n: n == (states, 0, True))

    def common_length(self, objects: Iterable[States], modulus: int) -> int:
        """A length, divisible by the modulus, of which every object has a loop."""
        every = sorted(set(objects))
        current = [{states} for states in every]
        letters = range(len(self.machine.groups))
        for length in range(1, max(SEARCHED, 2 * modulus) + 1):
            for place, reached in enumerate(current):
                onward = {self.step(states, letter) for states in reached for letter in letters}
                current[place] = {states for states in onward if states is not None}
            if length % modulus == 0 and all(
                states in reached for states, reached in zip(every, current, strict=True)
            ):
                return length
        loops = [self.loop(states) for states in every]
        return math.lcm(modulus, *(len(loop) for loop in loops if loop))

    def anchor(self, states: States, length: int) -> tuple[tuple[int, ...], int]:
        """A loop and a power of it that has exactly that length; the loop as short as possible."""
        letters = range(len(self.machine.groups))
        layers: list[dict[States, tuple[States, int]]] = [{states: (states, -1)}]
        for size in range(1, length + 1):
            layer: dict[States, tuple[States, int]] = {}
            for now in layers[-1]:
                for letter in letters:
                    target = self.step(now, letter)
                    if target is not None and target not in layer:
                        layer[target] = (now, letter)
            layers.append(layer)
            if states in layer and length % size == 0:
                return self._walk_back(states, layers), length // size
        raise AssertionError(f"no loop at {states} fits into {length}")

    @staticmethod
    def _walk_back(
        states: States, layers: list[dict[States, tuple[States, int]]]
    ) -> tuple[int, ...]:
        word = []
        for layer in reversed(layers[1:]):
            states, letter = layer[states]
            word.append(letter)
        return tuple(reversed(word))
