"""The disentangled transformer against the same thing written out position by position."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from foretell.models.disentangled import Disentangled, answer, create, patterns, place_attention
from foretell.plain.errors import BadInput

TOKENS, LENGTH = 3, 5


def drawn(heads: tuple[int, ...]) -> Disentangled:
    random = np.random.default_rng(0)
    return jax.tree.map(
        lambda each: jnp.asarray(random.normal(size=each.shape), jnp.float32),
        create(TOKENS, LENGTH, heads),
    )


def oracle(model: Disentangled, word: np.ndarray, weighting: str) -> np.ndarray:
    stream = np.concatenate([np.eye(TOKENS)[word], np.eye(LENGTH)], axis=1)
    for matrices in model.attention:
        rows = []
        for i in range(LENGTH):
            row = [stream[i]]
            for matrix in np.asarray(matrices):
                scores = np.array([stream[i] @ matrix @ stream[j] for j in range(i + 1)])
                weights = {
                    "softmax": lambda s: np.exp(s - s.max()) / np.exp(s - s.max()).sum(),
                    "linear": lambda s: s,
                    "relu": lambda s: np.maximum(s, 0),
                }[weighting](scores)
                row.append(weights @ stream[: i + 1])
            rows.append(np.concatenate(row))
        stream = np.array(rows)
    return stream[-1] @ np.asarray(model.readout)


@pytest.mark.parametrize(
    ("heads", "weighting"),
    [((2, 1, 1), "softmax"), ((1, 2), "linear"), ((1, 2), "relu")],
)
def test_it_is_attention_beside_what_it_read(heads: tuple[int, ...], weighting: str) -> None:
    model, word = drawn(heads), np.array([2, 0, 1, 1, 0])
    said = jax.jit(answer, static_argnums=2)(model, jnp.asarray(word), weighting)
    np.testing.assert_allclose(said, oracle(model, word, weighting), rtol=2e-4, atol=1e-4)


def test_from_zero_it_looks_everywhere_and_says_nothing() -> None:
    model, word = create(TOKENS, LENGTH), jnp.array([2, 0, 1, 1, 0])
    assert not np.asarray(jax.jit(answer)(model, word)).any()
    first, second = jax.jit(patterns)(model, word)
    expected = np.tril(np.ones((LENGTH, LENGTH))) / np.arange(1, LENGTH + 1)[:, None]
    np.testing.assert_allclose(first[0], expected, rtol=1e-6)
    np.testing.assert_allclose(second[0], expected, rtol=1e-6)
    matrix = np.asarray(model.attention[0][0])
    np.testing.assert_allclose(place_attention(matrix, TOKENS, LENGTH), expected, rtol=1e-6)


@pytest.mark.parametrize("shape", [(0, 5, (1, 1)), (3, 0, (1, 1)), (3, 5, ()), (3, 5, (1, 0))])
def test_a_shape_that_is_none(shape: tuple[int, int, tuple[int, ...]]) -> None:
    with pytest.raises(BadInput, match="no such disentangled"):
        create(*shape)


def test_an_attention_nobody_knows() -> None:
    with pytest.raises(BadInput, match="unknown attention"):
        answer(create(TOKENS, LENGTH), jnp.zeros(LENGTH, jnp.int32), "hard")
