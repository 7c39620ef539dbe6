"""Shares of energy and first directions, against singular values."""

from __future__ import annotations

import jax.numpy as jnp
import numpy as np
import pytest

from foretell.plain.errors import BadInput
from foretell.protocols._asking import Budget
from foretell.sandboxes import compare
from foretell.sandboxes.learning.markov_low_rank import MarkovLowRank, energy_shares

SANDBOX = MarkovLowRank()


def test_shares_are_those_of_the_squared_singular_values() -> None:
    matrix = np.random.default_rng(0).normal(size=(32, 8))
    shares, first = energy_shares(jnp.asarray(matrix, jnp.float32))
    _, values, right = np.linalg.svd(matrix)
    np.testing.assert_allclose(shares, np.cumsum(values**2)[:4] / np.sum(values**2), rtol=1e-4)
    assert abs(np.asarray(first) @ right[0]) == pytest.approx(1, abs=1e-4)
    assert float(shares[0]) == pytest.approx((32**0.5 + 8**0.5) ** 2 / 256, abs=0.05)


def test_a_product_of_two_vectors_has_one_direction() -> None:
    read = np.array([3.0, -4.0, 0.0, 0.0])
    shares, first = energy_shares(jnp.asarray(np.outer(np.arange(1.0, 6), read), jnp.float32))
    np.testing.assert_allclose(shares, 1, atol=1e-5)
    np.testing.assert_allclose(np.abs(first), [0.6, 0.8, 0, 0], atol=1e-4)


def test_nothing_is_claimed_of_the_layer_that_is_stuck() -> None:
    claimed = {
        claim.quantity.split(":")[0] for claim in SANDBOX.claims(SANDBOX.settings(Budget.CPU))
    }
    assert claimed == {"tied, p=0.2, q=0.3", "separate, p=0.5, q=0.8"}


def test_a_probability_outside_is_refused() -> None:
    settings = {**SANDBOX.settings(Budget.SMOKE), "cells": [["tied", 0.0, 0.5]]}
    with pytest.raises(BadInput, match="p is no switching probability"):
        SANDBOX.claims(settings)


@pytest.mark.slow
def test_every_claim_holds_on_a_cpu() -> None:
    settings = SANDBOX.settings(Budget.CPU)
    rows = compare(SANDBOX.claims(settings), SANDBOX.measure(settings, lambda progress: None))
    assert [row for row in rows if not row.agrees] == []
