"""Intervals that hold what they promise."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import stats

from foretell.numerics.intervals import over_seeds, wilson


@pytest.mark.parametrize(
    ("right", "tried", "low", "high"),
    [
        (8, 10, 0.4901625, 0.9433178),
        (1, 10, 0.01787621, 0.4041500),
        (0, 10, 0.0, 0.2775328),
        (10, 10, 0.7224672, 1.0),
        (50, 100, 0.4038315, 0.5961685),
    ],
)
def test_wilson_gives_the_values_in_the_books(
    right: int, tried: int, low: float, high: float
) -> None:
    assert wilson(right, tried) == pytest.approx((low, high), abs=1e-6)


@pytest.mark.parametrize("level", [0.5, 0.9, 0.95, 0.99])
@pytest.mark.parametrize(
    ("right", "tried"), [(0, 1), (1, 1), (1, 2), (3, 7), (0, 50), (50, 50), (1999, 2000), (7, 2000)]
)
def test_wilson_agrees_with_scipy(right: int, tried: int, level: float) -> None:
    theirs = stats.binomtest(right, tried).proportion_ci(level, method="wilson")
    assert wilson(right, tried, level) == pytest.approx((theirs.low, theirs.high), abs=1e-12)


def test_nothing_tried_says_nothing() -> None:
    assert wilson(0, 0) == (0.0, 1.0)


def test_wilson_ends_are_exact_never_outside_and_never_of_zero_width() -> None:
    for tried in (1, 2, 10, 2000, 10**7):
        assert wilson(0, tried)[0] == 0.0 and wilson(tried, tried)[1] == 1.0
        for right in {0, 1, tried // 2, tried - 1, tried}:
            low, high = wilson(right, tried)
            assert 0 <= low <= right / tried <= high <= 1
            assert low < high


def test_wilson_is_monotone() -> None:
    ends = [wilson(right, 100) for right in range(101)]
    assert ends == sorted(ends) and [high for _, high in ends] == sorted(high for _, high in ends)
    widths = [np.diff(wilson(tried * 4 // 5, tried))[0] for tried in (5, 50, 500, 5000)]
    assert widths == sorted(widths, reverse=True)
    levels = [np.diff(wilson(8, 10, level))[0] for level in (0.5, 0.8, 0.95, 0.999)]
    assert levels == sorted(levels)


@pytest.mark.parametrize("share", [0.05, 0.5, 0.9, 0.99])
def test_wilson_covers_the_truth_as_often_as_promised(share: float) -> None:
    tried = 200
    ends = np.array([wilson(right, tried) for right in range(tried + 1)])
    found = ends[np.random.default_rng(0).binomial(tried, share, 20_000)]
    covered = np.mean((found[:, 0] <= share) & (share <= found[:, 1]))
    assert 0.93 <= covered <= 0.985


def test_one_seed_or_none_says_nothing_about_another() -> None:
    for score in (0.0, 0.5, 1.0):
        assert over_seeds([score], 2000) == (score, 0.0, 1.0)
    mean, low, high = over_seeds([], 2000)
    assert math.isnan(mean) and (low, high) == (0.0, 1.0)


@pytest.mark.parametrize("score", [0.0, 0.25, 1.0])
def test_identical_seeds_do_not_look_certain(score: float) -> None:
    mean, low, high = over_seeds([score] * 4, 100)
    assert mean == score and low < high
    assert (low, high) == pytest.approx(wilson(round(400 * score), 400))


def test_the_spread_between_seeds_is_students() -> None:
    scores = [0.2, 0.5, 0.6, 0.9]
    mean, low, high = over_seeds(scores, 10**9)
    theirs = stats.t.interval(0.95, 3, np.mean(scores), stats.sem(scores))
    assert (low, high) == pytest.approx((max(0, theirs[0]), min(1, theirs[1])), abs=1e-4)
    assert mean == pytest.approx(0.55)


def test_the_interval_holds_the_mean_and_stays_in_range() -> None:
    draw = np.random.default_rng(1)
    for _ in range(300):
        scores = draw.uniform(0, 1, draw.integers(2, 8)).round(2).tolist()
        mean, low, high = over_seeds(scores, int(draw.integers(1, 500)))
        assert 0 <= low <= mean <= high <= 1


def test_it_is_monotone() -> None:
    """Better scores never lower an end; more samples, more seeds or less spread never widen it."""
    base = np.array([0.5, 0.55, 0.6])
    shifted = [over_seeds((base + shift).tolist(), 200) for shift in (-0.4, -0.1, 0.0, 0.2, 0.4)]
    assert [low for _, low, _ in shifted] == sorted(low for _, low, _ in shifted)
    assert [high for _, _, high in shifted] == sorted(high for _, _, high in shifted)

    def width(scores: list[float], tried: int) -> float:
        _, low, high = over_seeds(scores, tried)
        return high - low

    by_tests = [width([0.8, 0.8, 0.8], tried) for tried in (1, 10, 100, 1000)]
    by_seeds = [width([0.7, 0.9] * times, 100) for times in (1, 2, 4, 8)]
    by_spread = [width([0.6 - gap, 0.6, 0.6 + gap], 1000) for gap in (0.3, 0.2, 0.1, 0.0)]
    for widths in (by_tests, by_seeds, by_spread):
        assert widths == sorted(widths, reverse=True)


def test_the_order_of_seeds_does_not_matter() -> None:
    scores = [0.1, 0.7, 0.30000000000000004, 0.9]
    assert over_seeds(scores, 50) == over_seeds(scores[::-1], 50)


def test_it_covers_the_truth_over_seeds_and_samples() -> None:
    """Each seed has its own true score around 0.7; the test adds its binomial noise."""
    draw, trials, seeds, tried = np.random.default_rng(2), 1500, 4, 200
    truth = draw.normal(0.7, 0.05, (trials, seeds)).clip(0, 1)
    scores = draw.binomial(tried, truth) / tried
    ends = [over_seeds(row.tolist(), tried)[1:] for row in scores]
    covered = np.mean([low <= 0.7 <= high for low, high in ends])
    assert covered >= 0.94
