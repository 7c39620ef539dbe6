"""The disentangled transformer: attention writes beside what it read, not over it.

A position begins as a one-hot token beside a one-hot place. Every head of every layer appends what
it read to the stream, so nothing is ever projected or added up, and each weight says in plain
words what it compares: this token or place, this head's copy of a token or place. Width grows by a
factor (1 + heads) a layer, which makes the model useless in practice and easy to read.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Bool, Float, Int

from foretell.plain.errors import BadInput

WEIGHTINGS = ("softmax", "linear", "relu")


class Disentangled(NamedTuple):
    """All weights: one query-key matrix a head, layer by layer, and the readout."""

    attention: tuple[Array, ...]  # heads × width × width, the width growing with the layers
    readout: Float[Array, "width label"]


def create(tokens: int, length: int, heads: Sequence[int] = (1, 1)) -> Disentangled:
    """All weights zero: every attention uniform, every answer equally likely.

    >>> [matrices.shape for matrices in create(3, 10, (2, 1)).attention]
    [(2, 13, 13), (1, 39, 39)]
    """
    if tokens < 1 or length < 1 or min(heads, default=0) < 1:
        raise BadInput(
            "no such disentangled transformer",
            seen=f"{tokens} tokens, length {length}, heads a layer {tuple(heads)}",
            why="tokens, length and the heads of every layer are at least one",
        )
    widths = [tokens + length]
    for count in heads:
        widths.append(widths[-1] * (1 + count))
    shapes = [(count, width, width) for count, width in zip(heads, widths, strict=False)]
    # from NumPy: nothing has to be compiled to make zeros
    first, *rest = (jnp.asarray(np.zeros(each, np.float32)) for each in shapes)
    return Disentangled((first, *rest), jnp.asarray(np.zeros((widths[-1], tokens), np.float32)))


def weigh(
    scores: Float[Array, "query key"], seen: Bool[Array, "query key"], weighting: str
) -> Float[Array, "query key"]:
    """What each query gives to each key; a sum of one only under softmax.

    >>> weigh(jnp.array([[-1.0, 2.0]]), jnp.array([[True, True]]), "relu").tolist()
    [[0.0, 2.0]]
    """
    if weighting == "softmax":
        return jax.nn.softmax(jnp.where(seen, scores, -jnp.inf), axis=-1)
    if weighting not in WEIGHTINGS:
        raise BadInput("unknown attention", seen=weighting, why=f"known: {', '.join(WEIGHTINGS)}")
    return jnp.where(seen, scores if weighting == "linear" else jax.nn.relu(scores), 0.0)


def first_layer(
    symbols: Float[Array, "length token"],
    matrices: Float[Array, "head width width"],
    weighting: str = "softmax",
) -> tuple[Float[Array, "length hidden"], Float[Array, "head length length"]]:
    """One-hot symbols and places, with what every head read appended, and the attention.

    The same as `layer` on the two side by side. Places are the identity matrix, so products with
    them are left out: that is most of the work of a small model.
    """
    length, tokens = symbols.shape
    asked = symbols @ matrices[:, :tokens] + matrices[:, tokens:]
    scores = asked[..., :tokens] @ symbols.T + asked[..., tokens:]
    attention = _attention(scores, weighting)
    copied = jnp.concatenate([attention @ symbols, attention], axis=-1)
    return _beside(jnp.concatenate([symbols, jnp.eye(length)], axis=1), copied), attention


def layer(
    stream: Float[Array, "length width"],
    matrices: Float[Array, "head width width"],
    weighting: str = "softmax",
    queries: int | None = None,
) -> tuple[Float[Array, "query hidden"], Float[Array, "head query length"]]:
    """The stream with what every head read appended, and the attention.

    With `queries` only for that many last positions: the last layer is read at the end alone.
    """
    asking = stream[-queries:] if queries else stream
    attention = _attention(asking @ matrices @ stream.T, weighting)
    return _beside(asking, attention @ stream), attention


def _attention(
    scores: Float[Array, "head query length"], weighting: str
) -> Float[Array, "head query length"]:
    queries, length = scores.shape[1:]
    seen = jnp.tril(jnp.ones((length, length), bool))[length - queries :]
    return jax.vmap(lambda each: weigh(each, seen, weighting))(scores)


def _beside(
    asking: Float[Array, "query width"], copied: Float[Array, "head query width"]
) -> Float[Array, "query hidden"]:
    return jnp.concatenate([asking, *copied], axis=1)


def answer(
    model: Disentangled, word: Int[Array, " length"], weighting: str = "softmax"
) -> Float[Array, " label"]:
    """What is read at the last position of one word, by two layers or more."""
    first, *middle, last = model.attention
    stream, _ = first_layer(_symbols(model, word), first, weighting)
    for matrices in middle:
        stream, _ = layer(stream, matrices, weighting)
    stream, _ = layer(stream, last, weighting, queries=1)
    return stream[0] @ model.readout


def patterns(
    model: Disentangled, word: Int[Array, " length"], weighting: str = "softmax"
) -> list[Float[Array, "head length length"]]:
    """Every layer's attention, for looking at."""
    first, *rest = model.attention
    stream, attention = first_layer(_symbols(model, word), first, weighting)
    seen = [attention]
    for matrices in rest:
        stream, attention = layer(stream, matrices, weighting)
        seen.append(attention)
    return seen


def _symbols(model: Disentangled, word: Int[Array, " length"]) -> Float[Array, "length token"]:
    """One-hot; the answers are symbols too."""
    return jax.nn.one_hot(word, model.readout.shape[1], dtype=model.readout.dtype)


def place_attention(
    matrix: Float[np.ndarray, "width width"], tokens: int, length: int
) -> Float[np.ndarray, "length length"]:
    """The softmax attention of a first-layer head if places alone decided."""
    block = np.asarray(matrix, float)[tokens : tokens + length, tokens : tokens + length]
    scores = np.where(np.tril(np.ones((length, length), bool)), block, -np.inf)
    weights = np.exp(scores - scores.max(axis=1, keepdims=True))
    return weights / weights.sum(axis=1, keepdims=True)
