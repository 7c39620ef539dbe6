"""Two examples to a row, a long one beside a short one, so that hardly any padding is computed.

Sizes are uniform over the legal ones, so a batch padded to the longest is nearly half padding.
Here examples come in antithetic pairs: where one has the k-th smallest legal size, its partner has
the k-th largest. Each size is still uniform, every pair takes about the same room, and one row
width, known beforehand, holds them all. Attention does not cross from one example to the other.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

import jax
import jax.numpy as jnp
from jaxtyping import Array, Bool, Int, Key

from foretell.core.alphabet import PAD
from foretell.core.task import Example, Task

FEW = 0.75  # share of a row below which picking out what is scored pays
ALIGNMENT = 8  # rows of a product on an accelerator's matrix units; 16 bytes of bfloat16


class Rows(NamedTuple):
    """A batch as the model reads it, two examples to a row.

    `starts` is, for every index of a row, the index at which its example begins; nothing where
    every row is one example. `queries` are the indices where something is scored, or nothing where
    that is everywhere.
    """

    tokens: Int[Array, "*batch length"]
    positions: Int[Array, "*batch length"]
    starts: Int[Array, "*batch length"] | None
    queries: Int[Array, "*batch query"] | None
    targets: Int[Array, "*batch query"]
    mask: Bool[Array, "*batch query"]


def antithetic(key: Key[Array, ""], batch: int, count: Int[Array, ""]) -> Int[Array, " batch"]:
    """Indices below `count`: the first half uniform, the second half mirrored.

    >>> drawn = antithetic(jax.random.key(0), 6, jnp.int32(50))
    >>> (drawn[:3] + drawn[3:]).tolist()
    [49, 49, 49]
    """
    half = jax.random.randint(key, (batch // 2,), 0, count)
    return jnp.concatenate([half, count - 1 - half])


class Room(NamedTuple):
    """What a row must hold, whatever pair is drawn; part of the compiled program."""

    width: int
    scored: int

    @classmethod
    def of(cls, tasks: Iterable[tuple[Task, tuple[int, ...]]]) -> Room:
        """The most that any pair takes, over all tasks with their legal sizes."""
        pairs = [
            (task, one, other)
            for task, sizes in tasks
            for one, other in zip(sizes, reversed(sizes), strict=True)
        ]
        width = max(task.width(one) + task.width(other) for task, one, other in pairs)
        scored = max(task.scored(one) + task.scored(other) for task, one, other in pairs)
        return cls(aligned(width), scored)


def aligned(width: int) -> int:
    """The width at which an accelerator works best."""
    return width if jax.default_backend() == "cpu" else -(-width // ALIGNMENT) * ALIGNMENT


def alone(example: Example, shift: Int[Array, " batch"], scored: int) -> Rows:
    """The batch with one example in each row: where two in a row would gain nothing."""
    width = example.tokens.shape[1]
    positions = jnp.arange(width)[None] + shift[:, None]
    tokens, targets, mask = example.tokens, example.targets, example.mask
    if scored > FEW * width:
        return Rows(tokens, positions, None, None, targets, mask)
    queries = jnp.argsort(~mask, axis=1, stable=True)[:, :scored]
    asked = (jnp.take_along_axis(values, queries, axis=1) for values in (targets, mask))
    return Rows(tokens, positions, None, queries, *asked)


def pack(example: Example, shift: Int[Array, " batch"], room: Room) -> Rows:
    """The batch with example i and its partner, half a batch later, in row i."""
    half = example.tokens.shape[0] // 2
    length = jnp.sum(example.tokens != PAD, axis=1)
    cut, index = length[:half, None], jnp.arange(room.width)[None]
    second = index >= cut
    within = jnp.where(second, index - cut, index)
    inside = index < cut + length[half:, None]

    def joined(values: Array) -> Array:
        """Each row's values: the first example's up to its end, then its partner's."""
        place = jnp.minimum(within, values.shape[1] - 1)
        first, other = values[:half], values[half:]
        return jnp.where(
            second,
            jnp.take_along_axis(other, place, axis=1),
            jnp.take_along_axis(first, place, axis=1),
        )

    tokens = jnp.where(inside, joined(example.tokens), PAD)
    targets, mask = joined(example.targets), joined(example.mask) & inside
    positions = within + jnp.where(second, shift[half:, None], shift[:half, None])
    starts = jnp.where(second, cut, 0)
    if room.scored > FEW * room.width:
        return Rows(tokens, positions, starts, None, targets, mask)
    queries = jnp.argsort(~mask, axis=1, stable=True)[:, : room.scored]
    asked = (jnp.take_along_axis(values, queries, axis=1) for values in (targets, mask))
    return Rows(tokens, positions, starts, queries, *asked)
