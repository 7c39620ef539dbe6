"""A chain of k permutations followed by log₂ k + 1 layers: every layer doubles the hop.

The task is x ↦ σ_k π_k ... σ_1 π_1 (x): the σ stand in the context, the π are in the weights. The
context has a place for every (i, j), which says σ_i(j); the last block stands first, so that a
place can look at the block that comes after its own. A place's state is "block b has answered y",
a one-hot vector. The weights send it to the place (b+1, π_{b+1}(y)), whose own state is copied:
two chains of equal length become one of twice the length. A chain that has come to the last block
stays as it is. The question waits; the last layer alone sends it to (1, π_1(x)).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from jaxtyping import Float, Int

from foretell.plain.errors import BadInput


class Chained(NamedTuple):
    """Embeddings and, layer by layer, a query-key and a value-output matrix; and the readout.

    Blocks are counted from 0, where block 0 is the question itself: it "answers" x.
    """

    places: Float[np.ndarray, "length width"]
    states: Float[np.ndarray, "size label width"]  # of block b answering y
    looks: Float[np.ndarray, "draw width width"]
    writes: Float[np.ndarray, "draw width width"]
    readout: Float[np.ndarray, "width label"]


def depth(folds: int) -> int:
    """Layers that are enough for so many permutations in the context: ⌈log₂ k⌉ + 1.

    >>> [depth(folds) for folds in (1, 2, 3, 4, 8)]
    [1, 2, 3, 3, 4]
    """
    if folds < 1:
        raise BadInput("there is nothing to compose", seen=folds, hint="1, 2, 4")
    return (folds - 1).bit_length() + 1


def word_places(folds: int, symbols: int) -> Int[np.ndarray, "length part"]:
    """Which (block, argument) stands where: the last block first, and (0, 0) for the question."""
    blocks = np.repeat(np.arange(folds, 0, -1), symbols)
    known = np.column_stack([blocks, np.tile(np.arange(symbols), folds)])
    return np.concatenate([known, [[0, 0]]])


def build(inner: Int[np.ndarray, "size label"], sharpness: float, layers: int) -> Chained:
    """Weights for the permutations π_1 ... π_k, row by row.

    The stream has a part for the place and one for the state after each layer, none of which is
    ever written over. With fewer layers than `depth` the chain ends too early.
    """
    folds, symbols = inner.shape
    if not (np.sort(inner, axis=1) == np.arange(symbols)).all():
        raise BadInput("these are no permutations", seen=inner.tolist())
    if layers < 1:
        raise BadInput("a transformer has at least one layer", seen=layers)
    length, part = folds * symbols + 1, (folds + 1) * symbols
    width = length + (layers + 1) * part
    where = {tuple(each): place for place, each in enumerate(word_places(folds, symbols).tolist())}
    # State (b, y) asks for the place (b+1, π_{b+1}(y)); the last block has none to ask for.
    ask = np.zeros((part, length))
    for block in range(folds):
        for answer in range(symbols):
            ask[block * symbols + answer, where[block + 1, int(inner[block, answer])]] = sharpness
    begins = np.arange(part) < symbols  # states of the question
    looks, writes = np.zeros((2, layers, width, width))
    for layer in range(layers):
        old, new = (
            slice(length + at * part, length + (at + 1) * part) for at in (layer, layer + 1)
        )
        last = layer == layers - 1
        asking = slice(length, length + part) if last else old
        looks[layer, asking, :length] = np.where((begins == last)[:, None], ask, 0.0)
        # Whoever asks for nothing looks at itself, and so stays as it is.
        looks[layer, :length, :length] = sharpness / 2 * np.eye(length)
        writes[layer, old, new] = np.eye(part)
    states = np.zeros((part, width))
    states[:, length : length + part] = np.eye(part)
    readout = np.zeros((width, symbols))
    readout[-part:] = np.tile(np.eye(symbols), (folds + 1, 1))
    return Chained(
        np.eye(length, width), states.reshape(folds + 1, symbols, width), looks, writes, readout
    )


def answers(
    model: Chained, outer: Int[np.ndarray, "batch size label"], start: Int[np.ndarray, " batch"]
) -> tuple[Float[np.ndarray, "batch label"], Float[np.ndarray, "draw batch length length"]]:
    """What is said of each word, given its σ and x, and every layer's attention."""
    folds, symbols = outer.shape[1:]
    block, argument = word_places(folds, symbols)[:-1].T
    said = np.concatenate([outer[:, block - 1, argument], start[:, None]], axis=1)
    stream = model.places + model.states[np.append(block, 0), said]
    length, seen = stream.shape[1], []
    hidden = np.triu(np.full((length, length), -np.inf), 1)
    for look, write in zip(model.looks, model.writes, strict=True):
        scores = stream @ look @ stream.swapaxes(1, 2) + hidden
        weights = np.exp(scores - scores.max(axis=-1, keepdims=True))
        weights = weights / weights.sum(axis=-1, keepdims=True)
        stream = stream + weights @ stream @ write
        seen.append(weights)
    return stream[:, -1] @ model.readout, np.array(seen)


def composed(
    inner: Int[np.ndarray, "size label"],
    outer: Int[np.ndarray, "batch size label"],
    start: Int[np.ndarray, " batch"],
) -> Int[np.ndarray, " batch"]:
    """The answer itself, one permutation after the other.

    >>> swap = np.array([[1, 0, 2]])
    >>> composed(swap, np.array([[[2, 0, 1]]]), np.array([0])).tolist()
    [0]
    """
    rows, value = np.arange(len(start)), start
    for fold in range(inner.shape[0]):
        value = outer[rows, fold, inner[fold, value]]
    return value
