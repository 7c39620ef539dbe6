"""Distinct numbers, orders and letters, uniformly and without sorting.

Sorting is what a device does slowly. A table with a place for every number says at once which
draws came up before, and running totals over it say where each stands among the others.
"""

from __future__ import annotations

import math

import jax
import jax.numpy as jnp
from jax import lax
from jaxtyping import Array, Bool, Int, Key

CROWDED = 2  # with fewer numbers than this for each one drawn, a shuffle of all is faster
SPARSE = 16  # with more than this, a table of all numbers costs more than sorting those drawn
SURPLUS = 6.0  # standard deviations of draws beyond what is needed on average


def draw_distinct(key: Key[Array, ""], count: int, among: int) -> Int[Array, " length"]:
    """`count` different numbers from 0 to `among` - 1, every such sequence equally likely.

    From a small set by shuffling it. From a large one by drawing a few too many and keeping the
    first of each; all are drawn again in the rare case that they were too few. No step looks at a
    number except to compare it with another, so renaming the numbers does not change the
    distribution: every sequence is as likely as every other.

    >>> import jax
    >>> sorted(draw_distinct(jax.random.key(0), 4, 4).tolist())
    [0, 1, 2, 3]
    """
    if among < CROWDED * count:
        return draw_order(key, jnp.int32(among), among)[:count]
    draws = _draws_needed(count, among)

    def again(
        state: tuple[Key[Array, ""], Int[Array, " length"], Int[Array, ""]],
    ) -> tuple[Key[Array, ""], Int[Array, " length"], Int[Array, ""]]:
        key, now = jax.random.split(state[0])
        numbers = draw_letters(now, draws, among)
        new = ~_came_before(numbers, among)
        place = jnp.where(new, jnp.cumsum(new) - 1, count)
        kept = jnp.zeros(count, jnp.int32).at[place].set(numbers, mode="drop")
        return key, kept, new.sum(dtype=jnp.int32)

    state = again((key, jnp.zeros(count, jnp.int32), jnp.int32(0)))
    return lax.while_loop(lambda state: state[2] < count, again, state)[1]


def draw_order(key: Key[Array, ""], size: Int[Array, ""], count: int) -> Int[Array, " length"]:
    """A uniform permutation of 0..size-1 in the first `size` of `count` places."""
    among = CROWDED * count
    numbers = draw_distinct(key, count, among)
    return (jnp.cumsum(_present(numbers, size, among)) - 1)[numbers].astype(jnp.int32)


def in_order(
    numbers: Int[Array, " length"], size: Int[Array, ""], among: int
) -> Int[Array, " length"]:
    """The first `size` of some distinct numbers below `among`, ascending; then anything.

    >>> in_order(jnp.array([3, 0, 2, 1]), jnp.int32(3), 4)[:3].tolist()
    [0, 2, 3]
    """
    count = len(numbers)
    if among > SPARSE * count:
        return jnp.sort(jnp.where(jnp.arange(count) < size, numbers, among))
    present = _present(numbers, size, among)
    place = jnp.where(present, jnp.cumsum(present) - 1, count)
    every = jnp.arange(among, dtype=jnp.int32)
    return jnp.zeros(count, jnp.int32).at[place].set(every, mode="drop")


def draw_letters(key: Key[Array, ""], count: int, among: int) -> Int[Array, " length"]:
    """Independent numbers below `among`; uniform, but for at most `among` parts in four billion."""
    narrow = 256 % among == 0  # then bytes will do, exactly, at a quarter of the price
    bits = jax.random.bits(key, (count,), jnp.uint8 if narrow else jnp.uint32)
    return (bits.astype(jnp.uint32) % jnp.uint32(among)).astype(jnp.int32)


def _draws_needed(count: int, among: int) -> int:
    """The mean of a coupon collector's draws, and some more."""
    share = count / among
    mean = -among * math.log1p(-share)
    deviation = math.sqrt(among * max(share / (1 - share) + math.log1p(-share), 0.0))
    return math.ceil(mean + SURPLUS * deviation) + 4


def _came_before(numbers: Int[Array, " length"], among: int) -> Bool[Array, " length"]:
    place = jnp.arange(len(numbers), dtype=jnp.int32)
    first = jnp.full(among, len(numbers), jnp.int32).at[numbers].min(place)
    return first[numbers] != place


def _present(
    numbers: Int[Array, " length"], size: Int[Array, ""], among: int
) -> Bool[Array, " set"]:
    used = jnp.where(jnp.arange(len(numbers)) < size, numbers, among)
    return jnp.zeros(among, bool).at[used].set(True, mode="drop")
