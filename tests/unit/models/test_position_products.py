"""Products of positions, by hand: invariant, known, folded norms, the regularizer."""

from __future__ import annotations

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import pytest

from foretell.core.architecture import Architecture
from foretell.models.position_products import (
    PENALTIES,
    diagonal_means,
    embedding_variance,
    fold,
    offset_variance,
    position_penalty,
    position_products,
    position_vectors,
    stream_variances,
)
from foretell.models.transformer import LayerNorm, Transformer
from foretell.plain.errors import BadInput

ONE = jnp.ones(())


def model(
    context: int, width: int, heads: int = 1, norm: bool = False, layers: int = 1
) -> Transformer:
    shape = Architecture(
        layers=layers, heads=heads, width=width, positional="ape", context=context, norm=norm
    )
    return Transformer.create(shape, 5, 5, jax.random.key(0))


def with_weights(base: Transformer, table, query, key) -> Transformer:
    """The first layer's matrices and the positions replaced."""
    joined = np.concatenate([key, np.zeros_like(key)], axis=1)
    new = [jnp.asarray(each, jnp.float32) for each in (table, query, joined)]
    places = lambda m: (  # noqa: E731
        m.positional.table,
        m.blocks[0].attention.query.weight,
        m.blocks[0].attention.key_value.weight,
    )
    return eqx.tree_at(places, base, tuple(new))


def products(built: Transformer) -> np.ndarray:
    found = position_products(built.blocks[0], position_vectors(built), ONE)
    return np.asarray(found, np.float64)


def test_waves_are_exactly_invariant():
    place = np.arange(20)[:, None] * np.array([0.3, 1.1])
    waves = np.concatenate([np.cos(place), np.sin(place)], axis=1)
    found = products(with_weights(model(20, 4), waves, np.eye(4), np.eye(4)))[0]
    np.testing.assert_allclose(found[7, 3], found[15, 11], atol=1e-5)
    assert found[7, 3] != pytest.approx(found[7, 4], abs=0.1)
    assert offset_variance(found) < 1e-11


def test_a_known_head_and_a_known_sum():
    key = np.array([[1.0, 4.0, 2.0], [0.0, 3.0, 6.0], [9.0, 0.0, 5.0]])  # with one-hot positions
    built = with_weights(model(3, 3), np.eye(3), np.eye(3), key)
    found = products(built)[0]
    np.testing.assert_allclose(found, key.T, atol=1e-6)  # [[1 0 9] [4 3 0] [2 6 5]]
    np.testing.assert_allclose(diagonal_means(found), [3, 5, 2], atol=1e-6)
    assert offset_variance(found) == pytest.approx((4 + 0 + 4 + 1 + 1 + 0) / 6)
    assert position_penalty(built) == pytest.approx(1 + 16 + 4)
    assert position_penalty(built, all_pairs=True) == pytest.approx((1 + 16 + 9 + 4 + 36 + 25) / 3)
    assert PENALTIES["all pairs"](built) == position_penalty(built, all_pairs=True)  # no norm here


def test_the_released_sum_passes_over_norms():
    built = model(12, 8, heads=2, norm=True, layers=2)
    vectors, found = np.asarray(built.positional.table), 0.0
    for block in built.blocks:
        query = np.asarray(block.attention.query.weight)
        key = np.asarray(block.attention.key_value.weight)[:, :8]
        for head in (slice(0, 4), slice(4, 8)):
            products = (vectors @ query[:, head]) @ (vectors @ key[:, head]).T
            found += np.square(np.tril(products)).sum() / 12
    assert PENALTIES["all pairs"](built) == pytest.approx(found, rel=1e-5)


def test_each_head_has_its_own_part():
    draw = np.random.default_rng(0)
    table, query, key = (draw.normal(size=shape) for shape in ((6, 4), (4, 4), (4, 4)))
    found = products(with_weights(model(6, 4, heads=2), table, query, key))
    for head in range(2):
        part = slice(2 * head, 2 * head + 2)
        np.testing.assert_allclose(
            found[head], table @ query[:, part] @ (table @ key[:, part]).T, atol=1e-4
        )


def test_a_norm_with_the_right_variance_is_the_norm():
    draw = np.random.default_rng(1)
    scale, bias, vector = (jnp.asarray(draw.normal(size=8), jnp.float32) for _ in range(3))
    norm = LayerNorm(scale, bias)
    folded = fold(norm, vector[None], jnp.var(vector))
    np.testing.assert_allclose(folded[0], norm(vector[None, None])[0, 0] - bias, atol=1e-5)
    assert fold(eqx.nn.Identity(), vector[None], ONE)[0] is not None


def test_the_variance_of_embeddings_is_that_of_all_pairs():
    built = model(7, 8, norm=True)
    sums = built.embedding[:, None] + built.positional.table[None]
    assert embedding_variance(built) == pytest.approx(float(jnp.var(sums, axis=-1).mean()))


def test_stream_variances_follow_the_stream_and_skip_padding():
    built = model(7, 8, heads=2, norm=True, layers=2)
    tokens, positions = jnp.array([[1, 2, 0], [3, 4, 2]]), jnp.array([[0, 1, 2], [4, 5, 6]])
    counted = jnp.array([[True, True, False], [True, True, True]])
    first, second = stream_variances(built, tokens, positions, counted)
    stream = built.embedding[tokens] + built.positional.table[positions]
    assert first == pytest.approx(float(jnp.var(stream, axis=-1)[counted].mean()))
    assert second > 0 and second != pytest.approx(float(first))


@pytest.mark.slow
def test_the_regularizer_stays_bounded_at_the_start_when_width_grows_with_context():
    def at(size: int) -> float:
        draw = np.random.default_rng(size)
        arrays = (draw.normal(size=(size, size)) / np.sqrt(size) for _ in range(3))
        return float(position_penalty(with_weights(model(size, size), *arrays), all_pairs=True))

    assert [at(size) for size in (32, 128, 512)] == pytest.approx([0.5] * 3, abs=0.15)


@pytest.mark.slow
def test_the_regularizer_has_a_gradient_and_falls_along_it():
    built = model(12, 8, heads=2, norm=True, layers=2)
    value, gradient = eqx.filter_value_and_grad(position_penalty)(built)
    moved = jax.tree.map(lambda weight, change: weight - 0.01 * change, built, gradient)
    assert 0 < position_penalty(moved) < value


def test_a_model_without_position_vectors_is_refused():
    shape = Architecture(layers=1, heads=1, width=4, positional="nope", context=6)
    built = Transformer.create(shape, 5, 5, jax.random.key(0))
    with pytest.raises(BadInput, match="no positions"):
        position_penalty(built)
