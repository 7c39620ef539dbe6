"""The simplest attention that can count n-grams: heads that look back, then one that matches.

Layer 1 has a head for each symbol of the longest context; its scores depend on the lag alone.
Layer 2 compares the last position with every other one by a bilinear form and copies the symbols
it finds: what it copies is the predicted law itself, no output matrix.
"""

from __future__ import annotations

from typing import NamedTuple

import jax
import jax.numpy as jnp
from jaxtyping import Array, Float, Int, Key

from foretell.plain.errors import BadInput
from foretell.worlds.chains import require_length

FLOOR = 1e-3  # added to the predicted chances in the loss: copies can miss a symbol altogether
FIRM = 30.0  # score of a lag that is looked at and nothing else


class Matcher(NamedTuple):
    """Scores of each head by lag, and the bilinear form of the second layer."""

    lags: Float[Array, "head length"]
    matching: Float[Array, "width width"]


def fresh(key: Key[Array, ""], heads: int, symbols: int, length: int, scale: float) -> Matcher:
    """Small random weights: lags at random, so that no two heads stay the same."""
    require_length(length, heads)
    width = (heads + 1) * symbols
    drawn = scale * jax.random.normal(key, (heads * length + width * width,))
    lags, matching = jnp.split(drawn, [heads * length])
    return Matcher(lags.reshape(heads, length), matching.reshape(width, width))


def attention_of(lags: Float[Array, " length"]) -> Float[Array, "length length"]:
    """Who looks where, in a head that scores lags."""
    place = jnp.arange(lags.shape[0])
    lag = place[:, None] - place[None, :]
    return jax.nn.softmax(jnp.where(lag >= 0, lags[jnp.maximum(lag, 0)], -jnp.inf), axis=-1)


def predict(model: Matcher, word: Int[Array, " length"], symbols: int) -> Float[Array, " letter"]:
    """The law of the symbol after the last."""
    letters = jax.nn.one_hot(word, symbols)
    looked = [attention_of(lags) @ letters for lags in model.lags]
    seen = jnp.concatenate([letters, *looked], axis=1)
    return jax.nn.softmax(seen @ (model.matching.T @ seen[-1])) @ letters


def loss_of(
    said: Float[Array, "... letter"], row: Float[Array, "... letter"]
) -> Float[Array, "..."]:
    """Against the true row."""
    return -jnp.sum(row * jnp.log(said + FLOOR), axis=-1)


def counting(
    size: int, heads: int, symbols: int, length: int, strength: float, spare: int | None = None
) -> Matcher:
    """Weights that count `size`-grams: heads at lags 1, 2, ..., the spare ones on a lag in use.

    With unlimited `strength` of the matching the prediction is the raw `size`-gram, but for the
    first symbols, whose heads cannot look that far back. `spare` is the lag of heads not needed:
    if not said, the longest in use, which for the unigram is 0, the position itself.
    """
    used = size - 1
    if not 0 <= used <= heads:
        raise BadInput(
            "the model cannot count that far back",
            seen=f"{size}-grams with {heads} heads",
            why="it needs a head for each symbol of the context",
        )
    require_length(length, heads + 1)
    rest = used if spare is None else spare
    targets = [head + 1 if head < used else rest for head in range(heads)]
    lags = FIRM * jax.nn.one_hot(jnp.array(targets), length)
    matching = jnp.zeros((heads + 1, symbols, heads + 1, symbols))
    for block in range(used):  # the symbol `block` back here, against one further back there
        matching = matching.at[block, :, block + 1, :].set(strength * jnp.eye(symbols))
    width = (heads + 1) * symbols
    return Matcher(lags, matching.reshape(width, width))
