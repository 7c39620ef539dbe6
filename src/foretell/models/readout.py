"""The small model that learns a function of bits: norm-free, read out at one extra position.

Two attention layers of one head, an MLP after the first only, residual connections, no output
projections. The stream holds one-hot positions beside what is learned about the bit; the extra
position, whose bit is nothing, is where a linear head reads the answer. Attention is not masked.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import jax
import jax.numpy as jnp
from jaxtyping import Array, Bool, Float, Integer, Key

from foretell.numerics.keys import key_for

LEARNED = 30  # dimensions beside the one-hot positions
HIDDEN = 128


class AttentionWeights(NamedTuple):
    """One head without an output projection."""

    query: Float[Array, "width part"]
    key: Float[Array, "width part"]
    value: Float[Array, "width width"]


class Readout(NamedTuple):
    """All weights; each block is a field, so that norms and curvature can be told by block."""

    bit: Float[Array, "token hidden"]  # what is learned of a 0 and of a 1
    first: AttentionWeights
    mlp_in: Float[Array, "width hidden"]
    mlp_bias: Float[Array, " hidden"]
    mlp_out: Float[Array, "hidden width"]
    mlp_out_bias: Float[Array, " width"]
    second: AttentionWeights
    head: Float[Array, " width"]
    head_bias: Float[Array, ""]


def width_of(bits: int) -> int:
    """Of the stream: a dimension for each position, and the learned ones."""
    return bits + 1 + LEARNED


def create(bits: int, key: Key[Array, ""]) -> Readout:
    """Fresh weights: uniform within one over the root of what comes in, as linear layers are."""
    width = width_of(bits)

    def drawn(name: str, rows: int, *shape: int) -> Array:
        reach = 1 / math.sqrt(rows)
        own = key_for(key, name)
        return jax.random.uniform(own, shape or (rows,), minval=-reach, maxval=reach)

    def attention(name: str) -> AttentionWeights:
        return AttentionWeights(
            *(drawn(f"{name} {part}", width, width, width) for part in ("query", "key", "value"))
        )

    return Readout(
        bit=jax.random.normal(key_for(key, "bit"), (2, LEARNED)),
        first=attention("first"),
        mlp_in=drawn("mlp in", width, width, HIDDEN),
        mlp_bias=drawn("mlp bias", width, HIDDEN),
        mlp_out=drawn("mlp out", HIDDEN, HIDDEN, width),
        mlp_out_bias=drawn("mlp out bias", HIDDEN, width),
        second=attention("second"),
        head=drawn("head", width),
        head_bias=jnp.zeros(()),
    )


def apply(
    model: Readout,
    inputs: Integer[Array, "batch bit"],
    key: Key[Array, ""] | None = None,
    dropout: float = 0.0,
) -> Float[Array, " batch"]:
    """The value at each row of bits. With a key, parts of the stream are dropped out."""
    stream, scale = _embedded(model, inputs), _scale(inputs.shape[1])
    stream = stream + _dropped(_attend(model.first, stream, stream, scale), key, "first", dropout)
    hidden = jax.nn.relu(stream @ model.mlp_in + model.mlp_bias)
    after = hidden @ model.mlp_out + model.mlp_out_bias
    stream = stream + _dropped(after, key, "mlp", dropout)
    last = stream[:, -1:]  # only the extra position is read
    read = last + _dropped(_attend(model.second, last, stream, scale), key, "second", dropout)
    return read[:, 0] @ model.head + model.head_bias


def _embedded(
    model: Readout, inputs: Integer[Array, "batch bit"]
) -> Float[Array, "batch length width"]:
    """One-hot positions beside what is learned of the bit; nothing at the extra position."""
    batch, bits = inputs.shape
    learned = jnp.where(inputs[..., None] == 1, model.bit[1], model.bit[0])
    learned = jnp.concatenate([learned, jnp.zeros((batch, 1, LEARNED))], axis=1)
    places = jnp.broadcast_to(jnp.eye(bits + 1), (batch, bits + 1, bits + 1))
    return jnp.concatenate([places, learned], axis=-1)


def _scale(bits: int) -> float:
    return 2 * math.log(bits) / math.sqrt(width_of(bits))


def _shares(
    weights: AttentionWeights,
    queries: Float[Array, "batch query width"],
    stream: Float[Array, "batch key width"],
    scale: float,
) -> Float[Array, "batch query key"]:
    logits = jnp.einsum("bqp,bkp->bqk", queries @ weights.query, stream @ weights.key)
    return jax.nn.softmax(logits * scale, axis=-1)


def _attend(
    weights: AttentionWeights,
    queries: Float[Array, "batch query width"],
    stream: Float[Array, "batch length width"],
    scale: float,
) -> Float[Array, "batch query width"]:
    return _shares(weights, queries, stream, scale) @ (stream @ weights.value)


def _dropped(
    values: Float[Array, "batch length width"],
    key: Key[Array, ""] | None,
    name: str,
    share: float,
) -> Float[Array, "batch length width"]:
    if key is None or share == 0:
        return values
    kept: Bool[Array, "batch length width"] = jax.random.bernoulli(
        key_for(key, name), 1 - share, values.shape
    )
    return jnp.where(kept, values / (1 - share), 0.0)


def attention_rows(
    model: Readout, inputs: Integer[Array, "batch bit"]
) -> Float[Array, "batch query key"]:
    """How the first layer attends: a learned component shows as a row on its bits."""
    stream = _embedded(model, inputs)
    return _shares(model.first, stream, stream, _scale(inputs.shape[1]))
