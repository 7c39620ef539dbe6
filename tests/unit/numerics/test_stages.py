"""Where a curve dwells and when it has crossed."""

from __future__ import annotations

import numpy as np
import pytest

from foretell.numerics.stages import Dwell, crossing, half_time, longest_dwell


def test_the_longest_of_several_stays_is_found_with_its_slope() -> None:
    steps = np.arange(0.0, 100, 10)
    curve = np.array([3.0, 2.0, 2.0, 3.0, 2.04, 2.02, 2.0, 1.98, 1.0, 0.0])
    found = longest_dwell(steps, curve, 2.0, 0.05)
    assert found is not None
    assert (found.first, found.last, found.length) == (40.0, 70.0, 30.0)
    assert found.slope == pytest.approx(-0.002)


def test_of_stays_equally_long_the_first_counts_and_one_point_is_a_stay_without_slope() -> None:
    steps = np.arange(5.0)
    assert longest_dwell(steps, np.array([1.0, 0, 1, 0, 0.5]), 1.0, 0.1) == Dwell(0.0, 0.0, 0.0)
    assert longest_dwell(steps, np.zeros(5), 1.0, 0.1) is None


def test_a_stay_may_last_from_the_first_step_to_the_last_however_unevenly_recorded() -> None:
    found = longest_dwell(np.array([0.0, 1, 50]), np.ones(3), 1.0, 0.0)
    assert found is not None and found.length == 50


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
