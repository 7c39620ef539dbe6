"""The matrix N: known eigenvalues, exact averages over tokens, rank decisions, the gap."""

from __future__ import annotations

import itertools
import math

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from scipy import special

from foretell.kernels.duals import RELU, cosine
from foretell.kernels.random_features import RandomFeatures, closed, replicate_grams
from foretell.kernels.template_draws import replicate_matrices
from foretell.kernels.template_matrix import inner_product_matrix, least_gap, template_matrix
from foretell.kernels.token_averages import factors, mean_attention, mean_square
from foretell.numerics.precision import double_precision
from foretell.plain.errors import BadInput

SAME_DIFFERENT = [(-1, -1), (-1, -2)]
PATTERNS = [(-1, -1, -1), (-1, -1, -2), (-1, -2, -1), (-1, -2, -2), (-1, -2, -3)]


def on_a_grid(sharpness: float, wildcard, scores):
    """Attention on a fine grid of two tokens' values, with the weights of the grid."""
    step = 0.04
    values = np.arange(-8, 8 + step, step)
    weights = np.exp(-(values**2) / 2)
    weights /= weights.sum()
    both = np.stack([*np.meshgrid(values, values, indexing="ij"), np.zeros((len(values),) * 2)])
    moved = np.moveaxis(both[wildcard], 0, -1)
    return special.softmax(scores + sharpness * moved, axis=-1), np.outer(weights, weights)


@pytest.mark.parametrize("sharpness", [0.0, 2.0, 6.0])
def test_averages_over_tokens_equal_quadrature(sharpness: float) -> None:
    scores = sharpness * np.random.default_rng(1).standard_normal(4)
    wildcard = np.array([0, 0, 1, -1])
    attention, weights = on_a_grid(sharpness, wildcard, scores)
    expected = np.einsum("ij,ija->a", weights, attention)
    with double_precision():
        mean = jax.jit(mean_attention, static_argnums=3)
        found = mean(factors(sharpness), wildcard, jnp.asarray(scores), 3)
    assert np.abs(np.asarray(found) - expected).max() < 1e-8


@pytest.mark.parametrize("sharpness", [0.0, 2.0, 6.0])
def test_mean_squares_over_tokens_equal_quadrature(sharpness: float) -> None:
    scores = sharpness * np.random.default_rng(1).standard_normal(4)
    token = np.array([0, 0, 1, 1])
    attention, weights = on_a_grid(sharpness, token, scores)
    by_token = np.stack([attention[..., :2].sum(axis=-1), attention[..., 2:].sum(axis=-1)])
    squares = (by_token**2).sum(axis=0) + 0.49 * (attention**2).sum(axis=-1)
    with double_precision():
        gamma = jnp.asarray(0.7)
        square = jax.jit(mean_square)
        found = square(factors(sharpness), jnp.asarray(token), jnp.asarray(scores), gamma)
    assert float(found) == pytest.approx(float((weights * squares).sum()), abs=1e-7)


@pytest.mark.parametrize(
    ("beta", "gamma", "expected"),
    [(1, 1, 0.00163), (3, 1, 0.01206), (3, 3, 0.0435), (10, 1, 0.0262), (2, 0.7, 0.00466)],
)
def test_smallest_eigenvalues_of_same_and_different(beta, gamma, expected) -> None:
    found = template_matrix(RandomFeatures(float(beta), float(gamma)), SAME_DIFFERENT, points=2**12)
    assert found.smallest == pytest.approx(expected, rel=0.03)
    assert found.interval[0] < found.smallest < found.interval[1]
    assert found.rank == "nonsingular"


@pytest.mark.slow
def test_smallest_eigenvalues_of_five_patterns() -> None:
    attention = template_matrix(RandomFeatures(5.0, 1.0), PATTERNS, points=2**12)
    network = template_matrix(RandomFeatures(5.0, 1.0, RELU), PATTERNS, points=2**12)
    assert attention.smallest == pytest.approx(0.000268, rel=0.1)
    assert network.smallest == pytest.approx(0.000110, rel=0.15)
    assert attention.rank == network.rank == "nonsingular"


def test_n_equals_the_kernel_between_strings_that_share_regular_tokens_only() -> None:
    """Templates with regular tokens, against plain sampling of the kernel itself."""
    kernel = RandomFeatures(2.0, 0.8)
    templates = [(-1, 0, -1), (-1, 0, -2), (0, -1, 1), (1, 0, -1)]
    first = [[s if s >= 0 else 10 - s for s in form] for form in templates]
    second = [[s if s >= 0 else 20 - s for s in form] for form in templates]
    strings = closed(np.array(first + second))
    sampled = replicate_grams(kernel, strings, draws=2**16, seed=0, replicates=16)
    count = len(templates)
    across, own = sampled[:, :count, count:], np.diagonal(sampled, axis1=1, axis2=2)[:, :count]
    found = replicate_matrices(kernel, tuple(templates), points=2**12, seed=0, replicates=16)
    for exact, drawn in ((found.attention, across), (found.own, own)):
        error = np.hypot(drawn.std(axis=0, ddof=1), exact.std(axis=0, ddof=1)) / 4
        assert (np.abs(exact.mean(axis=0) - drawn.mean(axis=0)) < 5 * error).all()


