"""One attention layer: closed forms, the reference of the specification, and error bars."""

from __future__ import annotations

import itertools

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from foretell.kernels.attention import (
    Attention,
    attend,
    attention_kernel,
    identity_attention,
    response,
    sample_joint,
)
from foretell.kernels.attention import Joint as JointContext
from foretell.kernels.estimate import average
from foretell.numerics.keys import key_for, root_key
from foretell.numerics.precision import double_precision
from foretell.plain.errors import BadInput

FIRST = np.array([[1.0, 0.2], [0.2, 1.5]])
SECOND = np.array([[1.2, -0.3], [-0.3, 0.8]])
CROSS = np.array([[0.5, 0.1], [-0.4, 0.6]])
REFERENCE = np.array([[0.228708, 0.206336], [0.179292, 0.234482]])


def blocks(seed: int, lengths: tuple[int, int] = (3, 4)) -> tuple[np.ndarray, ...]:
    features = np.random.default_rng(seed).normal(size=(sum(lengths), 9)) / 3
    whole = features @ features.T
    cut = lengths[0]
    return whole[:cut, :cut], whole[cut:, cut:], whole[:cut, cut:]


def test_two_tokens_equal_the_reference() -> None:
    with double_precision():
        found = attention_kernel(Attention(), FIRST, SECOND, CROSS, draws=100_000, key=root_key(0))
    assert np.abs(found.value - REFERENCE).max() <= 1e-3
    assert (np.abs(found.value - REFERENCE) <= 4 * found.error).all()
    assert (found.error < 6e-4).all()


@pytest.mark.parametrize(("causal", "token"), [(False, None), (True, None), (True, -2)])
def test_identity_attention_equals_its_closed_form(causal: bool, token: int | None) -> None:
    layer = Attention("identity", causal=causal, token=token)
    first, second, cross = blocks(1)
    before = np.random.default_rng(2).normal(size=cross.shape)
    with double_precision():
        for old in (None, before):
            found = attention_kernel(
                layer, first, second, cross, draws=8000, key=root_key(1), before=old
            )
            exact = np.asarray(identity_attention(layer, cross, old))
            assert (np.abs(found.value - exact) <= 5 * found.error).all()
    if not causal and token is None:
        with double_precision():
            assert np.allclose(identity_attention(layer, cross), cross * (cross**2).sum())


@pytest.mark.parametrize("causal", [False, True])
def test_the_response_equals_the_sum_over_jacobians(causal: bool) -> None:
    rng = np.random.default_rng(3)
    layer = Attention(causal=causal)
    with double_precision():
        scores = jnp.asarray(rng.normal(size=(3, 3))), jnp.asarray(rng.normal(size=(4, 4)))
        one, other = jnp.asarray(rng.normal(size=(3, 4))), jnp.asarray(rng.normal(size=(3, 4)))
        first, second = (attend(layer, each) for each in scores)
        slopes = [jax.jacobian(lambda s: attend(layer, s))(each) for each in scores]
        # A row of attention depends on its own scores only.
        left = jnp.einsum("asau->asu", slopes[0])
        right = jnp.einsum("btbv->btv", slopes[1])
        exact = jnp.einsum("asu,btv,st,uv->ab", left, right, one, other)
        assert float(jnp.abs(response(layer, first, second, one, other) - exact).max()) < 1e-14


def test_causal_attention_looks_back_only() -> None:
    weights = attend(Attention(causal=True), jnp.zeros((3, 3)))
    assert np.allclose(weights, [[1, 0, 0], [0.5, 0.5, 0], [1 / 3, 1 / 3, 1 / 3]])
    row = attend(Attention(causal=True, token=1), jnp.zeros((1, 3)))
    assert np.allclose(row, [[0.5, 0.5, 0]])


def test_one_token_passes_its_covariance_on() -> None:
    one = np.array([[0.7]])
    with double_precision():
        found = attention_kernel(Attention(), one, one, one, draws=16, key=root_key(0))
        tangent = attention_kernel(
            Attention(output_matrix=True), one, one, one, draws=16, key=root_key(0), before=one
        )
    assert found.value == pytest.approx(0.7) and found.error == pytest.approx(0.0, abs=1e-12)
    assert tangent.value == pytest.approx(2 * 0.7 + 0.7)


