"""Samplers draw from the distributions that the tasks declare: chi-square at fixed keys.

Each p-value must exceed 1e-4; with fixed keys the tests are deterministic.
"""

import collections

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from scipy import stats

from foretell.numerics.keys import key_for, root_key
from foretell.tasks.lookup import find_task

DRAWS = 4_000


def words(name, size, count=DRAWS, longest=None):
    task = find_task(name, longest or max(size, 12))
    width = task.width(task.longest)
    sizes = jnp.full(count, size)
    batch = jax.jit(lambda key: task.sample(key, sizes, width))(key_for(root_key(3), name))
    return [task.read_word(tokens) for tokens in np.asarray(batch.tokens).tolist()]


def uniform(values, expected):
    counts = collections.Counter(values)
    assert set(counts) <= set(expected)
    return stats.chisquare([counts[value] for value in expected]).pvalue


@pytest.mark.parametrize(("size", "legal"), [(6, (0, 1, 2, 4, 5, 6)), (5, (0, 1, 2, 3, 4, 5))])
def test_binary_majority_draws_the_number_of_zeros_uniformly_without_the_tie(size, legal):
    drawn = words("binary-majority", size)
    assert uniform([word.count("0") for word in drawn], legal) > 1e-4
    ones = [word for word in drawn if word.count("1") == 1]  # then the place is uniform
    assert uniform([word.index("1") for word in ones], range(size)) > 1e-4


def test_interleaved_strands_are_independent_majorities():
    drawn = words("binary-majority-interleave", 15)
    pairs = [(word[0::3].count("0"), word[1::3].count("0")) for word in drawn]
    every = [(a, b) for a in range(6) for b in range(6)]
    assert uniform(pairs, every) > 1e-4


def test_parity_is_a_fair_coin_and_then_uniform():
    ones = [word.count("1") for word in words("parity", 5)]
    assert uniform([count % 2 for count in ones], (0, 1)) > 1e-4
    assert uniform([count for count in ones if count % 2], (1, 3, 5)) > 1e-4
    assert uniform([count for count in ones if not count % 2], (0, 2, 4)) > 1e-4


@pytest.mark.slow
def test_majority_is_uniform_given_a_unique_winner():
    drawn = words("majority", 2)
    assert all(first == second for first, second in drawn)
    assert uniform([word[0] for word in drawn], find_task("majority").symbols) > 1e-4
    three = words("majority", 3)
    share = np.mean([len(set(word)) == 1 for word in three])
    # all equal: 26 words; two equal: 3 * 26 * 25
    assert share == pytest.approx(26 / (26 + 3 * 26 * 25), abs=0.007)


def test_addition_draws_lengths_uniformly_and_bits_fairly():
    drawn = words("addition", 9)
    assert uniform([word.index("+") for word in drawn], range(1, 7)) > 1e-4
    assert uniform([word[0] for word in drawn], ("0", "1")) > 1e-4
    assert uniform([word[-1] for word in drawn], ("0", "1")) > 1e-4


@pytest.mark.parametrize("name", ["sort", "copy-unique"])
def test_distinct_symbols_are_uniform_without_replacement(name):
    drawn = words(name, 2, longest=5)
    symbols = find_task(name, 5).symbols
    every = [(a, b) for a in symbols for b in symbols if a != b]
    assert uniform(drawn, every) > 1e-4


def test_copy_repeat_is_uniform():
    every = [tuple(f"{number:04b}".replace("0", "a").replace("1", "b")) for number in range(16)]
    assert uniform(words("copy-repeat", 4), every) > 1e-4


def test_dyck_words_are_uniform():
    drawn = words("dyck-1", 8)
    assert len(set(drawn)) == 14  # the fourth Catalan number
    assert uniform(drawn, sorted(set(drawn))) > 1e-4


def test_members_of_a_language_are_uniform():
    drawn = words("tomita-4", 5)
    assert len(set(drawn)) == find_task("tomita-4").language.count(5)
    assert uniform(drawn, sorted(set(drawn))) > 1e-4
