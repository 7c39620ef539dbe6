"""The small model with a chain of thought: it writes one bit a step and reads what it wrote.

The weights and blocks are those of `readout`. The context is the bits, then a 0, then the bits
written so far; positions repeat with period T, so that the newest token shares its position with
one bit, and attention sees only what came before. What is said at the newest token, rounded, is
the next token. After T steps the last one is the answer.
"""

from __future__ import annotations

from typing import NamedTuple

import jax
import jax.numpy as jnp
from jaxtyping import Array, Bool, Float, Integer, Key

from foretell.models.readout import (
    LEARNED,
    AttentionWeights,
    Readout,
    bit_codes,
    fresh,
    mlp,
    scale_of,
    shares,
    through,
)

ONE = 0.5  # from here on what is said is written as a 1


class Memory(NamedTuple):
    """What one attention layer has seen; room for the whole chain, of which the rest is hidden."""

    keys: Float[Array, "batch length part"]
    values: Float[Array, "batch length width"]


def width_of(bits: int) -> int:
    """Of the stream: a dimension for each of the positions, which repeat, and the learned ones."""
    return bits + LEARNED


def create(bits: int, key: Key[Array, ""]) -> Readout:
    """Fresh weights for chains over so many bits."""
    return fresh(width_of(bits), key)


def apply(
    model: Readout,
    bits: Integer[Array, "batch bit"],
    written: Integer[Array, "batch bit"] | Float[Array, "batch bit"],
    key: Key[Array, ""] | None = None,
    dropout: float = 0.0,
) -> Float[Array, "batch bit"]:
    """What is said at each step, after the steps before it wrote what is given.

    The last bit written is the answer: nothing comes after it, and it is not read.
    """
    count = bits.shape[1]
    before = jnp.pad(written[:, :-1].astype(bits.dtype), ((0, 0), (1, 0)))
    stream = _embedded(model, jnp.concatenate([bits, before], axis=1))
    scale = scale_of(model, count)
    read = through(model, stream, count, scale, _causal(2 * count), key, dropout)
    return read @ model.head + model.head_bias


def run(model: Readout, bits: Integer[Array, "batch bit"]) -> Integer[Array, "batch bit"]:
    """The bits that the model writes when it reads its own.

    Every step is one row of the stream; keys and values of the rows before are kept.
    """
    batch, count = bits.shape
    scale = scale_of(model, count)
    first, second = _read_bits(model, bits, scale)

    def step(
        carried: tuple[Memory, Memory, Integer[Array, " batch"]], number: Integer[Array, ""]
    ) -> tuple[tuple[Memory, Memory, Integer[Array, " batch"]], Integer[Array, " batch"]]:
        first, second, newest = carried
        place = count + number
        visible = (jnp.arange(2 * count) <= place)[None]
        row = _row(model, newest, number)
        first = _remember(first, model.first, row, place)
        row = row + _look(model.first, row, first, scale, visible)
        row = row + mlp(model, row)
        second = _remember(second, model.second, row, place)
        row = row + _look(model.second, row, second, scale, visible)
        said = row[:, 0] @ model.head + model.head_bias
        bit = (said >= ONE).astype(bits.dtype)
        return (first, second, bit), bit

    start = jnp.zeros(batch, bits.dtype)
    _, written = jax.lax.scan(step, (first, second, start), jnp.arange(count))
    return written.T


def _read_bits(
    model: Readout, bits: Integer[Array, "batch bit"], scale: float
) -> tuple[Memory, Memory]:
    """What both layers keep of the bits, before anything is written."""
    stream, visible = _embedded(model, bits), _causal(bits.shape[1])
    first = _kept(model.first, stream)
    stream = stream + _look(model.first, stream, first, scale, visible)
    second = _kept(model.second, stream + mlp(model, stream))
    room = ((0, 0), (0, bits.shape[1]), (0, 0))
    return jax.tree.map(lambda part: jnp.pad(part, room), (first, second))


def _kept(weights: AttentionWeights, stream: Float[Array, "batch length width"]) -> Memory:
    return Memory(stream @ weights.key, stream @ weights.value)


def _remember(
    memory: Memory,
    weights: AttentionWeights,
    row: Float[Array, "batch query width"],
    place: Integer[Array, ""],
) -> Memory:
    """The memory with one row more."""
    return jax.tree.map(
        lambda all_rows, own: jax.lax.dynamic_update_slice_in_dim(all_rows, own, place, axis=1),
        memory,
        _kept(weights, row),
    )


def _look(
    weights: AttentionWeights,
    rows: Float[Array, "batch query width"],
    memory: Memory,
    scale: float,
    visible: Bool[Array, "query length"],
) -> Float[Array, "batch query width"]:
    return shares(rows @ weights.query, memory.keys, scale, visible) @ memory.values


def _embedded(
    model: Readout, tokens: Integer[Array, "batch length"]
) -> Float[Array, "batch length width"]:
    """One-hot positions, which repeat, beside what is learned of the bit."""
    batch, length = tokens.shape
    codes = jnp.eye(model.head.shape[-1] - LEARNED)
    places = codes[jnp.arange(length) % len(codes)]
    places = jnp.broadcast_to(places, (batch, *places.shape))
    return jnp.concatenate([places, bit_codes(model, tokens)], axis=-1)


def _row(
    model: Readout, newest: Integer[Array, " batch"], number: Integer[Array, ""]
) -> Float[Array, "batch query width"]:
    """The newest token at its place, which it shares with the bit of that number."""
    count = model.head.shape[-1] - LEARNED
    place = jnp.broadcast_to(jnp.eye(count)[number], (len(newest), 1, count))
    return jnp.concatenate([place, bit_codes(model, newest[:, None])], axis=-1)


def _causal(length: int) -> Bool[Array, "query key"]:
    places = jnp.arange(length)
    return places[:, None] >= places[None]
