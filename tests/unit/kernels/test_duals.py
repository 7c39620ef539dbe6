"""Dual activations against two-dimensional quadrature, at the edges, and under gradients."""

from __future__ import annotations

import itertools

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from foretell.kernels.duals import ERF, GELU, IDENTITY, RELU, Activation, cosine
from foretell.numerics.precision import double_precision
from foretell.plain.errors import BadInput

SMOOTH = (GELU, ERF, IDENTITY, cosine(2.0, 0.3), cosine(0.7, np.pi / 4))
EVERY = (*SMOOTH, RELU)
CASES = ((1.3, 0.9, 0.7), (0.4, 2.0, -0.5), (1.0, 1.0, 0.0), (0.05, 0.3, 0.1), (0.8, 0.8, 0.8))


def by_quadrature(function, a, b, r, points=120):
    """E[f(u) f(v)] with Gauss–Hermite points in two independent directions."""
    nodes, weights = np.polynomial.hermite_e.hermegauss(points)
    weights = weights / weights.sum()
    first, second = np.meshgrid(nodes, nodes, indexing="ij")
    u = np.sqrt(a) * first
    v = r / np.sqrt(a) * first + np.sqrt(max(b - r * r / a, 0.0)) * second
    return float(weights @ (function(u) * function(v)) @ weights)


def by_angle(function, a, b, r, points=2000):
    """E[f(u) f(v)] for a function with a kink at 0: Gauss–Legendre between the kinks in angle."""
    nodes, weights = np.polynomial.legendre.leggauss(60)
    slope, rest = r / np.sqrt(a), np.sqrt(max(b - r * r / a, 0.0))
    kink = np.arctan2(-slope, rest)  # v = 0 along this direction
    edges = np.sort(np.mod([np.pi / 2, -np.pi / 2, kink, kink + np.pi, 0.0], 2 * np.pi))
    edges = np.append(edges, edges[0] + 2 * np.pi)
    total = 0.0
    for low, high in itertools.pairwise(edges):
        angle = (high + low) / 2 + (high - low) / 2 * nodes
        u, v = np.sqrt(a) * np.cos(angle), slope * np.cos(angle) + rest * np.sin(angle)
        # f is homogeneous of degree 1: the radius gives E[radius²] = 2.
        total += (high - low) / 2 * float(weights @ (function(u) * function(v))) / np.pi
    return total


@pytest.mark.parametrize("phi", SMOOTH)
@pytest.mark.parametrize("case", CASES)
def test_smooth_duals_equal_quadrature(phi: Activation, case: tuple[float, ...]) -> None:
    with double_precision():
        slope = jax.vmap(jax.vmap(jax.grad(lambda x: phi(x))))
        exact = by_quadrature(lambda x: np.asarray(phi(x)), *case)
        exact_slope = by_quadrature(lambda x: np.asarray(slope(jnp.asarray(x))), *case)
        assert float(phi.dual(*map(np.float64, case))) == pytest.approx(exact, abs=1e-8)
        found = float(phi.derivative_dual(*map(np.float64, case)))
        assert found == pytest.approx(exact_slope, abs=1e-8)


def test_cosine_equals_quadrature_to_twelve_digits() -> None:
    rng = np.random.default_rng(0)
    with double_precision():
        for _ in range(20):
            root = rng.normal(size=(2, 2))
            (a, r), (_, b) = root @ root.T / 2
            phi = cosine(float(rng.uniform(0.2, 1.5)), float(rng.uniform(-3, 3)))
            exact = by_quadrature(lambda x, phi=phi: np.asarray(phi(x)), a, b, r)
            assert float(phi.dual(a, b, r)) == pytest.approx(exact, abs=1e-12)


@pytest.mark.parametrize("case", CASES)
def test_relu_equals_integration_over_angles(case: tuple[float, ...]) -> None:
    with double_precision():
        found = float(RELU.dual(*map(np.float64, case)))
    assert found == pytest.approx(by_angle(lambda x: np.maximum(x, 0), *case), abs=1e-10)


