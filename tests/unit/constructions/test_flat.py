import math

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from foretell.boolean.expansion import Expansion
from foretell.constructions.flat import (
    Lookup,
    build_flat,
    parameter_count,
    squared_norm,
    squared_norms,
)
from foretell.constructions.flat_error import all_inputs
from foretell.constructions.flat_forward import flat_outputs
from foretell.numerics.precision import double_precision
from foretell.plain.errors import BadInput


def norm_bound(sparsity, degree, bits):
    """The published bound on the squared norm."""
    table = 8 * (degree + 1) + 16 * degree**2 * (degree + 1)
    return 1 + sparsity + table + 4 * math.log(bits) ** 2 * sparsity * (degree + 1)


def test_the_worked_example_has_the_stated_norms_and_count(published):
    wide, narrow = (build_flat(published, (2, 4), ramp) for ramp in ("wide", "narrow"))
    assert squared_norm(wide) == pytest.approx(509.4576, rel=1e-6)
    assert squared_norm(narrow) == pytest.approx(892.9888, rel=1e-6)
    assert parameter_count(wide) == parameter_count(narrow) == 562


@pytest.mark.parametrize(("bits", "degree"), [(4, 1), (8, 2), (8, 5), (20, 2)])
def test_the_count_is_the_formula(drawn, bits, degree):
    width = bits + 2
    weights = build_flat(drawn(bits, degree, 3, 0))
    assert parameter_count(weights) == 3 * width**2 + width + (8 * width + 4) * (degree + 1)


def test_wide_ramps_keep_the_published_norm_bound_and_narrow_ones_do_not(tiling):
    bound = norm_bound(10, 2, 20)
    assert bound == pytest.approx(1303.9294, abs=1e-4)
    wide, narrow = (squared_norm(build_flat(tiling, ramp=ramp)) for ramp in ("wide", "narrow"))
    assert wide == pytest.approx(1109.163, abs=0.01) and wide <= bound
    assert narrow == pytest.approx(1492.694, abs=0.01) and narrow > bound
    corrected = bound - 16 * 4 * 3 + 64 * 4 * (2 // 2 + 1)
    assert narrow <= corrected == pytest.approx(1623.93, abs=0.01)


@pytest.mark.parametrize("degree", range(1, 6))
def test_the_output_matrix_has_the_norm_of_its_formula(drawn, degree):
    even = degree // 2 + 1
    for ramp, factor in (("narrow", 64), ("wide", 16)):
        found = squared_norms(build_flat(drawn(8, degree, 3, 0), ramp=ramp))
        assert found["mlp_out"] == pytest.approx(factor * degree**2 * even)
        assert found["mlp_bias"] <= 4 * (degree + 1)
        assert found["mlp_in"] == 4 * (degree + 1)


@pytest.mark.parametrize("ramp", ["narrow", "wide"])
@pytest.mark.parametrize("degree", range(1, 7))
def test_hinges_and_trapezoids_are_the_same_function(degree, ramp):
    table = Lookup(degree, ramp)
    shares = np.linspace(0, 1, 997)
    rows = table.rows()
    by_hinges = np.maximum(shares[:, None] + rows.bias, 0) @ rows.height
    np.testing.assert_allclose(by_hinges, table(shares), atol=1e-12)
    exact = np.arange(degree + 1) / degree
    for off in (-table.flat, 0.0, table.flat):
        np.testing.assert_allclose(table(exact + off), 1.0 - np.arange(degree + 1) % 2, atol=1e-12)


def test_single_precision_is_single_and_near(published):
    weights, inputs = build_flat(published, (2, 4)), all_inputs(8)
    single = flat_outputs(jax.tree.map(jnp.float32, weights), inputs)
    with double_precision():
        double = flat_outputs(weights, inputs)
        assert double.dtype == np.float64
    assert single.dtype == np.float32
    np.testing.assert_allclose(single, double, atol=2e-5)


@pytest.mark.parametrize(
    ("expansion", "options", "message"),
    [
        (Expansion(3, (), (), 1.0), {}, "constant function"),
        (Expansion(2, ((0,), (1,), (0, 1)), (1.0, 1.0, 1.0)), {}, "more components than positions"),
        (Expansion(2, ((0,),), (1.0,)), {"ramp": "steep"}, "no such ramp"),
        (Expansion(2, ((0,),), (1.0,)), {"attention_scale": (2.0, 0.0)}, "positive"),
        (Expansion(2, ((0,),), (1.0,)), {"attention_scale": (math.nan, 2.0)}, "positive"),
    ],
)
def test_what_cannot_be_built_is_refused(expansion, options, message):
    with pytest.raises(BadInput, match=message):
        build_flat(expansion, **options)
