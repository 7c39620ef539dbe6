"""An estimate with a standard error for every entry, from draws that are never all kept."""

from __future__ import annotations

import functools
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple, final

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float, Int, Key, PyTree

from foretell.numerics.keys import key_for
from foretell.plain.errors import BadInput

GROUP = 8  # draws that are averaged before their square is taken: squares cost a pass over memory
LEAST_GROUPS = 16  # fewer would make the standard error itself too uncertain
SEGMENT = 32  # groups in one dispatch; progress and Ctrl-C wait for it

Sample = Callable[[Any, Any, Key[Array, " draw"]], PyTree]
Show = Callable[[float], None]  # hears which share of the work is done


@final
@dataclass(frozen=True)
class Estimate:
    """A value, the standard error of every entry (0 where it is exact), and the draws behind it."""

    value: Float[np.ndarray, "..."]
    error: Float[np.ndarray, "..."]
    draws: int


class Moments(NamedTuple):
    """Running mean of what groups of draws gave, and the sum of squared distances from it."""

    groups: Int[Array, ""]
    mean: PyTree
    squares: PyTree


def average(
    sample: Sample,
    settings: Any,
    context: PyTree,
    key: Key[Array, ""],
    draws: int,
    *,
    segment: int = SEGMENT,
    show: Show | None = None,
) -> tuple[PyTree, PyTree]:
    """Mean and standard error, over `draws` draws, of what `sample` makes of a key.

    `sample(settings, context, keys)` returns the mean over a group of keys, so that it can sum over
    draws inside a product. Draw m has the key at `m` below `key`: neither `segment` nor what ran
    before changes a bit. `sample` is a function at the top of a module and `settings` is hashable:
    one compilation for each shape of `context`, whatever the number of draws. `show`
    hears which share is done.
    """
    if draws < 2:
        raise BadInput("an error bar needs at least two draws", seen=draws)
    group = _group(draws)
    groups = draws // group
    moments = _empty(sample, settings, group, context, key)
    for start in range(0, groups, segment):
        stop = min(start + segment, groups)
        moments = _advance(sample, settings, group, context, key, start, stop, moments)
        if show is not None:
            jax.block_until_ready(moments)
            show(stop / groups)
    return moments.mean, _errors(moments)


def within(show: Show | None, index: int, count: int) -> Show | None:
    """What part `index` of `count` equal parts should call, to show the progress of the whole."""
    if show is None:
        return None
    return lambda share: show((index + share) / count)


def _group(draws: int) -> int:
    """The largest divisor up to `GROUP` that leaves enough groups."""
    for size in range(GROUP, 1, -1):
        if draws % size == 0 and draws // size >= LEAST_GROUPS:
            return size
    return 1


@functools.partial(jax.jit, static_argnums=(0, 1, 2))
def _empty(
    sample: Sample, settings: Any, group: int, context: PyTree, key: Key[Array, ""]
) -> Moments:
    """Moments of nothing, in the shapes of what `sample` returns."""
    keys = jax.vmap(lambda draw: key_for(key, draw))(jnp.arange(group))
    shapes = jax.eval_shape(functools.partial(sample, settings), context, keys)
    zeros = jax.tree.map(lambda leaf: jnp.zeros(leaf.shape, leaf.dtype), shapes)
    return Moments(jnp.zeros((), jnp.int32), zeros, zeros)


@jax.jit
def _errors(moments: Moments) -> PyTree:
    """Standard errors of the mean."""
    scale = moments.groups * (moments.groups - 1)
    return jax.tree.map(lambda leaf: jnp.sqrt(leaf / scale), moments.squares)


@functools.partial(jax.jit, static_argnums=(0, 1, 2))
def _advance(
    sample: Sample,
    settings: Any,
    group: int,
    context: PyTree,
    key: Key[Array, ""],
    start: Int[Array, ""],
    stop: Int[Array, ""],
    moments: Moments,
) -> Moments:
    """Moments after the groups numbered from `start` to `stop`."""

    def step(number: Int[Array, ""], before: Moments) -> Moments:
        keys = jax.vmap(lambda draw: key_for(key, number * group + draw))(jnp.arange(group))
        return _joined(before, sample(settings, context, keys))

    return jax.lax.fori_loop(start, stop, step, moments)


def _joined(before: Moments, found: PyTree) -> Moments:
    """Welford's update: single precision does not lose a small spread under a large mean."""
    count = before.groups + 1
    mean = jax.tree.map(lambda old, new: old + (new - old) / count, before.mean, found)
    squares = jax.tree.map(
        lambda total, old, now, new: total + (new - old) * (new - now),
        before.squares,
        before.mean,
        mean,
        found,
    )
    return Moments(count, mean, squares)
