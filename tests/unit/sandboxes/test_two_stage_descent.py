"""The reduced induction head: against loops, in its counting limit, and what is claimed of it."""

from __future__ import annotations

import jax.numpy as jnp
import numpy as np
import pytest

from foretell.plain.errors import BadInput
from foretell.protocols._asking import Budget
from foretell.sandboxes import compare
from foretell.sandboxes.learning.two_stage_descent import (
    EXPONENT,
    ORDER,
    Example,
    Reduced,
    TwoStageDescent,
    said_by,
)

WORD = np.array([0, 2, 1, 1, 0, 2, 2, 1, 0, 1])


def _example(last: int) -> Example:
    return Example(jnp.asarray(WORD), jnp.asarray(last), jnp.full(3, 1 / 3))


def _by_loops(lags: np.ndarray, strength: float, last: int, length: int) -> np.ndarray:
    scores = []
    for place in range(length):
        looks = np.exp(lags[: place + 1])
        looks = looks / looks.sum()
        found = sum(looks[lag] for lag in range(place + 1) if WORD[place - lag] == last)
        scores.append(strength * found)
    weights = np.exp(scores) / np.exp(scores).sum()
    return np.array([weights[WORD[:length] == letter].sum() for letter in range(3)])


@pytest.mark.parametrize("length", [4, 10])
def test_it_is_the_same_as_by_loops(length: int) -> None:
    lags = np.random.default_rng(0).normal(size=10)
    model = Reduced(jnp.asarray(lags, jnp.float32), jnp.float32(1.7))
    said = said_by(model, _example(2), length)
    np.testing.assert_allclose(said, _by_loops(lags, 1.7, 2, length), atol=1e-5)


def test_firm_matching_at_lag_one_counts_bigrams() -> None:
    model = Reduced(30 * jnp.eye(10)[1], jnp.float32(40.0))
    # the first place cannot look back: it sees itself, and its symbol is not the one asked for
    np.testing.assert_allclose(said_by(model, _example(2), 10), [0, 2 / 3, 1 / 3], atol=1e-5)


def test_what_is_claimed_can_fail() -> None:
    sandbox = TwoStageDescent()
    claims = {each.quantity: each for each in sandbox.claims(sandbox.settings(Budget.CPU))}
    assert claims[ORDER].holds(("T=16", "T=32", "T=64"))
    assert not claims[ORDER].holds(("T=32", "T=16", "T=64"))
    assert not claims[EXPONENT].holds(0.1)
    assert not claims["T=16: attention on lag 1"].holds(0.9)


@pytest.mark.parametrize("lengths", [[16], [16, 8], [2, 4]])
def test_lengths_that_cannot_be_compared_are_refused(lengths: list[int]) -> None:
    sandbox = TwoStageDescent()
    with pytest.raises(BadInput, match="must grow"):
        sandbox.claims({**sandbox.settings(Budget.CPU), "lengths": lengths})


@pytest.mark.slow
def test_every_claim_holds() -> None:
    sandbox = TwoStageDescent()
    settings = sandbox.settings(Budget.CPU)
    rows = compare(sandbox.claims(settings), sandbox.measure(settings, lambda progress: None))
    assert not [row for row in rows if not row.agrees]
