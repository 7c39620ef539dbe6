"""Spectra: acceptance check 1, both bases, influences and noise against their definitions."""

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from foretell.boolean.drawing import draw_expansion, parity
from foretell.boolean.expansion import Expansion
from foretell.boolean.spectrum import Spectrum
from foretell.boolean.truth_table import every_input, truth_table
from foretell.plain.errors import BadInput


@pytest.mark.parametrize("bits", [6, 8, 10, 12])
@pytest.mark.parametrize("degree", [1, 2, 3, 4, 5])
def test_degree_sparsity_and_variance_come_back(bits, degree):
    for sparsity in (1, bits // 2, min(bits, 6)):
        drawn = draw_expansion(bits, degree, sparsity, seed=bits * degree)
        table = truth_table(drawn, bits)
        spectrum = Spectrum.of_truth_table(table)
        assert (spectrum.degree, spectrum.sparsity) == (degree, sparsity)
        assert abs(spectrum.variance - 0.25) <= 1e-12 and abs(table.var() - 0.25) <= 1e-12
        assert spectrum.mean == pytest.approx(sum(drawn.coefficients) / 2, abs=1e-12)
        assert np.abs(spectrum.values() - table).max() <= 1e-12
        found = dict(zip(spectrum.expansion().sets, spectrum.expansion().coefficients, strict=True))
        for each, coefficient in zip(drawn.sets, drawn.coefficients, strict=True):
            assert found[each] == pytest.approx(coefficient, abs=1e-12)


@st.composite
def expansions(draw):
    bits = draw(st.integers(1, 8))
    every = [s for k in range(1, bits + 1) for s in itertools.combinations(range(bits), k)]
    sets = draw(st.lists(st.sampled_from(every), unique=True, max_size=6))
    number = st.floats(-100, 100).filter(lambda value: abs(value) > 1e-3)
    coefficients = draw(st.lists(number, min_size=len(sets), max_size=len(sets)))
    return Expansion(bits, tuple(sets), tuple(coefficients), draw(st.floats(-100, 100)))


@given(expansions())
@settings(max_examples=60, deadline=None)
def test_both_bases_describe_the_same_function(expansion):
    spectrum = Spectrum.of_expansion(expansion)
    rows = every_input(expansion.bits)
    assert np.allclose(spectrum.values(), expansion(rows), atol=1e-10)
    back = spectrum.expansion()
    assert dict(zip(back.sets, back.coefficients, strict=True)) == dict(
        zip(expansion.sets, expansion.coefficients, strict=True)
    )
    assert back.constant == pytest.approx(expansion.constant, abs=1e-11)
    assert (spectrum.degree, spectrum.sparsity) == (expansion.degree, expansion.sparsity)
    assert spectrum.norm == pytest.approx(np.mean(expansion(rows) ** 2), rel=1e-9, abs=1e-9)


@given(st.integers(1, 8), st.integers(0, 1000), st.floats(-1, 1))
@settings(max_examples=30, deadline=None)
def test_influences_and_noise_mean_what_they_say(bits, seed, correlation):
    table = np.random.default_rng(seed).standard_normal(1 << bits)
    spectrum = Spectrum.of_truth_table(table)
    inputs = np.arange(1 << bits)
    by_flips = [np.mean((table - table[inputs ^ 1 << bit]) ** 2) / 4 for bit in range(bits)]
    assert np.allclose(spectrum.influences, by_flips)
    assert spectrum.total_influence == pytest.approx(sum(by_flips))
    assert spectrum.weight_by_degree.sum() == pytest.approx(spectrum.norm)
    flip = (1 - correlation) / 2
    apart = np.bitwise_count(inputs[:, None] ^ inputs).astype(int)
    chance = flip**apart * (1 - flip) ** (bits - apart) / len(table)
    assert spectrum.noise_stability(correlation) == pytest.approx(table @ chance @ table, abs=1e-9)
    change = np.sum(chance * (table[:, None] - table) ** 2) / 4
    assert spectrum.noise_sensitivity(correlation) == pytest.approx(change, abs=1e-9)


def test_parity_is_all_influence_and_a_constant_is_none():
    whole = Spectrum.of_expansion(parity(5))
    assert whole.influences.tolist() == [0.25] * 5 and whole.noise_stability(0.5) == 0.25 + 1 / 128
    constant = Spectrum.of_truth_table(np.full(8, 3.0))
    assert (constant.degree, constant.sparsity, constant.mean) == (0, 0, 3.0)
    assert constant.expansion() == Expansion(3, (), (), 3.0)
    zero = Spectrum.of_truth_table(np.zeros(8))
    assert (zero.degree, zero.sparsity, zero.mean, zero.variance) == (0, 0, 0.0, 0.0)
    assert zero.weight_by_degree.tolist() == [0, 0, 0, 0] and zero.values().tolist() == [0] * 8


def test_the_tolerance_decides_what_counts():
    table = truth_table(draw_expansion(10, 2, 3), 10)
    noisy = table + 1e-3 * np.random.default_rng(0).standard_normal(len(table))
    assert Spectrum.of_truth_table(noisy).sparsity > 500
    loose = Spectrum.of_truth_table(noisy, tolerance=1e-3)
    assert (loose.degree, loose.sparsity) == (2, 3)
    assert loose.expansion().sparsity == 3
    single = Spectrum.of_truth_table(table.astype(np.float32))
    assert (single.degree, single.sparsity) == (2, 3)


def test_the_largest_components_come_in_order():
    drawn = draw_expansion(12, 3, 8, seed=1)
    order = sorted(zip(drawn.coefficients, drawn.sets, strict=True), reverse=True)
    spectrum = Spectrum.of_expansion(drawn)
    assert [each for each, _ in spectrum.largest(5)] == [each for _, each in order[:5]]
    assert len(spectrum.largest(100)) == 8 and spectrum.largest(0) == ()
    equal = Spectrum.of_truth_table(np.array([0.0, 0.0, 0.0, 1.0]))
    assert [each for each, _ in equal.largest(2)] == [(0,), (1,)]


def test_more_bits_than_the_transform_takes():
    wide = Spectrum.of_expansion(Expansion(60, ((0, 59), (3,)), (1.0, -2.0)))
    assert (wide.degree, wide.sparsity, wide.expansion().sets) == (2, 2, ((3,), (0, 59)))
    with pytest.raises(BadInput, match="memory"):
        wide.values()
    with pytest.raises(BadInput, match="62 bits"):
        Spectrum.of_expansion(Expansion(100, ((99,),), (1.0,)))


def test_bad_spectra_are_refused():
    with pytest.raises(BadInput, match="one axis"):
        Spectrum.of_truth_table(np.zeros((2, 4)))
    with pytest.raises(BadInput, match="ascend"):
        Spectrum(2, np.array([2, 1]), np.ones(2))
    with pytest.raises(BadInput, match="ascend"):
        Spectrum(2, np.array([1, 1]), np.ones(2))
    with pytest.raises(BadInput, match="ascend"):
        Spectrum(2, np.array([4]), np.ones(1))
    with pytest.raises(BadInput, match="one coefficient"):
        Spectrum(2, np.array([1]), np.ones(2))
    with pytest.raises(BadInput, match="finite"):
        Spectrum(2, np.array([1]), np.array([np.nan]))
    with pytest.raises(BadInput, match="tolerance"):
        Spectrum(2, np.array([1]), np.ones(1), -1.0)
    good = Spectrum.of_truth_table(np.random.default_rng(0).standard_normal(8))
    for wrong in (1.5, -2.0, np.nan):
        with pytest.raises(BadInput, match="correlation"):
            good.noise_stability(wrong)
    with pytest.raises(BadInput, match="components"):
        good.largest(-1)
    with pytest.raises(ValueError, match="read-only"):
        good.coefficients[0] = 1.0


def test_a_dense_spectrum_is_not_written_out():
    dense = Spectrum.of_truth_table(np.random.default_rng(0).standard_normal(1 << 18))
    assert dense.sparsity == 2**18 - 1
    with pytest.raises(BadInput, match="too dense"):
        dense.expansion()


def test_sets_listed_twice_are_refused():
    with pytest.raises(BadInput, match="twice"):
        Expansion(3, ((0, 1), (1, 0)), (1.0, 2.0))
