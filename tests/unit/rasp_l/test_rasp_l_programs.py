"""Library functions against plain Python, sizes, bounds, and every program against its oracle."""

from __future__ import annotations

from collections import Counter

import jax.numpy as jnp
import numpy as np
import pytest

from foretell.plain.errors import BadInput
from foretell.rasp_l.interpreter import run
from foretell.rasp_l.library import (
    cumsum,
    firsts,
    has_seen,
    index_select,
    induct,
    lasts,
    mode,
    shift_right,
)
from foretell.rasp_l.on_device import compiled
from foretell.rasp_l.program import Program
from foretell.rasp_l.programs import PROGRAMS
from foretell.rasp_l.values import aggregate, full, indices, seq_map, tok_map, tokens, where

WORDS = np.random.default_rng(0).integers(0, 4, (20, 12))


def rightmost(word, value, start=0):
    return max((place for place in range(start, len(word)) if word[place] == value), default=-1)


def after_last(word):
    """What came right after the last place, this one excluded, with the token that is here."""
    place = rightmost(word[:-1], word[-1])
    return -1 if place < 0 else word[place + 1]


def first_to_the_top(word):
    counts = Counter()
    top = None
    for value in word:
        counts[value] += 1
        if counts[value] == max(counts.values()):
            top = value
    return top


ORACLES = {
    "shift_right": (shift_right(tokens), 1, lambda word: ([-1, *word])[-2]),
    "cumsum": (cumsum(tokens == 1), 1, lambda word: word.count(1)),
    "has_seen": (has_seen(tokens, 2), 1, lambda word: 2 in word),
    "firsts": (firsts(tokens, 2), 1, lambda word: word.index(2) if 2 in word else -1),
    "lasts": (lasts(tokens, tokens), 1, lambda word: len(word) - 1),
    "index_select": (
        index_select(tokens, firsts(tokens, 3)),
        2,
        lambda word: 3 if 3 in word else -1,
    ),
    "induct": (induct(tokens, tokens, tokens), 3, after_last),
    "mode": (mode(tokens), 4, first_to_the_top),
    "mean": (aggregate(full, tokens), 1, lambda word: sum(word) // len(word)),
    "two shifts": (shift_right(shift_right(tokens)), 2, lambda word: ([-1, -1, *word])[-3]),
    "the same twice": (shift_right(tokens) * shift_right(tokens), 1, None),
    "maps": (
        seq_map(tokens, tok_map(tokens, lambda t: t * t), lambda a, b: where(a > 1, b, -a)),
        0,
        lambda word: word[-1] ** 2 if word[-1] > 1 else -word[-1],
    ),
}


@pytest.mark.parametrize("name", ORACLES)
def test_library_functions_do_what_they_say(name: str) -> None:
    value, size, oracle = ORACLES[name]
    program = Program.of(value)
    assert program.size == size
    said = run(program, WORDS)
    if oracle is not None:
        wanted = [[int(oracle(list(w[: i + 1]))) for i in range(len(w))] for w in WORDS.tolist()]
        assert said.tolist() == wanted


def test_the_mode_is_the_most_frequent_where_there_is_one() -> None:
    said = run(Program.of(mode(tokens)), WORDS)[:, -1]
    for word, found in zip(WORDS.tolist(), said.tolist(), strict=True):
        assert word.count(found) == max(Counter(word).values())


def test_programs_print_and_the_same_text_means_the_same_steps() -> None:
    texts = {name: make().show() for name, make in PROGRAMS.items()}
    assert len(set(texts.values())) == len(texts)
    assert texts["sort"].splitlines()[-1] == "output = h1"
    assert all(make() == make() and hash(make()) == hash(make()) for make in PROGRAMS.values())


def test_empty_words_and_single_words() -> None:
    program = Program.of(cumsum(tokens == 1))
    assert run(program, np.zeros((3, 0), int)).shape == (3, 0)
    assert run(program, np.zeros((0, 4), int)).shape == (0, 4)
    assert run(Program.of(3), np.array([1, 2])).tolist() == [3, 3]


@pytest.mark.parametrize("wrong", [np.array([0.5]), np.array([-1, 2]), np.array(3)])
def test_words_are_token_ids(wrong: np.ndarray) -> None:
    with pytest.raises(BadInput, match="token ids"):
        run(Program.of(indices), wrong)


def test_numbers_that_do_not_fit_are_refused() -> None:
    power = tokens
    for _ in range(5):
        power = power * power
    assert run(Program.of(power), np.array([2])).tolist() == [2**32]
    with pytest.raises(BadInput, match="32 bits"):
        compiled(Program.of(power), 2)(jnp.array([2]))
    with pytest.raises(BadInput, match="64 bits"):
        run(Program.of(power * power * power), np.array([9]))
