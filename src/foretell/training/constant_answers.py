"""What the same answers for all instances would score: what a threshold must stand above."""

from __future__ import annotations

import numpy as np

from foretell.training.fleet import Fleet, SequenceFleet
from foretell.training.point_member import PointFleet


def constant_shares(fleet: Fleet) -> list[float]:
    """What each member would score in the checks by always giving the commonest answers."""
    if isinstance(fleet, PointFleet):
        numbers = [np.asarray(own.labels) for own in fleet.loop.gather(fleet.held_out)]
        return [_commonest(np.round(own)[:, None], np.isfinite(own)[:, None]) for own in numbers]
    assert isinstance(fleet, SequenceFleet)
    drawn = [own.example for own in fleet.loop.gather(fleet.in_range)]
    return [_commonest(np.asarray(own.targets), np.asarray(own.mask)) for own in drawn]


def _commonest(answers: np.ndarray, counted: np.ndarray) -> float:
    """Mean over examples of the share of counted answers that are the commonest at their place.

    The first counted answer of an example is at place 0, and so on: an end that all examples share
    is right everywhere. What is commonest in one half of the examples is scored on the other.

    >>> answers = np.array([[7, 1], [7, 1], [7, 2], [7, 1]])
    >>> round(_commonest(answers[[0, 1, 3, 0, 2, 1]], np.full((6, 2), True)), 3)
    0.917
    """
    asked = counted.any(axis=1)
    answers, counted = answers[asked], counted[asked]
    place = np.cumsum(counted, axis=1) - 1
    first_half = np.arange(len(answers)) < len(answers) // 2
    shares = []
    for scored in (first_half, ~first_half):
        chosen = _chosen(place[~scored], answers[~scored], counted[~scored], int(place.max()) + 1)
        right = counted[scored] & (answers[scored] == chosen[np.maximum(place[scored], 0)])
        shares.extend(right.sum(axis=1) / counted[scored].sum(axis=1))
    return float(np.mean(shares))


def _chosen(place: np.ndarray, answers: np.ndarray, counted: np.ndarray, places: int) -> np.ndarray:
    """The commonest answer at every place; one that is nobody's answer where none was counted."""
    known, ids = np.unique(answers[counted], return_inverse=True)
    pairs, counts = np.unique(place[counted] * len(known) + ids, return_counts=True)
    order = np.lexsort((counts, pairs // max(len(known), 1)))
    found = np.full(places, np.nan)
    found[pairs[order] // len(known)] = known[pairs[order] % len(known)]  # the last one stays
    return found
