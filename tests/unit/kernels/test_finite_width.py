"""The first correction in one over the width, against priors whose posterior is known."""

from __future__ import annotations

import math

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from foretell.kernels.duals import RELU
from foretell.kernels.finite_width import (
    Cumulants,
    correction,
    hidden_features,
    kernel_of_features,
    largest_correction,
    one_hidden_layer,
    width_needed,
)
from foretell.kernels.regression import fit
from foretell.numerics.keys import root_key
from foretell.plain.errors import BadInput

POINTS = np.array([[1.0, 0.2], [0.1, 1.1], [-0.7, 0.6], [0.8, -0.9]])
LABELS = np.array([0.8, -0.5, 0.4])
NOISE = 0.2


def scale_mixture(kernel, eta: float) -> tuple[float, float, float]:
    """Outputs Gaussian given a random scale 1 ± √η: exact mean, Gaussian mean, correction."""
    short, cross = kernel[:3, :3], kernel[3:, :3]
    scales, logs, means = np.array([1 - math.sqrt(eta), 1 + math.sqrt(eta)]), [], []
    for scale in scales:
        covariance = scale * short + NOISE * np.eye(3)
        solved = np.linalg.solve(covariance, LABELS)
        logs.append(-(LABELS @ solved + np.linalg.slogdet(covariance)[1]) / 2)
        means.append(float((scale * cross @ solved)[0]))
    weights = np.exp(np.array(logs) - max(logs))
    exact = float(weights @ means / weights.sum())
    pairs = (
        kernel[:, :, None, None] * kernel[None, None]
        + kernel[:, None, :, None] * kernel[None, :, None, :]
        + kernel[:, None, None, :] * kernel[None, :, :, None]
    )
    cumulants = Cumulants(eta * pairs[:3, :3, :3, :3], eta * pairs[:3, :3, :3, 3:])
    plain = float(fit(short, LABELS, NOISE).predict(cross)[0])
    return exact, plain, float(correction(short, cross, cumulants, LABELS, NOISE)[0])


@pytest.mark.parametrize(("eta", "tolerance"), [(0.01, 0.1), (0.001, 0.01), (0.0001, 0.001)])
def test_first_order_on_a_mixture_of_two_scales(eta: float, tolerance: float) -> None:
    """The rest is of second order, so the ratio goes to 1 as fast as η goes to 0."""
    kernel = POINTS @ POINTS.T + 0.3 * np.eye(4)
    exact, plain, moved = scale_mixture(kernel, eta)
    assert moved / (exact - plain) == pytest.approx(1.0, abs=tolerance)


def posterior_mean(width: int, draws: int) -> tuple[float, float]:
    """Mean output of a ReLU network at the last point under its exact posterior, and its error.

    Networks are drawn from the prior and weighed by how well they fit the labels.
    """
    points, labels = jnp.asarray(POINTS) / math.sqrt(2), jnp.asarray(LABELS)

    def network(key):
        first, second = jax.random.split(key)
        hidden = jax.nn.relu(jax.random.normal(first, (width, 2)) @ points.T)
        out = jax.random.normal(second, (width,)) @ hidden / math.sqrt(width)
        return jnp.exp(-jnp.sum((out[:3] - labels) ** 2) / (2 * NOISE)), out[3]

    keys = jax.random.split(root_key(5), (draws // 10_000, 10_000))
    weight, value = jax.jit(lambda: jax.lax.map(jax.vmap(network), keys))()
    weight, value = np.asarray(weight, float).ravel(), np.asarray(value, float).ravel()
    mean = float(weight @ value / weight.sum())
    return mean, float(np.sqrt((weight**2) @ (value - mean) ** 2) / weight.sum())


@pytest.mark.slow
def test_the_correction_brings_a_network_of_width_20_nearer() -> None:
    features = hidden_features(RELU, POINTS, draws=2**19)
    kernel = kernel_of_features(features)
    cumulants = one_hidden_layer(features, 3, 20)
    plain = float(fit(kernel[:3, :3], LABELS, NOISE).predict(kernel[3:, :3])[0])
    moved = float(correction(kernel[:3, :3], kernel[3:, :3], cumulants, LABELS, NOISE)[0])
    exact, error = posterior_mean(20, 4_000_000)
    assert abs(exact - plain) > 5 * error
    assert abs(exact - plain - moved) < abs(exact - plain) / 2 + 3 * error


def test_cumulants_of_one_layer_equal_those_of_sampled_outputs() -> None:
    """Linear features: the fourth cumulant of a sum of products of normals is known exactly."""
    features = np.random.default_rng(0).standard_normal((200_000, 1)) @ np.ones((1, 2))
    found = one_hidden_layer(features, 1, 10)
    assert found.among[0, 0, 0, 0] == pytest.approx((3 * 3 - 3) / 10, rel=0.05)
    assert found.across.shape == (1, 1, 1, 1)


def test_hidden_features_have_the_dual_as_kernel() -> None:
    kernel = kernel_of_features(hidden_features(RELU, POINTS, draws=2**17))
    inner = POINTS @ POINTS.T / 2
    own = np.diagonal(inner)
    expected = np.asarray(RELU.dual(own[:, None], own[None, :], inner))
    assert np.abs(kernel - expected).max() < 0.01


def test_bounds_on_operators_hold() -> None:
    generator = np.random.default_rng(0)
    for _ in range(50):
        features = generator.standard_normal((6, 4)) * generator.uniform(0.1, 3)
        kernel, noise = features @ features.T, generator.uniform(0.05, 2.0)
        inverse = np.linalg.inv(kernel + noise * np.eye(6))
        assert np.linalg.norm(inverse, 2) <= 1 / noise + 1e-9
        assert np.linalg.norm(inverse @ kernel @ inverse, 2) <= 1 / (4 * noise) + 1e-9


def test_the_bound_is_above_the_correction_and_grows_as_three_and_a_half() -> None:
    kernel = POINTS @ POINTS.T + 0.3 * np.eye(4)
    moved = abs(scale_mixture(kernel, 0.01)[2])
    largest = float(np.abs(kernel).max())
    bound = largest_correction(
        3, noise=NOISE, label=0.8, kernel=largest, cumulant=3 * 0.01 * largest**2
    )
    assert moved < bound
    slope = math.log2(
        largest_correction(2 * 10**8, noise=1.0) / largest_correction(10**8, noise=1.0)
    )
    assert slope == pytest.approx(3.5, abs=0.01)
    needed = width_needed(50, 0.1, noise=0.5)
    assert largest_correction(50, noise=0.5) / needed.width == pytest.approx(0.1)
    assert len(needed.assumptions) >= 4


def test_bad_input_is_refused() -> None:
    empty = Cumulants(np.zeros((3,) * 4), np.zeros((3, 3, 3, 1)))
    with pytest.raises(BadInput, match="noise"):
        correction(np.eye(3), np.ones((1, 3)), empty, LABELS, 0.0)
    with pytest.raises(BadInput, match="GB"):
        one_hidden_layer(np.ones((10, 400)), 390, 10)
    with pytest.raises(BadInput, match="above 0"):
        width_needed(10, 0.1, noise=-1.0)
    with pytest.raises(BadInput, match="above 0"):
        width_needed(10, math.nan, noise=1.0)
