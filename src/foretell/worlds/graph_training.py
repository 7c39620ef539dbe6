"""Disentangled transformers trained by plain gradient descent to answer for words of trees.

Trees with the same number of places train together, one member each, as one compiled program.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
import optax
from jaxtyping import Array, Float, Int

from foretell.models.disentangled import Disentangled, answer, create
from foretell.numerics.keys import key_for, root_key
from foretell.worlds.chains import Prior
from foretell.worlds.descent import Show, descend
from foretell.worlds.graph_trees import Example, counted, require_parents, sample_examples
from foretell.worlds.n_grams import cross_entropy

ROWS = 120  # of a watched curve


class Recipe(NamedTuple):
    """All that decides a training but the trees."""

    symbols: int
    alpha: float
    batch: int
    rate: float
    steps: int
    tests: int
    seed: int


class TreeRun(NamedTuple):
    """One trained member: weights, loss on fixed tests as it went, and what counting gives."""

    weights: Disentangled
    steps: Int[np.ndarray, " size"]
    losses: Float[np.ndarray, " size"]
    bayes: float


def schedule(rate: float, steps: int) -> optax.Schedule:
    """Half of the way at full rate, then a cosine down to nothing."""
    half = steps // 2
    down = optax.cosine_decay_schedule(rate, max(1, steps - half))
    return optax.join_schedules([optax.constant_schedule(rate), down], [half])


def said(model: Disentangled, words: Int[Array, "batch length"]) -> Float[Array, "batch label"]:
    """Logarithms of the chances given to each answer."""
    return jax.nn.log_softmax(jax.vmap(lambda word: answer(model, word))(words))


def loss_on(model: Disentangled, examples: Example) -> Float[Array, ""]:
    """Mean cross-entropy to the true rows."""
    return -jnp.mean(jnp.sum(examples.row * said(model, examples.word), axis=-1))


def train_trees(
    trees: Sequence[Sequence[int]], recipe: Recipe, show: Show, phase: str = "training"
) -> list[TreeRun]:
    """Train one member a tree, all from zero weights; trees must have equally many places."""
    parents = jnp.array([require_parents(each) for each in trees])
    members, nodes = parents.shape
    root, prior = root_key(recipe.seed), Prior(alpha=recipe.alpha)

    def draw(key: Array, count: int) -> Example:
        return sample_examples(key, parents, count, recipe.symbols, prior)

    tests = jax.jit(lambda: draw(key_for(root, "tests", phase), recipe.tests))()

    def counting(tree: Array, examples: Example) -> Array:
        best = jax.vmap(lambda word: counted(word, tree, recipe.symbols, recipe.alpha))
        return jnp.mean(cross_entropy(examples.row, best(examples.word)))

    start = create(recipe.symbols, nodes + 1)
    trained = descend(
        lambda weights, key: jnp.sum(jax.vmap(loss_on)(weights, draw(key, recipe.batch))),
        jax.tree.map(lambda each: jnp.asarray(np.stack([each] * members)), start),
        optax.sgd(schedule(recipe.rate, recipe.steps)),
        steps=recipe.steps,
        key=key_for(root, "train", phase),
        every=max(1, recipe.steps // ROWS),
        watch=lambda weights, key: {"loss": jax.vmap(loss_on)(weights, tests)},
        show=show,
        phase=phase,
    )
    bayes, losses = np.asarray(jax.jit(jax.vmap(counting))(parents, tests)), trained.watched["loss"]
    return [
        TreeRun(
            jax.tree.map(lambda each, member=member: np.asarray(each)[member], trained.weights),
            trained.steps,
            losses[:, member],
            float(bayes[member]),
        )
        for member in range(members)
    ]
