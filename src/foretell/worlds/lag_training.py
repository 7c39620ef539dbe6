"""Disentangled transformers of three and of two layers, trained to predict words of unknown lag.

Every table of rows has its own pair of models, which begin alike and read the same words; all
pairs train as one compiled program. Two layers are three whose last one is never read.
"""

from __future__ import annotations

from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
import optax
from jaxtyping import Array, Float, Int, Key

from foretell.constructions.lag_selection import require_lags
from foretell.models.disentangled import Disentangled, answer, create
from foretell.numerics.keys import key_for, root_key
from foretell.worlds.chains import require_length
from foretell.worlds.descent import Show, descend, rise_and_fall
from foretell.worlds.graph_lags import weave

DEPTHS = ("three layers", "two layers")
ROWS = 40  # of a watched curve


class Recipe(NamedTuple):
    """All that decides a training but the tables."""

    lags: tuple[int, ...]
    length: int
    batch: int
    rate: float
    steps: int
    deviation: float  # of the weights at the start
    tests: int  # words of each table
    seed: int


class LagWords(NamedTuple):
    """Words, their lags, and the true law of the symbol that comes next."""

    words: Int[Array, "*member batch length"]
    lags: Int[Array, "*member batch"]
    rows: Float[Array, "*member batch label"]


class LagRun(NamedTuple):
    """Weights by table and depth, the divergence from the truth on the way, and the tests."""

    weights: Disentangled
    steps: Int[np.ndarray, " size"]
    divergences: Float[np.ndarray, "size member ..."]  # the last axis: depths
    tests: LagWords

    def model(self, member: int, depth: str) -> Disentangled:
        """One trained model."""
        place = DEPTHS.index(depth)
        found: Disentangled = jax.tree.map(lambda each: each[member, place], self.weights)
        return found


def draw_words(
    key: Key[Array, ""], table: Float[Array, "token label"], count: int, recipe: Recipe
) -> LagWords:
    """Words of one table, every lag as likely."""
    known, longest = jnp.asarray(recipe.lags), max(recipe.lags)
    lags = jax.random.choice(key_for(key, "lags"), known, (count,))
    keys = jax.random.split(key_for(key, "words"), count)
    words = jax.vmap(lambda own, lag: weave(own, table, lag, longest, recipe.length))(keys, lags)
    return LagWords(words, lags, table[words[jnp.arange(count), recipe.length - lags]])


def readable(model: Disentangled) -> Float[Array, "... width label"]:
    """Which rows of the readout each depth has: two layers lack what the third one wrote."""
    width = len(model.readout)
    return jnp.stack([jnp.ones(width), 1.0 * (jnp.arange(width) < width // 2)])[..., None]


def train_lags(
    tables: Float[np.ndarray, "member token label"], recipe: Recipe, show: Show
) -> LagRun:
    """Both depths for every table, by Adam on the divergence from the true rows."""
    lags = require_lags(recipe.lags)
    require_length(recipe.length, max(lags) + 1)
    known, root = jnp.asarray(tables, jnp.float32), root_key(recipe.seed)
    empty = create(tables.shape[-1], recipe.length, (1, len(lags), 1))
    masks = readable(empty)

    def draw(key: Key[Array, ""], count: int) -> LagWords:
        keys = jax.random.split(key, len(known))
        return jax.vmap(lambda own, table: draw_words(own, table, count, recipe))(keys, known)

    def one(model: Disentangled, mask: Array, drawn: LagWords) -> Float[Array, ""]:
        model = model._replace(readout=model.readout * mask)
        said = jax.nn.log_softmax(jax.vmap(lambda word: answer(model, word))(drawn.words))
        return jnp.mean(jnp.sum(drawn.rows * (jnp.log(drawn.rows) - said), axis=-1))

    both = jax.vmap(jax.vmap(one, (0, 0, None)), (0, None, 0))
    tests = jax.jit(lambda: draw(key_for(root, "tests"), recipe.tests))()
    trained = descend(
        lambda weights, key: jnp.sum(both(weights, masks, draw(key, recipe.batch))),
        jax.jit(lambda: _begin(empty, len(known), recipe.deviation, key_for(root, "weights")))(),
        optax.adam(rise_and_fall(recipe.rate, recipe.steps)),
        steps=recipe.steps,
        key=key_for(root, "train"),
        every=max(1, recipe.steps // ROWS),
        watch=lambda weights, key: {"divergence": both(weights, masks, tests)},
        show=show,
    )
    return LagRun(trained.weights, trained.steps, trained.watched["divergence"], tests)


def _begin(
    empty: Disentangled, members: int, deviation: float, key: Key[Array, ""]
) -> Disentangled:
    """Small normal weights; the two depths of a member begin alike."""
    leaves, shape = jax.tree.flatten(empty)
    keys = jax.random.split(key, len(leaves))
    drawn = [
        deviation * jax.random.normal(own, (members, 1, *leaf.shape))
        for own, leaf in zip(keys, leaves, strict=True)
    ]
    made: Disentangled = jax.tree.unflatten(
        shape, [jnp.repeat(each, len(DEPTHS), axis=1) for each in drawn]
    )
    return made
