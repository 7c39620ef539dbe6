"""The random-features kernel against quadrature, its derivative table, and a finite network."""

from __future__ import annotations

import itertools
import math

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from scipy import special

from foretell.kernels.duals import ERF, GELU, RELU, cosine
from foretell.kernels.random_features import (
    RandomFeatures,
    by_quadrature,
    closed,
    gram,
    normal_points,
)
from foretell.numerics.keys import key_for, root_key
from foretell.plain.errors import BadInput

LETTERS = closed(np.array([[0, 0], [1, 1], [1, 2], [0, 1], [2, 3], [1, 0]]))
KNOWN = {(0, 0): 1.1143, (0, 1): 0.4998, (0, 2): 0.4636, (3, 4): 0.4387, (3, 5): 0.7701}


def test_known_values_of_the_attention_kernel() -> None:
    found = gram(RandomFeatures(2.0, 0.7), LETTERS, draws=2**16)
    for place, expected in KNOWN.items():
        assert found.value[place] == pytest.approx(expected, abs=0.002)
        assert found.error[place] < 5e-4


@pytest.mark.parametrize("place", [(0, 0), (0, 1), (0, 3), (3, 5)])
def test_sampling_equals_quadrature_within_its_errors(place: tuple[int, int]) -> None:
    kernel = RandomFeatures(1.0, 0.6)
    found = gram(kernel, LETTERS, draws=2**13)
    exact = by_quadrature(kernel, LETTERS[place[0]], LETTERS[place[1]], nodes=7)
    finer = by_quadrature(kernel, LETTERS[place[0]], LETTERS[place[1]], nodes=9)
    assert exact == pytest.approx(finer, abs=1e-4)
    assert abs(found.value[place] - finer) < 5 * found.error[place] + 1e-4


def test_few_tokens_and_many_tokens_take_different_routes_to_the_same_matrix() -> None:
    """Strings of many tokens go pair by pair of places; adding tokens must not change entries."""
    strings = np.arange(40).reshape(20, 2)[:, [0, 1, 0]]
    kernel = RandomFeatures(1.5, 0.8)
    many = gram(kernel, closed(strings), draws=2**12)
    few = gram(kernel, closed(strings[:2]), draws=2**12)
    spread = np.hypot(many.error[:2, :2], few.error)
    assert (np.abs(many.value[:2, :2] - few.value) < 5 * spread).all()


@pytest.mark.parametrize("activation", [None, RELU, GELU, ERF, cosine(2.0, math.pi / 4)])
def test_gram_matrices_are_symmetric_and_positive(activation) -> None:
    strings = closed(np.random.default_rng(0).integers(0, 6, (24, 3)))
    found = gram(RandomFeatures(4.0, 1.0, activation), strings, draws=64).value
    assert np.allclose(found, found.T, atol=1e-12)
    assert np.linalg.eigvalsh(found)[0] > -1e-10


def test_the_cosine_has_the_closed_form_of_its_claim() -> None:
    a, b, r, slope, shift = 1.1, 0.8, 0.5, 1.7, 0.4
    kernel = RandomFeatures(1.0, 1.0, cosine(slope, shift))
    found = kernel.after(np.array(a), np.array(b), np.array(r))
    expected = math.exp(-(slope**2) * (a + b) / 2) / 2
    expected *= math.exp(slope**2 * r) + math.cos(2 * shift) * math.exp(-(slope**2) * r)
    nodes, weights = np.polynomial.hermite_e.hermegauss(100)
    weights = weights / weights.sum()
    u = math.sqrt(a) * nodes[:, None]
    v = r / math.sqrt(a) * nodes[:, None] + math.sqrt(b - r * r / a) * nodes[None, :]
    quadrature = weights @ (np.cos(slope * u + shift) * np.cos(slope * v + shift)) @ weights
    assert float(found) == pytest.approx(expected, abs=1e-12)
    assert float(found) == pytest.approx(float(quadrature), abs=1e-12)


def test_errors_after_the_network_cover_the_truth() -> None:
    kernel = RandomFeatures(2.0, 0.7, RELU)
    rough = [gram(kernel, LETTERS, draws=2**10, seed=seed) for seed in range(8)]
    fine = gram(kernel, LETTERS, draws=2**15, seed=99)
    scores = np.array([(each.value - fine.value) / each.error for each in rough])
    assert 0.5 < np.sqrt((scores**2).mean()) < 1.8


def test_nets_beat_independent_draws() -> None:
    kernel = RandomFeatures(2.0, 0.7)
    net = gram(kernel, LETTERS, draws=2**14).error
    plain = np.random.default_rng(0).standard_normal((2**14, 8))
    scores = 2.0 * (plain[:, LETTERS] + 0.7 * plain[:, None, 5:])
    attention = special.softmax(scores, axis=2)
    same = LETTERS[:, :, None] == LETTERS[:, None, :]
    inner = same + 0.49 * np.eye(3)
    own = np.einsum("dna,nab,dnb->dn", attention, inner, attention)
    assert np.diagonal(net).mean() < 0.6 * (own.std(axis=0) / 2**7).mean()


