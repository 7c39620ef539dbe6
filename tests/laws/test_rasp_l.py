"""RASP-L: NumPy = JAX = the obvious loops, on random programs; nothing sees what comes later."""

from __future__ import annotations

import operator
import random

import jax.numpy as jnp
import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from foretell.rasp_l.interpreter import run
from foretell.rasp_l.on_device import compiled
from foretell.rasp_l.program import Program
from foretell.rasp_l.values import (
    Value,
    aggregate,
    full,
    indices,
    kqv,
    largest,
    lookup,
    sel_width,
    select,
    smallest,
    tokens,
    where,
)

LENGTH, LARGEST = 7, 3
SIGNS = {
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "//": operator.floordiv,
    "%": operator.mod,
    "max": max,
    "min": min,
    "==": operator.eq,
    "!=": operator.ne,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
    "and": lambda left, right: left and right,
    "or": lambda left, right: left or right,
}
COMPARISONS = [SIGNS[sign] for sign in ("==", "!=", "<", "<=", ">", ">=")]
ARITHMETIC = [operator.add, operator.sub, operator.mul, largest, smallest]
WORDS = st.lists(
    st.lists(st.integers(0, LARGEST), min_size=LENGTH, max_size=LENGTH), min_size=3, max_size=3
).map(np.array)


class Writer:
    """Writes programs at random that keep to the rules."""

    def __init__(self, chance: random.Random) -> None:
        self.chance, self.pick = chance, chance.choice

    def small(self) -> int:
        return self.chance.randint(-2, 3)

    def value(self, sort: str, depth: int) -> Value:
        if sort == "truth":
            return self.truth(depth)
        if depth == 0:
            leaves = {"token": tokens, "index": indices}
            return leaves[sort] if sort in leaves else sel_width(self.selector(0))
        part, rest = self.value(sort, depth - 1), self.value(sort, depth - 1)
        rest = self.pick([rest, self.small()])
        how = self.pick(["max", "min", "mean"] if sort == "token" else ["max", "min"])
        made = [
            lambda: where(self.truth(depth - 1), part, rest),
            lambda: aggregate(self.selector(depth - 1), part, how, self.small()),
        ]
        if sort == "token":
            table = {key: self.small() for key in self.chance.sample(range(5), 3)}
            made += [
                lambda: self.pick(ARITHMETIC)(part, rest),
                lambda: self.pick([operator.floordiv, operator.mod])(part, self.pick([2, 3, -2])),
                lambda: lookup(part, table, self.small()),
            ]
        else:
            made += [lambda: part + 1, lambda: part - 1, lambda: largest(part, rest)]
            made += [lambda: smallest(part, rest)]
        return self.pick(made)()

    def truth(self, depth: int) -> Value:
        below = max(depth - 1, 0)
        if depth and self.chance.random() < 0.5:
            one, other = self.truth(below), self.truth(below)
            return self.pick([~one, one & other, one | other, one == other])
        sort = self.pick(["token", "index", "width"] if depth else ["token", "index"])
        other = self.pick([self.value(sort, below), self.small()])
        return self.pick(COMPARISONS)(self.value(sort, below), other)

    def selector(self, depth: int) -> Value:
        below, sign = max(depth - 1, 0), self.pick(COMPARISONS)
        if self.chance.random() < 0.2:
            return full
        if depth and self.chance.random() < 0.3:
            return select(self.truth(below), True, lambda key, query: ~key == query)
        sort = self.pick(["token", "index"])
        queries = self.pick([self.value(sort, below), self.small()])
        return select(self.value(sort, below), queries, sign)


def write(seed: int) -> Value:
    writer = Writer(random.Random(seed))
    return writer.value(writer.pick(["token", "truth", "index", "width"]), 3)


VALUES = st.integers(0, 2**32).map(write)


def by_hand(steps, place, word, here, there=None):
    """One step at one position, or at a pair of them: slow and obvious."""
    step = steps[place]

    def part(number, position=here, key=there):
        return by_hand(steps, step.parts[number], word, position, key)

    def selected():
        return [key for key in range(here + 1) if part(0, here, key)]

    match step.word:
        case "tokens":
            return int(word[here])
        case "indices":
            return here
        case "number" | "truth":
            return step.data[0]
        case "key":
            return part(0, there, None)
        case "query":
            return part(0, here, None)
        case "select":
            return part(0)
        case "width":
            return len(selected())
        case "aggregate":
            values = [part(1, key, None) for key in selected()]
            how, default = step.data
            if not values:
                return default
            mean = sum(values) // len(values)
            return {"max": max(values), "min": min(values), "mean": mean}[how]
        case "where":
            return part(1) if part(0) else part(2)
        case "not":
            return not part(0)
        case "lookup":
            return dict(step.data[0]).get(part(0), step.data[1])
    return SIGNS[step.word](part(0), part(1))


@given(VALUES, WORDS)
@settings(max_examples=25, deadline=None)
def test_numpy_and_jax_and_the_obvious_loops_say_the_same(value, words):
    program = Program.of(value)
    said = run(program, words)
    assert said.shape == words.shape
    assert np.array_equal(said, compiled(program, LARGEST)(jnp.asarray(words)))
    steps = program.steps
    loops = [int(by_hand(steps, len(steps) - 1, words[0], here)) for here in range(LENGTH)]
    assert said[0].tolist() == loops


@given(VALUES, WORDS, st.integers(1, LENGTH))
@settings(max_examples=50, deadline=None)
def test_what_comes_later_changes_nothing(value, words, cut):
    program = Program.of(value)
    before = run(program, words)[:, :cut]
    assert np.array_equal(before, run(program, words[:, :cut]))
    changed = words.copy()
    changed[:, cut:] = 0
    assert np.array_equal(before, run(program, changed)[:, :cut])


@given(VALUES)
@settings(max_examples=50, deadline=None)
def test_a_program_is_the_same_however_it_was_shared(value):
    program = Program.of(value)
    again = Program.of(where(tokens == 1, value, value))
    assert again.size == program.size
    assert len(program.show().splitlines()) == program.size + 1
    twice = kqv(indices, indices, tokens, operator.eq)
    assert Program.of(twice) == Program.of(kqv(indices, indices, tokens, operator.eq))
