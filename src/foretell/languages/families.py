"""Random automata of several shapes: uniform tables alone hardly ever give an easy language.

uniform   every transition and final state by itself
ordered   a letter stays or goes to a later state, so nothing is ever forgotten
counter   a path of states; each letter goes up, down or stays, and off the path is dead
window    a few short factors are forbidden
clock     one of the others, with a letter's meaning depending on the position modulo 2 to 4
"""

from __future__ import annotations

import itertools

import numpy as np

from foretell.core.alphabet import Alphabet
from foretell.languages.dfa import DFA
from foretell.languages.random_automata import LETTERS

FAMILIES = ("uniform", "ordered", "counter", "window", "clock")
Table = list[list[int]]


def random_automaton(generator: np.random.Generator, family: str, letters: int) -> DFA:
    """A minimal automaton of the family; its number of states is what comes out.

    >>> drawn = random_automaton(np.random.default_rng(0), "counter", 2)
    >>> drawn == drawn.minimal()
    True
    """
    delta, final = SHAPES[family](generator, letters)
    alphabet = Alphabet(tuple(LETTERS[:letters]))
    return DFA(alphabet, tuple(map(tuple, delta)), 0, frozenset(final)).minimal()


def _some(generator: np.random.Generator, states: int) -> list[int]:
    """Final states: each by the toss of a coin."""
    return np.flatnonzero(generator.integers(0, 2, states)).tolist()


def _uniform(generator: np.random.Generator, letters: int) -> tuple[Table, list[int]]:
    states = int(generator.integers(2, 9))
    delta = generator.integers(0, states, (states, letters)).tolist()
    return delta, _some(generator, states)


def _ordered(generator: np.random.Generator, letters: int) -> tuple[Table, list[int]]:
    states = int(generator.integers(2, 9))
    stay = generator.integers(0, 2, (states, letters)).astype(bool)
    delta = [
        [
            state if stay[state, letter] else int(generator.integers(state, states))
            for letter in range(letters)
        ]
        for state in range(states)
    ]
    return delta, _some(generator, states)


def _counter(generator: np.random.Generator, letters: int) -> tuple[Table, list[int]]:
    height = int(generator.integers(1, 7))
    effects = generator.integers(-1, 2, letters)
    dead = height + 1
    delta = [
        [after if 0 <= after <= height else dead for after in (state + effects).tolist()]
        for state in range(height + 1)
    ]
    delta.append([dead] * letters)
    final = [0] if generator.integers(0, 2) else _some(generator, height + 1)
    return delta, final


def _window(generator: np.random.Generator, letters: int) -> tuple[Table, list[int]]:
    reach = int(generator.integers(2, 4))
    factors = list(itertools.product(range(letters), repeat=reach))
    chosen = generator.choice(len(factors), int(generator.integers(1, 4)), replace=False)
    forbidden = {factors[index] for index in chosen}
    seen = [
        word for size in range(reach) for word in itertools.product(range(letters), repeat=size)
    ]
    number = {word: place for place, word in enumerate(seen)}
    dead = len(seen)

    def after(word: tuple[int, ...], letter: int) -> int:
        longer = (*word, letter)
        return dead if longer in forbidden else number[longer[-(reach - 1) :]]

    delta = [[after(word, letter) for letter in range(letters)] for word in seen]
    return [*delta, [dead] * letters], list(range(dead))


def _clock(generator: np.random.Generator, letters: int) -> tuple[Table, list[int]]:
    """At every tick the letters are permuted anew; the last tick wraps around to the first."""
    inner, final = SHAPES[str(generator.choice(FAMILIES[1:4]))](generator, letters)
    period, states = int(generator.integers(2, 5)), len(inner)
    orders = [generator.permutation(letters) for _ in range(period)]
    delta = [
        [
            inner[state][orders[tick][letter]] + states * ((tick + 1) % period)
            for letter in range(letters)
        ]
        for tick in range(period)
        for state in range(states)
    ]
    return delta, [state + states * tick for tick in range(period) for state in final]


SHAPES = {
    "uniform": _uniform,
    "ordered": _ordered,
    "counter": _counter,
    "window": _window,
    "clock": _clock,
}
