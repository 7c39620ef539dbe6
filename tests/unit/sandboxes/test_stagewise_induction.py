"""Levels of both priors, what is read off a run, and the run on a CPU."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from foretell.protocols._asking import Budget
from foretell.sandboxes import compare
from foretell.sandboxes.learning.stagewise_induction import (
    BEFORE,
    LEAST,
    StagewiseInduction,
    _stages,
    levels_of,
)
from foretell.worlds.chains import Prior
from foretell.worlds.n_gram_attention import fresh, read
from foretell.worlds.n_grams import balanced_levels, sampled_levels


def test_levels() -> None:
    assert np.allclose(levels_of(Prior(), 64), [0.6931, 0.5716, 0.4965], atol=1e-4)
    sampled = sampled_levels(1, 2, Prior("doubly-stochastic"), 4_000)
    assert abs(balanced_levels(1.0)[1] - sampled.mean[1]) < 4 * sampled.error[1]


def test_the_model_is_causal_and_says_chances() -> None:
    model = fresh(jax.random.key(0), 2, 4, 6, 1.0)
    words = jnp.array([[0, 1, 1, 0, 1, 0], [0, 1, 1, 1, 0, 1]])
    said, maps = jax.jit(jax.vmap(lambda word: read(model, word)))(words)
    assert np.allclose(said[0, :3], said[1, :3], atol=1e-6)
    assert not np.allclose(said[0, 3], said[1, 3])
    assert np.allclose(np.exp(said).sum(axis=-1), 1, atol=1e-6)
    assert np.allclose(np.triu(maps[0][0], 1), 0)


def test_stages_are_read_off_and_can_be_missing() -> None:
    steps = np.arange(4.0)
    apart = np.array([[0.0, 0.2, 0.4], [0.1, 0.01, 0.2], [0.2, 0.05, 0.05], [0.3, 0.1, 0.01]])
    found = _stages(steps, apart)
    assert found["order of the least KL"] == ("uniform", "unigram", "bigram")
    assert found[BEFORE] == ("unigram", "bigram") and found[LEAST] == 0.01
    never = _stages(steps, np.full((4, 3), 0.5))
    assert never[BEFORE] == ("not reached",)
    assert never["order of the least KL"] == ("no order",)


@pytest.mark.slow
def test_every_claim_holds_on_a_cpu() -> None:
    sandbox = StagewiseInduction()
    settings = sandbox.settings(Budget.CPU)
    rows = compare(sandbox.claims(settings), sandbox.measure(settings, lambda progress: None))
    assert [row.claim.quantity for row in rows if not row.agrees] == []
