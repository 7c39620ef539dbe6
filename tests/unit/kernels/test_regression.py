"""Kernel regression, two-stage training, the limit of infinite diversity, unseen symbols."""

from __future__ import annotations

import itertools
import math

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from foretell.kernels.duals import RELU, cosine
from foretell.kernels.infinite_diversity import ideal_error, ideal_prediction, samples_needed
from foretell.kernels.random_features import RandomFeatures, closed, gram
from foretell.kernels.regression import fit, two_stages
from foretell.kernels.template_matrix import inner_product_matrix, template_matrix
from foretell.kernels.unseen_symbols import (
    draw_strings,
    inner_product_kernel,
    transformer_kernel,
    unseen_symbols,
)
from foretell.numerics.precision import double_precision
from foretell.plain.errors import BadInput

SAME_DIFFERENT = [(-1, -1), (-1, -2)]
SIGNS = np.array([1.0, -1.0])


def random_gram(count: int, seed: int = 0):
    features = np.random.default_rng(seed).standard_normal((count, count + 3))
    return features @ features.T / count


def test_regression_equals_the_posterior_of_a_gaussian() -> None:
    """Mean and variance against conditioning the joint covariance directly."""
    joint = random_gram(9)
    labels = np.random.default_rng(1).standard_normal(6)
    fitted = fit(joint[:6, :6], labels, 0.3)
    inverse = np.linalg.inv(joint[:6, :6] + 0.3 * np.eye(6))
    assert np.allclose(fitted.predict(joint[6:, :6]), joint[6:, :6] @ inverse @ labels)
    expected = np.diagonal(joint[6:, 6:] - joint[6:, :6] @ inverse @ joint[:6, 6:])
    assert np.allclose(fitted.variance(joint[6:, :6], np.diagonal(joint)[6:]), expected)
    dimension = np.trace(joint[:6, :6] @ inverse)
    assert fitted.effective_dimension == pytest.approx(dimension)


def test_singular_and_bad_problems_are_refused() -> None:
    twice = np.ones((2, 2))
    with pytest.raises(BadInput, match="singular"):
        fit(twice, SIGNS, 0.0)
    with pytest.raises(BadInput, match="singular"):
        fit(random_gram(5)[:, [0, 1, 2, 3, 0]][[0, 1, 2, 3, 0]], np.ones(5), 0.0)
    assert np.allclose(fit(twice, SIGNS, 0.1).predict(twice), 0.0)
    for ridge in (-1.0, math.nan, math.inf):
        with pytest.raises(BadInput, match="ridge"):
            fit(twice, SIGNS, ridge)
    with pytest.raises(BadInput, match="not finite"):
        fit(np.full((2, 2), np.nan), SIGNS, 1.0)


def descended(features, start, labels, first, second, ridges):
    """Gradient descent on a linear model, stage after stage, each from where the last ended."""

    def stage(weights, place, wanted, ridge):
        rows = features[place]
        rate = 1.0 / (jnp.linalg.norm(rows, 2) ** 2 + ridge)

        def step(_, now):
            error = start[place] + rows @ now - wanted
            return now - rate * (rows.T @ error + ridge * (now - weights))

        return jax.lax.fori_loop(0, 20_000, step, weights)

    with double_precision():
        features, start = jnp.asarray(features), jnp.asarray(start)
        weights = jnp.zeros(features.shape[1])
        weights = jax.jit(stage, static_argnums=())(weights, first, labels[0], ridges[0])
        weights = jax.jit(stage)(weights, second, labels[1], ridges[1])
        return np.asarray(start + features @ weights)


@pytest.mark.parametrize("ridges", [(0.0, 0.0), (0.1, 0.02)])
def test_two_stages_equal_gradient_descent_on_the_linear_model(ridges) -> None:
    generator = np.random.default_rng(3)
    features = generator.standard_normal((12, 40))
    start = generator.standard_normal(12)
    labels = generator.standard_normal(5), generator.standard_normal(3)
    first, second = np.arange(5), np.arange(5, 8)
    found = two_stages(
        features @ features.T, start, labels, first=first, second=second, ridges=ridges
    )
    expected = descended(features, start, labels, first, second, ridges)
    assert np.abs(found - expected).max() < 1e-8


def test_the_ideal_formula_is_regression_on_strings_that_share_no_token() -> None:
    generator = np.random.default_rng(0)
    features = generator.standard_normal((3, 5))
    matrix = features @ features.T
    own = np.diagonal(matrix) + generator.uniform(0.1, 1.0, 3)
    counts, labels, ridge = np.array([4, 7, 2]), generator.standard_normal(3), 0.05
    template = np.repeat(np.arange(3), counts)
    full = matrix[template][:, template]
    full[np.diag_indices(len(full))] = own[template]
    direct = fit(full, labels[template], ridge).predict(matrix[:, template])
    ideal = ideal_prediction(matrix, own, counts.astype(float), labels, ridge)
    assert np.abs(direct - ideal).max() < 1e-9


