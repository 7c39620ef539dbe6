"""The recursion over layers pair by pair: less memory, but the Gram matrix may not stay PSD.

Every pair of inputs carries three blocks: the covariances of the tokens of x, of x', and between
them. The blocks of one input are the same in all its pairs, and are computed once.
"""

from __future__ import annotations

import functools
from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float, Int, Key

from foretell.kernels.attention import (
    Attention,
    Pairs,
    identity_attention,
    prepare_pair,
    sample_pairs,
)
from foretell.kernels.estimate import GROUP, Show, average, within
from foretell.kernels.mixing import Mixing
from foretell.kernels.scores import Canonical
from foretell.numerics.keys import key_for

CHUNK_BYTES = 128e6  # what the draws of one chunk of pairs may take
Stack = Float[Array, "_ _ _"]


class _Chain(NamedTuple):
    """Blocks of pairs: covariances and, if wanted, NTKs."""

    cross: Stack
    tangent: Stack | None


def pair_recursion(
    plan: tuple[Attention, ...],
    mixing: Mixing,
    sets: tuple[Float[Array, "_ _ _"], ...],
    *,
    draws: int,
    key: Key[Array, ""],
    tangent: float | None,
    show: Show | None = None,
) -> Float[np.ndarray, "_ _"]:
    """The kernel between the first and the last of `sets`; see `joint_recursion`.

    All pairs share the noise of a draw, which saves making it anew for each.
    """
    left, right = _places(sets)
    own = [_start(each, each, np.arange(len(each)), np.arange(len(each)), tangent) for each in sets]
    if len(sets) == 2:  # the NTK of an input with itself is then not in the answer
        own = [_Chain(each.cross, None) for each in own]
    pairs = _start(sets[0], sets[-1], left, right, tangent)
    for number, layer in enumerate(plan):
        below, part = key_for(key, "layer", number), within(show, number, len(plan))
        blocks = [each.cross for each in own]
        after = [_attended(layer, each.cross, each.cross, each, draws, below) for each in own]
        variance = [jnp.diagonal(each.cross, axis1=1, axis2=2) for each in after]
        own = [_mixed(mixing, v, v, each) for v, each in zip(variance, after, strict=True)]
        pairs = _attended(
            layer, blocks[0], blocks[-1], pairs, draws, below, left=left, right=right, show=part
        )
        pairs = _mixed(mixing, variance[0][left], variance[-1][right], pairs)
    return _gathered(sets, pairs, own[0], left, right)


def _places(
    sets: tuple[Float[Array, "_ _ _"], ...],
) -> tuple[Int[np.ndarray, " batch"], Int[np.ndarray, " batch"]]:
    """First and second input of every pair; of one set, each pair once and none with itself."""
    if len(sets) == 1:
        first, second = np.triu_indices(len(sets[0]), 1)
        return first, second
    both = np.indices((len(sets[0]), len(sets[1]))).reshape(2, -1)
    return both[0], both[1]


@functools.partial(jax.jit, static_argnums=4)
def _start(
    first: Stack,
    second: Stack,
    left: Int[Array, " batch"],
    right: Int[Array, " batch"],
    tangent: float | None,
) -> _Chain:
    cross = jnp.einsum("nsw,ntw->nst", first[left], second[right])
    return _Chain(cross, None if tangent is None else tangent * cross)


@functools.partial(jax.jit, static_argnums=0)
def _mixed(
    mixing: Mixing,
    first: Float[Array, "batch _"],
    second: Float[Array, "batch _"],
    chain: _Chain,
) -> _Chain:
    rows, columns = first[:, :, None], second[:, None, :]
    cross = mixing.covariance(rows, columns, chain.cross)
    if chain.tangent is None:
        return _Chain(cross, None)
    return _Chain(cross, mixing.tangent(rows, columns, chain.cross, chain.tangent))


