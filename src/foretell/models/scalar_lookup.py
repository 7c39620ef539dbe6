"""The smallest model in which one can watch a parity being computed: one attention, one curve.

The stream is fixed: a one-hot position, then the bit; an extra position carries no bit. One
attention layer reads one number at every position, one MLP from a number to a number (the same
everywhere) looks that number up, and a linear combination over positions is the answer. A row of
the attention that averages the bits of a component, and a curve that goes up and down between the
averages, would compute its parity; nothing forces training to find that.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import jax
import jax.numpy as jnp
from jaxtyping import Array, Float, Integer, Key

from foretell.numerics.keys import key_for

HIDDEN = 32


class ScalarLookup(NamedTuple):
    """All weights of one model.

    The attention matrix is query by key. With a row and a column for the bit, attention may depend
    on the input; without them it goes by position alone, as in the explicit construction.
    """

    attention: Float[Array, "query key"]
    value: Float[Array, " width"]  # what attention reads is one number
    mlp_in: Float[Array, " hidden"]
    mlp_bias: Float[Array, " hidden"]
    mlp_out: Float[Array, " hidden"]
    mlp_out_bias: Float[Array, ""]
    head: Float[Array, " length"]  # one weight a position
    head_bias: Float[Array, ""]


def create(bits: int, key: Key[Array, ""], sees_bits: bool = True) -> ScalarLookup:
    """Fresh weights: uniform within one over the root of what comes in, as linear layers are."""
    width, length = bits + 2, bits + 1
    side = width if sees_bits else length

    def drawn(name: str, incoming: int, *shape: int) -> Array:
        reach = 1 / math.sqrt(incoming)
        return jax.random.uniform(key_for(key, name), shape, minval=-reach, maxval=reach)

    return ScalarLookup(
        attention=drawn("attention", side, side, side),
        value=drawn("value", width, width),
        mlp_in=drawn("mlp in", 1, HIDDEN),
        mlp_bias=drawn("mlp bias", 1, HIDDEN),
        mlp_out=drawn("mlp out", HIDDEN, HIDDEN),
        mlp_out_bias=jnp.zeros(()),
        head=drawn("head", length, length),
        head_bias=jnp.zeros(()),
    )


def parameter_count(bits: int, sees_bits: bool = True) -> int:
    """How many numbers are trained.

    >>> parameter_count(20), parameter_count(20, sees_bits=False)
    (625, 582)
    """
    side = bits + 2 if sees_bits else bits + 1
    return side * side + (bits + 2) + 3 * HIDDEN + 1 + (bits + 1) + 1


def attention_rows(model: ScalarLookup, bits: Integer[Array, " bit"]) -> Float[Array, "query key"]:
    """How each position attends, at one input; logits are not divided by a root of the width."""
    given = _with_extra(model, bits)
    length = len(given)
    logits = model.attention[:length, :length]
    if len(model.attention) > length:
        # What products of one-hot positions and bits with the matrix between them come to.
        logits = logits + given[:, None] * model.attention[length, :length]
        logits = logits + model.attention[:length, length:] * given
        logits = logits + model.attention[length, length] * given[:, None] * given
    return jax.nn.softmax(2 * math.log(len(bits)) * logits, axis=-1)


def gathered(model: ScalarLookup, bits: Integer[Array, " bit"]) -> Float[Array, " length"]:
    """The number that each position reads."""
    values = model.value[:-1] + _with_extra(model, bits) * model.value[-1]
    return attention_rows(model, bits) @ values


def look_up(model: ScalarLookup, numbers: Float[Array, " length"]) -> Float[Array, " length"]:
    """The MLP's curve at some numbers."""
    hidden = jax.nn.relu(numbers[:, None] * model.mlp_in + model.mlp_bias)
    return hidden @ model.mlp_out + model.mlp_out_bias


def output(model: ScalarLookup, bits: Integer[Array, " bit"]) -> Float[Array, ""]:
    """The answer at one input."""
    return look_up(model, gathered(model, bits)) @ model.head + model.head_bias


def _with_extra(model: ScalarLookup, bits: Integer[Array, " bit"]) -> Float[Array, " length"]:
    """The bits as numbers, and nothing at the extra position."""
    return jnp.append(bits, 0).astype(model.value.dtype)
