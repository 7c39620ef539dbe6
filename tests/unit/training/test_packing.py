"""Two examples in a row are two examples: nothing leaks, nothing is lost, sizes stay uniform."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np
import optax
import pytest

from foretell.core.architecture import Architecture
from foretell.models.positional import names
from foretell.models.transformer import Transformer
from foretell.numerics.keys import root_key
from foretell.tasks.lookup import find_task
from foretell.training.member import logits_and_targets, loss
from foretell.training.packing import Room, antithetic, pack

pytestmark = pytest.mark.slow  # minutes together on two cores


def drawn(name: str, batch: int = 12, longest: int = 20):
    task = find_task(name, longest)
    sizes = task.sizes(1, longest)
    index = antithetic(root_key(3), batch, jnp.int32(len(sizes)))
    example = task.sample(root_key(5), jnp.asarray(sizes)[index], task.width(longest))
    return task, sizes, example


QUICK = ("ape",)  # the others act in the same places; they are tried too, but slowly
CASES = [
    pytest.param("sort", encoding, "sqrt", marks=() if encoding in QUICK else pytest.mark.slow)
    for encoding in names()
]
CASES.append(pytest.param("addition", "ape", "log-length", marks=pytest.mark.slow))
CASES.append(pytest.param("tomita-4", "ape", "log-length"))


@pytest.mark.parametrize(("name", "positional", "scale"), CASES)
def test_the_loss_is_that_of_the_examples_apart(name: str, positional: str, scale: str) -> None:
    task, sizes, example = drawn(name)
    shift = jnp.arange(12) % 4
    shape = Architecture(
        layers=2,
        heads=2,
        width=8,
        positional=positional,
        context=task.width(20) + 4,
        tied=False,
        attention_scale=scale,  # type: ignore[arg-type]
    )
    labels = len(task.labels)
    model = Transformer.create(shape, task.alphabet.size, labels, root_key(1))
    model = jax.tree.map(lambda leaf: leaf * 20, model)  # far from uniform attention
    room = Room.of([(task, sizes)])
    packed = loss(model, pack(example, shift, room), jnp.int32(labels))
    width = example.tokens.shape[1]
    logits, targets, mask = logits_and_targets(model, example, shift, width, jnp.int32(labels))
    costs = optax.softmax_cross_entropy_with_integer_labels(logits, targets)
    np.testing.assert_allclose(packed, jnp.sum(costs * mask) / jnp.sum(mask), rtol=2e-5)


@pytest.mark.parametrize("name", ["sort", "addition", "tomita-4", "copy-repeat", "dyck-1"])
def test_every_scored_position_is_there_once(name: str) -> None:
    task, sizes, example = drawn(name)
    rows = pack(example, jnp.zeros(12, int), Room.of([(task, sizes)]))
    assert int(rows.mask.sum()) == int(example.mask.sum())
    counted = np.bincount(np.asarray(example.targets)[np.asarray(example.mask)])
    again = np.bincount(np.asarray(rows.targets)[np.asarray(rows.mask)])
    np.testing.assert_array_equal(counted, again)


def test_each_size_is_uniform() -> None:
    index = np.asarray(antithetic(root_key(0), 60_000, jnp.int32(6)))
    for half in (index[:30_000], index[30_000:]):
        share = np.bincount(half, minlength=6) / 30_000
        assert np.abs(share - 1 / 6).max() < 0.01


def test_rows_are_little_wider_than_the_longest_example() -> None:
    task = find_task("binary-majority", 50)
    room = Room.of([(task, task.sizes(1, 50))])
    assert room.width == task.width(1) + task.width(50)
    assert room.scored == 4