def test_numbers_of_the_specification() -> None:
    with double_precision():
        assert float(RELU.dual(*map(np.float64, (1.3, 0.9, 0.7)))) == pytest.approx(
            0.384656, abs=1e-6
        )
        assert float(GELU.dual(*map(np.float64, (1.0, 1.0, 0.5)))) == pytest.approx(
            0.22729492, abs=1e-8
        )


def test_relu_derivative_dual_is_the_orthant_probability() -> None:
    rng = np.random.default_rng(1)
    root = np.linalg.cholesky(np.array([[1.3, 0.7], [0.7, 0.9]]))
    drawn = rng.normal(size=(400_000, 2)) @ root.T
    share = float((drawn > 0).all(axis=1).mean())
    assert float(RELU.derivative_dual(1.3, 0.9, 0.7)) == pytest.approx(share, abs=3e-3)


@pytest.mark.parametrize("phi", EVERY)
def test_derivative_dual_is_the_slope_of_the_dual(phi: Activation) -> None:
    with double_precision():
        for a, b, r in CASES[:4]:
            slope = jax.grad(phi.dual, argnums=2)(*map(jnp.float64, (a, b, r)))
            assert float(slope) == pytest.approx(float(phi.derivative_dual(a, b, r)), abs=1e-6)


@pytest.mark.parametrize("phi", EVERY)
def test_slopes_in_the_variances_equal_differences(phi: Activation) -> None:
    with double_precision():
        a, b, r, step = 1.3, 0.9, 0.7, 1e-6
        for place in (0, 1):
            slope = float(jax.grad(phi.dual, argnums=place)(*map(jnp.float64, (a, b, r))))
            up, down = [a, b, r], [a, b, r]
            up[place] += step
            down[place] -= step
            values = [float(phi.dual(*map(np.float64, each))) for each in (up, down)]
            assert slope == pytest.approx((values[0] - values[1]) / (2 * step), abs=1e-7)


EDGES = (
    (1.0, 1.0, 1.0),
    (2.0, 0.5, -1.0),
    (0.0, 1.0, 0.0),
    (0.0, 0.0, 0.0),
    (1.0, 1.0, 1.0 + 1e-6),
)


@pytest.mark.parametrize("phi", EVERY)
@pytest.mark.parametrize("edge", EDGES)
def test_edges_are_finite_also_under_gradients(phi: Activation, edge: tuple[float, ...]) -> None:
    at = tuple(map(jnp.float32, edge))
    for function in (phi.dual, phi.derivative_dual):
        assert np.isfinite(float(function(*at)))
        assert np.isfinite(np.asarray(jax.grad(function, argnums=(0, 1, 2))(*at))).all()


def test_relu_on_the_diagonal_is_half_the_variance_with_half_its_slope() -> None:
    value, slope = jax.value_and_grad(lambda a: RELU.dual(a, a, a))(jnp.float32(1.7))
    assert float(value) == pytest.approx(0.85) and float(slope) == pytest.approx(0.5)
    assert float(RELU.derivative_dual(1.7, 1.7, 1.7)) == pytest.approx(0.5, abs=1e-4)
    assert float(RELU.dual(2.0, 0.5, -1.0)) == pytest.approx(0.0, abs=1e-6)


@pytest.mark.parametrize("phi", EVERY)
def test_a_dual_of_a_gram_matrix_is_positive_semidefinite(phi: Activation) -> None:
    features = np.random.default_rng(2).normal(size=(12, 4))
    features[0] = 0  # a dead token
    with double_precision():
        gram = jnp.asarray(features @ features.T)
        variance = jnp.diag(gram)
        for function in (phi.dual, phi.derivative_dual):
            found = function(variance[:, None], variance[None, :], gram)
            assert float(jnp.linalg.eigvalsh(found)[0]) > -1e-10


def test_bad_activations_are_refused() -> None:
    with pytest.raises(BadInput, match="unknown activation"):
        Activation("tanh")
    with pytest.raises(BadInput, match="finite"):
        cosine(float("inf"), 0.0)
    with pytest.raises(BadInput, match="neither frequency"):
        Activation("relu", 2.0)
    assert hash(cosine(1.0, 0.5)) == hash(cosine(1.0, 0.5))
