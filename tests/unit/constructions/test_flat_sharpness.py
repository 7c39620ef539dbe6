"""Gradients and traces of the flat construction against the numbers of the spec."""

import math

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from foretell.boolean.expansion import Expansion
from foretell.constructions.flat import build_flat, squared_norm
from foretell.constructions.flat_error import all_inputs
from foretell.constructions.flat_forward import flat_output, squared_error
from foretell.constructions.flat_sharpness import gradient_bounds, largest_activity
from foretell.numerics.curvature import estimate, gradient_norms
from foretell.numerics.keys import root_key
from foretell.numerics.precision import double_precision
from foretell.plain.errors import BadInput

RAMPS = ("narrow", "wide")
CLASSES = [(degree, sparsity) for degree in range(1, 6) for sparsity in (1, 7, 14, 20)]


def published_bound(sparsity, degree):
    return 4 + 4 * sparsity * (2 + degree + 32 * degree**2 + 32 * degree**3)


def last_row_output(parameters, bits):
    """The output as a function of all but the other rows of the MLP's output matrix."""
    weights, row = parameters
    return flat_output(
        weights._replace(mlp_out=jnp.zeros_like(weights.mlp_out).at[-1].set(row)), bits
    )


def squared_gradients(expansion, inputs, scale=(2.0, 2.0), ramp="narrow"):
    """Of all parameters at each input, and by block."""
    with double_precision():
        weights = jax.tree.map(jnp.asarray, build_flat(expansion, scale, ramp))
        found = gradient_norms(flat_output, weights, jnp.asarray(inputs))
        return np.asarray(found.total), {name: np.asarray(b) for name, b in found.blocks.items()}


def trace(expansion, scale, ramp):
    inputs = all_inputs(expansion.bits)
    with double_precision():
        weights = jax.tree.map(jnp.asarray, build_flat(expansion, scale, ramp))
        data = (jnp.asarray(inputs), jnp.asarray(expansion(inputs)))
        return float(estimate(squared_error, weights, data, root_key(0), 0, "exact").value)


@pytest.mark.parametrize(("ramp", "expected"), [("wide", 602.784), ("narrow", 2217.976)])
def test_the_worked_example_has_the_stated_trace(published, ramp, expected):
    found = trace(published, (2, 4), ramp)
    assert found == pytest.approx(expected, rel=1e-6)
    total, _ = squared_gradients(published, all_inputs(8), (2, 4), ramp)
    assert 2 * total.mean() == pytest.approx(found, rel=1e-4)


@pytest.mark.slow
def test_the_one_bit_row_of_the_table():
    one = Expansion(8, ((0,),), (1.0,))
    total, _ = squared_gradients(one, all_inputs(8), (2, 2), "wide")
    assert trace(one, (2, 2), "wide") == pytest.approx(44.31, abs=0.005)
    assert 2 * total.mean() == pytest.approx(44.07, abs=0.005)
    assert 2 * total.max() == pytest.approx(75.29, abs=0.005)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("degree", "sparsity", "second", "allowed"),
    [(1, 8, 2, 6e-3), (2, 4, 2, 6e-3), (2, 4, 4, 5e-4), (3, 8, 4, 5e-4), (5, 8, 2, 6e-3)],
)
def test_the_part_of_the_trace_from_the_error_is_small(drawn, degree, sparsity, second, allowed):
    """The spec's 2e-5 for the larger scale holds for some functions only; 3e-4 was seen."""
    expansion = drawn(8, degree, sparsity, 0)
    total, _ = squared_gradients(expansion, all_inputs(8), (2, second), "wide")
    assert trace(expansion, (2, second), "wide") == pytest.approx(2 * total.mean(), rel=allowed)
    assert total.max() <= published_bound(sparsity, degree)


@pytest.mark.parametrize("ramp", RAMPS)
@pytest.mark.parametrize("degree", range(1, 6))
def test_the_bias_gradient_of_one_component_is_its_formula(degree, ramp):
    slope = {"wide": 2, "narrow": 4}[ramp] * degree
    one = Expansion(8, (tuple(range(degree)),), (1.0,))
    _, blocks = squared_gradients(one, all_inputs(8), (8, 8), ramp)
    bias = blocks["mlp_bias"]
    assert bias.mean() == pytest.approx(slope**2 * (degree + 2), rel=1e-5)
    assert bias.max() == pytest.approx(2 * slope**2 * (degree + 1), rel=1e-5)
    assert blocks["mlp_in"].max() == pytest.approx(bias.max(), rel=1e-5)


@pytest.mark.parametrize(
    ("ramp", "ones", "zeros"), [("wide", 3951.181, 645.322), ("narrow", 15444.718, 2563.759)]
)
def test_the_tiling_at_all_ones_and_all_zeros(tiling, ramp, ones, zeros):
    inputs = np.stack([np.ones(20, int), np.zeros(20, int)])
    total, _ = squared_gradients(tiling, inputs, ramp=ramp)
    assert 2 * total == pytest.approx([ones, zeros], rel=1e-6)


def extreme_inputs(degree):
    """Every number of ones inside the first `degree` bits with every number outside."""
    rows = [
        [1] * inside + [0] * (degree - inside) + [1] * outside + [0] * (20 - degree - outside)
        for inside in range(degree + 1)
        for outside in range(21 - degree)
    ]
    return np.array(rows)


