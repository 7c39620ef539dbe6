"""How sampling behaves as inputs grow: time, memory and spread of a draw, error of a predictor."""

from __future__ import annotations

import itertools
import time
from functools import partial

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from foretell.kernels.attention import (
    Attention,
    Joint,
    Pairs,
    attention_kernel,
    prepare_pair,
    sample_joint,
    sample_pairs,
)
from foretell.kernels.cost import fitted_exponent
from foretell.kernels.estimate import average
from foretell.numerics.keys import key_for, root_key

LENGTHS = (8, 16, 32, 64, 128, 256)


def blocks(length: int, width: int = 64) -> list[np.ndarray]:
    """Covariances of two inputs whose tokens have variance 1."""
    x = np.random.default_rng(length).normal(size=(2, length, width))
    x = (x / np.linalg.norm(x, axis=2, keepdims=True)).astype(np.float32)
    return [x[i] @ x[j].T for i, j in ((0, 0), (1, 1), (0, 1))]


@pytest.mark.slow
@pytest.mark.parametrize("same", [False, True])
def test_a_draw_does_not_spread_more_as_inputs_grow(same: bool) -> None:
    spreads = []
    for length in LENGTHS:
        first, second, cross = blocks(length)
        given = (first, first, first) if same else (first, second, cross)
        found = attention_kernel(Attention(), *given, draws=256, key=root_key(0))
        # Over all entries: the largest of T² is whatever one rare draw makes it.
        spreads.append(float(np.sqrt(np.mean(found.error**2))) * 16)
    assert all(after < 1.3 * before for before, after in itertools.pairwise(spreads))
    assert spreads[-1] < 0.5 * spreads[0]


@pytest.mark.slow
@pytest.mark.parametrize("length", [8, 32])
def test_the_error_of_a_predictor_falls_with_the_root_of_the_draws(length: int) -> None:
    rng = np.random.default_rng(length)
    features = jnp.asarray(rng.normal(size=(9, length, 16)).astype(np.float32)) / 4
    weights = rng.normal(size=8)
    ready = Joint((features[:, -1:],), (features,), (), ())
    settings = (Attention(token=-1), ((0, 0),))

    def predicted(draws: int, number: int) -> float:
        key = key_for(root_key(1), draws, number)
        mean, _ = average(sample_joint, settings, ready, key, draws)
        return float(np.asarray(mean.kernel[0])[0, 0, 1:, 0] @ weights)

    scaled = [
        np.std([predicted(draws, number) for number in range(200)]) * np.sqrt(draws)
        for draws in (32, 128, 512)
    ]
    assert max(scaled) / min(scaled) < 1.25


def pair_of(length: int) -> Pairs:
    """Two inputs, ready to be drawn from."""
    given = [jnp.asarray(each) for each in blocks(length)]
    queries, keys = jax.tree.map(lambda leaf: leaf[None], prepare_pair(Attention(), *given))
    return Pairs(queries, keys, given[2][None], None)


def test_the_memory_of_a_draw_is_quadratic() -> None:
    lengths, needed = (64, 128, 256), []
    for length in lengths:
        keys = jax.random.split(root_key(0), 8)
        draw = jax.jit(partial(sample_pairs, Attention()))
        needed.append(draw.lower(pair_of(length), keys).compile().memory_analysis())
    whole = [each.temp_size_in_bytes + each.output_size_in_bytes for each in needed]
    assert 1.5 <= fitted_exponent(lengths, whole) <= 2.3


@pytest.mark.slow
def test_the_time_of_a_draw_is_at_most_cubic() -> None:
    lengths, times = (64, 128, 256), []
    for length in lengths:
        pairs = pair_of(length)
        taken = []
        for _ in range(6):  # the first one compiles
            began = time.perf_counter()
            jax.block_until_ready(average(sample_pairs, Attention(), pairs, root_key(0), 256))
            taken.append(time.perf_counter() - began)
        times.append(min(taken))
    assert fitted_exponent(lengths, times) <= 3.5
