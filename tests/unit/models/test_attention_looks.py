"""Looking at attention: known logits have known entropy, and nothing later is seen."""

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import pytest

from foretell.core.architecture import Architecture
from foretell.models.attention_looks import look
from foretell.models.transformer import Transformer
from foretell.numerics.keys import root_key

POSITIONS = jnp.arange(12)[None]


def model_of(positional, scale="sqrt"):
    shape = Architecture(
        layers=2, heads=2, width=8, positional=positional, context=12, attention_scale=scale
    )
    return Transformer.create(shape, 5, 5, root_key(0))


def tokens():
    return jax.random.randint(jax.random.key(0), (3, 12), 0, 5)


def without_queries(model):
    """Every logit 0, before any bias of positions."""
    return eqx.tree_at(
        lambda m: [block.attention.query for block in m.blocks],
        model,
        replace_fn=lambda own: jax.tree.map(jnp.zeros_like, own),
    )


def test_logits_of_zero_attend_evenly_to_what_is_visible():
    at = jnp.array([0, 5, 11])
    for layer in look(without_queries(model_of("rotary")), tokens(), POSITIONS, at):
        expected = np.log(np.asarray(at) + 1.0)[:, None] * np.ones((1, 2))
        np.testing.assert_allclose(layer.entropy, expected, atol=1e-5)
        np.testing.assert_allclose(layer.spread, 0.0, atol=1e-6)
        np.testing.assert_allclose(layer.largest, np.exp(-expected), atol=1e-5)


def test_a_bias_of_positions_counts():
    layer = look(without_queries(model_of("alibi")), tokens(), POSITIONS, jnp.full(3, 11))[0]
    steep, gentle = np.asarray(layer.entropy).T  # heads differ in their slope
    assert (steep < np.log(12) - 0.01).all()
    assert (gentle > steep).all()
    assert (np.asarray(layer.spread) > 0.01).all()


@pytest.mark.parametrize("positional", ["rotary", "nope", "ape"])
def test_what_comes_later_is_not_seen(positional):
    model, at = model_of(positional), jnp.full(3, 6)
    one = look(model, tokens(), POSITIONS, at)
    other = look(model, tokens().at[:, 7:].set(0), POSITIONS, at)
    for a, b in zip(jax.tree.leaves(one), jax.tree.leaves(other), strict=True):
        np.testing.assert_allclose(a, b, atol=1e-6)


def test_log_length_multiplies_the_logits_by_the_logarithm():
    plain, scaled = (
        look(model_of("rotary", scale), tokens(), POSITIONS, jnp.full(3, 11))[0].spread
        for scale in ("sqrt", "log-length")
    )
    np.testing.assert_allclose(scaled, plain * np.log(12), rtol=1e-4)


def test_shares_of_the_last_few_and_of_the_first_token():
    at = jnp.array([0, 5, 11])
    for layer in look(without_queries(model_of("rotary")), tokens(), POSITIONS, at):
        share = 1 / (np.asarray(at) + 1.0)
        np.testing.assert_allclose(layer.first, share[:, None] * np.ones((1, 2)), rtol=1e-5)
        within = np.arange(layer.near.shape[-1]) <= np.asarray(at)[:, None]
        np.testing.assert_allclose(layer.near[:, 0], share[:, None] * within, rtol=1e-5)
