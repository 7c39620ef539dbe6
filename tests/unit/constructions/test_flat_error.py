import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from foretell.boolean.expansion import Expansion
from foretell.constructions.flat import build_flat
from foretell.constructions.flat_error import (
    all_inputs,
    error_at,
    exact_error,
    measured_error,
)
from foretell.constructions.flat_forward import flat_outputs
from foretell.numerics.precision import double_precision
from foretell.plain.errors import BadInput

ROUNDING = 1e-12


def both(expansion, scale=(2.0, 2.0), ramp="narrow"):
    weights = build_flat(expansion, scale, ramp)
    return exact_error(expansion, scale, ramp), measured_error(weights, expansion)


def single(bits, degree):
    return Expansion(bits, (tuple(range(degree)),), (1.0,))


@pytest.mark.parametrize("ramp", ["narrow", "wide"])
def test_the_worked_example_errs_as_stated(published, ramp):
    stated, measured = both(published, (2, 4), ramp)
    assert measured.largest == pytest.approx(1.219888e-3, rel=1e-4)
    assert stated.largest == pytest.approx(measured.largest, rel=1e-9)
    assert measured.parity < ROUNDING


@pytest.mark.parametrize("bits", [4, 5, 8])
@pytest.mark.parametrize("sparsity", [1, 2, 4])
def test_published_scales_give_exact_parities_and_the_published_error(drawn, bits, sparsity):
    for degree in range(1, min(bits, 5)):
        stated, measured = both(drawn(bits, degree, sparsity, 0))
        bound = (bits + 1 - sparsity) / bits**2
        assert measured.parity < ROUNDING and stated.parity == 0
        assert measured.largest <= stated.largest + ROUNDING <= bound + 2 * ROUNDING


@pytest.mark.slow
@pytest.mark.parametrize("ramp", ["narrow", "wide"])
@pytest.mark.parametrize("bits", range(8, 13))
def test_published_scales_over_all_classes(drawn, bits, ramp):
    worst = 0.0
    for degree in range(1, 6):
        for sparsity in range(1, bits + 1):
            stated, measured = both(drawn(bits, degree, sparsity, 1), ramp=ramp)
            assert measured.parity < ROUNDING
            assert measured.largest <= stated.largest + ROUNDING
            assert stated.largest <= (bits + 1 - sparsity) / bits**2
            worst = max(worst, measured.largest / stated.largest)
    assert worst == pytest.approx(1.0, abs=1e-4)  # the formula is tight


@pytest.mark.parametrize(
    ("scale", "expected"),
    [
        (2, {8: 0.111111, 12: 0.0769231}),
        (3, {8: 1.54e-2, 12: 6.90e-3}),
        (4, {8: 1.95e-3, 12: 5.78e-4}),
        (6, {8: 3.05e-5, 12: 4.02e-6}),
        (8, {8: 4.77e-7, 12: 2.79e-8}),
    ],
)
def test_one_component_errs_as_in_the_table(scale, expected):
    for bits, value in expected.items():
        stated, measured = both(single(bits, 2), (scale, scale))
        rest = bits ** (1.0 - scale)
        assert measured.largest == pytest.approx(rest / (1 + rest), rel=1e-6)
        assert stated.largest == pytest.approx(measured.largest, rel=1e-6)
        assert measured.largest == pytest.approx(value, rel=5e-3)


@pytest.mark.parametrize(
    ("bits", "expected"), [(8, 0.278), (9, 0.250), (10, 0.240), (11, 0.232), (12, 0.224)]
)
def test_half_way_scales_err_as_in_the_table(bits, expected):
    found = [both(single(bits, degree), (1.5, 1.5), "wide") for degree in range(1, 6)]
    assert max(measured.largest for _, measured in found) == pytest.approx(expected, abs=1e-3)
    exact = all(measured.parity < ROUNDING for _, measured in found)
    assert exact == (bits >= 10) == all(stated.parity == 0 for stated, _ in found)


def test_at_twenty_bits_the_error_is_known_without_running_all_inputs():
    stated = exact_error(single(20, 3))
    assert stated.largest == pytest.approx(0.047619, abs=1e-6)
    inputs = np.concatenate(
        [np.random.default_rng(0).integers(0, 2, (200, 20)), np.eye(20, dtype=int)]
    )
    with double_precision():
        values = np.asarray(flat_outputs(build_flat(single(20, 3)), inputs))
    found = values - single(20, 3)(inputs)
    np.testing.assert_allclose(found, error_at(single(20, 3), inputs), atol=ROUNDING)
    assert np.abs(found).max() <= stated.largest + ROUNDING
    # the largest error needs a function value of 0 with all idle positions at 1, or the reverse
    assert np.abs(found).max() == pytest.approx(stated.largest, rel=0.01)