@pytest.mark.parametrize("activation", [None, RELU, cosine(2.0, math.pi / 4)])
def test_n_is_positive_semidefinite_with_few_points(activation) -> None:
    templates = [(-1, *rest) for rest in itertools.product((-1, -2), repeat=3)]
    found = template_matrix(
        RandomFeatures(4.0, 1.0, activation), templates, points=32, replicates=4
    )
    assert np.linalg.eigvalsh(found.matrix)[0] > -1e-8
    assert np.allclose(found.matrix, found.matrix.T)


@pytest.mark.slow
def test_the_interval_covers_the_truth_about_as_often_as_it_says() -> None:
    kernel = RandomFeatures(3.0, 1.0)
    truth = template_matrix(kernel, SAME_DIFFERENT, points=2**14, seed=1000)
    rough = [
        template_matrix(kernel, SAME_DIFFERENT, points=2**8, seed=seed, level=0.8)
        for seed in range(25)
    ]
    inside = sum(each.interval[0] < truth.smallest < each.interval[1] for each in rough)
    assert 14 <= inside <= 25


def test_inner_product_kernels_cannot_tell_wildcards_apart() -> None:
    for activation in (RELU, cosine(1.0, 0.3)):
        found = inner_product_matrix(activation, PATTERNS)
        assert np.linalg.matrix_rank(found.matrix) == 1
        assert abs(np.linalg.det(found.matrix)) < 1e-12
        assert found.rank == "singular"
    different = inner_product_matrix(RELU, [(-1, 0), (-1, 1)])
    assert different.rank == "nonsingular"


@pytest.mark.parametrize(
    ("kernel", "templates", "rank"),
    [
        (RandomFeatures(3.0, 0.0), [(-1, -2, -1), (-1, -1, -2)], "singular"),
        (RandomFeatures(3.0, 1.0), [(-1, -2, -1), (-1, -1, -2)], "nonsingular"),
        (RandomFeatures(0.0, 1.0), SAME_DIFFERENT, "singular"),
        (RandomFeatures(3.0, 1.0), [(-1, -2), (-2, -1)], "singular"),
        (RandomFeatures(1e-3, 1.0), SAME_DIFFERENT, "not resolved"),
    ],
)
def test_rank_is_only_called_singular_by_an_argument(kernel, templates, rank) -> None:
    found = template_matrix(kernel, templates, points=2**12)
    assert found.rank == rank, found.reason


def test_the_gap_is_that_of_the_best_of_all_permutations() -> None:
    generator = np.random.default_rng(0)
    for _ in range(20):
        features = generator.standard_normal((5, 3))
        matrix = features @ features.T
        every = itertools.permutations(range(5))
        lost = [np.trace(matrix) - matrix[np.arange(5), order].sum() for order in every]
        assert sorted(lost)[1] == pytest.approx(least_gap(matrix))


@pytest.mark.parametrize(
    ("templates", "expected"),
    [
        (SAME_DIFFERENT, 0.0275),
        ([(-1, -2, -1), (-1, -2, -2)], 0.0229),
        pytest.param([(-1, -1, -2, -2), (-1, -2, -1, -2)], 0.0233, marks=pytest.mark.slow),
        (PATTERNS, 0.0132),
    ],
)
def test_gaps_at_beta_3(templates, expected) -> None:
    found = template_matrix(RandomFeatures(3.0, 1.0), templates, points=2**12)
    assert found.gap == pytest.approx(expected, rel=0.04)


def test_bad_input_is_refused_in_one_message() -> None:
    kernel = RandomFeatures(1.0, 1.0)
    with pytest.raises(BadInput, match="different lengths"):
        template_matrix(kernel, [(-1,), (-1, -2)])
    with pytest.raises(BadInput, match="no template"):
        template_matrix(kernel, [])
    with pytest.raises(BadInput, match="jackknife"):
        template_matrix(kernel, SAME_DIFFERENT, replicates=2)
    with pytest.raises(BadInput, match="hard maximum"):
        template_matrix(RandomFeatures(200.0, 1.0), SAME_DIFFERENT)
    with pytest.raises(BadInput, match="GB"):
        template_matrix(kernel, [tuple(range(-500, 0))] * 50)


def test_progress_is_shown() -> None:
    heard: list[float] = []
    template_matrix(RandomFeatures(3.0, 1.0), SAME_DIFFERENT, points=2**12, show=heard.append)
    assert heard[-1] == 1.0 and sorted(heard) == heard
