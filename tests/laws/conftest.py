"""Random languages with cycles, and the smallest fragments that define them."""

from __future__ import annotations

import functools
import random
from typing import NamedTuple

import pytest

from foretell.core.alphabet import Alphabet
from foretell.crasp.deciding.decide import decide
from foretell.crasp.deciding.graphs import components
from foretell.crasp.deciding.machines import ACCEPT
from foretell.languages.dfa import DFA, explore


def candidate(generator: random.Random, letters: int) -> DFA:
    """Half of the transitions are missing and most letters are injective: many are definable.

    In some the last letter decides, together with the state before it.
    """
    dead = generator.randint(2, 6)
    delta = [[dead] * letters for _ in range(dead + 1)]
    for letter in range(letters):
        injective = generator.random() < 0.7
        targets = generator.sample(range(dead), dead)
        for state in range(dead):
            if generator.random() < 0.5:
                other = generator.randrange(dead)
                delta[state][letter] = targets[state] if injective else other
    final = {state for state in range(dead + 1) if generator.random() < 0.4}
    ends = {(q, a) for q in range(dead) for a in range(letters) if generator.random() < 0.3}
    last_decides = generator.random() < 0.3

    def step(node: tuple[int, bool]) -> list[tuple[int, bool]]:
        return [(to, (node[0], letter) in ends) for letter, to in enumerate(delta[node[0]])]

    def accepts(node: tuple[int, bool]) -> bool:
        return node[1] if last_decides else node[0] in final

    return explore(Alphabet("abc"[:letters]), (0, False), step, accepts).minimal()


def with_cycle(generator: random.Random, letters: int) -> DFA:
    """A minimal automaton in which two states reach each other; all others are definable."""
    while True:
        dfa = candidate(generator, letters)
        if max(map(len, components(dfa.delta)[1])) > 1:
            return dfa


class Known(NamedTuple):
    """A language and, for each convention, the smallest fragment that defines it, or "none"."""

    dfa: DFA
    smallest: dict[str, str]


def known(dfa: DFA) -> Known:
    smallest = {}
    for accept in ACCEPT:
        answers = decide(dfa, accept, moduli=(2,), certificates=False).answers
        smallest[accept] = next((one.fragment for one in answers if one.answer == "yes"), "none")
    return Known(dfa, smallest)


@functools.cache
def languages(size: int) -> tuple[Known, ...]:
    generator = random.Random(size)
    numbers = range(size)
    return tuple(map(known, dict.fromkeys(with_cycle(generator, 2 + n % 2) for n in numbers)))


@pytest.fixture
def drawn():
    """`drawn(size)`: about that many different random languages, half with two letters."""
    return languages
