"""A small transformer of attention alone, with one head a layer that also scores the lag."""

from __future__ import annotations

from typing import NamedTuple

import jax
import jax.numpy as jnp
from jaxtyping import Array, Float, Int, Key

SHARES = ("query", "key", "value", "output")


class Block(NamedTuple):
    """One layer; `lags` are vectors that queries are compared with, by distance."""

    query: Float[Array, "width width"]
    key: Float[Array, "width width"]
    value: Float[Array, "width width"]
    output: Float[Array, "width width"]
    lags: Float[Array, "length width"]


class Reader(NamedTuple):
    """Symbols in, layers, chances of the next symbol out."""

    embedding: Float[Array, "letter width"]
    layers: tuple[Block, ...]
    readout: Float[Array, "width letter"]


def fresh(
    key: Key[Array, ""], symbols: int, width: int, length: int, scale: float, layers: int = 2
) -> Reader:
    """Normal weights: embeddings of size 1, small layers, and a readout that says uniform."""
    shapes = [(symbols, width)]
    shapes += ([(width, width)] * len(SHARES) + [(length, width)]) * layers + [(width, symbols)]
    sizes = [rows * columns for rows, columns in shapes]
    drawn = jax.random.normal(key, (sum(sizes),))
    starts = [sum(sizes[:i]) for i in range(1, len(sizes))]
    made = [
        part.reshape(shape) for part, shape in zip(jnp.split(drawn, starts), shapes, strict=True)
    ]
    each = len(SHARES) + 1
    blocks = [
        Block(*(scale * part for part in made[1 + i * each : 1 + (i + 1) * each]))
        for i in range(layers)
    ]
    return Reader(made[0], tuple(blocks), 0.1 * scale * made[-1])


def attend(block: Block, stream: Float[Array, "length width"]) -> Float[Array, "length length"]:
    """Who looks where: what is there, and how far back it is."""
    length, width = stream.shape
    queries = stream @ block.query
    place = jnp.arange(length)
    lag = place[:, None] - place[None, :]
    by_lag = jnp.take_along_axis(queries @ block.lags[:length].T, jnp.maximum(lag, 0), axis=1)
    scores = (queries @ (stream @ block.key).T + by_lag) / width**0.5
    return jax.nn.softmax(jnp.where(lag >= 0, scores, -jnp.inf), axis=-1)


def read(
    model: Reader, word: Int[Array, " length"]
) -> tuple[Float[Array, "length letter"], list[Float[Array, "length length"]]]:
    """Log chances of the next symbol at every position, and each layer's attention."""
    stream, maps = model.embedding[word], []
    for block in model.layers:
        maps.append(attend(block, stream))
        stream = stream + maps[-1] @ (stream @ block.value) @ block.output
    return jax.nn.log_softmax(stream @ model.readout), maps