def test_the_ideal_formula_agrees_with_strings_of_all_different_tokens() -> None:
    """With real strings: N and the variances are entries of the same sampled Gram matrix."""
    kernel = RandomFeatures(10.0, 1.0, RELU)
    found = template_matrix(kernel, SAME_DIFFERENT, points=2**12)
    count = 12
    rows = np.array([SAME_DIFFERENT[place % 2] for place in range(count + 2)])
    strings = closed(np.where(rows == -1, 0, 1) + 2 * np.arange(count + 2)[:, None])
    sampled = gram(kernel, strings, draws=2**14).value
    labels = np.tile(SIGNS, count // 2)
    direct = fit(sampled[:count, :count], labels, 0.01).predict(sampled[count:, :count])
    ideal = ideal_prediction(found.matrix, found.own, np.full(2, count / 2), SIGNS, 0.01)
    assert np.abs(direct - ideal).max() < 0.03


def test_noise_adds_its_variance() -> None:
    matrix, own = np.array([[1.0, 0.2], [0.2, 1.0]]), np.array([1.3, 1.2])
    generator = np.random.default_rng(0)
    counts = np.array([6.0, 6.0])
    noise = 0.7 / np.sqrt(counts) * generator.standard_normal((20_000, 2))
    fitted = ideal_prediction(matrix, own, counts, (SIGNS + noise).T, 0.1)
    sampled = ((fitted - SIGNS[:, None]) ** 2).mean()
    assert ideal_error(matrix, own, SIGNS, 12, 0.1, noise=0.7) == pytest.approx(sampled, rel=0.03)


@pytest.mark.slow
def test_majority_of_four_has_the_known_ideal_error() -> None:
    """The published numbers count samples per template: 100 and 1000 for each of the eight."""
    rest = list(itertools.product((-1, -2), repeat=3))
    templates = [(-1, *each) for each in rest]
    labels = np.array([1.0 if each.count(-1) >= 2 else -1.0 for each in rest])
    found = template_matrix(RandomFeatures(5.0, 1.0, RELU), templates, points=2**12)
    errors = [ideal_error(found.matrix, found.own, labels, 8 * n, 1e-3) for n in (100, 1000)]
    assert errors == pytest.approx([0.337, 0.096], rel=0.15)


def test_samples_needed_is_the_least_number() -> None:
    found = template_matrix(RandomFeatures(10.0, 1.0, RELU), SAME_DIFFERENT, points=2**12)
    needed = samples_needed(found.matrix, found.own, SIGNS, 0.05, 1e-3)
    assert needed is not None
    assert ideal_error(found.matrix, found.own, SIGNS, needed, 1e-3) <= 0.05
    assert ideal_error(found.matrix, found.own, SIGNS, needed - 1, 1e-3) > 0.05
    blind = inner_product_matrix(RELU, SAME_DIFFERENT)
    assert samples_needed(blind.matrix, blind.own, SIGNS, 0.5, 1e-3) is None


def test_drawn_strings_match_their_templates() -> None:
    templates = [(-1, 3, -1), (-1, 3, -2), (-2, -1, 3)]
    drawn = draw_strings(templates, 200, np.arange(10, 15), seed=0)
    assert set(drawn.template) == {0, 1, 2}
    for string, number in zip(drawn.strings, drawn.template, strict=True):
        for (a, x), (b, y) in itertools.combinations(
            zip(templates[number], string, strict=True), 2
        ):
            assert (a == b) == (x == y)
        symbols = zip(templates[number], string, strict=True)
        assert all(x == a if a >= 0 else 10 <= x < 15 for a, x in symbols)
    with pytest.raises(BadInput, match="fewer symbols"):
        draw_strings(templates, 5, np.arange(10, 11), seed=0)
    with pytest.raises(BadInput, match="regular token"):
        draw_strings(templates, 5, np.arange(0, 5), seed=0)


def test_a_transformer_kernel_generalises_to_unseen_symbols_and_an_mlp_does_not() -> None:
    kernel = transformer_kernel(RandomFeatures(10.0, 1.0, RELU), draws=2**12)
    given = {"samples": 128, "ridge": 1e-3}
    assert unseen_symbols(kernel, SAME_DIFFERENT, SIGNS, **given).test < 0.15
    for samples in (64, 128, 512):
        blind = unseen_symbols(
            inner_product_kernel(RELU), SAME_DIFFERENT, SIGNS, samples=samples, ridge=1e-3
        )
        assert 0.95 < blind.test < 1.15
        assert blind.train < 0.3


@pytest.mark.slow
def test_the_error_on_unseen_symbols_falls_as_known() -> None:
    kernel = transformer_kernel(RandomFeatures(10.0, 1.0, RELU), draws=2**14)
    for samples, bound in ((128, 0.15), (512, 0.015), (1024, 0.005)):
        found = unseen_symbols(kernel, SAME_DIFFERENT, SIGNS, samples=samples, ridge=1e-3)
        assert found.test < bound
    blind = unseen_symbols(
        inner_product_kernel(RELU), SAME_DIFFERENT, SIGNS, samples=1024, ridge=1e-3
    )
    assert 0.95 < blind.test < 1.15


@pytest.mark.slow
@pytest.mark.parametrize(("samples", "expected"), [(64, 0.926), (256, 0.750), (512, 0.583)])
def test_a_cosine_network_is_slow_to_tell_aba_from_abb(samples: int, expected: float) -> None:
    kernel = transformer_kernel(RandomFeatures(10.0, 1.0, cosine(2.0, math.pi / 4)), draws=2**13)
    templates = [(-1, -2, -1), (-1, -2, -2)]
    found = unseen_symbols(kernel, templates, SIGNS, samples=samples, ridge=1e-3)
    assert found.test == pytest.approx(expected, abs=0.06)
