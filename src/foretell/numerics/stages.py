"""Stages of a learning curve: where it dwells, and when it has crossed half of a change."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from jaxtyping import Float


class Dwell(NamedTuple):
    """The longest stay near a level: first and last step, and the slope of the curve there."""

    first: float
    last: float
    slope: float

    @property
    def length(self) -> float:
        """In steps."""
        return self.last - self.first


def longest_dwell(
    steps: Float[np.ndarray, " size"],
    curve: Float[np.ndarray, " size"],
    level: float,
    within: float,
) -> Dwell | None:
    """The longest run of recorded steps whose values are all within reach of the level.

    >>> stay = longest_dwell(np.arange(6.0), np.array([3, 2, 2, 2, 1, 0.0]), 2.0, 0.1)
    >>> stay.first, stay.last, round(abs(stay.slope), 9)
    (1.0, 3.0, 0.0)
    >>> longest_dwell(np.arange(2.0), np.array([3, 1.0]), 2.0, 0.1) is None
    True
    """
    near = np.concatenate([[False], np.abs(curve - level) <= within, [False]])
    edges = np.flatnonzero(np.diff(near.astype(int)))
    runs = [(high - 1 - low, low, high) for low, high in edges.reshape(-1, 2)]
    if not runs:
        return None
    longest, low, high = max(runs, key=lambda run: (run[0], -run[1]))
    slope = np.polyfit(steps[low:high], curve[low:high], 1)[0] if longest else 0.0
    return Dwell(float(steps[low]), float(steps[high - 1]), float(slope))


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
