"""Kernels of infinite width beside real networks of finite width, by sampling and by gradients."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from foretell.kernels.duals import GELU
from foretell.kernels.transformer import KernelTransformer, gram
from foretell.numerics.keys import key_for, root_key

TOKENS, FEATURES, WIDTH, HEADS, KEYS = 3, 4, 192, 96, 96


def draw_weights(key, layers: int, output_matrix: bool) -> dict:
    def normal(*path, shape):
        return jax.random.normal(key_for(key, *path), shape)

    weights = {"embedding": normal("embedding", shape=(FEATURES, WIDTH))}
    for number in range(layers):
        shapes = {
            "query": (HEADS, WIDTH, KEYS),
            "key": (HEADS, WIDTH, KEYS),
            "value": (HEADS, WIDTH, KEYS if output_matrix else WIDTH),
            "mix": (WIDTH, WIDTH),
        }
        if output_matrix:
            shapes["output"] = (HEADS, KEYS, WIDTH)
        for name, shape in shapes.items():
            weights[f"{name} {number}"] = normal(name, number, shape=shape)
    return weights


def network(description: KernelTransformer, weights: dict, x):
    """Outputs of all coordinates at the read-out token."""
    h = x @ weights["embedding"] / np.sqrt(FEATURES)
    for number in range(description.layers):
        query, key, value = (
            jnp.einsum("sd,hdk->hsk", h, weights[f"{name} {number}"]) / np.sqrt(WIDTH)
            for name in ("query", "key", "value")
        )
        scores = jnp.einsum("hak,hsk->has", query, key) / np.sqrt(KEYS)
        if description.causal:
            scores = jnp.where(jnp.tri(TOKENS, dtype=bool), scores, -jnp.inf)
        heads = jnp.einsum("has,hsv->hav", jax.nn.softmax(scores), value)
        if description.output_matrix:
            heads = jnp.einsum("hav,hvd->had", heads, weights[f"output {number}"]) / np.sqrt(KEYS)
        z = heads.sum(axis=0) / np.sqrt(HEADS)
        h = description.activation(z) @ weights[f"mix {number}"] / np.sqrt(WIDTH)
    return h[description.readout]


def kernels_of(description: KernelTransformer, inputs, seed):
    """Covariance over output coordinates, and the NTK of the first coordinate, of one network."""
    weights = draw_weights(root_key(seed), description.layers, description.output_matrix)
    outputs = jnp.stack([network(description, weights, x) for x in inputs])
    slope = jax.grad(lambda w, x: network(description, w, x)[0])
    slopes = [slope(weights, x) for x in inputs]

    def inner(one, other):
        return sum(jnp.vdot(one[name], other[name]) for name in one)

    tangent = jnp.array([[inner(one, other) for other in slopes] for one in slopes])
    return outputs @ outputs.T / WIDTH, tangent


@pytest.mark.slow
@pytest.mark.parametrize(
    "description",
    [
        KernelTransformer(activation=GELU),
        KernelTransformer(activation=GELU, causal=True, output_matrix=True, readout=1),
        KernelTransformer(layers=2, activation=GELU),
    ],
)
def test_wide_networks_have_the_kernels_of_infinite_width(description: KernelTransformer) -> None:
    inputs = 2 * np.random.default_rng(0).normal(size=(2, TOKENS, FEATURES)).astype(np.float32)
    inputs[:, :, 0] = 1.5
    once = jax.jit(lambda seed: kernels_of(description, jnp.asarray(inputs), seed))
    networks = [once(seed) for seed in range(24)]
    for place, kind in enumerate(("nngp", "ntk")):
        found = np.stack([np.asarray(each[place]) for each in networks])
        mean, error = found.mean(axis=0), found.std(axis=0, ddof=1) / np.sqrt(len(found))
        exact = gram(description, inputs, draws=32_000, kind=kind)
        # A width of 192 is off by a few parts in a hundred besides its spread.
        allowed = 4 * np.hypot(error, exact.error) + 0.03 * np.abs(exact.value).max()
        assert (np.abs(mean - exact.value) < allowed).all(), kind
        assert (error < 0.1 * np.abs(exact.value).max()).all(), kind  # it could have failed
