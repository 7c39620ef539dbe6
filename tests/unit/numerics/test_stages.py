"""Where a curve dwells and when it has crossed."""

from __future__ import annotations

import numpy as np
import pytest

from foretell.numerics.stages import crossing, flat_stay, half_time


def test_of_several_flat_windows_near_the_level_the_longest_counts() -> None:
    steps = np.arange(0.0, 100, 10)
    curve = np.array([3.0, 2.0, 2.0, 2.0, 3.0, 2.0, 2.0, 2.0, 2.0, 1.0])
    assert flat_stay(steps, curve, 2.0, 0.05, 1e-6) == (50.0, 80.0)
    assert flat_stay(steps, curve, 9.0, 0.05, 1e-6) == (0.0, 0.0)


def test_a_slope_through_the_level_is_no_stay_and_two_points_are_none() -> None:
    steps = np.arange(0.0, 1000, 10)
    assert flat_stay(steps, 2 - 0.002 * steps, 1.0, 0.05, 1e-5) == (0.0, 0.0)
    assert flat_stay(steps[:4], np.array([5.0, 1, 1, 5]), 1.0, 0.1, 1e-5) == (0.0, 0.0)


def test_windows_fitted_at_once_are_those_fitted_one_by_one() -> None:
    random = np.random.default_rng(0)
    steps = np.sort(random.uniform(0, 5000, 60))
    curve = np.cumsum(random.normal(size=60)) * 0.01
    found = [
        (steps[last] - steps[first], -first, (steps[first], steps[last]))
        for first in range(60)
        for last in range(first + 2, 60)
        if (np.abs(curve[first : last + 1]) <= 0.05).all()
        and abs(np.polyfit(steps[first : last + 1], curve[first : last + 1], 1)[0]) < 1e-5
    ]
    assert flat_stay(steps, curve, 0.0, 0.05, 1e-5) == max(found)[2]


def test_a_stay_may_last_from_the_first_step_to_the_last_however_unevenly_recorded() -> None:
    assert flat_stay(np.array([0.0, 1, 50]), np.ones(3), 1.0, 0.0, 1e-9) == (0.0, 50.0)


@pytest.mark.parametrize("flip", [1, -1])
def test_a_crossing_is_interpolated_in_either_direction_and_only_the_first_counts(
    flip: int,
) -> None:
    steps, curve = np.array([0.0, 10, 30, 40]), np.array([0.0, 1.0, 3.0, 0.0])
    assert crossing(steps, flip * curve, flip * 1.5) == pytest.approx(15)
    assert crossing(steps, flip * curve, flip * 9.0) is None


def test_half_of_the_way_to_the_last_value_or_to_a_given_end() -> None:
    steps = np.linspace(0, 5, 2001)
    curve = np.exp(-steps)
    assert half_time(steps, curve, 0.0) == pytest.approx(np.log(2), abs=1e-5)
    halfway = (1 + np.exp(-5)) / 2
    assert half_time(steps, curve) == pytest.approx(-np.log(halfway), abs=1e-5)
    assert half_time(steps, np.ones(2001)) is None
