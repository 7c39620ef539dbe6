"""The decoder that can be taken apart, against the same sums in NumPy."""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from foretell.models.small_decoder import Decoder, Shape, create, logits, look
from foretell.plain.errors import BadInput

WORD = np.array([1, 4, 2, 2, 0, 3])


def _oracle(shape: Shape, weights: Decoder, word: np.ndarray) -> np.ndarray:
    """Position by position and head by head."""

    weights = jax.tree.map(np.asarray, weights)

    def norm(row: np.ndarray, scale: Any) -> np.ndarray:
        if scale is None:
            return row
        return scale * (row - row.mean()) / np.sqrt(row.var() + 1e-5)

    stream = [np.array(weights.embedding[token]) for token in word]
    if weights.positions is not None:
        stream = [row + place for row, place in zip(stream, weights.positions, strict=False)]
    for layer in weights.layers:
        read = [norm(row, layer.attention_scale) for row in stream]
        after = []
        for q, row in enumerate(stream):
            total = row.copy()
            for h in range(shape.heads):
                query, keys = read[q] @ layer.query[h], [r @ layer.key[h] for r in read[: q + 1]]
                scores = np.array([query @ k / np.sqrt(len(query)) for k in keys])
                if layer.lags is not None:
                    scores += np.sqrt(len(query)) * layer.lags[h, q - np.arange(q + 1)]
                if shape.attention == "softmax":
                    scores = np.exp(scores) / np.exp(scores).sum()
                elif shape.attention == "relu":
                    scores = np.maximum(scores, 0)
                for weight, seen in zip(scores, read, strict=False):
                    total += weight * (seen @ layer.value[h] @ layer.output[h])
            after.append(total)
        stream = after
        if layer.first is not None:
            hidden = [norm(r, layer.mlp_scale) @ layer.first + layer.bias for r in stream]
            stream = [
                r + np.maximum(h, 0) @ layer.second for r, h in zip(stream, hidden, strict=True)
            ]
    head = weights.embedding.T if weights.output is None else weights.output
    return np.stack([norm(row, weights.final_scale) @ head for row in stream])


@pytest.mark.parametrize(
    "shape",
    [
        Shape(5, 6, width=8, heads=2, layers=2, hidden=12),
        Shape(5, 6, width=8, attention="relu", positions="relative", norm=False, tied=True),
        Shape(5, 6, width=8, heads=2, attention="linear", positions="none", hidden=4),
    ],
    ids=["softmax", "relu", "linear"],
)
def test_it_computes_what_a_slow_loop_computes(shape: Shape) -> None:
    weights = create(shape, jax.random.key(0))
    noise = np.random.default_rng(0)
    weights = jax.tree.map(
        lambda leaf: leaf + 0.3 * noise.normal(size=leaf.shape).astype("float32"), weights
    )
    said = jax.jit(lambda weights: logits(shape, weights, jnp.asarray(WORD)))(weights)
    np.testing.assert_allclose(said, _oracle(shape, weights, WORD), atol=2e-4)


def test_what_is_asked_at_some_places_is_what_is_said_there() -> None:
    shape = Shape(5, 6, width=8, heads=2, layers=2, hidden=12)
    weights, word = create(shape, jax.random.key(0)), jnp.asarray(WORD)
    some = slice(None, None, 2)
    both = jax.jit(lambda own: (logits(shape, own, word, some), logits(shape, own, word)))(weights)
    np.testing.assert_allclose(both[0], both[1][some], atol=1e-5)


def test_looking_inside() -> None:
    shape = Shape(5, 6, width=8, heads=2, layers=2)
    weights = create(shape, jax.random.key(0))
    seen = jax.jit(lambda weights: look(shape, weights, jnp.asarray(WORD)))(weights)
    assert seen.attention.shape == (2, 2, 6, 6)
    assert seen.values.shape == (2, 2, 6)
    assert seen.streams.shape == (3, 6, 8)
    np.testing.assert_allclose(seen.attention.sum(-1), 1, atol=1e-5)
    assert np.triu(seen.attention[0, 0], 1).max() == 0  # nobody sees what comes later


def test_bad_input() -> None:
    with pytest.raises(BadInput, match="unknown attention"):
        Shape(5, 6, attention="sharp")
    with pytest.raises(BadInput, match="unknown positions"):
        Shape(5, 6, positions="rotary")
    with pytest.raises(BadInput, match="evenly"):
        Shape(5, 6, width=8, heads=3)
    with pytest.raises(BadInput, match="at least one of everything"):
        Shape(5, 6, layers=0)
    with pytest.raises(BadInput, match="no such MLP"):
        Shape(5, 6, hidden=-1)
