"""Words with a given number of ones, and which of two sizes explains a grid of accuracies."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float, Int, Key

from foretell.plain.errors import BadInput


def place_ones(
    key: Key[Array, ""], length: int | Int[Array, ""], ones: int | Int[Array, ""], room: int
) -> Int[Array, " length"]:
    """So many ones at random among the first `length` places; zeros in the rest of the room."""
    draws = jax.random.uniform(key, (room,))
    order = jnp.argsort(jnp.argsort(jnp.where(jnp.arange(room) < length, draws, 2.0)))
    return (order < ones).astype(jnp.int32)


def draw_sizes(
    key: Key[Array, ""], longest: int, most: int
) -> tuple[Int[Array, ""], Int[Array, ""]]:
    """A length, and how many ones: both uniform over what is allowed."""
    first, second = jax.random.split(key)
    length = jax.random.randint(first, (), 1, longest + 1)
    return length, jax.random.randint(second, (), 0, jnp.minimum(length, most) + 1)


def require_sizes(longest: int, most: int) -> tuple[int, int]:
    """At least one place, and no more ones than places."""
    if longest < 1 or not 1 <= most <= longest:
        raise BadInput(
            "no such words to train on",
            seen=f"{most} ones in {longest} places",
            why="there is at least one of both, and every one has a place",
        )
    return longest, most


def paired(
    accuracy: Float[np.ndarray, "size bit"],
) -> Float[np.ndarray, "size part"]:
    """Columns 1 and 2, 3 and 4, ... averaged: a model that always says the same gets one half.

    >>> paired(np.array([[1.0, 1, 0, 1, 0]])).tolist()
    [[0.5, 0.5]]
    """
    count = (accuracy.shape[1] - 1) // 2
    return (accuracy[:, 1 : 2 * count : 2] + accuracy[:, 2 : 2 * count + 1 : 2]) / 2


def explained(grid: Float[np.ndarray, "size part"]) -> tuple[float, float]:
    """Shares of the variance that rows and columns explain, each after the other; gaps are NaN.

    Both are fitted as free effects that add up. A factor's share is what the fit loses without it,
    so that cells which do not exist, as more ones than places, favour neither.

    >>> rows, columns = explained(np.array([[0.0, 1, 1], [0, 1, 1]]))
    >>> abs(round(rows, 9)), round(columns, 9)  # rounding may leave a sign
    (0.0, 1.0)
    """
    row, column = np.nonzero(np.isfinite(grid))
    values = grid[row, column]
    total = np.square(values - values.mean()).sum()
    if total < 1e-12:
        return 0.0, 0.0
    rows, columns = np.eye(grid.shape[0])[row], np.eye(grid.shape[1])[column]

    def left(design: Float[np.ndarray, "draw width"]) -> float:
        fitted = design @ np.linalg.lstsq(design, values, rcond=None)[0]
        return float(np.square(values - fitted).sum())

    both = left(np.concatenate([rows, columns], axis=1))
    return (left(columns) - both) / float(total), (left(rows) - both) / float(total)