def _attended(
    layer: Attention,
    first: Stack,
    second: Stack,
    chain: _Chain,
    draws: int,
    key: Key[Array, ""],
    *,
    left: Int[np.ndarray, " batch"] | None = None,
    right: Int[np.ndarray, " batch"] | None = None,
    show: Show | None = None,
) -> _Chain:
    """Attention on every pair, a chunk of pairs at a time."""
    count = len(chain.cross)
    if count == 0:
        return chain
    left = np.arange(count) if left is None else left
    right = np.arange(count) if right is None else right
    length = max(first.shape[1], second.shape[1])
    each = (8 if chain.tangent is None else 20) * GROUP * length**2 * chain.cross.dtype.itemsize
    size = int(np.clip(CHUNK_BYTES // each, 1, count))
    found = []
    for start in range(0, count, size):
        # The last chunk starts earlier rather than being shorter: one shape, one compilation.
        here = np.arange(size) + min(start, count - size)
        old = None if chain.tangent is None else chain.tangent[here]
        ready = first[left[here]], second[right[here]], chain.cross[here]
        part = _attend_chunk(layer, *ready, old, draws, key)
        found.append(jax.tree.map(lambda leaf, skip=start - here[0]: leaf[skip:], part))
        if show is not None:
            show((here[-1] + 1) / count)
    return jax.tree.map(lambda *parts: jnp.concatenate(parts), *found)


def _attend_chunk(
    layer: Attention,
    first: Stack,
    second: Stack,
    cross: Stack,
    before: Stack | None,
    draws: int,
    key: Key[Array, ""],
) -> _Chain:
    if layer.weights == "identity":
        exact = jax.vmap(lambda block: identity_attention(layer, block))(cross)
        if before is None:
            return _Chain(exact, None)
        both = jax.vmap(lambda *blocks: identity_attention(layer, *blocks))(cross, before)
        return _Chain(exact, both)
    queries, keys = _prepared(layer, first, second, cross)
    mean, _ = average(sample_pairs, layer, Pairs(queries, keys, cross, before), key, draws)
    return _Chain(*mean)


@functools.partial(jax.jit, static_argnums=0)
def _prepared(
    layer: Attention, first: Stack, second: Stack, cross: Stack
) -> tuple[Canonical, Canonical]:
    return jax.vmap(lambda *blocks: prepare_pair(layer, *blocks))(first, second, cross)


def _gathered(
    sets: tuple[Float[Array, "_ _ _"], ...],
    pairs: _Chain,
    own: _Chain,
    left: Int[np.ndarray, " batch"],
    right: Int[np.ndarray, " batch"],
) -> Float[np.ndarray, "_ _"]:
    """The answers as a matrix: the mean over wanted tokens of every pair."""
    answer = pairs.cross if pairs.tangent is None else pairs.tangent
    found = np.zeros((len(sets[0]), len(sets[-1])), answer.dtype)
    found[left, right] = answer.mean(axis=(1, 2))
    if len(sets) == 1:
        found[right, left] = found[left, right]
        diagonal = own.cross if own.tangent is None else own.tangent
        np.fill_diagonal(found, np.asarray(diagonal.mean(axis=(1, 2))))
    return found


def pair_memory(
    plan: tuple[Attention, ...], shapes: tuple[tuple[int, ...], ...], tangent: bool, bytes_each: int
) -> float:
    """Bytes at the worst moment, counted from the arrays that are alive together."""
    (count, length, _), (count_too, length_too, _) = shapes[0], shapes[-1]
    pairs = count * count_too / (2 if len(shapes) == 1 else 1)
    blocks = (4 if tangent else 2) * pairs * length * length_too
    own = sum(4 * number * size**2 for number, size, _ in shapes)
    draws = (20 if tangent else 8) * GROUP * pairs * max(length, length_too) ** 2
    return float(bytes_each * (blocks + own) + min(bytes_each * draws, CHUNK_BYTES))
