"""The two samplers of scores: exact covariances, degenerate ones, and shared draws."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from foretell.kernels.scores import (
    Canonical,
    canonical,
    draw_pair,
    factor,
    joint_scores,
    noise_shape,
    pair_scores,
    shorter,
)
from foretell.numerics.keys import root_key
from foretell.numerics.precision import double_precision


def joint_covariance(rng, lengths: tuple[int, int], rank: int):
    features = rng.normal(size=(sum(lengths), rank)) / np.sqrt(rank)
    whole = features @ features.T
    first = lengths[0]
    return whole[:first, :first], whole[first:, first:], whole[:first, first:]


def covariance_of(queries: Canonical, keys: Canonical) -> np.ndarray:
    """Covariance of all scores of both inputs, from the linear map of unit noises."""
    shape = noise_shape(queries, keys)
    units = jnp.eye(int(np.prod(shape))).reshape(-1, *shape)
    first, second = jax.vmap(lambda noise: pair_scores(queries, keys, noise))(units)
    flat = np.concatenate(
        [np.asarray(each).reshape(len(units), -1) for each in (first, second)], axis=1
    )
    return flat.T @ flat


@pytest.mark.parametrize("lengths", [(4, 4), (3, 5), (5, 2), (1, 3)])
@pytest.mark.parametrize("rank", [20, 3])
def test_the_pair_sampler_has_the_kronecker_covariance(lengths, rank) -> None:
    with double_precision():
        blocks = joint_covariance(np.random.default_rng(sum(lengths) + rank), lengths, rank)
        form = canonical(*map(jnp.asarray, blocks))
        first, second, cross = blocks
        expected = np.block(
            [
                [np.kron(first, first), np.kron(cross, cross)],
                [np.kron(cross, cross).T, np.kron(second, second)],
            ]
        )
        assert np.abs(covariance_of(form, form) - expected).max() <= 1e-10


def test_queries_may_be_fewer_than_keys() -> None:
    with double_precision():
        first, second, cross = joint_covariance(np.random.default_rng(3), (4, 3), 9)
        keys = canonical(*map(jnp.asarray, (first, second, cross)))
        rows = first[-1:, -1:], second[-1:, -1:], cross[-1:, -1:]
        queries = canonical(*map(jnp.asarray, rows))
        expected = np.block(
            [
                [rows[0] * first, rows[2] * cross],
                [rows[2] * cross.T, rows[1] * second],
            ]
        )
        assert np.abs(covariance_of(queries, keys) - expected).max() <= 1e-10


@pytest.mark.parametrize("rank", [12, 4, 1])
def test_the_same_input_twice_has_the_same_scores(rank: int) -> None:
    features = np.random.default_rng(rank).normal(size=(6, rank))
    with double_precision():
        block = jnp.asarray(features @ features.T / rank)
        form = canonical(block, block, block)
        first, second = draw_pair(form, form, root_key(1))
        assert float(jnp.abs(first - second).max()) <= 1e-6
        assert float(jnp.abs(first).max()) > 0.1


def test_the_same_input_twice_also_in_single_precision() -> None:
    features = np.random.default_rng(0).normal(size=(6, 4)).astype(np.float32)
    block = jnp.asarray(features @ features.T / 4)
    form = canonical(block, block, block)
    first, second = draw_pair(form, form, root_key(1))
    assert float(jnp.abs(first - second).max()) <= 1e-2


def test_tokens_without_variance_have_no_scores() -> None:
    with double_precision():
        zero = jnp.zeros((2, 2))
        form = canonical(zero, zero, zero)
        assert all(float(jnp.abs(each).max()) == 0 for each in draw_pair(form, form, root_key(0)))


def test_the_joint_sampler_has_the_kronecker_covariance() -> None:
    features = np.random.default_rng(4).normal(size=(2, 3, 2))
    with double_precision():
        given = jnp.asarray(features)
        units = jnp.eye(4).reshape(4, 2, 2)
        scores = jax.vmap(lambda noise: joint_scores(given, given, noise))(units)
        flat = np.asarray(scores).reshape(4, 2, -1)
        for i in range(2):
            for j in range(2):
                cross = features[i] @ features[j].T
                found = flat[:, i].T @ flat[:, j]
                assert np.abs(found - np.kron(cross, cross)).max() <= 1e-12


def test_factors_keep_inner_products_and_drop_what_is_empty() -> None:
    features = np.random.default_rng(5).normal(size=(40, 3))
    with double_precision():
        block = jnp.asarray(features @ features.T)
        found = factor(block, multiple=4)
        assert found.shape == (40, 4)
        assert float(jnp.abs(found @ found.T - block).max()) <= 1e-10
        alike = jnp.asarray(np.repeat(features[:1], 7, axis=0))
        short = shorter(alike)
        assert short.shape == (7, 1)
        assert float(jnp.abs(short @ short.T - alike @ alike.T).max()) <= 1e-10
