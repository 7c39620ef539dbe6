"""A transformer that reads a string of symbols, with two optional numbers a head.

Normalization before each block, residual connections, GELU, learned positions. A real answer is
read by a linear head at one extra place behind the string; a token is named by the embedding
itself, at the last place of the string. Attention is not masked.

`kq` adds a multiple of the identity to each head's product of keys and queries, `vo` one to its
product of values and outputs: what a head copies or compares then does not hang on weights that
were fitted to other symbols. Both multiples start at 0, where the model is the plain one. They are
`IDENTITY_TIMES` what is learned: an optimiser moves all parameters equally fast, and a model has
memorized its strings before a multiple that is no faster amounts to anything.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import jax
import jax.numpy as jnp
from jaxtyping import Array, Bool, Float, Int, Key

from foretell.models.symbols.shape import (
    HEAD_WIDTH,
    HIDDEN_TIMES,
    Linear,
    StringShape,
    answers,
    embedding,
    linear,
    normalized,
    uniform,
)
from foretell.numerics.keys import key_for

IDENTITY_TIMES = 10.0


class Norm(NamedTuple):
    """What a normalization is multiplied by, and what is added."""

    scale: Float[Array, " width"]
    shift: Float[Array, " width"]

    def __call__(self, stream: Float[Array, "length width"]) -> Float[Array, "length width"]:
        """At every place."""
        return normalized(stream) * self.scale + self.shift


class Block(NamedTuple):
    """Attention and MLP of one layer."""

    attention_norm: Norm
    query: Float[Array, "head width part"]
    key: Float[Array, "head width part"]
    value: Float[Array, "head width part"]
    output: Float[Array, "head part width"]
    key_query_identity: Float[Array, " head"] | None
    value_output_identity: Float[Array, " head"] | None
    mlp_norm: Norm
    mlp_in: Linear
    mlp_out: Linear


class SymbolTransformer(NamedTuple):
    """All weights."""

    embedding: Float[Array, "token width"]
    positions: Float[Array, "length width"]
    reader: Float[Array, " width"] | None  # what stands at the extra place, where there is one
    blocks: tuple[Block, ...]
    head: Linear | None  # none where the embedding names tokens


def create(shape: StringShape, key: Key[Array, ""]) -> SymbolTransformer:
    """Fresh weights: embeddings and positions normal, the rest uniform as linear layers are."""
    width, tied = shape.architecture.width, shape.architecture.tied
    return SymbolTransformer(
        embedding=embedding(key_for(key, "embedding"), shape.tokens, width),
        positions=jax.random.normal(
            key_for(key, "positions"), (shape.length + (0 if tied else 1), width)
        ),
        reader=None if tied else jax.random.normal(key_for(key, "reader"), (width,)),
        blocks=tuple(
            _block(shape, key_for(key, "block", number))
            for number in range(shape.architecture.layers)
        ),
        head=None if tied else answers(key_for(key, "head"), width, shape.outputs),
    )


def _block(shape: StringShape, key: Key[Array, ""]) -> Block:
    heads, width = shape.architecture.heads, shape.architecture.width
    hidden, inner = HIDDEN_TIMES * width, heads * HEAD_WIDTH

    def projection(name: str) -> Float[Array, "head width part"]:
        return uniform(key_for(key, name), 1 / math.sqrt(width), heads, width, HEAD_WIDTH)

    def norm() -> Norm:
        return Norm(jnp.ones(width), jnp.zeros(width))

    reach = 1 / math.sqrt(inner)
    return Block(
        attention_norm=norm(),
        query=projection("query"),
        key=projection("key"),
        value=projection("value"),
        output=uniform(key_for(key, "output"), reach, heads, HEAD_WIDTH, width),
        key_query_identity=jnp.zeros(heads) if shape.has("kq") else None,
        value_output_identity=jnp.zeros(heads) if shape.has("vo") else None,
        mlp_norm=norm(),
        mlp_in=linear(key_for(key, "mlp in"), width, hidden),
        mlp_out=linear(key_for(key, "mlp out"), hidden, width),
    )


def read(model: SymbolTransformer, string: Int[Array, " length"]) -> Float[Array, " label"]:
    """The answer to one string: one number, or a score for every token."""
    there = string >= 0
    stream = model.embedding[jnp.maximum(string, 0)]
    place = jnp.sum(there) - 1
    if model.reader is not None:
        stream = jnp.concatenate([stream, model.reader[None]])
        there = jnp.concatenate([there, jnp.ones(1, bool)])
        place = jnp.int32(len(there) - 1)
    stream = stream + model.positions
    for block in model.blocks:
        stream = stream + attend(block, block.attention_norm(stream), there)
        hidden = jax.nn.gelu(block.mlp_in(block.mlp_norm(stream)), approximate=False)
        stream = stream + block.mlp_out(hidden)
    last = normalized(stream[place])
    return model.embedding @ last if model.head is None else model.head(last)


def attend(
    block: Block, stream: Float[Array, "length width"], there: Bool[Array, " length"]
) -> Float[Array, "length width"]:
    """What the heads move between places, out of a normalized stream."""
    queries = jnp.einsum("lw,hwp->hlp", stream, block.query)
    keys = jnp.einsum("lw,hwp->hlp", stream, block.key)
    logits = jnp.einsum("hqp,hkp->hqk", queries, keys) / math.sqrt(HEAD_WIDTH)
    if block.key_query_identity is not None:
        multiple = IDENTITY_TIMES * block.key_query_identity
        logits += multiple[:, None, None] * (stream @ stream.T)
    shares = jax.nn.softmax(jnp.where(there, logits, -jnp.inf), axis=-1)
    values = jnp.einsum("lw,hwp->hlp", stream, block.value)
    moved = jnp.einsum("hqk,hkp->hqp", shares, values)
    found = jnp.einsum("hqp,hpw->qw", moved, block.output)
    if block.value_output_identity is not None:
        multiple = IDENTITY_TIMES * block.value_output_identity
        found += jnp.einsum("h,hqk->qk", multiple, shares) @ stream
    return found


def identities(model: SymbolTransformer) -> tuple[Float[Array, ""], Float[Array, ""]]:
    """Root mean square of the multiples of the identity over all heads, `kq` and `vo`."""

    def size(parts: list[Float[Array, " head"]]) -> Float[Array, ""]:
        if not parts:
            return jnp.zeros(())
        return IDENTITY_TIMES * jnp.sqrt(jnp.mean(jnp.square(jnp.stack(parts))))

    found = [(block.key_query_identity, block.value_output_identity) for block in model.blocks]
    return (
        size([key_query for key_query, _ in found if key_query is not None]),
        size([value_output for _, value_output in found if value_output is not None]),
    )
