"""The network's limit is the kernel it is compared with, and training is what the kernel takes."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax.flatten_util import ravel_pytree

from foretell.kernels.transformer import KernelTransformer, gram
from foretell.numerics.keys import key_for, root_key
from foretell.plain.errors import BadInput
from foretell.protocols._asking import Budget
from foretell.reproductions._lazy import Lesson, _descend, begin, draw_inputs, run
from foretell.reproductions.lazy_capture import LazyCapture

LESSON = Lesson(task="induction", length=6, symbols=3, train=20, test=15, steps=5, draws=256)


def test_inputs_are_different_and_labels_follow():
    train, test = draw_inputs(LESSON, 0)
    assert (len(train.features), len(test.features)) == (20, 15)
    words = np.concatenate([train.features, test.features])[:, :, :3].argmax(axis=2)
    assert len(np.unique(words, axis=0)) == 35
    answers = np.concatenate([train.labels, test.labels]).argmax(axis=1)
    for word, answer in zip(words.tolist(), answers, strict=True):
        first = word.index(word[-1])
        assert word.count(word[-1]) == 2
        assert word[first + 1] == answer


def test_majority_has_no_ties():
    lesson = Lesson(task="majority", length=7, symbols=2, train=20, test=15, steps=5, draws=256)
    train, _ = draw_inputs(lesson, 0)
    excess = train.features[:, :, 1].sum(axis=1) - train.features[:, :, 0].sum(axis=1)
    assert (np.sign(excess) == train.labels[:, 0]).all()


def test_the_kernel_takes_the_same_steps():
    """Eigenvalues against the steps themselves, on a linear model."""
    rng = np.random.default_rng(0)
    features, labels = rng.normal(size=(12, 6)), rng.normal(size=(8, 2))
    rate, steps, weights = 0.02, 37, np.zeros((6, 2))
    for _ in range(steps):
        weights -= rate * features[:8].T @ (features[:8] @ weights - labels)
    found = _descend(features @ features.T, labels, rate, steps)
    np.testing.assert_allclose(found, features[8:] @ weights, atol=1e-10)


@pytest.mark.slow
def test_the_ntk_of_wide_networks_is_the_kernel():
    train, _ = draw_inputs(LESSON, 0)
    few = jnp.asarray(train.features[:4], jnp.float32)

    @jax.jit
    def tangent(seed):
        weights = begin(key_for(root_key(seed), "test"), 128, few.shape[2], 1)
        slopes = jax.vmap(
            lambda word: ravel_pytree(jax.grad(lambda w: run(w, word)[0])(weights))[0]
        )
        found = slopes(few)
        return found @ found.T

    drawn = np.stack([np.asarray(tangent(seed)) for seed in range(24)])
    error = drawn.std(axis=0, ddof=1) / np.sqrt(len(drawn))
    wanted = gram(KernelTransformer(), train.features[:4], draws=4096, kind="ntk").value
    # five standard errors, and what a width of 128 may still be off by
    assert (np.abs(drawn.mean(axis=0) - wanted) < 5 * error + 0.05 * wanted).all()


def test_cells():
    cells = LazyCapture().cells(Budget.SMOKE, 3)
    assert len({cell.hash for cell in cells}) == len(cells) == 4
    assert {cell.settings["seeds"] for cell in cells} == {3}
    assert [len(part) for part in LazyCapture().parts(cells)] == [2, 2]
    with pytest.raises(BadInput, match="seeds"):
        LazyCapture().cells(Budget.SMOKE, 0)
