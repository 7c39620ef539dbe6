"""Noise on the explicit transformer: traces against exact ones, and what is read off them."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from foretell.boolean.drawing import draw_expansion
from foretell.boolean.truth_table import every_input
from foretell.constructions.flat import FlatWeights, build_flat, parameter_count
from foretell.constructions.flat_forward import squared_error
from foretell.numerics.curvature import exact_trace
from foretell.numerics.keys import key_for, root_key
from foretell.numerics.perturbation import noisy
from foretell.plain.errors import BadInput
from foretell.protocols._asking import Budget
from foretell.reproductions._perturbing import Noise, perturb, trace_and_loss
from foretell.reproductions.perturbed_trace import MESH, PerturbedTrace

pytestmark = pytest.mark.slow  # minutes together on two cores

NOISE = Noise(bits=6, degree=2, deviations=(0.01, 0.001), draws=4, inputs=48, signs=2)

MEMBERS = [(1, 0), (3, 0), (3, 1)]  # sparsity and seed


def test_the_trace_is_the_exact_one_also_where_the_residual_counts():
    function = draw_expansion(4, 2, 2, 0)
    weights = FlatWeights(*(jnp.asarray(each, jnp.float32) for each in build_flat(function)))
    moved = noisy(weights, root_key(0), (jnp.asarray(0.05), jnp.asarray(0)))
    inputs = np.asarray(every_input(4))
    data = jnp.asarray(inputs), jnp.asarray(function(inputs), jnp.float32)
    size = parameter_count(build_flat(function))
    signs = jax.random.rademacher(root_key(1), (16, 64, size), jnp.float32)
    measured = jax.jit(trace_and_loss)
    found = measured(moved, data, signs)
    exact = float(jax.jit(exact_trace, static_argnums=0)(squared_error, moved, data).value)
    assert float(found.loss) == pytest.approx(float(squared_error(moved, data)), rel=1e-4)
    assert float(found.loss) > 0.01  # so that the residual part is not nothing
    assert float(found.trace) == pytest.approx(exact, rel=0.01)
    nothing = measured(moved, data, jnp.zeros_like(signs))
    assert abs(float(nothing.trace) - exact) > abs(float(found.trace) - exact)


def test_noise_of_no_size_is_no_noise_and_neighbours_do_not_matter():
    found = perturb(NOISE, MEMBERS)
    assert found.traces.shape == found.losses.shape == (3, 2, 4)
    assert np.all(found.losses[:, 0] > found.loss[:, None])
    turned = perturb(NOISE, MEMBERS[::-1])
    np.testing.assert_allclose(turned.traces, found.traces[::-1], rtol=1e-5)
    ratio = np.abs(found.traces - found.trace[:, None, None])
    assert np.median(ratio[:, 0] / ratio[:, 1]) == pytest.approx(10, rel=0.3)


def test_draws_are_the_noise_of_the_library():
    found = perturb(NOISE, MEMBERS)
    function = draw_expansion(6, 2, 3, 0)
    weights = FlatWeights(*(jnp.asarray(each, jnp.float32) for each in build_flat(function)))
    key = key_for(root_key(0), "perturbed trace", "noise", 3, 0)
    inputs = np.random.default_rng(0).integers(0, 2, (48, 6))
    data = jnp.asarray(inputs), jnp.asarray(function(inputs), jnp.float32)
    ends = [
        squared_error(noisy(weights, key, (jnp.asarray(sign * 0.01), jnp.asarray(2))), data)
        for sign in (1, -1)
    ]
    assert found.losses[1, 0, 2] == pytest.approx(float(sum(ends)) / 2, rel=1e-4)


def test_the_mesh_is_the_published_one():
    assert len(MESH) == 20 and MESH[0] == 0.01 and MESH[-1] == 0.00001
    assert {0.00947421, 0.00211316, 0.00106158, 0.00053579} <= {round(each, 8) for each in MESH}


def test_classes_of_one_shape_are_computed_together():
    experiment = PerturbedTrace()
    cells = experiment.cells(Budget.GPU)
    assert len({cell.hash for cell in cells}) == len(cells) == 80
    parts = experiment.parts(cells)
    assert [len(part) for part in parts] == [4] * 20
    assert all(
        len({(cell.settings["bits"], cell.settings["degree"]) for cell in part}) == 1
        for part in parts
    )
    with pytest.raises(BadInput, match="seeds"):
        experiment.cells(Budget.CPU, 0)
