"""Idempotent powers and inverses are those of multiplying step by step, however long cycles are."""

import numpy as np
import pytest

from foretell.languages.algebra.maps import Map, inverse, omega, omegas, then


def by_steps(one: Map) -> Map:
    power = one
    while (power[power] != power).any():
        power = then(power, one)
    return power


@pytest.mark.parametrize("states", range(1, 10))
def test_powers_and_inverses(states: int) -> None:
    maps = np.random.default_rng(states).integers(0, states, (200, states)).astype(np.uint8)
    expected = np.array([by_steps(one) for one in maps])
    assert (omegas(maps) == expected).all()
    for one, idempotent in zip(maps, expected, strict=True):
        turned = inverse(one)
        assert (then(turned, one) == idempotent).all() and (then(one, turned) == idempotent).all()
        assert (then(idempotent, turned) == turned).all()


def test_cycles_whose_common_multiple_is_in_the_millions_are_walked() -> None:
    moves, start = [], 0
    for length in (4, 3, 5, 7, 11, 13, 17, 19):  # 19,399,380 steps one by one
        moves += [start + (place + 1) % length for place in range(length)]
        start += length
    one = np.array([*moves, 0], np.uint8)  # and a state outside, leading into the first
    assert omega(one).tolist() == [*range(start), 3]  # once round, where it would have begun
    assert (then(inverse(one), one) == omega(one)).all()
