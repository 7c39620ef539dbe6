"""Find how many components a function of bits has, by asking for values only.

A trial restricts the function to a random affine subspace of few dimensions and takes the exact
spectrum there. Each component of the function lands on one component of the restriction, and some
may land on the same one, so the restriction never has more. The empty set is left out throughout.
"""

from __future__ import annotations

import math

import numpy as np
from jaxtyping import Float, Int8

from foretell.boolean.asking import Answering, ask, check_fit
from foretell.boolean.testing import QueriedBound, TriedLevel, check_chances, check_queries
from foretell.boolean.transform import walsh_hadamard
from foretell.plain.errors import BadInput
from foretell.plain.wording import counted

MOST_DIMENSIONS = 20
BYTES_AT_ONCE = 1 << 26


def find_width(
    function: Answering,
    bits: int,
    *,
    epsilon: float = 1e-9,
    delta: float = 0.01,
    tolerance: float = 1e-7,
    dimension: int = 14,
    most: int | None = None,
    affine: bool = True,
    seed: int = 0,
) -> QueriedBound:
    """The first width that passes, from 0 up to `most`; never above the true sparsity.

    A width w passes if, on every subspace, all but half of `epsilon` of the weight lies on w
    components. The subspaces are spanned by random directions, or with `affine=False` by random
    coordinates, where components of low degree fall together far more often. Values may be off by
    `tolerance`. One set of trials serves all widths, so `delta` need not be shared out.

    >>> both = lambda rows: rows[:, 0] * rows[:, 3]  # on {0}, {3} and {0, 3}
    >>> find_width(both, 50, dimension=8).found
    3
    """
    check_fit(function, bits)
    check_chances(epsilon, delta, tolerance, seed)
    if not 1 <= dimension <= MOST_DIMENSIONS:
        raise BadInput(
            f"the dimension of a subspace must be between 1 and {MOST_DIMENSIONS}",
            seen=dimension,
            why="a trial asks for 2^dimension values",
        )
    if most is not None and most < 0:
        raise BadInput("the largest width to try must be 0 or more", seen=most)
    dimension = min(dimension, bits)
    trials = math.ceil(math.log(1 / delta)) if dimension < bits else 1  # the whole cube: once
    check_queries(trials << dimension)
    tails, totals = _spectra(function, bits, dimension, trials, affine, seed)
    # Noise of that size has at most its square as weight, wherever it lands.
    allowed = np.maximum(epsilon * totals / 2, tolerance**2)
    levels = _levels(tails, allowed, most)
    return QueriedBound(
        measure="width",
        bits=bits,
        levels=levels,
        trials=trials,
        epsilon=epsilon,
        delta=delta,
        tolerance=tolerance,
        meaning=_meaning(levels[-1], dimension, trials, epsilon, delta, bits),
    )


def _levels(
    tails: Float[np.ndarray, "draw set"], allowed: Float[np.ndarray, " draw"], most: int | None
) -> tuple[TriedLevel, ...]:
    """Widths 0, 1, 2, … up to the first that passes in all trials, each with its largest tail.

    The tails are given as shares of all weight; the values asked for served all widths.
    """
    fits = np.all(tails <= allowed[:, None], axis=0)
    last = int(np.argmax(fits)) if most is None else min(int(np.argmax(fits)), most)
    totals = np.where(tails[:, :1] > 0, tails[:, :1], 1.0)
    shares = np.max(tails[:, : last + 1] / totals, axis=0)
    return tuple(
        TriedLevel(level, bool(fits[level]), float(share), 0 if level else tails.size)
        for level, share in enumerate(shares)
    )


def _meaning(
    last: TriedLevel, dimension: int, trials: int, epsilon: float, delta: float, bits: int
) -> str:
    found = last.level + (not last.accepted)
    least = counted(found, "component")
    certain = f"The function has at least {least} besides the constant; that is certain."
    if not last.accepted:
        return f"{certain} There is no upper bound: every level that was tried was refused."
    if dimension == bits:
        return (
            f"{certain} The function was asked everywhere, so it is also certain that all but "
            f"{epsilon / 2:g} of its weight lies on {least}."
        )
    share = delta ** (1 / trials)
    return (
        f"{certain} That it has not more is an upper bound with confidence {1 - delta:.6g}: "
        f"width {found} would have been refused with that probability if the function were far "
        f"from it, that is, if no more than {share:.0%} of the subspaces of {dimension} dimensions "
        f"had all but {epsilon / 2:g} of their weight on {least}."
    )


def _spectra(
    function: Answering, bits: int, dimension: int, trials: int, affine: bool, seed: int
) -> tuple[Float[np.ndarray, "draw set"], Float[np.ndarray, " draw"]]:
    """For each trial, the weight outside its largest 0, 1, 2, … components, and all of it."""
    generator = np.random.default_rng(seed)
    tails = np.zeros((trials, 1 << dimension))
    at_once = max(1, BYTES_AT_ONCE // (bits << dimension))
    for first in range(0, trials, at_once):
        draws = min(at_once, trials - first)
        choose = _independent if affine else _coordinates
        directions = choose(generator, draws, dimension, bits)
        rows = _subspaces(generator, directions)
        values = ask(function, rows.reshape(-1, bits)).reshape(draws, -1)
        weights = np.square(walsh_hadamard(values)[:, 1:] / values.shape[1])
        weights.sort(axis=1)
        # The smallest first, so that small tails are not lost in large sums.
        tails[first : first + draws, :-1] = weights.cumsum(axis=1)[:, ::-1]
    return tails, tails[:, 0]


def _subspaces(
    generator: np.random.Generator, directions: Int8[np.ndarray, "draw size bit"]
) -> Int8[np.ndarray, "draw batch bit"]:
    """All points of each subspace: a random one moved by every sum of directions."""
    draws, dimension, bits = directions.shape
    points = generator.integers(0, 2, (draws, 1, bits), dtype=np.int8)
    for number in range(dimension):
        points = np.concatenate([points, points ^ directions[:, number, None]], axis=1)
    return points


def _coordinates(
    generator: np.random.Generator, draws: int, dimension: int, bits: int
) -> Int8[np.ndarray, "draw size bit"]:
    chosen = generator.random((draws, bits)).argsort(axis=1)[:, :dimension]
    return (chosen[:, :, None] == np.arange(bits)).astype(np.int8)


def _independent(
    generator: np.random.Generator, draws: int, dimension: int, bits: int
) -> Int8[np.ndarray, "draw size bit"]:
    """Uniform over independent directions: whole draws are repeated until all are independent."""
    found = generator.integers(0, 2, (draws, dimension, bits), dtype=np.int8)
    while (again := ~independent(found)).any():
        shape = (int(again.sum()), dimension, bits)
        found[again] = generator.integers(0, 2, shape, dtype=np.int8)
    return found


def independent(directions: Int8[np.ndarray, "draw size bit"]) -> np.ndarray:
    """Whether the directions of each draw are linearly independent modulo 2.

    >>> independent(np.array([[[1, 1, 0], [0, 1, 1]], [[1, 0, 1], [1, 0, 1]]], np.int8)).tolist()
    [True, False]
    """
    left = directions.copy()
    everyone = np.arange(len(left))
    good = np.ones(len(left), bool)
    for number in range(left.shape[1]):
        row = left[:, number]
        good &= row.any(axis=1)
        pivot = row.argmax(axis=1)  # its first 1; clear that column in all later rows
        held = left[everyone, number + 1 :, pivot]
        left[:, number + 1 :] ^= held[:, :, None] * row[:, None]
    return good
