"""Gram matrices of infinitely wide transformers: closed forms, laws, samplers, refusals."""

from __future__ import annotations

import numpy as np
import pytest

from foretell.kernels.duals import ERF, GELU, IDENTITY, RELU
from foretell.kernels.transformer import KernelTransformer, choose_sampler, gram
from foretell.numerics.keys import root_key
from foretell.numerics.precision import double_precision
from foretell.plain.errors import BadInput

pytestmark = pytest.mark.slow  # minutes together on two cores


def features(seed: int, *shape: int) -> np.ndarray:
    return np.random.default_rng(seed).normal(size=shape)


def fully_connected(activation, layers: int, values: int, x: np.ndarray, y: np.ndarray, bias=0.1):
    """NNGP and NTK of a plain network with one linear and one nonlinear map a layer."""
    width = x.shape[1]
    kernel, first, second = x @ y.T / width, (x**2).mean(axis=1), (y**2).mean(axis=1)
    tangent = kernel
    with double_precision():
        for _ in range(layers):
            tangent = tangent + values * kernel
            at = first[:, None], second[None, :], kernel
            slope = 1.3 * np.asarray(activation.derivative_dual(*at))
            kernel = 1.3 * np.asarray(activation.dual(*at)) + bias
            first, second = (
                1.3 * np.asarray(activation.dual(each, each, each)) + bias
                for each in (first, second)
            )
            tangent = slope * tangent + kernel
    return kernel, tangent


@pytest.mark.parametrize(
    ("activation", "layers", "sampler"), [(GELU, 2, "joint"), (ERF, 1, "pair")]
)
def test_one_token_is_a_fully_connected_network(activation, layers: int, sampler: str) -> None:
    x, y = features(0, 3, 5), features(1, 2, 5)
    given = KernelTransformer(
        layers=layers,
        activation=activation,
        weight_variance=1.3,
        bias_variance=0.1,
        output_matrix=True,
    )
    kernel, tangent = fully_connected(activation, layers, 2, x, y)
    for kind, exact in (("nngp", kernel), ("ntk", tangent)):
        found = gram(
            given, x[:, None], y[:, None], draws=4, replicates=2, kind=kind, sampler=sampler
        )
        assert np.abs(found.value - exact).max() < 1e-9
        assert found.error.max() < 1e-9


@pytest.mark.parametrize("kind", ["nngp", "ntk"])
def test_identity_attention_is_exact_and_follows_its_closed_form(kind: str) -> None:
    x = features(2, 3, 4, 5)
    given = KernelTransformer(layers=2, activation=IDENTITY, weights="identity", readout="mean")
    found = gram(given, x, kind=kind)
    cross = np.einsum("nsw,mtw->nmst", x, x) / 5
    tangent = cross
    for _ in range(2):
        size, mixed = ((cross * each).sum(axis=(2, 3), keepdims=True) for each in (cross, tangent))
        tangent = size * (tangent + 3 * cross) + 2 * mixed * cross
        cross = size * cross
        tangent = tangent + cross  # the linear map after it
    exact = (cross if kind == "nngp" else tangent).mean(axis=(2, 3))
    assert np.abs(found.value / exact - 1).max() < 1e-10
    assert found.draws == 0 and not found.error.any()


def test_samplers_agree_on_unequal_lengths() -> None:
    x, y = features(3, 2, 3, 4), features(4, 2, 5, 4)
    joint = gram(KernelTransformer(), x, y, draws=4000, sampler="joint")
    pair = gram(KernelTransformer(), x, y, draws=4000, sampler="pair", key=root_key(1))
    spread = np.hypot(joint.error, pair.error)
    assert (np.abs(joint.value - pair.value) < 6 * spread).all()  # 7 degrees of freedom each
    assert (spread < 0.2 * np.abs(joint.value).max()).all()


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["nngp", "ntk"])
def test_samplers_agree_on_two_layers_and_unequal_lengths(kind: str) -> None:
    x, y = features(3, 2, 3, 4), features(4, 2, 5, 4)
    given = KernelTransformer(layers=2, causal=True)
    joint = gram(given, x, y, draws=8000, kind=kind, sampler="joint")
    pair = gram(given, x, y, draws=8000, kind=kind, sampler="pair", key=root_key(1))
    spread = np.hypot(joint.error, pair.error)
    assert (np.abs(joint.value - pair.value) < 6 * spread).all()  # 7 degrees of freedom each
    assert (spread < 0.05 * np.abs(joint.value)).all()


