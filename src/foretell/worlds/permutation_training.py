"""Train a decoder on products of permutations, with every product so far written down or without.

Both ways are members of one fleet and read rows of the same length: the word, then the products,
or then nothing. With steps, each product is to be said where the one before it (or the last
letter) stands; without, at its letter. The test with steps is what the decoder writes by itself.
"""

from __future__ import annotations

import operator
from collections.abc import Mapping
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
import optax
from jaxtyping import Array, Bool, Float, Int, Key

from foretell.models.small_decoder import Decoder, Shape, create, logits
from foretell.numerics.keys import key_for, root_key
from foretell.worlds.descent import Show, descend
from foretell.worlds.permutation_words import Products, draw_products, symmetric_group

WAYS = ("with steps", "without steps")


class Rows(NamedTuple):
    """What is read, what is to be said at each place, and where something is."""

    tokens: Int[Array, "member batch length"]
    answers: Int[Array, "member batch length"]
    asked: Bool[Array, "member length"]


class TrainedProducts(NamedTuple):
    """At the end: share of right products after each letter, by way; and on the way there."""

    shares: dict[str, Float[np.ndarray, " length"]]
    steps: Int[np.ndarray, " size"]
    last: dict[str, Float[np.ndarray, " size"]]
    chance: float

    def curves(self) -> dict[str, Any]:
        """Plain enough for JSON."""
        return {
            "shares": {way: each.round(4).tolist() for way, each in self.shares.items()},
            "steps": self.steps.tolist(),
            "last": {way: each.round(4).tolist() for way, each in self.last.items()},
            "chance": self.chance,
        }


def rows_of(
    group: Products, words: Int[Array, "batch length"], products: Int[Array, "batch length"]
) -> Rows:
    """Letters have numbers after those of the products.

    >>> group = symmetric_group(3)
    >>> rows = rows_of(group, jnp.array([[0, 2]]), jnp.array([[2, 5]]))
    >>> rows.tokens[:, 0].tolist(), rows.asked.tolist()
    ([[6, 8, 2, 5], [6, 8, 0, 0]], [[False, True, True, False], [True, True, False, False]])
    """
    length = words.shape[1]
    letters, nothing = words + group.order, jnp.zeros_like(products)
    written = jnp.concatenate([letters, products], axis=1)
    plain = jnp.concatenate([letters, nothing], axis=1)
    later = jnp.roll(jnp.concatenate([products, nothing], axis=1), length - 1, axis=1)
    place = jnp.arange(2 * length)
    asked = jnp.stack([(place >= length - 1) & (place < 2 * length - 1), place < length])
    at_once = jnp.concatenate([products, nothing], axis=1)
    return Rows(jnp.stack([written, plain]), jnp.stack([later, at_once]), asked)


def train_products(own: Mapping[str, Any], seed: int, show: Show) -> TrainedProducts:
    """Both ways at once, from different starts on the same words."""
    group, length = symmetric_group(own["points"]), own["length"]
    tokens, width = group.order + group.generators, own["width"]
    shape = Shape(tokens, 2 * length, width, own["heads"], own["layers"], hidden=2 * width)
    key = key_for(root_key(seed), "products")

    def loss(weights: Decoder, key: Key[Array, ""]) -> Float[Array, ""]:
        rows = rows_of(group, *draw_products(group, key, own["batch"], length))
        return jnp.sum(jax.vmap(lambda *each: _loss(shape, *each))(weights, *rows))

    def watch(weights: Decoder, key: Key[Array, ""]) -> dict[str, Array]:
        words, products = draw_products(group, key, own["tested"], length)
        with_steps, without = (
            jax.tree.map(operator.itemgetter(member), weights) for member in range(len(WAYS))
        )
        plain = rows_of(group, words, products).tokens[1]
        at_once = _heard(shape, without, plain)[:, :length, : group.order].argmax(axis=-1)
        written = _write(shape, with_steps, plain, length, group.order)
        return {
            WAYS[0]: jnp.mean(written == products, axis=0),
            WAYS[1]: jnp.mean(at_once == products, axis=0),
        }

    trained = descend(
        loss,
        jax.jit(jax.vmap(lambda key: create(shape, key)))(jax.random.split(key, len(WAYS))),
        optax.adam(optax.linear_schedule(own["rate"], 0.0, own["steps"])),
        steps=own["steps"],
        key=key_for(key, "words"),
        every=max(1, own["steps"] // 20),
        watch=watch,
        show=show,
        phase="products of permutations",
    )
    shares = {way: trained.watched[way][-1] for way in WAYS}
    last = {way: trained.watched[way][:, -1] for way in WAYS}
    return TrainedProducts(shares, trained.steps, last, 1 / group.order)


def _heard(
    shape: Shape, weights: Decoder, tokens: Int[Array, "batch length"]
) -> Float[Array, "batch length token"]:
    return jax.vmap(lambda word: logits(shape, weights, word))(tokens)


def _loss(
    shape: Shape,
    weights: Decoder,
    tokens: Int[Array, "batch length"],
    answers: Int[Array, "batch length"],
    asked: Bool[Array, " length"],
) -> Float[Array, ""]:
    losses = optax.softmax_cross_entropy_with_integer_labels(
        _heard(shape, weights, tokens), answers
    )
    return jnp.sum(losses * asked) / (asked.sum() * tokens.shape[0])


def _write(
    shape: Shape, weights: Decoder, tokens: Int[Array, "batch length"], length: int, order: int
) -> Int[Array, "batch length"]:
    """The decoder's own products, one after the other: its mistakes stay in what it reads."""

    def step(
        read: Int[Array, "batch length"], number: Int[Array, ""]
    ) -> tuple[Int[Array, "batch length"], Int[Array, " batch"]]:
        heard = _heard(shape, weights, read)[:, length - 1 + number, :order]
        said = heard.argmax(axis=-1).astype(read.dtype)
        return read.at[:, length + number].set(said), said

    return jax.lax.scan(step, tokens, jnp.arange(length))[1].T
