"""The model that reads bits: its own arithmetic, symmetry and dropout."""

import jax
import jax.numpy as jnp
import numpy as np

from foretell.models import readout
from foretell.numerics.keys import root_key

BITS = 5
MODEL = readout.create(BITS, root_key(0))
INPUTS = jnp.asarray(np.random.default_rng(0).integers(0, 2, (7, BITS)))


def by_hand(model, row):
    """One input at a time, in NumPy, straight from the definition."""
    stream = np.zeros((BITS + 1, readout.width_of(BITS)))
    stream[:, : BITS + 1] = np.eye(BITS + 1)
    for place, bit in enumerate(row):
        stream[place, BITS + 1 :] = np.asarray(model.bit)[int(bit)]
    scale = 2 * np.log(BITS) / np.sqrt(stream.shape[1])

    def attend(weights, now):
        logits = (now @ weights.query) @ (now @ weights.key).T * scale
        shares = np.exp(logits - logits.max(axis=1, keepdims=True))
        return (shares / shares.sum(axis=1, keepdims=True)) @ (now @ weights.value)

    stream = stream + attend(model.first, stream)
    hidden = np.maximum(stream @ model.mlp_in + model.mlp_bias, 0)
    stream = stream + hidden @ model.mlp_out + model.mlp_out_bias
    stream = stream + attend(model.second, stream)
    return stream[-1] @ model.head + model.head_bias


def test_it_computes_what_it_says():
    found = readout.apply(MODEL, INPUTS)
    expected = [by_hand(jax.tree.map(np.asarray, MODEL), row) for row in np.asarray(INPUTS)]
    assert np.allclose(found, expected, atol=1e-5)


def test_attention_rows_are_those_of_the_first_layer():
    rows = readout.attention_rows(MODEL, INPUTS)
    assert rows.shape == (7, BITS + 1, BITS + 1)
    assert np.allclose(rows.sum(axis=-1), 1, atol=1e-6)


def test_dropout_needs_a_key_and_keeps_the_mean():
    still = readout.apply(MODEL, INPUTS, None, 0.5)
    assert np.array_equal(still, readout.apply(MODEL, INPUTS))
    keys = jax.random.split(root_key(1), 2000)
    many = jax.vmap(lambda key: readout.apply(MODEL, INPUTS[:1], key, 0.1))(keys)
    assert many.std() > 0
    assert abs(many.mean() - still[0]) < 0.1


def test_the_seed_decides_the_weights():
    again = readout.create(BITS, root_key(0))
    other = readout.create(BITS, root_key(1))
    assert all(
        np.array_equal(a, b) for a, b in zip(*map(jax.tree.leaves, (MODEL, again)), strict=True)
    )
    assert not np.array_equal(MODEL.head, other.head)