def test_a_token_is_a_row_of_the_whole() -> None:
    first, second, cross = blocks(4)
    with double_precision():
        ready = {"draws": 8000, "key": root_key(2), "before": cross}
        whole = attention_kernel(Attention(), first, second, cross, **ready)
        row = attention_kernel(Attention(token=-1), first, second, cross, **ready)
    spread = np.hypot(whole.error[-1, -1], row.error[0, 0])
    assert abs(whole.value[-1, -1] - row.value[0, 0]) <= 5 * spread


def test_error_bars_are_calibrated() -> None:
    """Of many independent estimates, the spread is what the error bars say."""
    with double_precision():
        found = [
            attention_kernel(
                Attention(), FIRST, SECOND, CROSS, draws=400, key=key_for(root_key(3), number)
            )
            for number in range(60)
        ]
    values = np.stack([each.value for each in found])
    claimed = np.sqrt(np.mean([each.error**2 for each in found], axis=0))
    assert np.allclose(values.std(axis=0, ddof=1) / claimed, 1.0, atol=0.35)
    assert (np.abs(values.mean(axis=0) - REFERENCE) < 5 * claimed / np.sqrt(60)).all()


def test_the_way_draws_are_cut_changes_nothing() -> None:
    features = np.random.default_rng(5).normal(size=(2, 3, 4)).astype(np.float32) / 2
    ready = JointContext((jnp.asarray(features),), (jnp.asarray(features),), (), ())
    settings = (Attention(), ((0, 0),))
    answers = [
        average(sample_joint, settings, ready, root_key(4), 160, segment=segment)
        for segment in (3, 20)
    ]
    for one, other in zip(*map(jax.tree.leaves, answers), strict=True):
        assert np.array_equal(one, other)


def test_covariances_from_shared_draws_are_gram_matrices() -> None:
    features = jnp.asarray(np.random.default_rng(6).normal(size=(5, 4, 6)) / 2)
    ready = JointContext((features,), (features,), (), ())
    mean, _ = average(sample_joint, (Attention(), ((0, 0),)), ready, root_key(5), 32)
    whole = np.asarray(mean.kernel[0], float).reshape(20, 20)
    assert np.allclose(whole, whole.T, atol=1e-6)
    assert np.linalg.eigvalsh(whole)[0] > -1e-6
    assert np.allclose(np.diag(whole), np.asarray(mean.variance[0]).ravel(), atol=1e-6)


def test_both_samplers_agree() -> None:
    features = np.random.default_rng(7).normal(size=(2, 3, 5)) / 2
    with double_precision():
        given = jnp.asarray(features)
        crosses = jnp.einsum("nsw,mtw->nsmt", given, given)
        ready = JointContext((given,), (given,), (crosses,), (crosses,))
        settings = (Attention(causal=True), ((0, 0),))
        mean, error = average(sample_joint, settings, ready, root_key(6), 8000)
        for i, j in itertools.product(range(2), repeat=2):
            three = (features[i] @ features[i].T, features[j] @ features[j].T)
            cross = features[i] @ features[j].T
            for old, value, wrong in (
                (None, mean.kernel[0], error.kernel[0]),
                (cross, mean.tangent[0], error.tangent[0]),
            ):
                pair = attention_kernel(
                    settings[0], *three, cross, draws=8000, key=root_key(7), before=old
                )
                spread = np.hypot(pair.error, wrong[i, :, j]) + 1e-12
                assert (np.abs(pair.value - value[i, :, j]) <= 5 * spread).all()


def test_bad_layers_and_blocks_are_refused() -> None:
    with pytest.raises(BadInput, match="attention weights"):
        Attention("hard")
    with pytest.raises(BadInput, match="not there"):
        Attention(token=3).positions(3)
    with pytest.raises(BadInput, match="blocks"):
        attention_kernel(Attention(), FIRST, SECOND, CROSS[:1], draws=8, key=root_key(0))
    with pytest.raises(BadInput, match="not finite"):
        attention_kernel(Attention(), FIRST * np.nan, SECOND, CROSS, draws=8, key=root_key(0))
    with pytest.raises(BadInput, match="two draws"):
        attention_kernel(Attention(), FIRST, SECOND, CROSS, draws=1, key=root_key(0))
