"""Random minimal automata, for surveys and benchmarks."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from foretell.core.alphabet import Alphabet
from foretell.languages.dfa import DFA
from foretell.plain.errors import BadInput

LETTERS = "abcdefghijklmnopqrstuvwxyz"
TRIES = 10_000  # draws for one automaton before giving up


def random_minimal(states: int, letters: int, count: int, seed: int) -> Iterator[DFA]:
    """Uniform transition tables and final sets, kept if minimal with all states reachable."""
    generator = np.random.default_rng(seed)
    alphabet = Alphabet(tuple(LETTERS[:letters]))
    for _ in range(count):
        for _ in range(TRIES):
            delta = generator.integers(0, states, (states, letters)).tolist()
            final = np.flatnonzero(generator.integers(0, 2, states)).tolist()
            drawn = DFA(alphabet, tuple(map(tuple, delta)), 0, frozenset(final))
            if len(drawn.minimal().delta) == states:
                yield drawn
                break
        else:
            raise BadInput(
                "minimal automata of that kind are too rare to be drawn",
                seen=f"{states} states, {letters} letters",
                hint="more letters, or fewer states",
            )