@pytest.mark.parametrize("bits", [8, 10, 12])
def test_two_more_in_the_scale_is_a_factor_of_the_length_squared(bits):
    errors = [both(single(bits, 2), (2, scale))[1].largest for scale in (4, 6)]
    assert errors[0] / errors[1] == pytest.approx(bits**2, rel=0.01)


@pytest.mark.parametrize("bits", range(8, 13))
def test_a_scale_of_one_fails(bits):
    found = [both(single(bits, degree), (1, 1), "wide") for degree in range(1, 6)]
    assert max(measured.parity for _, measured in found) > 0.5
    for stated, measured in found:
        assert measured.parity <= stated.parity + ROUNDING
        assert measured.largest <= stated.largest + ROUNDING
    with pytest.raises(BadInput, match="not exact"):
        error_at(single(bits, 5), all_inputs(4), (1.0, 1.0))


@st.composite
def cases(draw):
    """Any function with at most seven bits: subsets of all sizes, coefficients of both signs."""
    bits = draw(st.integers(2, 7))
    numbers = st.integers(1, 2**bits - 1)
    chosen = draw(st.lists(numbers, min_size=1, max_size=bits, unique=True))
    sets = tuple(tuple(i for i in range(bits) if number >> i & 1) for number in chosen)
    size = st.floats(0.01, 5.0)
    coefficients = tuple(
        draw(size) * draw(st.sampled_from([1.0, -1.0])) for _ in range(len(chosen))
    )
    constant = draw(st.sampled_from([0.0, 0.0, -1.5, 0.25]))
    return bits, sets, coefficients, constant


@settings(max_examples=25, deadline=None)
@given(cases(), st.sampled_from([1.0, 1.5, 2.0, 3.0]), st.floats(1.0, 6.0))
def test_no_function_errs_more_than_stated(case, first, second):
    expansion = Expansion(*case)
    for ramp in ("narrow", "wide"):
        stated, measured = both(expansion, (first, second), ramp)
        assert measured.largest <= stated.largest * (1 + 1e-9) + ROUNDING
        assert measured.parity <= stated.parity + ROUNDING


@settings(max_examples=15, deadline=None)
@given(cases(), st.floats(1.0, 6.0))
def test_the_error_at_an_input_is_the_formula(case, second):
    expansion = Expansion(*case)
    inputs, scale = all_inputs(expansion.bits), (4.0, second)
    with double_precision():
        values = np.asarray(flat_outputs(build_flat(expansion, scale), inputs))
    expected = error_at(expansion, inputs, scale)
    np.testing.assert_allclose(values - expansion(inputs), expected, atol=1e-11)


def test_all_degrees_and_signs_at_once():
    """As many components as positions, degree 1 to 8, a constant: near after a scale of 6."""
    sets = tuple(tuple(range(size)) for size in range(1, 9))
    signs = [(-1.0) ** number * (1 + number) / 8 for number in range(8)]
    expansion = Expansion(8, sets, tuple(signs), -0.75)
    stated, measured = both(expansion, (2, 6))
    assert measured.parity < ROUNDING
    assert 0 < measured.largest <= stated.largest < 1e-4


def test_only_negative_coefficients_need_one_head():
    expansion = Expansion(4, ((0, 1), (2,)), (-1.0, -0.5), 2.0)
    weights = build_flat(expansion, (2, 8))
    assert weights.attention2.shape[0] == 1
    assert measured_error(weights, expansion).largest < 1e-4


def test_the_constant_costs_nothing():
    sets, coefficients = ((0, 1), (2,)), (0.5, -2.0)
    errors = []
    for constant in (0.0, 7.0):
        expansion = Expansion(4, sets, coefficients, constant)
        errors.append(measured_error(build_flat(expansion), expansion).largest)
    assert math.isclose(*errors, abs_tol=1e-12)


def test_too_many_bits_to_run_are_refused():
    with pytest.raises(BadInput, match="too many bits"):
        measured_error(build_flat(single(13, 1)), single(13, 1))
