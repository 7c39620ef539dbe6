"""A decoder small enough to take apart: attention of three kinds, everything else optional.

Pure functions over a `NamedTuple` of weights, for one word: `vmap` for a batch, and once more for
several models. Training code sees `logits`; whoever wants to know what the heads do takes `look`.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple, final

import jax
import jax.numpy as jnp
from jaxtyping import Array, Bool, Float, Int, Key

from foretell.numerics.keys import key_for
from foretell.plain.errors import BadInput

ATTENTION = ("softmax", "linear", "relu")
POSITIONS = ("absolute", "relative", "none")
DEVIATION = 0.02  # of embeddings and positions at the start, without norms
EPSILON = 1e-5
EVERYWHERE = slice(None)


@final
@dataclass(frozen=True)
class Shape:
    """All that is decided before training.

    `linear` and `relu` attention take scores, or their positive parts, as weights: these need not
    sum to 1. `relative` positions are one score a lag and head. `hidden` 0 is no MLP.
    """

    tokens: int
    length: int
    width: int = 32
    heads: int = 1
    layers: int = 1
    hidden: int = 0
    attention: str = "softmax"
    positions: str = "absolute"
    norm: bool = True
    tied: bool = False

    def __post_init__(self) -> None:
        if self.attention not in ATTENTION:
            raise BadInput("unknown attention", seen=self.attention, hint=", ".join(ATTENTION))
        if self.positions not in POSITIONS:
            raise BadInput("unknown positions", seen=self.positions, hint=", ".join(POSITIONS))
        if min(self.tokens, self.length, self.width, self.heads, self.layers) < 1:
            raise BadInput("a decoder has at least one of everything", seen=self)
        if self.hidden < 0:
            raise BadInput("no such MLP", seen=self.hidden, hint="0 for none")
        if self.width % self.heads:
            raise BadInput(
                "the heads do not share the width evenly",
                seen=f"width {self.width}, {self.heads} heads",
            )

    @property
    def part(self) -> int:
        """One head's share of the width."""
        return self.width // self.heads


class Layer(NamedTuple):
    """Attention, then the MLP; `None` where the shape has no such thing."""

    query: Float[Array, "head width part"]
    key: Float[Array, "head width part"]
    value: Float[Array, "head width part"]
    output: Float[Array, "head part width"]
    lags: Float[Array, "head length"] | None
    attention_scale: Float[Array, " width"] | None
    first: Float[Array, "width hidden"] | None
    bias: Float[Array, " hidden"] | None
    second: Float[Array, "hidden width"] | None
    mlp_scale: Float[Array, " width"] | None


class Decoder(NamedTuple):
    """All weights; without an `output` the embedding is used again."""

    embedding: Float[Array, "token width"]
    positions: Float[Array, "length width"] | None
    layers: tuple[Layer, ...]
    final_scale: Float[Array, " width"] | None
    output: Float[Array, "width token"] | None


class Look(NamedTuple):
    """Inside one word, layer by layer: where heads look, how long their values are."""

    logits: Float[Array, "length token"]
    attention: Float[Array, "... head query key"]
    values: Float[Array, "... head key"]
    streams: Float[Array, "... length width"]


def create(shape: Shape, key: Key[Array, ""]) -> Decoder:
    """Normal weights with deviation 1/√inputs, scales of one; small embeddings without norms.

    >>> weights = create(Shape(tokens=5, length=4), jax.random.key(0))
    >>> logits(Shape(tokens=5, length=4), weights, jnp.array([0, 3, 1, 4])).shape
    (4, 5)
    """
    width, placed = shape.width, shape.positions == "absolute"
    sizes = {"embedding": (shape.tokens, width)}
    sizes |= {"positions": (shape.length, width)} if placed else {}
    sizes |= {} if shape.tied else {"output": (width, shape.tokens)}
    drawn = _normals(sizes, key)
    # With norms a layer adds numbers of order 1, under which small embeddings would be lost.
    deviation = 1.0 if shape.norm else DEVIATION
    return Decoder(
        deviation * drawn["embedding"],
        deviation * drawn["positions"] if placed else None,
        tuple(_layer(shape, key_for(key, "layer", number)) for number in range(shape.layers)),
        jnp.ones(width) if shape.norm else None,
        None if shape.tied else drawn["output"] * width**-0.5,
    )


def logits(
    shape: Shape, weights: Decoder, word: Int[Array, " length"], asked: slice = EVERYWHERE
) -> Float[Array, "query token"]:
    """Of the next token, at every position of one word or where it is asked.

    The last layer answers only there: no other layer reads what it says elsewhere.
    """
    stream = _embedded(weights, word)
    for number, layer in enumerate(weights.layers, 1):
        places = asked if number == len(weights.layers) else EVERYWHERE
        stream = _attended(shape, layer, stream, places)[0]
        stream = stream + _mlp(layer, stream)
    return _unembedded(weights, stream)