# The table of derivatives at β = γ = 0.

PAIRS = (
    ((0, 0, 1), (2, 2, 1)),
    ((0, 1, 2), (1, 0, 2)),
    ((0, 0, 1), (0, 2, 1)),
    ((0, 3, 1), (2, 3, 1)),
    ((0, 0, 1), (0, 0, 1)),
)


def derivatives(first, second):
    """∂β^2i ∂γ^2j of the kernel at 0, by [i, j]: Cauchy's formula, Gauss-Hermite inside.

    Independent of the package. The kernel is even in both, so circles are those of β² and γ².
    Scores of degree 6 at most need four nodes in each direction.
    """
    tokens = sorted({*first, *second})
    length, dimension = len(first), len(tokens) + len(first)
    points, weights = np.polynomial.hermite_e.hermegauss(4)
    weights = weights / weights.sum()
    grid = np.array(list(itertools.product(points, repeat=dimension)))
    weight = np.prod(np.array(list(itertools.product(weights, repeat=dimension))), axis=1)
    shared = np.equal.outer(np.array(first), np.array(second)).astype(float)
    index = np.array([[tokens.index(token) for token in string] for string in (first, second)])
    by_token, by_place = grid[:, index], grid[:, None, len(tokens) :]
    counts, radii = (6, 5), (0.02, 0.3)
    circles = [
        r * np.exp(2j * np.pi * np.arange(n) / n) for n, r in zip(counts, radii, strict=True)
    ]
    values = np.zeros(counts, complex)
    for i, j in np.ndindex(*counts):
        beta, gamma = np.sqrt(circles[0][i]), np.sqrt(circles[1][j])
        powers = np.exp(beta * (by_token + gamma * by_place))
        sides = powers / powers.sum(axis=2, keepdims=True)
        inner = shared + gamma**2 * np.eye(length)
        values[i, j] = weight @ (sides[:, 0] @ inner * sides[:, 1]).sum(axis=1)
    orders = np.indices(counts)
    coefficients = np.fft.fft2(values).real / values.size
    coefficients /= radii[0] ** orders[0] * radii[1] ** orders[1]
    return coefficients * special.factorial(2 * orders[0]) * special.factorial(2 * orders[1])


def table(first, second) -> dict[tuple[int, int], float]:
    """The published closed expressions."""
    tokens = sorted({*first, *second})
    x, y = (np.equal.outer(np.array(s), np.array(tokens)).astype(float) for s in (first, second))
    k, one = len(first), np.ones(len(first))
    xx, xy, yx, yy = x @ x.T, x @ y.T, y @ x.T, y @ y.T

    def total(*factors):
        return (
            one @ np.linalg.multi_dot([*factors, one])
            if len(factors) > 1
            else one @ factors[0] @ one
        )

    def trace(*factors):
        return np.trace(np.linalg.multi_dot(factors)) if len(factors) > 1 else np.trace(factors[0])

    a, t, x2, y2 = total(xy), trace(xy), total(xx), total(yy)
    c2, c3 = total(xx, xy), total(xy, yy)
    q = total(xx, xx, xy) + total(xy, yx, xy) + total(xy, yy, yy)
    xxxx, yyyy = total(xx, xx), total(yy, yy)
    c = c2 + c3
    traces = trace(xx, xy) + trace(xy, yy)
    crossed = total(xx, yx) + total(yx, yy)
    fourth = 12 * a / k**2 - 96 * c / k**3 + (192 * q + 36 * a * (x2 + y2) + 36 * a**2) / k**4
    fourth -= (144 * c2 * x2 + 48 * c3 * x2 + 168 * a * c + 48 * c2 * y2 + 144 * c3 * y2) / k**5
    fourth -= 72 * a * (xxxx + yyyy) / k**5
    fourth += (72 * a * x2**2 + 72 * a**2 * x2 + 48 * a**3 + 24 * a * x2 * y2) / k**6
    fourth += (72 * a**2 * y2 + 72 * a * y2**2) / k**6
    mixed = -168 * a / k**3 + 72 * t / k**2 + 576 * c / k**4 - 336 * traces / k**3
    mixed += -432 * a * (x2 + y2) / k**5 + 96 * t * (x2 + y2) / k**4 - 384 * a**2 / k**5
    mixed += (144 * a * t + 144 * total(xy, xy) + 192 * crossed + 48 * total(xx, yy)) / k**4
    mixed -= 48 * x2 * y2 / k**5
    sixth = (-34560 / k**3 + 552960 / k**4) * a + (17280 / k**2 - 432000 / k**3) * t
    sixth += (129600 / k**4 - 1693440 / k**5) * c + (1313280 / k**4 - 86400 / k**3) * traces
    sixth += (1451520 / k**6 - 103680 / k**5) * a * (x2 + y2)
    sixth += (25920 / k**4 - 397440 / k**5) * t * (x2 + y2)
    sixth += (34560 / k**4 - 587520 / k**5) * (t * a + total(xy, xy))
    sixth += (1226880 / k**6 - 86400 / k**5) * a**2
    sixth += (51840 / k**4 - 794880 / k**5) * crossed + 34560 / k**4 * (trace(xy, xy) + t**2)
    sixth += -17280 / k**2 + 60480 / k**4 * (x2 + y2) - 207360 / k**5 * (xxxx + yyyy)
    sixth += (17280 / k**4 - 241920 / k**5) * total(xx, yy) + 155520 / k**6 * (x2**2 + y2**2)
    sixth += (224640 / k**6 - 17280 / k**5) * x2 * y2 + 17280 / k**4 * trace(xx, yy)
    second_order = 8 * t / k**2 - 8 * a / k**3
    return {(0, 0): a / k**2, (2, 2): second_order, (4, 0): fourth, (4, 2): mixed, (6, 4): sixth}


