"""Stages of a learning curve: where it rests, and when it has crossed half of a change."""

from __future__ import annotations

import numpy as np
from jaxtyping import Float

FEWEST = 3  # recorded steps that have a slope worth the name


def flat_stay(
    steps: Float[np.ndarray, " size"],
    curve: Float[np.ndarray, " size"],
    level: float,
    within: float,
    slope: float,
) -> tuple[float, float]:
    """First and last step of the longest window near the level in which the curve is flat.

    Not the longest stay near the level, which begins and ends with the slopes that lead there.
    Two equal steps if there is none. All windows are fitted at once: memory is size squared.

    >>> curve = np.array([3, 2, 2, 2, 1, 0.0])
    >>> flat_stay(np.arange(6.0), curve, level=2.0, within=0.1, slope=1e-6)
    (1.0, 3.0)
    """
    times, values = steps - steps.mean(), curve - level  # centred: sums of squares cancel less
    sums = [
        np.concatenate([[0.0], each.cumsum()])
        for each in (np.abs(values) > within, times, values, times * values, times * times)
    ]
    far, x, y, xy, xx = (own[None, 1:] - own[:-1, None] for own in sums)
    count = 1 + np.arange(len(steps))[None] - np.arange(len(steps))[:, None]
    spread = count * xx - x * x
    with np.errstate(divide="ignore", invalid="ignore"):
        slopes = (count * xy - x * y) / spread
    flat = (count >= FEWEST) & (far == 0) & (np.abs(slopes) < slope)
    if not flat.any():
        return float(steps[0]), float(steps[0])
    lengths = np.where(flat, steps[None] - steps[:, None], -np.inf)
    first, last = np.unravel_index(lengths.argmax(), lengths.shape)
    return float(steps[first]), float(steps[last])


def crossing(
    steps: Float[np.ndarray, " size"], curve: Float[np.ndarray, " size"], level: float
) -> float | None:
    """When the curve first gets from one side of a level to the other, interpolated; else nothing.

    >>> crossing(np.array([0.0, 10, 20]), np.array([4.0, 3, 1]), 2.0)
    15.0
    """
    above = curve > level
    changed = np.flatnonzero(above[1:] != above[:-1])
    if not len(changed):
        return None
    place = int(changed[0])
    low, high = float(curve[place]), float(curve[place + 1])
    share = (level - low) / (high - low)
    return float(steps[place] + share * (steps[place + 1] - steps[place]))


def half_time(
    steps: Float[np.ndarray, " size"], curve: Float[np.ndarray, " size"], end: float | None = None
) -> float | None:
    """When half of the way from the first value to the end (the last value, if not said) is done.

    >>> half_time(np.array([0.0, 1, 2]), np.array([1.0, 0.5, 0]))
    1.0
    """
    last = float(curve[-1]) if end is None else end
    return crossing(steps, curve, (float(curve[0]) + last) / 2)
