"""Rank agreement against scipy, against hand counts, and against chance."""

import numpy as np
import pytest
from scipy import stats

from foretell.numerics.ranks import LISTED, kendall, spearman
from foretell.plain.errors import BadInput

BOTH = ((kendall, stats.kendalltau), (spearman, stats.spearmanr))


@pytest.mark.parametrize(("ours", "theirs"), BOTH)
@pytest.mark.parametrize("count", [3, 8, 20, 60])
@pytest.mark.parametrize("ties", [False, True])
def test_the_values_are_scipys(ours, theirs, count, ties):
    generator = np.random.default_rng(count)
    first, second = generator.normal(size=(2, count))
    if ties:
        first, second = np.round(first), np.round(second + first)
    if len(set(first)) > 1 < len(set(second)):
        assert ours(first, second).value == pytest.approx(theirs(first, second).statistic)


@pytest.mark.parametrize("count", [5, 7, 8])
def test_few_things_get_the_exact_chance(count):
    first, second = np.random.default_rng(count).normal(size=(2, count))
    found = kendall(first, second)
    exact = stats.kendalltau(first, second, method="exact", alternative="greater")
    assert found.exact
    assert found.chance == pytest.approx(exact.pvalue)


@pytest.mark.parametrize(("ours", "theirs"), BOTH)
def test_many_things_get_an_estimate(ours, theirs):
    generator = np.random.default_rng(1)
    first = generator.normal(size=30)
    second = 0.3 * first + generator.normal(size=30)
    found, known = ours(first, second), theirs(first, second, alternative="greater")
    assert not found.exact
    assert found.chance == pytest.approx(known.pvalue, abs=4 * np.sqrt(known.pvalue / 9_999) + 0.01)
    assert found == ours(first, second)
    assert found.chance != ours(first, second, seed=1).chance


@pytest.mark.parametrize("ours", [kendall, spearman])
def test_agreement_and_its_opposite(ours):
    up = list(range(LISTED))
    assert ours(up, up).value == pytest.approx(1.0)
    assert ours(up, up).chance == pytest.approx(1 / 40_320)
    assert ours(up, up[::-1]).value == pytest.approx(-1.0)
    assert ours(up, up[::-1]).chance == 1.0
    long = list(range(40))
    assert ours(long, long).chance == pytest.approx(1e-4)


def test_by_hand_with_a_tie():
    """Pairs: (1,2)+, (1,3)+, (2,3) tied in the second: 2 / sqrt(3 · 2)."""
    assert kendall([1, 2, 3], [1, 2, 2]).value == pytest.approx(2 / np.sqrt(6))


def test_only_the_order_counts():
    first, second = np.random.default_rng(0).normal(size=(2, 12))
    assert kendall(first, second).value == kendall(np.exp(first), second**3).value
    assert spearman(first, second).value == pytest.approx(spearman(second, first).value)


@pytest.mark.parametrize("ours", [kendall, spearman])
@pytest.mark.parametrize(
    ("first", "second", "message"),
    [
        ([1, 2], [1, 2, 3], "one length"),
        ([1], [1], "at least two"),
        ([1, 2, float("nan")], [1, 2, 3], "finite"),
        ([1, 2, 3], [4, 4, 4], "no order"),
    ],
)
def test_bad_input(ours, first, second, message):
    with pytest.raises(BadInput, match=message):
        ours(first, second)
