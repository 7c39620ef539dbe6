"""What one answer for all instances would score: the bar that a threshold must stand above."""

from __future__ import annotations

import numpy as np

from foretell.training.fleet import Fleet, SequenceFleet
from foretell.training.point_member import PointFleet


def constant_shares(fleet: Fleet) -> list[float]:
    """What each member would score in the checks by always giving the commonest answer."""
    if isinstance(fleet, PointFleet):
        numbers = [np.asarray(own.labels) for own in fleet.loop.gather(fleet.held_out)]
        return [_commonest(np.round(own)[:, None], np.isfinite(own)[:, None]) for own in numbers]
    assert isinstance(fleet, SequenceFleet)
    drawn = [own.example for own in fleet.loop.gather(fleet.in_range)]
    return [_commonest(np.asarray(own.targets), np.asarray(own.mask)) for own in drawn]


def _commonest(answers: np.ndarray, counted: np.ndarray) -> float:
    """Mean over examples of the share of counted answers that are the commonest of all.

    >>> answers = np.array([[1, 1], [1, 2], [3, 3]])
    >>> _commonest(answers, np.array([[True, True], [True, True], [False, False]]))
    0.75
    """
    values, counts = np.unique(answers[counted], return_counts=True)
    right = (answers == values[counts.argmax()]) & counted
    asked = counted.sum(axis=1)
    return float(np.mean(right.sum(axis=1)[asked > 0] / asked[asked > 0]))
