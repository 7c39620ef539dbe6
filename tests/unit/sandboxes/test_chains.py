"""Chains and counts against plain loops in NumPy, and what is refused."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from foretell.numerics.precision import double_precision
from foretell.plain.errors import BadInput
from foretell.worlds import chains, n_grams
from foretell.worlds.chains import Prior

KEY = jax.random.key(3)


def slow_counts(word: np.ndarray, context: int, symbols: int) -> np.ndarray:
    """By looking at every earlier place, for every place."""
    table = np.zeros((len(word), symbols))
    for here in range(len(word)):
        if here + 1 < context:
            continue
        now = word[here + 1 - context : here + 1].tolist()
        for place in range(context, here + 1):
            if word[place - context : place].tolist() == now:
                table[here, word[place]] += 1
    return table


@pytest.mark.parametrize("context", [0, 1, 2, 3])
def test_counts_are_those_of_a_loop(context: int) -> None:
    word = np.random.default_rng(context).integers(3, size=40).astype(np.int32)
    slow = slow_counts(word, context, 3)
    counted = n_grams.counts(jnp.asarray(word), context, 3)
    assert np.array_equal(np.asarray(counted), slow)
    assert np.array_equal(np.asarray(n_grams.last_counts(jnp.asarray(word), context, 3)), slow[-1])
    with np.errstate(invalid="ignore"):
        shares = slow / slow.sum(axis=1, keepdims=True)
    assert np.allclose(n_grams.raw(counted), shares, equal_nan=True)
    assert np.isnan(np.asarray(n_grams.raw(counted))).any(axis=1).sum() == (slow.sum(1) == 0).sum()
    laplace = (slow + 0.5) / (slow.sum(axis=1, keepdims=True) + 1.5)
    assert np.allclose(n_grams.smoothed(counted, 0.5), laplace, atol=1e-6)


def test_the_stationary_law_stays_and_words_follow_the_rows() -> None:
    rows = np.random.default_rng(0).dirichlet(np.ones(2), 4)
    with double_precision():
        law = np.asarray(chains.stationary(jnp.asarray(rows)))
    after = (law[:, None] * rows).reshape(2, 2, 2).sum(axis=0).ravel()  # the oldest is forgotten
    assert np.allclose(after, law, atol=1e-12) and np.isclose(law.sum(), 1)
    draw = jax.jit(
        jax.vmap(lambda key: chains.sample_words(key, jnp.asarray(rows, jnp.float32), 12, 2))
    )
    words = np.asarray(draw(jax.random.split(KEY, 20_000)))
    for place in (1, 6, 11):  # stationary from the first context on
        seen = np.bincount(words[:, place - 1] * 2 + words[:, place], minlength=4) / len(words)
        assert np.abs(seen - law).max() < 0.015
    codes = words[:, 4] * 2 + words[:, 5]
    for code in range(4):
        share = np.bincount(words[codes == code, 6], minlength=2) / (codes == code).sum()
        assert np.abs(share - rows[code]).max() < 0.04


def test_a_periodic_chain_has_its_law_too() -> None:
    law = chains.stationary(jnp.array([[0.0, 1.0], [1.0, 0.0]]))
    assert np.allclose(law, 0.5)


def test_words_from_a_uniform_start_skip_the_burn_in() -> None:
    stuck = jnp.array([[0.0, 1.0], [0.0, 1.0]])
    assert chains.sample_words(KEY, stuck, 5, 2, "uniform", 3).tolist() == [1] * 5


def test_priors() -> None:
    balanced = np.asarray(chains.sample_rows(KEY, 2, 3, Prior("doubly-stochastic")))
    assert np.allclose(balanced.reshape(3, 3, 3).sum(axis=0), 1, atol=1e-4)
    assert np.allclose(balanced.sum(axis=1), 1, atol=1e-5)
    same = np.asarray(chains.sample_rows(KEY, 1, 3, Prior("unigram")))
    assert np.ptp(same, axis=0).max() == 0
    floored = np.asarray(chains.sample_rows(KEY, 1, 4, Prior(floor=0.4)))
    assert floored.min() >= 0.1 - 1e-6 and np.allclose(floored.sum(axis=1), 1, atol=1e-5)
    drawn = n_grams.drawn_rows(np.random.default_rng(0), 7, 1, 3, Prior("doubly-stochastic"))
    assert np.allclose(drawn.sum(axis=1), 1) and np.allclose(drawn.sum(axis=2), 1)
    assert np.allclose(n_grams.chain_levels(drawn)[:, 0], np.log(3))


def test_levels_of_the_table() -> None:
    table = {
        (3, 1): (0.976, 0.815),
        (10, 1): (2.258, 1.927),
        (2, 2): (0.607, 0.550, 0.471),
        (3, 2): (1.050, 0.977, 0.818),
        (5, 2): (1.592, 1.530, 1.281),
        (2, 3): (0.639, 0.604, 0.550, 0.470),
        (3, 3): (1.083, 1.055, 0.986, 0.826),
    }
    for (symbols, order), expected in table.items():
        found = n_grams.sampled_levels(order, symbols, Prior(), 8_000)
        assert np.abs(found.mean - expected).max() < 0.01
        assert (np.diff(found.mean) < 0).all() and found.error.max() < 0.003
    assert np.abs(n_grams.binary_levels(1.0) - [0.563827, 0.480889]).max() < 1e-6
    sampled = n_grams.sampled_levels(1, 2, Prior(alpha=0.5), 8_000)
    assert (abs(sampled.mean - n_grams.binary_levels(0.5)) < 4 * sampled.error).all()
    same = n_grams.sampled_levels(1, 3, Prior("unigram"), 500)
    assert np.isclose(same.mean[0], same.mean[1])


def test_formulas() -> None:
    assert np.isclose(n_grams.independent_level(10, 0.1), 0.84654, atol=1e-5)
    assert np.isclose(n_grams.independent_level(3, 1.0), 1 / 2 + 1 / 3)
    assert np.isclose(n_grams.finite_level(0.480889, 1, 2, 100), 0.4909, atol=1e-4)
    row = jnp.array([0.5, 0.5, 0.0])
    assert np.isclose(n_grams.cross_entropy(row, row), np.log(2))


def test_every_word() -> None:
    words = chains.every_word(3, 4)
    assert words.shape == (81, 4) and len(np.unique(words, axis=0)) == 81


@pytest.mark.parametrize(
    ("wrong", "says"),
    [
        (lambda: chains.require_rows(np.full((3, 2), 0.5)), "not the rows"),
        (lambda: chains.require_rows(np.full((5, 3, 2), 0.5)), "not the rows"),
        (lambda: chains.count_contexts(40, 10), "GiB|bytes of memory"),
        (lambda: chains.every_word(2, 64), "bytes of memory"),
        (lambda: chains.contexts_of(jnp.zeros(3, jnp.int32), 4, 2), "longer than the sequence"),
        (lambda: chains.sample_words(KEY, jnp.ones((4, 2)) / 2, 1, 2), "longer than the sequence"),
        (lambda: chains.sample_words(KEY, jnp.ones((3, 2)) / 2, 9, 2), "not the rows"),
        (lambda: Prior(alpha=0.0), "Dirichlet"),
        (lambda: Prior(floor=1.5), "share"),
        (lambda: chains.count_contexts(-1, 2), "no such chain"),
        (lambda: n_grams.sampled_levels(1, 2, Prior(), 1), "error bar"),
    ],
)
def test_bad_input(wrong: object, says: str) -> None:
    with pytest.raises(BadInput, match=says):
        wrong()  # type: ignore[operator]
