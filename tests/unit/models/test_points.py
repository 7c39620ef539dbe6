"""Transformers that read points: order does not matter, except for who is read."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from foretell.core.architecture import Architecture
from foretell.models.points import PointTransformer
from foretell.numerics.keys import root_key


@pytest.fixture(params=["sqrt", "log-length"])
def model(request):
    shape = Architecture(
        layers=2,
        heads=2,
        width=16,
        positional="nope",
        context=64,
        tied=False,
        attention_scale=request.param,
    )
    return PointTransformer.create(shape, 3, root_key(0))


def test_the_order_of_the_others_does_not_matter(model):
    rows = jax.random.normal(jax.random.key(1), (4, 9, 3))
    turned = jnp.concatenate([rows[:, :1], rows[:, :0:-1]], axis=1)
    np.testing.assert_allclose(model(rows), model(turned), atol=1e-6)
    other_first = rows[:, ::-1]
    assert np.abs(np.asarray(model(rows) - model(other_first))).max() > 1e-4


def test_every_row_is_seen_and_batches_do_not_mix(model):
    rows = jax.random.normal(jax.random.key(2), (3, 7, 3))
    changed = rows.at[1, 6].add(1.0)
    moved = np.abs(np.asarray(model(rows) - model(changed))) > 1e-7
    assert moved.tolist() == [False, True, False]


def test_padding_is_not_seen(model):
    rows, sizes = jax.random.normal(jax.random.key(4), (2, 9, 3)), jnp.array([5, 9])
    padded = model(rows, sizes)
    np.testing.assert_allclose(padded[0], model(rows[:1, :5])[0], atol=1e-6)
    np.testing.assert_allclose(padded[1], model(rows[1:])[0], atol=1e-6)


@pytest.mark.slow
def test_log_length_changes_the_answer():
    rows = jax.random.normal(jax.random.key(3), (2, 30, 3))
    answers = []
    for scale in ("sqrt", "log-length"):
        shape = Architecture(
            layers=1, heads=1, width=8, positional="nope", context=64, attention_scale=scale
        )
        answers.append(np.asarray(PointTransformer.create(shape, 3, root_key(0))(rows)))
    assert np.abs(answers[0] - answers[1]).max() > 1e-7
