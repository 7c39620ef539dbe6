"""The model with one attention and one curve: its arithmetic, its sizes, that it can be parity."""

from __future__ import annotations

import math

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from foretell.boolean.drawing import parity
from foretell.boolean.truth_table import every_input
from foretell.models import scalar_lookup
from foretell.models.scalar_lookup import ScalarLookup
from foretell.numerics.keys import root_key

BITS = 5


@pytest.mark.parametrize("sees_bits", [True, False])
def test_the_sizes_are_those_counted(sees_bits):
    model = scalar_lookup.create(BITS, root_key(0), sees_bits)
    assert sum(leaf.size for leaf in model) == scalar_lookup.parameter_count(BITS, sees_bits)


def test_attention_is_that_of_the_stream():
    model = scalar_lookup.create(BITS, root_key(1))
    bits = jnp.array([1, 0, 1, 1, 0])
    stream = np.concatenate([np.eye(BITS + 1), np.append(bits, 0)[:, None]], axis=1)
    logits = 2 * math.log(BITS) * stream @ np.asarray(model.attention) @ stream.T
    expected = np.exp(logits) / np.exp(logits).sum(axis=1, keepdims=True)
    found = scalar_lookup.attention_rows(model, bits)
    np.testing.assert_allclose(found, expected, rtol=1e-5)
    read = expected @ stream @ np.asarray(model.value)
    np.testing.assert_allclose(scalar_lookup.gathered(model, bits), read, rtol=1e-5)


def test_without_bits_attention_does_not_depend_on_the_input():
    model = scalar_lookup.create(BITS, root_key(2), sees_bits=False)
    rows = jax.vmap(scalar_lookup.attention_rows, (None, 0))(model, jnp.eye(BITS, dtype=int))
    np.testing.assert_allclose(rows, jnp.broadcast_to(rows[0], rows.shape))
    seeing = scalar_lookup.create(BITS, root_key(2))
    rows = jax.vmap(scalar_lookup.attention_rows, (None, 0))(seeing, jnp.eye(BITS, dtype=int))
    assert float(jnp.abs(rows - rows[0]).max()) > 1e-3


def test_a_row_that_averages_and_a_curve_that_turns_are_a_parity():
    """Hinges at j/T with slopes that change sign, read at one position."""
    levels = np.arange(BITS + 1) / BITS
    slopes = BITS * np.append((-1.0) ** np.arange(1, BITS + 1), 0)
    changes = np.diff(slopes, prepend=0.0)
    attention = np.zeros((BITS + 1, BITS + 1))
    attention[0, BITS] = -30.0  # the extra position is left out of the average
    hidden = scalar_lookup.HIDDEN - len(levels)
    model = ScalarLookup(
        attention=jnp.asarray(attention),
        value=jnp.zeros(BITS + 2).at[-1].set(1.0),
        mlp_in=jnp.ones(scalar_lookup.HIDDEN),
        mlp_bias=jnp.asarray(np.append(-levels, -10 * np.ones(hidden))),
        mlp_out=jnp.asarray(np.append(changes, np.zeros(hidden))),
        mlp_out_bias=jnp.ones(()),
        head=jnp.zeros(BITS + 1).at[0].set(1.0),
        head_bias=jnp.zeros(()),
    )
    inputs = np.asarray(every_input(BITS))
    found = jax.vmap(scalar_lookup.output, (None, 0))(model, jnp.asarray(inputs))
    np.testing.assert_allclose(found, parity(BITS)(inputs), atol=1e-4)
