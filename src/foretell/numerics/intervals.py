"""Intervals for scores in [0, 1], and for any numbers, measured on several seeds."""

from __future__ import annotations

import functools
import math
from collections.abc import Sequence

from scipy import stats

LEVEL = 0.95


def wilson(right: int, tried: int, level: float = LEVEL) -> tuple[float, float]:
    """Interval of a proportion; never of zero width, also at 0 and 1.

    >>> low, high = wilson(50, 50)
    >>> round(low, 3), high
    (0.929, 1.0)
    """
    if tried == 0:
        return 0.0, 1.0
    z = _normal(level)
    share = right / tried
    centre = (share + z * z / (2 * tried)) / (1 + z * z / tried)
    spread = z * math.sqrt(share * (1 - share) / tried + z * z / (4 * tried * tried))
    spread /= 1 + z * z / tried
    low = 0.0 if right == 0 else max(0.0, centre - spread)
    high = 1.0 if right == tried else min(1.0, centre + spread)
    return low, high


def over_seeds(
    scores: Sequence[float], tried: int, level: float = LEVEL
) -> tuple[float, float, float]:
    """Mean and interval of a score over seeds, `tried` test samples each.

    Student's t over seeds for the spread between runs, joined with Wilson's interval over all
    samples for the noise of the test itself, so that identical seeds do not look certain. One
    seed says nothing about another: the interval is [0, 1].

    >>> over_seeds([1.0], 2000)
    (1.0, 0.0, 1.0)
    """
    count = len(scores)
    if count == 0:
        return math.nan, 0.0, 1.0
    mean = math.fsum(scores) / count
    if count == 1:
        return mean, 0.0, 1.0
    spread = math.sqrt(math.fsum((score - mean) ** 2 for score in scores) / (count - 1))
    half = _student(level, count - 1) * spread / math.sqrt(count)
    low, high = wilson(round(mean * tried * count), tried * count, level)
    return mean, max(0.0, min(mean - half, low)), min(1.0, max(mean + half, high))


def of_mean(numbers: Sequence[float], level: float = LEVEL) -> tuple[float, float, float]:
    """Mean and Student's interval of numbers of any size; one number says nothing of another.

    >>> tuple(round(part, 2) for part in of_mean([1.0, 2.0, 3.0]))
    (2.0, -0.48, 4.48)
    """
    count = len(numbers)
    if count == 0:
        return math.nan, -math.inf, math.inf
    mean = math.fsum(numbers) / count
    if count == 1:
        return mean, -math.inf, math.inf
    spread = math.sqrt(math.fsum((number - mean) ** 2 for number in numbers) / (count - 1))
    half = _student(level, count - 1) * spread / math.sqrt(count)
    return mean, mean - half, mean + half


@functools.cache  # a scoreboard asks for the same few of them tens of thousands of times
def _normal(level: float) -> float:
    """Where the middle `level` of a normal distribution ends."""
    return float(stats.norm.ppf(0.5 + level / 2))


@functools.cache
def _student(level: float, free: int) -> float:
    """The same for Student's t with so many degrees of freedom."""
    return float(stats.t.ppf(0.5 + level / 2, free))
