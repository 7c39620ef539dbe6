"""The query-only testers: acceptance checks 23 and 24, one-sidedness, noise, bad input."""

import json
import math

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from foretell.boolean.drawing import draw_expansion, parity, tiling
from foretell.boolean.spectrum import Spectrum
from foretell.boolean.testing_degree import chance_to_show, find_degree, weight_above
from foretell.boolean.testing_width import find_width, independent
from foretell.boolean.truth_table import every_input
from foretell.plain.errors import BadInput


def exact_degrees(functions_of_each):
    """Share of exact answers over the classes of the published figure; none may be above."""
    right = []
    for degree in range(1, 6):
        for sparsity in (1, 7, 14, 20):
            for seed in range(functions_of_each):
                drawn = draw_expansion(20, degree, sparsity, 1000 * degree + 10 * sparsity + seed)
                found = find_degree(drawn, 20, each_level_alone=True, seed=seed)
                assert found.found <= degree and found.trials == 461
                right.append(found.found == degree)
    return np.mean(right)


def test_degrees_are_found():
    assert exact_degrees(1) >= 0.9


@pytest.mark.slow
def test_degrees_are_found_on_all_160_functions():
    assert exact_degrees(8) >= 0.98


def visible(expansion, epsilon):
    """How many components hold all but half of epsilon of the weight."""
    weights = np.sort(np.square(expansion.coefficients))
    return int(np.sum(np.cumsum(weights) > epsilon / 2 * weights.sum()))


def exact_widths(sparsity, count, epsilon=1e-6):
    """Share that is exact, and share that is all the test could see at that epsilon."""
    exact, seen = [], []
    for seed in range(count):
        drawn = draw_expansion(20, seed % 5 + 1, sparsity, seed)
        found = find_width(drawn, 20, epsilon=epsilon, seed=seed)
        assert found.found <= sparsity and found.queries == 5 * 2**14
        exact.append(found.found == sparsity)
        seen.append(found.found == visible(drawn, epsilon))
    return np.mean(exact), np.mean(seen)


@pytest.mark.parametrize("sparsity", [1, 7, 20])
def test_widths_are_found(sparsity):
    exact, seen = exact_widths(sparsity, 10)
    assert exact >= 0.7 and seen >= 0.9


@pytest.mark.slow
@pytest.mark.parametrize(("sparsity", "least"), [(1, 1.0), (7, 0.85), (14, 0.85), (20, 0.9)])
def test_widths_are_found_on_many_functions(sparsity, least):
    # With 20 components, one function in twenty has one whose share is below half of epsilon,
    # so no test at that epsilon is exact more often than 95 times in 100 on average.
    exact, seen = exact_widths(sparsity, 200)
    assert exact >= least and seen >= 0.98
    exact, _ = exact_widths(sparsity, 60, epsilon=1e-10)
    assert exact >= 0.95


@given(st.integers(2, 12), st.integers(0, 2**31), st.data())
@settings(max_examples=40, deadline=None)
def test_they_are_never_above(bits, seed, data):
    degree = data.draw(st.integers(1, bits))
    sparsity = data.draw(st.integers(1, min(9, math.comb(bits, degree))))
    drawn = draw_expansion(bits, degree, sparsity, seed)
    assert find_degree(drawn, bits, epsilon=0.1, seed=seed).found <= degree
    for affine in (True, False):
        found = find_width(drawn, bits, dimension=6, affine=affine, seed=seed)
        assert found.found <= sparsity


def test_functions_that_would_fool_other_tests():
    # A parity never cancels under flips of blocks that overlap; majority has many degrees.
    assert find_degree(parity(6), 6).found == 6
    assert find_degree(lambda rows: rows.sum(axis=1) > 3, 7).found == 7
    assert find_degree(lambda rows: np.zeros(len(rows)), 30).found == 0
    assert find_width(lambda rows: np.full(len(rows), 2.5), 30, dimension=6).found == 0
    assert find_width(parity(40), 40).found == 1
    assert find_width(tiling(60, 3), 60).found == 20


def test_coordinates_collide_more_than_directions():
    drawn = [draw_expansion(40, 2, 14, seed) for seed in range(12)]
    along = [
        find_width(f, 40, dimension=10, affine=False, seed=i).found for i, f in enumerate(drawn)
    ]
    across = [find_width(f, 40, dimension=10, seed=i).found for i, f in enumerate(drawn)]
    assert np.mean(along) < np.mean(across) - 2 and max(across) <= 14


def test_a_noisy_model_with_a_tolerance():
    drawn = draw_expansion(20, 3, 4, seed=1)

    def model(rows):
        odd = jnp.asarray(rows) @ jnp.asarray(drawn.indicator).T % 2
        values = (1.0 - odd) @ jnp.array(drawn.coefficients, jnp.float32)
        return values + 0.01 * jnp.sin(1e4 * jnp.asarray(rows) @ jnp.arange(1.0, 21.0) ** 2)

    model = jax.jit(model)
    noisy = find_degree(model, 20, tolerance=0.01)
    assert noisy.found == 3 and noisy.accepted
    assert find_degree(model, 20, most=5).found > 3  # without it, the noise is part of the function
    width = find_width(model, 20, tolerance=0.01, dimension=12)
    assert width.found == 4
    assert find_width(model, 20, dimension=12).found > 100


def test_no_level_passes():
    found = find_degree(parity(12), 12, most=3, epsilon=0.1)
    assert (found.found, found.accepted, len(found.levels)) == (4, False, 4)
    assert "no upper bound" in found.meaning and "at least 4" in found.meaning
    width = find_width(tiling(20, 1), 20, most=5)
    assert (width.found, width.accepted) == (6, False)
    assert [level.accepted for level in width.levels] == [False] * 6


