"""Scores by size gathered into bins, from which every drawing of them is made."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from foretell.core.measurement import Curve, Measurement
from foretell.core.question import SizeRange

BIN = 10  # sizes that one point of a curve gathers


@dataclass(frozen=True)
class Bins:
    """The bins of one range: a place on the axis each, and per seed (right, tried) in each."""

    sizes: SizeRange
    places: tuple[float, ...]
    counts: dict[int, tuple[tuple[int, int], ...]]

    def shares(self, seed: int) -> list[float]:
        """One run's share of right answers, bin by bin."""
        return [right / tried if tried else math.nan for right, tried in self.counts[seed]]


def bins_of(measurement: Measurement, probe: str) -> tuple[Bins, ...]:
    """Curves gathered into about ten sizes a bin, no bin reaching across two tested ranges."""
    curves = [curve for curve in measurement.curves if curve.probe == probe]
    ranges = sorted({value.sizes for value in measurement.values if value.probe == probe})
    return tuple(_bin_range(curves, sizes) for sizes in ranges)


def counted_seeds(measurement: Measurement, probe: str) -> set[int]:
    """The seeds that the values average over; a measurement may leave out runs that did not fit."""
    return {run for value in measurement.values if value.probe == probe for run in value.runs}


def joined(
    pieces: Sequence[Bins], series: Sequence[Sequence[float]]
) -> tuple[list[float], list[float]]:
    """One line through all ranges, interrupted where sizes between two ranges were not tested."""
    places: list[float] = []
    heights: list[float] = []
    reached: int | None = None
    for piece, part in zip(pieces, series, strict=True):
        if reached is not None and piece.sizes.low > reached + 1:
            places.append(float(reached))
            heights.append(math.nan)
        places.extend(piece.places)
        heights.extend(part)
        reached = piece.sizes.high
    return places, heights


def _bin_range(curves: Sequence[Curve], sizes: SizeRange) -> Bins:
    span = sizes.high - sizes.low + 1
    number = max(1, round(span / BIN))
    tested: list[list[int]] = [[] for _ in range(number)]
    sums = {curve.seed: [[0, 0] for _ in range(number)] for curve in curves}
    for curve in curves:
        for size, right, tried in curve.points:
            if sizes.low <= size <= sizes.high:
                place = (size - sizes.low) * number // span
                tested[place].append(size)
                sums[curve.seed][place][0] += right
                sums[curve.seed][place][1] += tried
    kept = [place for place in range(number) if tested[place]]
    places = tuple((min(tested[place]) + max(tested[place])) / 2 for place in kept)
    counts = {
        seed: tuple((own[place][0], own[place][1]) for place in kept) for seed, own in sums.items()
    }
    return Bins(sizes, places, counts)
