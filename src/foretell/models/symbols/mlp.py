"""A fully connected network on one-hot tokens, side by side; optionally with their equalities.

The first layer multiplies a vector of one-hot tokens, which is the sum of one row of a table for
each place: no such vector is made. `gram` gives the network, besides, which places hold the same
token: all inner products of the one-hot rows.
"""

from __future__ import annotations

from typing import NamedTuple

import jax
import jax.numpy as jnp
from jaxtyping import Array, Float, Int, Key

from foretell.models.symbols.shape import Linear, StringShape, answers, each_token, linear, uniform
from foretell.numerics.keys import key_for


class SymbolMlp(NamedTuple):
    """All weights; `tables` and `equalities` are parts of the first layer's matrix."""

    tables: Float[Array, "length token hidden"]
    equalities: Float[Array, "query key hidden"] | None
    bias: Float[Array, " hidden"]
    layers: tuple[Linear, ...]  # the last one is the head


def create(
    shape: StringShape, key: Key[Array, ""], tokens: int | Int[Array, ""] | None = None
) -> SymbolMlp:
    """Fresh weights, uniform as linear layers are that take `tokens` at each place."""
    width, length = shape.architecture.width, shape.length
    gram = length**2 if shape.has("gram") else 0
    own = shape.tokens if tokens is None else tokens
    reach = 1 / jnp.sqrt(jnp.float32(length * own + gram))
    between = max(shape.architecture.layers - 2, 0)
    equalities = uniform(key_for(key, "equalities"), reach, length, length, width)
    rows = each_token(
        shape.tokens, key_for(key, "tables"), lambda own: uniform(own, reach, length, width)
    )
    return SymbolMlp(
        tables=jnp.swapaxes(rows, 0, 1),
        equalities=equalities if gram else None,
        bias=uniform(key_for(key, "bias"), reach, width),
        layers=(
            *(linear(key_for(key, "layer", number), width, width) for number in range(between)),
            answers(key_for(key, "layer", between), width, shape.outputs),
        ),
    )


def read(model: SymbolMlp, string: Int[Array, " length"]) -> Float[Array, " label"]:
    """The answer to one string: one number, or a score for every token."""
    there = string >= 0
    rows = model.tables[jnp.arange(len(string)), jnp.maximum(string, 0)]
    stream = model.bias + jnp.sum(jnp.where(there[:, None], rows, 0.0), axis=0)
    if model.equalities is not None:
        same = (string[:, None] == string[None, :]) & there
        stream += jnp.einsum("qk,qkh->h", same.astype(stream.dtype), model.equalities)
    for layer in model.layers:
        stream = layer(jax.nn.relu(stream))
    return stream