def look(shape: Shape, weights: Decoder, word: Int[Array, " length"]) -> Look:
    """The forward pass with what happened on the way; what is not used costs nothing compiled."""
    stream = _embedded(weights, word)
    attentions, lengths, streams = [], [], [stream]
    for layer in weights.layers:
        stream, attention, values = _attended(shape, layer, stream)
        stream = stream + _mlp(layer, stream)
        attentions.append(attention)
        lengths.append(jnp.linalg.norm(values, axis=-1))
        streams.append(stream)
    said = _unembedded(weights, stream)
    return Look(said, *map(jnp.stack, (attentions, lengths, streams)))


def _embedded(weights: Decoder, word: Int[Array, " length"]) -> Float[Array, "length width"]:
    stream = weights.embedding[word]
    placed = weights.positions
    return stream if placed is None else stream + placed[: word.shape[0]]


def _unembedded(
    weights: Decoder, stream: Float[Array, "query width"]
) -> Float[Array, "query token"]:
    head = weights.embedding.T if weights.output is None else weights.output
    return _normed(stream, weights.final_scale) @ head


def _normals(sizes: Mapping[str, tuple[int, ...]], key: Key[Array, ""]) -> dict[str, Array]:
    """A key for each name, and one draw for all: that compiles sooner than one for each."""
    keys = jnp.stack([key_for(key, name) for name in sizes])
    largest = max(math.prod(size) for size in sizes.values())
    rows = jax.vmap(lambda each: jax.random.normal(each, (largest,)))(keys)
    return {
        name: row[: math.prod(size)].reshape(size)
        for (name, size), row in zip(sizes.items(), rows, strict=True)
    }


def _layer(shape: Shape, key: Key[Array, ""]) -> Layer:
    width, hidden, heads = shape.width, shape.hidden, shape.heads
    part = shape.part
    sizes: dict[str, tuple[int, ...]] = dict.fromkeys(
        ("query", "key", "value"), (heads, width, part)
    )
    sizes |= {"output": (heads, part, width)}
    sizes |= {"first": (width, hidden), "second": (hidden, width)} if hidden else {}
    drawn = _normals(sizes, key)
    return Layer(
        width**-0.5 * drawn["query"],
        width**-0.5 * drawn["key"],
        width**-0.5 * drawn["value"],
        width**-0.5 * drawn["output"],  # heads add up: together they have the width as inputs
        jnp.zeros((heads, shape.length)) if shape.positions == "relative" else None,
        jnp.ones(width) if shape.norm else None,
        width**-0.5 * drawn["first"] if hidden else None,
        jnp.zeros(hidden) if hidden else None,
        hidden**-0.5 * drawn["second"] if hidden else None,
        jnp.ones(width) if hidden and shape.norm else None,
    )


def _attended(
    shape: Shape, layer: Layer, stream: Float[Array, "length width"], asked: slice = EVERYWHERE
) -> tuple[
    Float[Array, "query width"], Float[Array, "head query key"], Float[Array, "head key part"]
]:
    read = _normed(stream, layer.attention_scale)
    queries, keys, values = read[asked] @ layer.query, read @ layer.key, read @ layer.value
    place = jnp.arange(stream.shape[0])
    lag = place[asked, None] - place[None, :]
    scores = queries @ jnp.swapaxes(keys, -1, -2) / shape.part**0.5
    if layer.lags is not None:
        # One number for a lag, many for a content: the factor lets both learn equally fast.
        scores = scores + layer.lags[:, jnp.maximum(lag, 0)] * shape.part**0.5
    attention = _weighed(shape.attention, scores, lag >= 0)
    added = jnp.sum(attention @ values @ layer.output, axis=0)
    return stream[asked] + added, attention, values


def _weighed(
    kind: str, scores: Float[Array, "head query key"], seen: Bool[Array, "query key"]
) -> Float[Array, "head query key"]:
    if kind == "softmax":
        return jax.nn.softmax(jnp.where(seen, scores, -jnp.inf), axis=-1)
    plain = scores if kind == "linear" else jax.nn.relu(scores)
    return jnp.where(seen, plain, 0.0)


def _mlp(layer: Layer, stream: Float[Array, "length width"]) -> Float[Array, "length width"]:
    if layer.first is None or layer.second is None or layer.bias is None:
        return jnp.zeros_like(stream)
    read = _normed(stream, layer.mlp_scale)
    return jax.nn.relu(read @ layer.first + layer.bias) @ layer.second


def _normed(
    rows: Float[Array, "length width"], scale: Float[Array, " width"] | None
) -> Float[Array, "length width"]:
    """Zero mean and unit variance along the width, times the scale; as they are without one."""
    if scale is None:
        return rows
    centred = rows - rows.mean(axis=-1, keepdims=True)
    variance = jnp.square(centred).mean(axis=-1, keepdims=True)
    return scale * centred * jax.lax.rsqrt(variance + EPSILON)
