"""Transformer layers whose weights are written down, for counting in context.

The stream at a position is a vector of named slots, each a block of coordinates. A layer is
attention (its scores are a bilinear form of contents plus a number that depends on the lag), then
perhaps an MLP, then perhaps a norm: chosen slots are divided by their length. Position 0 holds a
start symbol, which the forward pass puts there. Plain NumPy in float64: nothing here is trained,
and a network of this size runs sooner than it compiles.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
from jaxtyping import Float, Int
from scipy.special import softmax

from foretell.plain.errors import BadInput

HARD = 1000.0  # exp(-HARD) is 0 in float64: such an attention picks exactly

Slots = Mapping[str, slice]


class Feed(NamedTuple):
    """An MLP of one hidden layer of ReLUs, of which those marked are normed together."""

    first: Float[np.ndarray, "width hidden"]
    bias: Float[np.ndarray, " hidden"]
    normed: Float[np.ndarray, "part hidden"]
    second: Float[np.ndarray, "hidden width"]


class Layer(NamedTuple):
    """Attention heads side by side, then the MLP, then the norm of the marked slots."""

    query_key: Float[np.ndarray, "head width width"]
    lag_scores: Float[np.ndarray, "head length"]
    value: Float[np.ndarray, "head width width"]
    feed: Feed | None = None
    normed: Float[np.ndarray, "part width"] | None = None


class Network(NamedTuple):
    """Embedding (a row a symbol, the start symbol last), layers, and what is read at the end."""

    embedding: Float[np.ndarray, "token width"]
    layers: tuple[Layer, ...]
    output: Float[np.ndarray, "width letter"]

    @property
    def width(self) -> int:
        """Coordinates of the stream."""
        return int(self.embedding.shape[1])

    @property
    def heads(self) -> tuple[int, ...]:
        """How many in each layer."""
        return tuple(int(layer.value.shape[0]) for layer in self.layers)


def with_sharpness(network: Network, sharpness: float) -> Network:
    """The same with the scores of its last attention, the one that matches, made sharper."""
    *lower, last = network.layers
    sharper = last._replace(query_key=last.query_key * sharpness)
    return network._replace(layers=(*lower, sharper))


def next_symbol(
    network: Network, words: Int[np.ndarray, "... length"]
) -> Float[np.ndarray, "... length letter"]:
    """What the network says of the next symbol after each symbol of the words."""
    start = np.full((*words.shape[:-1], 1), network.embedding.shape[0] - 1)
    stream = network.embedding[np.concatenate([start, words], axis=-1)]
    for layer in network.layers:
        stream = _applied(layer, stream)
    return stream[..., 1:, :] @ network.output


def _applied(
    layer: Layer, stream: Float[np.ndarray, "... length width"]
) -> Float[np.ndarray, "... length width"]:
    place = np.arange(stream.shape[-2])
    lag = place[:, None] - place[None, :]
    rows = stream[..., None, :, :]  # the same for every head
    by_content = rows @ layer.query_key @ np.swapaxes(rows, -1, -2)
    scores = by_content + layer.lag_scores[:, np.maximum(lag, 0)]
    attention = softmax(np.where(lag >= 0, scores, -np.inf), axis=-1)
    stream = stream + (attention @ rows @ layer.value).sum(axis=-3)
    if layer.feed is not None:
        hidden = np.maximum(stream @ layer.feed.first + layer.feed.bias, 0)
        stream = stream + _normed(hidden, layer.feed.normed) @ layer.feed.second
    return stream if layer.normed is None else _normed(stream, layer.normed)


def _normed(
    rows: Float[np.ndarray, "... length width"], marked: Float[np.ndarray, "part width"]
) -> Float[np.ndarray, "... length width"]:
    """Each marked slot of each row over its own length; a slot of zeros stays."""
    lengths = np.sqrt(np.square(rows) @ marked.T)
    scale = 1 / np.where(lengths > 0, lengths, 1.0)
    return rows * (scale @ marked + (1 - marked.sum(axis=0)))


def slots_of(sizes: Mapping[str, int]) -> tuple[dict[str, slice], int]:
    """Blocks of coordinates one after the other, and how many coordinates there are.

    >>> slots_of({"token": 3, "start": 1})
    ({'token': slice(0, 3, None), 'start': slice(3, 4, None)}, 4)
    """
    ends = np.cumsum([0, *sizes.values()]).tolist()
    return {
        name: slice(low, high) for name, low, high in zip(sizes, ends, ends[1:], strict=False)
    }, ends[-1]


def wiring(
    width: int, slots: Slots, wires: Sequence[tuple[str, str, float]]
) -> Float[np.ndarray, "width width"]:
    """The matrix that takes each first slot to its second, times a number."""
    matrix = np.zeros((width, width))
    for source, target, factor in wires:
        block = matrix[slots[source], slots[target]]
        block += factor * np.eye(*block.shape)
    return matrix


def embedding(width: int, slots: Slots, symbols: int) -> Float[np.ndarray, "token width"]:
    """Symbols one-hot in `token`, the start symbol in `start`; `one` is 1 everywhere."""
    rows = np.zeros((symbols + 1, width))
    rows[:symbols, slots["token"]] = np.eye(symbols)
    rows[symbols, slots["start"]] = 1.0
    rows[:, slots["one"]] = 1.0
    return rows


def marks(width: int, slots: Slots, names: Sequence[str]) -> Float[np.ndarray, "part width"]:
    """A row for each slot, 1 on its coordinates."""
    rows = np.zeros((len(names), width))
    for row, name in zip(rows, names, strict=True):
        row[slots[name]] = 1.0
    return rows


def reading(width: int, slots: Slots, symbols: int) -> Float[np.ndarray, "width letter"]:
    """The slot `said`, as it is: attention weights on one-hot symbols are already chances."""
    matrix = np.zeros((width, symbols))
    matrix[slots["said"]] = np.eye(symbols)
    return matrix


def require_order(order: int, symbols: int, length: int) -> None:
    """There must be something to count."""
    if order < 1 or symbols < 2:
        raise BadInput(
            "no such context to match",
            seen=f"{order} symbols out of {symbols}",
            why="the context has at least 1 symbol, and there are at least 2 to tell apart",
        )
    if length <= order:
        raise BadInput(
            "the context is longer than the sequence",
            seen=f"{order} symbols of context, {length} in the sequence",
            why="the context and the symbol after it must have been read once before",
            hint=f"a sequence of at least {order + 1}",
        )
