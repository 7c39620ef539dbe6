"""Functions to experiment on."""

import itertools
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from foretell.boolean.drawing import draw_expansion, parity, tiling
from foretell.boolean.truth_table import every_input
from foretell.plain.errors import BadInput


@given(st.data())
@settings(max_examples=60, deadline=None)
def test_subsets_are_distinct_and_of_the_degree(data):
    bits = data.draw(st.integers(1, 40))
    degree = data.draw(st.integers(1, bits))
    sparsity = data.draw(st.integers(1, min(300, math.comb(bits, degree))))
    drawn = draw_expansion(bits, degree, sparsity, data.draw(st.integers(0, 2**32 - 1)))
    assert len(set(drawn.sets)) == drawn.sparsity == sparsity
    assert {len(each) for each in drawn.sets} == {degree}
    assert min(drawn.coefficients) > 0
    assert math.fsum(c * c for c in drawn.coefficients) == pytest.approx(1, abs=1e-12)


def test_a_seed_is_a_function():
    assert draw_expansion(20, 3, 7, 5) == draw_expansion(20, 3, 7, 5)
    assert draw_expansion(20, 3, 7, 5) != draw_expansion(20, 3, 7, 6)


@pytest.mark.parametrize("listed", [0, 1 << 12])
def test_all_subsets_are_equally_likely(listed, monkeypatch):
    monkeypatch.setattr("foretell.boolean.drawing.LISTED", listed)
    counts = dict.fromkeys(itertools.combinations(range(6), 3), 0)
    for seed in range(1500):
        for each in draw_expansion(6, 3, 4, seed).sets:
            counts[each] += 1
    expected = 1500 * 4 / 20
    assert sum((n - expected) ** 2 / expected for n in counts.values()) < 50  # 19 free, p = 1e-4


def test_far_more_subsets_than_can_be_listed():
    drawn = draw_expansion(1000, 400, 50)
    assert drawn.sparsity == 50 and drawn.degree == 400
    assert draw_expansion(20, 5, 15504).sparsity == math.comb(20, 5)


def test_coefficients_are_those_of_the_half_normal():
    drawn = np.array([draw_expansion(30, 3, 1000, seed).coefficients for seed in range(20)])
    share = np.mean(drawn * math.sqrt(1000) < 0.6745)  # the median of |N(0, 1)|
    assert abs(share - 0.5) < 0.02


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((20, 3, 1141), "1,140 subsets of 3 of 20"),
        ((20, 3, 0), "many components"),
        ((100, 50, 10**9), "at most 131,072"),
        ((20, 21, 1), "between 1 and the number of bits"),
        ((20, 0, 1), "between 1 and the number of bits"),
        ((0, 1, 1), "at least one bit"),
        ((20, 3, 7, -1), "seed"),
    ],
)
def test_what_cannot_be_drawn(arguments, message):
    with pytest.raises(BadInput, match=message):
        draw_expansion(*arguments)


def test_tiling_and_parity():
    tiled = tiling(20, 2)
    assert tiled.sparsity == 10 and sorted(sum(tiled.sets, ())) == list(range(20))
    assert np.allclose(tiled.coefficients, 1 / math.sqrt(10))
    with pytest.raises(BadInput, match="1, 2, 4, 5, 10, 20"):
        tiling(20, 3)
    rows = every_input(6)
    assert (parity(6)(rows) == 1 - rows.sum(axis=1) % 2).all()
    with pytest.raises(BadInput):
        parity(0)