def over_all_inputs(degree, ramp):
    """Mean, standard deviation and maximum of 2‖g‖² over all inputs, one component of 20 bits.

    It sees only counts of ones, so a few inputs with their frequencies are all there is to see.
    """
    one, inputs = Expansion(20, (tuple(range(degree)),), (1.0,)), extreme_inputs(degree)
    inside, outside = inputs[:, :degree].sum(axis=1), inputs[:, degree:].sum(axis=1)
    ways = [
        math.comb(degree, i) * math.comb(20 - degree, o)
        for i, o in zip(inside, outside, strict=True)
    ]
    share = np.array(ways) / 2**20
    assert share.sum() == 1
    found = 2 * squared_gradients(one, inputs, ramp=ramp)[0]
    mean = share @ found
    return mean, math.sqrt(share @ np.square(found - mean)), found.max()


@pytest.mark.parametrize("ramp", RAMPS)
@pytest.mark.parametrize("degree", [1, 3, 5])
def test_one_component_of_twenty_bits_over_all_inputs(degree, ramp):
    one = Expansion(20, (tuple(range(degree)),), (1.0,))
    _, _, largest = over_all_inputs(degree, ramp)
    assert largest <= 2 * min(published_bound(1, degree), gradient_bounds(one, ramp=ramp).full)


def test_the_smallest_slack_of_the_published_bound():
    """The spec has 2.06, the largest of 512 random inputs; over all inputs it is 2.0068."""
    one = Expansion(20, (tuple(range(5)),), (1.0,))
    seen = np.array([[1] * 16 + [0] * 4])
    assert 2 * squared_gradients(one, seen)[0][0] == pytest.approx(18697.5, abs=0.05)
    slacks = [2 * published_bound(1, k) / over_all_inputs(k, "narrow")[2] for k in (1, 3, 5)]
    assert min(slacks) == slacks[2] == pytest.approx(2.0068, abs=1e-4)


@pytest.mark.parametrize(
    ("degree", "ramp", "mean", "largest", "norm"),
    [
        (1, "wide", 45.8, 75.7, 10.2),
        (1, "narrow", 156.5, 261.5, 12.3),
        (3, "wide", 519, 1124, 21.4),
        (3, "narrow", 2050, 4448, 36.3),
    ],
)
def test_the_rows_of_one_component_of_twenty_bits(degree, ramp, mean, largest, norm):
    """The spec took 512 random inputs: its mean may be off by three of their standard errors."""
    expected, deviation, most = over_all_inputs(degree, ramp)
    assert abs(expected - mean) < 3 * deviation / math.sqrt(512)
    assert 0.95 * most < largest <= most
    weights = build_flat(Expansion(20, (tuple(range(degree)),), (1.0,)), ramp=ramp)
    assert math.sqrt(squared_norm(weights)) == pytest.approx(norm, abs=0.05)


@pytest.mark.parametrize("ramp", RAMPS)
@pytest.mark.parametrize(("degree", "sparsity"), [(1, 20), (5, 7)])
def test_twenty_bits_keep_all_bounds(drawn, degree, sparsity, ramp):
    keeps_all_bounds(drawn(20, degree, sparsity, 0), ramp)


@pytest.mark.slow
@pytest.mark.parametrize("ramp", RAMPS)
@pytest.mark.parametrize(("degree", "sparsity"), CLASSES)
def test_all_classes_of_twenty_bits_keep_all_bounds(drawn, degree, sparsity, ramp):
    for seed in (1, 2, 3):
        keeps_all_bounds(drawn(20, degree, sparsity, seed), ramp)


def keeps_all_bounds(expansion, ramp):
    inputs = np.random.default_rng(0).integers(0, 2, (512, expansion.bits))
    total, _ = squared_gradients(expansion, inputs, ramp=ramp)
    bounds = gradient_bounds(expansion, ramp=ramp)
    assert total.max() <= published_bound(expansion.sparsity, expansion.degree)
    assert total.max() <= bounds.full
    with double_precision():
        weights = jax.tree.map(jnp.asarray, build_flat(expansion, ramp=ramp))
        parts = (weights, weights.mlp_out[-1])
        last = np.asarray(gradient_norms(last_row_output, parts, jnp.asarray(inputs)).total)
    assert last.max() <= bounds.last_row < bounds.full


@pytest.mark.parametrize("ramp", RAMPS)
def test_the_published_gradient_bound_fails_where_positions_matter(ramp):
    """All single bits of 64, equal weights: the other rows of the MLP's output matrix count."""
    many = Expansion(64, tuple((i,) for i in range(64)), (1 / 8,) * 64)
    inputs = np.random.default_rng(0).integers(0, 2, (64, 64))
    total, blocks = squared_gradients(many, inputs, ramp=ramp)
    assert published_bound(64, 1) < total.max() <= gradient_bounds(many, ramp=ramp).full
    assert blocks["mlp_out"].max() > 0.5 * total.max()


@pytest.mark.parametrize(
    ("ramp", "expected"),
    [("wide", [5.875, 5.78, 6.71, 7.85, 9.08]), ("narrow", [4.94, 5.39, 6.47, 7.68, 8.94])],
)
def test_largest_activities(ramp, expected):
    found = [largest_activity(degree, ramp) for degree in range(1, 6)]
    assert found == pytest.approx(expected, abs=6e-3)


def test_bounds_are_refused_beyond_their_case():
    for other in (
        Expansion(4, ((0,), (1, 2)), (1.0, 1.0)),
        Expansion(4, ((0,), (1,)), (1.0, -1.0)),
        Expansion(4, ((0,),), (-1.0,)),
    ):
        with pytest.raises(BadInput, match="one degree and positive"):
            gradient_bounds(other)