@pytest.mark.parametrize("pair", PAIRS)
def test_the_table_of_derivatives(pair) -> None:
    found = derivatives(*pair)
    for (beta, gamma), expected in table(*pair).items():
        value = found[beta // 2, gamma // 2]
        assert value == pytest.approx(expected, rel=2e-6, abs=2e-6), (beta, gamma)


def test_known_derivatives() -> None:
    found = derivatives(*PAIRS[0])
    assert found[1, 1] == pytest.approx(0.592593, abs=1e-6)
    assert found[2, 0] == pytest.approx(-1.580247, abs=1e-6)


def test_quadrature_has_these_derivatives() -> None:
    """The package's own quadrature, by differences in β at γ = 0."""
    first, second = (np.array(each) for each in PAIRS[0])
    steps = 0.1 * np.arange(4)
    values = [by_quadrature(RandomFeatures(b, 0.0), first, second, nodes=5) for b in steps]
    fitted = np.linalg.solve(np.vander(steps**2, increasing=True), values)
    found = derivatives(*PAIRS[0])
    assert fitted[0] == pytest.approx(found[0, 0], abs=1e-9)
    assert 24 * fitted[2] == pytest.approx(found[2, 0], rel=0.02)


# A finite network. Given the embeddings, what a head makes of them is Gaussian with their Gram
# matrix as covariance, so heads need no matrices of d × d_head numbers.


def network_kernel(strings, beta, gamma, *, width, part, heads, seed=0):
    """Σ over heads of attended embeddings' inner products, with finite widths and heads."""
    root = root_key(seed)
    tokens, length = int(strings.max()) + 1, strings.shape[1]
    rows = jax.random.normal(key_for(root, "embeddings"), (tokens + length, width))
    inner = rows @ rows.T / width
    factor = jnp.linalg.cholesky(inner)
    query = jnp.zeros(tokens + length).at[tokens - 1].set(1.0).at[-1].set(gamma)

    def head(key):
        keys, queries = jax.random.normal(key, (2, tokens + length, part))
        raw = (factor @ keys) @ (query @ factor @ queries) / jnp.sqrt(part)
        scores = beta * (raw[:tokens][strings] + gamma * raw[tokens:])
        attention = jax.nn.softmax(scores, axis=1)
        onto = jnp.einsum("na,nat->nt", attention, jax.nn.one_hot(strings, tokens))
        attended = jnp.concatenate([onto, gamma * attention], axis=1) @ factor
        return attended @ attended.T

    keys = jax.random.split(key_for(root, "heads"), (heads // 100, 100))
    return np.asarray(jax.jit(lambda: jax.lax.map(jax.vmap(head), keys).mean(axis=(0, 1)))())


@pytest.mark.slow
def test_a_wide_network_has_the_kernel_with_the_norm_of_its_query() -> None:
    found = network_kernel(LETTERS, 1.0, 1.0, width=65536, part=1024, heads=20_000)
    with_norm = gram(RandomFeatures(1.0, 1.0, query_norm=True), LETTERS, draws=2**16).value
    without = gram(RandomFeatures(1.0, 1.0), LETTERS, draws=2**16).value
    assert np.abs(found - with_norm).max() < 0.03
    assert np.abs(found - with_norm).max() < np.abs(found - without).max() / 3


def test_bad_input_is_refused_in_one_message() -> None:
    with pytest.raises(BadInput, match="finite"):
        RandomFeatures(math.nan, 1.0)
    with pytest.raises(BadInput, match="finite"):
        RandomFeatures(1.0, math.inf)
    with pytest.raises(BadInput, match="GB"):
        gram(RandomFeatures(1.0, 1.0), np.zeros((30_000, 3), int), draws=64)
    with pytest.raises(BadInput, match="nets"):
        gram(RandomFeatures(1.0, 1.0), LETTERS, draws=4)
    with pytest.raises(BadInput, match="dimensions"):
        normal_points(30_000, 2, 0)
    with pytest.raises(BadInput, match="quadrature"):
        by_quadrature(RandomFeatures(1.0, 1.0), np.arange(9), np.arange(9))