@pytest.mark.parametrize("kind", ["nngp", "ntk"])
def test_the_joint_gram_matrix_is_symmetric_and_positive_semidefinite(kind: str) -> None:
    x = features(5, 12, 3, 3)
    x[1] = x[0]  # singular
    x[2, 1] = 0  # a token without variance
    found = gram(KernelTransformer(layers=2), x, draws=32, replicates=2, kind=kind, sampler="joint")
    assert np.abs(found.value - found.value.T).max() < 1e-12
    values = np.linalg.eigvalsh(found.value)
    assert values[0] > -1e-12 * values[-1]
    assert np.abs(found.value[0] - found.value[1]).max() < 1e-7


def test_the_pair_gram_matrix_is_symmetric_and_has_the_whole_in_it() -> None:
    x = features(6, 3, 4, 5)
    given = KernelTransformer(readout="mean")
    whole = gram(given, x, draws=4000, sampler="pair")
    joint = gram(given, x, draws=4000, sampler="joint", key=root_key(2))
    assert np.array_equal(whole.value, whole.value.T)
    assert (np.abs(whole.value - joint.value) < 6 * np.hypot(whole.error, joint.error)).all()


def test_draws_are_reproducible_and_keys_differ() -> None:
    x = features(7, 2, 3, 4)
    given = KernelTransformer()
    one, same, other = (gram(given, x, draws=64, key=root_key(seed)).value for seed in (0, 0, 1))
    assert np.array_equal(one, same) and not np.array_equal(one, other)


def test_precision_is_that_of_the_inputs() -> None:
    x = features(8, 2, 3, 4)  # as above: compiled once
    double = gram(KernelTransformer(), x, draws=2048)
    single = gram(KernelTransformer(), x.astype(np.float32), draws=2048)
    assert double.value.dtype == np.float64 and single.value.dtype == np.float32
    spread = np.hypot(double.error, single.error)
    assert (np.abs(double.value - single.value) < 6 * spread).all()


def test_progress_is_shown_until_all_is_done() -> None:
    shares: list[float] = []
    given = KernelTransformer(readout="mean")
    x = features(9, 3, 4, 5)
    for sampler in ("joint", "pair"):
        gram(given, x, draws=256, replicates=2, sampler=sampler, show=shares.append)
        assert shares == sorted(shares) and shares[-1] == pytest.approx(1.0)
        shares.clear()


@pytest.mark.parametrize(
    ("change", "what"),
    [
        ({"layers": 0}, "at least one layer"),
        ({"weight_variance": float("nan")}, "variances"),
        ({"bias_variance": -1.0}, "variances"),
        ({"readout": "max"}, "read-out"),
        ({"weights": "hard"}, "attention weights"),
    ],
)
def test_bad_descriptions_are_refused(change: dict, what: str) -> None:
    with pytest.raises(BadInput, match=what):
        KernelTransformer(**change)


@pytest.mark.parametrize(
    ("given", "change", "what"),
    [
        ((features(0, 2, 3, 4), features(0, 2, 3, 5)), {}, "same features"),
        ((features(0, 2, 3, 4) * np.nan,), {}, "not finite"),
        ((features(0, 0, 3, 4),), {}, "inputs × tokens"),
        ((features(0, 2, 3, 4),), {"kind": "ntp"}, "kind of kernel"),
        ((features(0, 2, 3, 4),), {"sampler": "both"}, "sampler"),
        ((features(0, 2, 3, 4),), {"draws": 8}, "two draws or more"),
        ((features(0, 64, 32, 4),), {"limit": 1e6, "sampler": "joint"}, "needs 0.2 GB"),
    ],
)
def test_bad_inputs_are_refused(given: tuple, change: dict, what: str) -> None:
    with pytest.raises(BadInput, match=what):
        gram(KernelTransformer(layers=2, activation=RELU), *given, **change)


def test_what_is_too_large_for_the_joint_sampler_goes_to_pairs() -> None:
    given, shapes = KernelTransformer(layers=2), ((64, 32, 8),)
    chosen = [choose_sampler(given, shapes, limit=limit) for limit in (8e9, 1.8e8)]
    assert chosen == ["joint", "pair"]
    with pytest.raises(BadInput, match="fit into memory"):
        choose_sampler(given, shapes, limit=1e8)
    # One layer keeps only what is read out.
    assert choose_sampler(KernelTransformer(), ((256, 32, 16),), limit=1e8) == "joint"
