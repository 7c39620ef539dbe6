"""What a run showed, as plain values: the store writes them, protocols read them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

Baseline = tuple[str, int, int, float]  # probe, low, high, score of guessing


@dataclass(frozen=True)
class Score:
    """How often one member was right on one test, at one size."""

    seed: int
    probe: str
    low: int
    high: int
    size: int
    right: int
    tried: int


@dataclass(frozen=True)
class MemberRecord:
    """How one member's training ended."""

    seed: int
    learning_rate: float
    status: str
    steps: int
    loss: float | None  # nothing when it was no number


@dataclass(frozen=True)
class Record:
    """Everything a run showed, as plain values."""

    members: tuple[MemberRecord, ...]
    scores: tuple[Score, ...]
    baselines: tuple[Baseline, ...]
    history: tuple[dict[str, Any], ...]  # one entry a check: step, losses, in-range scores
    seconds: float


def by_size(
    seed: int, place: tuple[str, int, int], sizes: np.ndarray, right: np.ndarray
) -> list[Score]:
    """Scores of one member in one test, size by size."""
    found = []
    for size in np.unique(sizes).tolist():
        at = sizes == size
        found.append(Score(seed, *place, size, int(right[at].sum()), int(at.sum())))
    return found
