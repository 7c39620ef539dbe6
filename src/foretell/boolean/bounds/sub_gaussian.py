"""The sub-Gaussian constant of a loss, read off its moment generating function.

S is the smallest number with  mean exp(t·(loss - mean)) ≤ exp(S²t²/2)  for all t looked at. At
t = 0 both sides agree to second order exactly if S² is the variance, which is why S is never
less than the standard deviation.

How far t goes matters: a squared error with Gaussian tails has no finite constant at all, only
one for a given range. The default range ends where the largest loss weighs 2³² times as much as
a loss of 0, as in the authors' code. PAC-Bayes bounds need only negative t (`Tail.LOWER`: few
losses far *below* the mean), where a squared error is harmless.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from enum import StrEnum
from typing import final

import numpy as np
from jaxtyping import Float
from scipy import optimize, special

from foretell.boolean.bounds.numbers import Real
from foretell.plain.errors import BadInput

POINTS = 401  # on the grid of t
LARGEST_LOG_WEIGHT = math.log(2**32 - 1)
BLOCK = 4_000_000  # numbers held at once
REFINEMENT = 1e-9  # relative to the range of t


class Tail(StrEnum):
    """Which signs of t count."""

    BOTH = "both"
    LOWER = "lower"  # t < 0: losses below their mean


@final
@dataclass(frozen=True)
class SubGaussian:
    """The constant found, the t that needs it (0: the variance does), and the range looked at."""

    constant: float
    at: float
    largest: float
    tail: Tail
    samples: int

    @property
    def at_the_edge(self) -> bool:
        """True if a wider range would give a larger constant."""
        return abs(self.at) > self.largest * (1 - 1e-6)


def sub_gaussian(
    losses: Float[np.ndarray, " batch"],
    tail: Tail = Tail.BOTH,
    largest: Real | None = None,
    points: int = POINTS,
) -> SubGaussian:
    """The constant of a sample of losses, over |t| ≤ `largest`.

    >>> coin = sub_gaussian(np.array([-0.5, 0.5]))
    >>> coin.constant, coin.at
    (0.5, 0.0)
    """
    losses = np.asarray(losses, float).ravel()
    _check(losses, largest, points)
    tail, centred = Tail(tail), losses - losses.mean()
    variance = float(np.mean(np.square(centred)))
    size = float(np.abs(losses).max())
    if variance <= (1e-15 * size) ** 2:
        return SubGaussian(0.0, 0.0, largest or 0.0, tail, len(losses))
    largest = LARGEST_LOG_WEIGHT / size if largest is None else float(largest)
    grid = np.linspace(-largest, 0 if tail is Tail.LOWER else largest, points)
    step = grid[1] - grid[0]
    grid = grid[np.abs(grid) > step / 2]
    best = int(np.argmax(needed := _needed(centred, grid)))
    at, found = float(grid[best]), float(needed[best])
    sign, nearest = math.copysign(1.0, at), step / 4  # nearer to 0 rounding wins over the limit
    inner = optimize.minimize_scalar(
        lambda size: -float(_needed(centred, np.array([sign * size]))[0]),
        bounds=(max(abs(at) - step, nearest), min(abs(at) + step, largest)),
        method="bounded",
        options={"xatol": REFINEMENT * largest},
    )
    if -inner.fun > found:
        at, found = sign * float(inner.x), -float(inner.fun)
    if variance >= found * (1 - 1e-9):
        at, found = 0.0, variance
    return SubGaussian(math.sqrt(found), at, largest, tail, len(losses))


def prior_constant(noise: Real, coefficient_sum: Real = 1.0) -> float:
    """No sub-Gaussian constant below this holds for networks drawn from the prior.

    The prior is centred at 0, so its networks answer about 0 (up to a few times the noise) and
    their loss is about f². As f has mean C/2 and variance 1/4, with C ≥ 1 the sum of its positive
    coefficients, f² has a standard deviation of at least C/2.

    >>> prior_constant(0.0)
    0.5
    """
    if not noise >= 0:
        raise BadInput("the noise is a standard deviation", seen=noise)
    return max(0.0, coefficient_sum / 2 - 3 * noise)


def _needed(
    centred: Float[np.ndarray, " batch"], grid: Float[np.ndarray, " size"]
) -> Float[np.ndarray, " size"]:
    """S² that each t asks for; in blocks, so that long samples fit into memory."""
    rows = max(1, BLOCK // len(centred))
    logs = [
        special.logsumexp(grid[start : start + rows, None] * centred, axis=1)
        for start in range(0, len(grid), rows)
    ]
    return 2 * (np.concatenate(logs) - math.log(len(centred))) / np.square(grid)


def _check(losses: Float[np.ndarray, " batch"], largest: Real | None, points: int) -> None:
    if len(losses) < 2 or not np.isfinite(losses).all():
        raise BadInput("the constant needs at least two losses, all finite", seen=losses.tolist())
    if largest is not None and not 0 < largest < math.inf:
        raise BadInput("the range of t is a positive number", seen=largest)
    if points < 5:
        raise BadInput("the grid of t needs at least 5 points", seen=points)
