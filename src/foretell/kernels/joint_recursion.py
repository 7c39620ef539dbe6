"""The recursion over layers for all inputs at once, with draws that all inputs share.

Covariances between all tokens of all inputs stay Gram matrices from layer to layer: the sampled
ones by construction, and a dual activation keeps a positive semidefinite matrix so.
"""

from __future__ import annotations

import functools

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float, Key

from foretell.kernels.attention import Attention, Joint, JointSample, sample_joint
from foretell.kernels.estimate import GROUP, Show, average, within
from foretell.kernels.mixing import Mixing
from foretell.kernels.scores import factor, shorter
from foretell.numerics.keys import key_for

Features = tuple[Float[Array, "_ _ _"], ...]
Blocks = dict[tuple[int, int], Float[Array, "_ _ _ _"]]


def joint_recursion(
    plan: tuple[Attention, ...],
    mixing: Mixing,
    sets: Features,
    *,
    draws: int,
    key: Key[Array, ""],
    tangent: float | None,
    show: Show | None = None,
) -> Float[np.ndarray, "_ _"]:
    """The kernel between the first and the last of `sets`, features whose products are covariances.

    `tangent` asks for the NTK: that of the input is so many times its covariance.
    """
    final = (0, len(sets) - 1)
    inner = tuple((i, j) for j in range(len(sets)) for i in range(j + 1))
    tangents: Blocks | None = None
    if tangent is not None:
        tangents = _covariances(sets, inner, tangent)
    found: Blocks = {}
    for number, layer in enumerate(plan):
        last = number == len(plan) - 1
        wanted = (final,) if last else inner
        crosses = () if tangents is None else tuple(_covariances(sets, wanted).values())
        before = () if tangents is None else tuple(tangents[place] for place in wanted)
        ready = Joint(_queries(layer, sets), sets, crosses, before)
        below, part = key_for(key, "layer", number), within(show, number, len(plan))
        drawn, _ = average(sample_joint, (layer, wanted), ready, below, draws, show=part)
        found, tangents = _mixed(mixing, wanted, drawn)
        if not last:
            sets = _factored(found, sets)
    answer = tangents or found
    return np.asarray(answer[final].mean(axis=(1, 3)))


@functools.partial(jax.jit, static_argnums=(1, 2))
def _covariances(sets: Features, wanted: tuple[tuple[int, int], ...], times: float = 1.0) -> Blocks:
    return {(i, j): times * jnp.einsum("nsw,mtw->nsmt", sets[i], sets[j]) for i, j in wanted}


def _queries(layer: Attention, sets: Features) -> Features:
    """Features of the wanted queries, no longer than they need to be."""
    if layer.token is None:
        return sets
    rows = [each[:, layer.positions(each.shape[1])[0]] for each in sets]
    short = shorter(jnp.concatenate(rows))
    counts = np.cumsum([len(each) for each in rows])[:-1]
    return tuple(each[:, None] for each in jnp.split(short, counts))


@functools.partial(jax.jit, static_argnums=(0, 1))
def _mixed(
    mixing: Mixing, wanted: tuple[tuple[int, int], ...], drawn: JointSample
) -> tuple[Blocks, Blocks | None]:
    """After the pointwise nonlinearity: covariances, and the NTK if it was sampled."""
    blocks: Blocks = {}
    tangents: Blocks = {}
    for number, place in enumerate(wanted):
        first = drawn.variance[place[0]][:, :, None, None]
        second = drawn.variance[place[1]][None, None]
        kernel = drawn.kernel[number]
        blocks[place] = mixing.covariance(first, second, kernel)
        if drawn.tangent:
            tangents[place] = mixing.tangent(first, second, kernel, drawn.tangent[number])
    return blocks, tangents or None


def _factored(blocks: Blocks, sets: Features) -> Features:
    """Features of every token from the covariance of all of them."""
    sizes = [each.shape[0] * each.shape[1] for each in sets]
    found = factor(_whole(blocks))
    parts = jnp.split(found, np.cumsum(sizes)[:-1])
    return tuple(part.reshape(*each.shape[:2], -1) for part, each in zip(parts, sets, strict=True))


@jax.jit
def _whole(blocks: Blocks) -> Float[Array, "length length"]:
    """The covariance of all tokens as one matrix."""
    flat = {
        place: block.reshape(block.shape[0] * block.shape[1], -1) for place, block in blocks.items()
    }
    count = 1 + max(j for _, j in flat)
    rows = [
        jnp.concatenate([flat[i, j] if i <= j else flat[j, i].T for j in range(count)], axis=1)
        for i in range(count)
    ]
    return jnp.concatenate(rows)


def joint_memory(
    plan: tuple[Attention, ...], shapes: tuple[tuple[int, ...], ...], tangent: bool, bytes_each: int
) -> float:
    """Bytes at the worst moment, counted from the arrays that are alive together."""
    tokens = [count * length for count, length, _ in shapes]
    rows = [count * len(plan[-1].positions(length)) for count, length, _ in shapes]
    width = shapes[0][2] if len(plan) == 1 else sum(tokens)
    attention = GROUP * sum(
        row * (shape[1] + width) for row, shape in zip(rows, shapes, strict=True)
    )
    last: float = 4 * rows[0] * rows[-1] + 2 * sum(tokens) * width + attention
    if tangent:
        last += tokens[0] * tokens[-1] * (4 + 6 * rows[0] / tokens[0]) + 4 * rows[0] * rows[-1]
    if len(plan) == 1:
        return float(bytes_each * last)
    wide = shapes[0][2] if len(plan) == 2 else sum(tokens)
    scores = GROUP * sum(
        token * (shape[1] + wide) for token, shape in zip(tokens, shapes, strict=True)
    )
    inner = (6 + (10 if tangent else 0)) * sum(tokens) ** 2 + scores
    return float(bytes_each * max(last, inner))
