"""Counts, exponents and error bounds."""

from __future__ import annotations

import math

import numpy as np
import pytest

from foretell.kernels.cost import (
    ForwardPass,
    Growth,
    complexity_table,
    draws_needed,
    fitted_exponent,
    kernel_operations,
)
from foretell.kernels.duals import ERF, IDENTITY, RELU
from foretell.kernels.lipschitz import (
    attention_constant,
    attention_error,
    dual_slope,
    error_bound,
    softmax_curvature,
    softmax_slope,
)
from foretell.plain.errors import BadInput

SHAPE = {"length": 64, "width": 128, "heads": 4, "key_width": 32, "value_width": 32, "hidden": 512}


def test_operations_of_a_forward_pass() -> None:
    assert ForwardPass(**SHAPE).operations == 27_344_896
    assert ForwardPass(**SHAPE, output_matrix=False).operations == 25_247_744
    assert ForwardPass(**SHAPE, layers=3).operations == 3 * 27_344_896
    with pytest.raises(BadInput, match="heads must be positive"):
        ForwardPass(**{**SHAPE, "heads": 0})


def test_the_table_has_the_exponents_of_the_theory() -> None:
    sampled, lazy, rich = complexity_table(Growth(), [2**power for power in (20, 40, 60)])
    # Above the whole number by powers of the logarithm only.
    assert 3 < sampled.last_exponent < 3.1
    assert 2 < lazy.last_exponent < 2.3 and lazy.operations == rich.operations
    fixed = Growth(points_by_log=0.0, power=0.0)
    bare = complexity_table(fixed, [2**20, 2**24])
    assert bare[0].exponent == pytest.approx(3.0, abs=1e-3)
    assert bare[1].exponent == pytest.approx(2.0, abs=1e-3)
    assert sampled.errors[0] == pytest.approx(0.1 / math.sqrt(2 * math.log(40)), rel=1e-3)
    assert rich.errors[-1] < rich.errors[0]
    with pytest.raises(BadInput, match="lengths"):
        complexity_table(Growth(), [4])


def test_a_sampled_kernel_is_cubic_and_linear_in_draws() -> None:
    assert fitted_exponent([64, 256], [kernel_operations(t, 64, 100) for t in (64, 256)]) > 2.9
    once, twice = (kernel_operations(64, 64, draws) for draws in (1000, 2000))
    assert twice / once == pytest.approx(2, rel=1e-3)


@pytest.mark.parametrize("shared", [False, True])
def test_enough_draws_keep_the_promise(shared: bool) -> None:
    """Entries as spread as they may be: ±bound with equal chance."""
    coefficients, accuracy, chance = [0.5, -1.0, 0.25], 0.2, 0.1
    draws = draws_needed(
        accuracy=accuracy, chance=chance, bound=1.0, coefficients=coefficients, shared=shared
    )
    rng = np.random.default_rng(0)
    trials = 4000
    columns = 1 if shared else 3
    signs = 2 * rng.binomial(draws, 0.5, size=(trials, columns)) - draws
    weights = np.abs(coefficients)  # shared draws at their worst: all err the same way
    errors = np.abs((signs / draws * weights).sum(axis=1))
    assert (errors > accuracy).mean() <= chance
    fewer = np.abs(
        (2 * rng.binomial(draws // 8, 0.5, (trials, columns)) / (draws // 8) - 1)
        @ (np.array([weights.sum()]) if shared else weights)
    )
    assert (fewer > accuracy).mean() > chance  # the bound is not idle
    with pytest.raises(BadInput, match="chance"):
        draws_needed(accuracy=0.1, chance=1.0, bound=1.0, coefficients=[1.0])


@pytest.mark.parametrize("length", [2, 3, 10, 100])
def test_softmax_bends_as_the_lemma_says(length: int) -> None:
    even = np.full(length, 1 / length)
    assert softmax_slope(even) == pytest.approx(2 * (1 - 1 / length), abs=1e-12)
    exact = 6 * (1 - 1 / length) * (1 - 2 / length)
    assert softmax_curvature(even) == pytest.approx(exact, abs=1e-9)
    rng = np.random.default_rng(length)
    for spread in (0.05, 0.3, 1.0, 5.0):
        p = rng.dirichlet(np.full(length, spread))
        assert softmax_slope(p) == pytest.approx(2 * (1 - (p**2).sum()), abs=1e-12)
        assert softmax_curvature(p) <= 6


def test_error_bound_grows_by_the_constants_and_says_when_it_is_empty() -> None:
    assert attention_constant(1.0) == 21 and attention_constant(2.0) == 81
    tiny = error_bound(1e-9, bound=1.0, layers=2, mixing=0.5)
    assert tiny.leading == pytest.approx(1e-9 * (21 * 0.5) ** 2)
    assert tiny.errors[-1] == pytest.approx(tiny.leading, rel=1e-6) and not tiny.vacuous
    assert attention_error(1.0, 0.1) == pytest.approx(21 * 0.1 + 10 * 0.01)
    large = error_bound(0.1, bound=1.0, layers=3)
    assert large.vacuous and large.errors[-1] > large.leading and len(large.assumptions) == 4
    with pytest.raises(BadInput, match="positive number"):
        attention_constant(math.inf)
    with pytest.raises(BadInput, match="layer or more"):
        error_bound(0.1, bound=1.0, layers=0)


def test_slopes_of_duals() -> None:
    assert dual_slope(IDENTITY, 0.5, 1.0) == pytest.approx(1.0)
    assert dual_slope(RELU, 1.0, 1.0) == pytest.approx(0.5, abs=1e-3)
    assert dual_slope(ERF, 0.1, 1.0) > dual_slope(ERF, 1.0, 1.0)
    with pytest.raises(BadInput, match="between two positive"):
        dual_slope(RELU, 0.0, 1.0)
