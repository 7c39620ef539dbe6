"""The small model that learns a function of bits: norm-free, read out at one extra position.

Two attention layers of one head, an MLP after the first only, residual connections, no output
projections. The stream holds one-hot positions beside what is learned about the bit; the extra
position, whose bit is nothing, is where a linear head reads the answer. Attention is not masked.
The blocks take any stream: `chained` reads one that a chain of thought makes longer.
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
    """Fresh weights for functions of so many bits."""
    return fresh(width_of(bits), key)


def fresh(width: int, key: Key[Array, ""]) -> Readout:
    """Weights for a stream: uniform within one over the root of what comes in, as linear layers."""

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
    stream = _embedded(model, inputs)
    read = through(model, stream, 1, scale_of(model, inputs.shape[1]), None, key, dropout)
    return read[:, 0] @ model.head + model.head_bias


def through(
    model: Readout,
    stream: Float[Array, "batch length width"],
    readers: int,
    scale: float,
    visible: Bool[Array, "length length"] | None = None,
    key: Key[Array, ""] | None = None,
    dropout: float = 0.0,
) -> Float[Array, "batch query width"]:
    """The stream after all layers at its last `readers` positions: only those are read."""
    looked = attend(model.first, stream, stream, scale, visible)
    stream = stream + _dropped(looked, key, "first", dropout)
    stream = stream + _dropped(mlp(model, stream), key, "mlp", dropout)
    last = stream[:, -readers:]
    seen = None if visible is None else visible[-readers:]
    return last + _dropped(attend(model.second, last, stream, scale, seen), key, "second", dropout)


def mlp(
    model: Readout, stream: Float[Array, "batch length width"]
) -> Float[Array, "batch length width"]:
    """What the MLP adds."""
    hidden = jax.nn.relu(stream @ model.mlp_in + model.mlp_bias)
    return hidden @ model.mlp_out + model.mlp_out_bias


def _embedded(
    model: Readout, inputs: Integer[Array, "batch bit"]
) -> Float[Array, "batch length width"]:
    """One-hot positions beside what is learned of the bit; nothing at the extra position."""
    batch, bits = inputs.shape
    learned = bit_codes(model, inputs)
    learned = jnp.concatenate([learned, jnp.zeros((batch, 1, LEARNED))], axis=1)
    places = jnp.broadcast_to(jnp.eye(bits + 1), (batch, bits + 1, bits + 1))
    return jnp.concatenate([places, learned], axis=-1)


def bit_codes(
    model: Readout, bits: Integer[Array, "batch length"]
) -> Float[Array, "batch length hidden"]:
    """What is learned of each bit."""
    return jnp.where(bits[..., None] == 1, model.bit[1], model.bit[0])


def scale_of(model: Readout, bits: int) -> float:
    """What multiplies attention logits: the more bits, the more a few of them must stand out."""
    return 2 * math.log(bits) / math.sqrt(model.head.shape[-1])


def shares(
    queries: Float[Array, "batch query part"],
    keys: Float[Array, "batch key part"],
    scale: float,
    visible: Bool[Array, "query key"] | None = None,
) -> Float[Array, "batch query key"]:
    """How attention is spread: all over, or over what each query may see."""
    logits = jnp.einsum("bqp,bkp->bqk", queries, keys) * scale
    if visible is not None:
        logits = jnp.where(visible, logits, -jnp.inf)
    return jax.nn.softmax(logits, axis=-1)


def attend(
    weights: AttentionWeights,
    queries: Float[Array, "batch query width"],
    stream: Float[Array, "batch length width"],
    scale: float,
    visible: Bool[Array, "query length"] | None = None,
) -> Float[Array, "batch query width"]:
    """What a layer moves to the queries."""
    found = shares(queries @ weights.query, stream @ weights.key, scale, visible)
    return found @ (stream @ weights.value)


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
    scale = scale_of(model, inputs.shape[1])
    return shares(stream @ model.first.query, stream @ model.first.key, scale)