def test_every_level_says_what_it_saw_and_asked():
    found = find_degree(tiling(20, 4), 20, epsilon=0.05, delta=0.01, most=6)
    trials = math.ceil(math.log(7 / 0.01) / 0.05)
    assert found.trials == trials
    assert [level.level for level in found.levels] == [0, 1, 2, 3, 4]
    assert [level.queries for level in found.levels] == [trials * 2 ** (d + 1) for d in range(5)]
    assert [level.accepted for level in found.levels] == [False] * 4 + [True]
    assert all((level.statistic <= 1e-7) == level.accepted for level in found.levels)
    assert found.confidence == 0.99 and "confidence 0.99" in found.meaning
    assert "certain" in found.meaning and "5% of all trials" in found.meaning
    alone = find_degree(tiling(20, 4), 20, epsilon=0.05, each_level_alone=True)
    assert alone.trials == 93 and "taken alone" in alone.meaning
    document = json.loads(json.dumps(found.as_json()))
    assert document["queries"] == found.queries == sum(each.queries for each in found.levels)


def test_memory_blocks_change_nothing_but_the_queries(monkeypatch):
    drawn = draw_expansion(16, 2, 5)
    whole = find_degree(drawn, 16, epsilon=0.05), find_width(drawn, 16, dimension=8)
    monkeypatch.setattr("foretell.boolean.testing_degree.BYTES_AT_ONCE", 1 << 10)
    monkeypatch.setattr("foretell.boolean.testing_width.BYTES_AT_ONCE", 1 << 12)
    parts = find_degree(drawn, 16, epsilon=0.05), find_width(drawn, 16, dimension=8)
    assert [each.found for each in whole] == [each.found for each in parts] == [2, 5]
    assert parts[0].queries < whole[0].queries  # a refused level stops at the first block


@pytest.mark.parametrize("bits", [3, 6, 10])
def test_the_chance_to_show_is_the_mean_square_of_trials(bits):
    # Against sampling, and against the published values for a set of d + 1 bits.
    for degree in range(min(bits, 5)):
        c = degree + 1
        chances = chance_to_show(bits, degree)
        assert np.allclose(chances[:c], 0)
        first = math.factorial(c) * (c**-c + (c + 1) ** -c) / 2
        assert chances[c] == pytest.approx(first)
    generator = np.random.default_rng(0)
    labels = [generator.integers(0, 3 + unused, (40000, bits)) for unused in (0, 1)]
    shown = [
        np.all([(each == block).sum(axis=1) % 2 for block in range(3)], axis=0).mean()
        for each in labels
    ]
    assert chance_to_show(bits, 2)[bits] == pytest.approx(np.mean(shown), abs=0.01)


def test_the_weight_above_is_bounded():
    generator = np.random.default_rng(0)
    rows = every_input(8)
    for seed in range(10):
        table = generator.standard_normal(256) * (generator.random(256) < 0.01)
        function = lambda rows, table=table: table[rows @ (1 << np.arange(8))]  # noqa: E731
        found = find_degree(function, 8, epsilon=0.5, delta=0.01, seed=seed)
        spread = max(np.ptp(table), 1e-9)
        weight = Spectrum.of_truth_table(function(rows)).weight_by_degree[found.found + 1 :].sum()
        assert weight <= weight_above(found, spread)
    assert weight_above(find_degree(parity(4), 4), 1.0) == 0.0
    with pytest.raises(BadInput, match="accepted degree"):
        weight_above(find_degree(parity(9), 9, most=2), 1.0)
    with pytest.raises(BadInput, match="spread"):
        weight_above(find_degree(parity(4), 4), 0.0)


def test_directions_are_independent():
    generator = np.random.default_rng(0)
    sets = generator.integers(0, 2, (200, 5, 6), dtype=np.int8)
    coefficients = every_input(5)[1:].astype(int)
    dependent = [(coefficients @ each % 2 == 0).all(axis=1).any() for each in sets]
    assert (independent(sets) == ~np.array(dependent)).all()
    assert 0 < sum(dependent) < 200


@pytest.mark.parametrize("find", [find_degree, find_width])
@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"delta": 0.0}, "delta"),
        ({"delta": 1.0}, "delta"),
        ({"delta": -0.5}, "delta"),
        ({"delta": math.nan}, "delta"),
        ({"epsilon": 0.0}, "epsilon"),
        ({"epsilon": 1.5}, "epsilon"),
        ({"epsilon": math.nan}, "epsilon"),
        ({"tolerance": -1.0}, "tolerance"),
        ({"tolerance": math.inf}, "tolerance"),
        ({"most": -1}, "largest"),
        ({"seed": -1}, "seed"),
        ({"bits": 0}, "at least one bit"),
        ({"bits": 19}, "another number of bits"),
    ],
)
def test_settings_that_cannot_be(find, options, message):
    with pytest.raises(BadInput, match=message):
        find(tiling(20, 2), **({"bits": 20} | options))


def test_settings_of_one_tester():
    for wrong in (0, 21):
        with pytest.raises(BadInput, match="dimension"):
            find_width(tiling(20, 2), 20, dimension=wrong)
    with pytest.raises(BadInput, match="between 0 and 15"):
        find_degree(tiling(20, 2), 20, most=16)
    with pytest.raises(BadInput, match="too many values"):
        find_degree(tiling(20, 2), 20, epsilon=1e-9)


@pytest.mark.parametrize("find", [find_degree, find_width])
def test_answers_that_cannot_be_used(find):
    with pytest.raises(BadInput, match="wrong shape"):
        find(lambda rows: rows, 20)
    with pytest.raises(BadInput, match="not finite"):
        find(lambda rows: np.where(rows[:, 0], np.nan, 0.0), 20)
