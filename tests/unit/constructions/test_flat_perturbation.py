"""Noise on the weights of the flat construction: the sharpness term is what noise costs."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from foretell.constructions.flat import FlatWeights, build_flat
from foretell.constructions.flat_error import all_inputs
from foretell.constructions.flat_forward import squared_error
from foretell.numerics.keys import root_key
from foretell.numerics.perturbation import perturbed_losses, perturbed_traces
from foretell.numerics.precision import double_precision

DEVIATIONS = np.array([1e-4, 1e-3, 3e-3, 1e-2])


def problem(functions):
    """Members and their data, for float64."""
    inputs = all_inputs(functions[0].bits)
    weights = [build_flat(each, (2, 4), "wide") for each in functions]
    members = FlatWeights(*(jnp.stack(each) for each in zip(*weights, strict=True)))
    targets = jnp.stack([jnp.asarray(each(inputs)) for each in functions])
    return members, (jnp.broadcast_to(inputs, (len(functions), *inputs.shape)), targets)


def perturbed(functions, draws, deviations):
    with double_precision():
        found = perturbed_traces(
            squared_error,
            *problem(functions),
            root_key(0),
            jnp.asarray(deviations),
            draws,
            own_data=True,
        )
        return jax.tree.map(np.asarray, found)


def cost_of_noise(functions, trace, draws, deviations):
    """Mean loss with noise over σ²/2 times the trace, by deviation."""
    with double_precision():
        found = perturbed_losses(
            squared_error,
            *problem(functions),
            root_key(1),
            jnp.asarray(deviations),
            draws,
            own_data=True,
            at_once=128,
        )
    return (np.asarray(found).mean(axis=-1) / (deviations**2 / 2 * trace[:, None])).mean(axis=0)


def relative(found):
    """90th percentile of the change over functions and draws, by deviation."""
    shares = found.change / found.trace[:, None, None]
    return np.quantile(shares, 0.9, axis=(0, 2))


def test_a_small_case(drawn):
    functions = [drawn(4, 1, 4, seed) for seed in (0, 1)]
    found = perturbed(functions, 4, DEVIATIONS[1:3])
    change = relative(found)
    assert 0 < change[1] <= 0.1
    assert change[0] == pytest.approx(change[1] / 3, rel=0.25)


@pytest.mark.slow
@pytest.mark.parametrize(("degree", "sparsity"), [(1, 4), (3, 8)])
def test_the_classes_of_the_spec(drawn, degree, sparsity):
    functions = [drawn(8, degree, sparsity, seed) for seed in range(4)]
    found = perturbed(functions, 3, DEVIATIONS)
    change = relative(found)
    assert change[-1] <= 0.1
    assert change[2] / change[0] == pytest.approx(30, rel=0.25)
    cost = cost_of_noise(functions, found.trace, 4000, DEVIATIONS[1:])
    assert np.all((cost > 0.95) & (cost < 1.10))
