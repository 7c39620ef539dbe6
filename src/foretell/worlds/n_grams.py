"""In-context n-grams: estimators that count in the word read so far, and the losses they reach.

A k-gram predicts from the last k-1 symbols. Functions that count take the number of symbols of
context, `context` = k-1: 0 is the unigram, 1 the bigram. Losses are in nats.
"""

from __future__ import annotations

import functools
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float, Int
from scipy.special import digamma, roots_jacobi

from foretell.plain.errors import BadInput
from foretell.worlds.chains import (
    BALANCING,
    Prior,
    contexts_of,
    count_contexts,
    order_of,
    require_length,
    require_rows,
)

NODES = 200  # of the quadrature, on each axis
AT_ONCE = 256  # chains in memory together


def counts(
    word: Int[Array, " length"], context: int, symbols: int
) -> Float[Array, "length letter"]:
    """At each position, how often each letter followed an earlier copy of the current context.

    The context are the last `context` symbols including that position. All zero where there was
    no earlier copy, or where fewer symbols have been read: the caller decides what to say there.

    >>> counts(jnp.array([0, 1, 0, 1, 0]), 1, 2).tolist()
    [[0.0, 0.0], [0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [0.0, 2.0]]
    """
    before = contexts_of(word, context, symbols)
    place = jnp.arange(word.shape[0])
    # The letter at i followed the context that ended at i - 1.
    ended = jnp.roll(before, 1)
    found = (before[:, None] == ended[None, :]) & (place[None, :] <= place[:, None])
    if context:
        found &= (place >= context)[None, :] & (before >= 0)[:, None]
    else:
        found = place[None, :] <= place[:, None]
    return found.astype(float) @ jax.nn.one_hot(word, symbols)


def last_counts(word: Int[Array, " length"], context: int, symbols: int) -> Float[Array, " letter"]:
    """The last row of `counts`, in time linear in the length."""
    before = contexts_of(word, context, symbols)
    ended = jnp.roll(before, 1)
    found = (ended == before[-1]) & (jnp.arange(word.shape[0]) >= context)
    return found.astype(float) @ jax.nn.one_hot(word, symbols)


def raw(
    counted: Float[Any, "... letter"],
) -> Float[Any, "... letter"]:
    """Shares of what was counted; not a number where nothing was: there it is undefined."""
    return counted / counted.sum(axis=-1, keepdims=True)


def smoothed(counted: Float[Any, "... letter"], alpha: float) -> Float[Any, "... letter"]:
    """With `alpha` added to every count: Bayes' answer if the row is Dirichlet(alpha, ...).

    >>> smoothed(np.array([3.0, 0.0]), 1.0).tolist()
    [0.8, 0.2]
    """
    total = counted.sum(axis=-1, keepdims=True) + counted.shape[-1] * alpha
    return (counted + alpha) / total


def chain_levels(rows: Float[np.ndarray, "draw state letter"]) -> Float[np.ndarray, "draw size"]:
    """Entropy of the next symbol given the last 0, 1, ..., order symbols, chain by chain.

    Contexts weigh as often as they occur, not all the same: that is the size bias.

    >>> chain_levels(np.array([[[0.5, 0.5], [0.5, 0.5]]])).round(4).tolist()
    [[0.6931, 0.6931]]
    """
    require_rows(rows)
    symbols = rows.shape[-1]
    joint = context_laws(rows)[..., None] * rows
    levels = []
    for context in range(order_of(rows, symbols) + 1):
        pair = joint.reshape(len(rows), -1, symbols**context, symbols).sum(axis=1)
        levels.append(_entropy(pair.reshape(len(rows), -1)) - _entropy(pair.sum(axis=-1)))
    return np.stack(levels, axis=-1)


class Levels(NamedTuple):
    """Mean level for each size of context, and how far off it may be (one standard error)."""

    mean: Float[np.ndarray, " size"]
    error: Float[np.ndarray, " size"]


@functools.cache
def sampled_levels(order: int, symbols: int, prior: Prior, chains: int, seed: int = 0) -> Levels:
    """Levels of an endless word, averaged over chains from the prior: each chain's are exact."""
    if chains < 2:
        raise BadInput("too few chains for an error bar", seen=chains, hint="at least 2")
    generator = np.random.default_rng(seed)
    left = [min(AT_ONCE, chains - first) for first in range(0, chains, AT_ONCE)]
    drawn = np.concatenate(
        [chain_levels(drawn_rows(generator, each, order, symbols, prior)) for each in left]
    )
    return Levels(drawn.mean(axis=0), drawn.std(axis=0, ddof=1) / np.sqrt(chains))


@functools.cache
def counted_levels(
    order: int, symbols: int, prior: Prior, length: int, chains: int, seed: int = 0
) -> Levels:
    """Losses of the smoothed estimators after `length` symbols, by size of context up to `order`.

    On words that start in the stationary law, against the true row at the end of each.
    """
    require_length(length, order)
    generator = np.random.default_rng(seed)
    rows = drawn_rows(generator, chains, order, symbols, prior)
    each, contexts = np.arange(chains), rows.shape[1]
    ladder = np.cumsum(context_laws(rows), axis=1)
    now = (generator.random((chains, 1)) * ladder[:, -1:] >= ladder[:, :-1]).sum(axis=1)
    letters = list(now // symbols ** np.arange(order - 1, -1, -1)[:, None] % symbols)
    ladder = np.cumsum(rows, axis=2)
    for _ in range(length - order):
        letters.append((generator.random((chains, 1)) >= ladder[each, now, :-1]).sum(axis=1))
        now = (now * symbols + letters[-1]) % contexts
    words, losses = np.stack(letters, axis=1), []
    for context in range(order + 1):
        copies = np.ones((chains, length - context), bool)
        for back in range(context):
            earlier = words[:, context - 1 - back : length - 1 - back]
            copies &= earlier == words[:, length - 1 - back, None]
        followed = np.eye(symbols)[words[:, context:]]
        said = np.asarray(smoothed(np.einsum("dk,dkl->dl", copies, followed), prior.alpha))
        losses.append(-np.sum(rows[each, now] * np.log(said), axis=1))
    drawn = np.stack(losses, axis=1)
    return Levels(drawn.mean(axis=0), drawn.std(axis=0, ddof=1) / np.sqrt(chains))


def drawn_rows(
    generator: np.random.Generator, chains: int, order: int, symbols: int, prior: Prior
) -> Float[np.ndarray, "draw state letter"]:
    """What `sample_rows` draws, in NumPy and 64 bits for many chains: nothing to compile."""
    contexts = count_contexts(order, symbols)
    shape = (chains, 1 if prior.kind == "unigram" else contexts)
    rows = generator.dirichlet(np.full(symbols, prior.alpha), shape)
    if prior.kind == "doubly-stochastic":
        blocks = np.maximum(rows, 1e-300).reshape(chains, symbols, -1, symbols)
        for _ in range(BALANCING):
            blocks = blocks / blocks.sum(axis=1, keepdims=True)
            blocks = blocks / blocks.sum(axis=3, keepdims=True)
        rows = blocks.reshape(rows.shape)
    rows = np.broadcast_to(rows, (chains, contexts, symbols))
    return prior.floor / symbols + (1 - prior.floor) * rows


def context_laws(rows: Float[np.ndarray, "draw state letter"]) -> Float[np.ndarray, "draw state"]:
    """How often each context comes in the long run, chain by chain, in 64 bits."""
    chains, contexts, symbols = rows.shape
    after = (np.arange(contexts)[:, None] * symbols + np.arange(symbols)) % contexts
    moves = np.einsum("dsl,slt->dst", rows, np.eye(contexts)[after])
    system = moves.swapaxes(1, 2) - np.eye(contexts) + 1
    return np.maximum(np.linalg.solve(system, np.ones((chains, contexts, 1)))[..., 0], 0)


def binary_levels(alpha: float, nodes: int = NODES) -> Float[np.ndarray, " size"]:
    """Unigram and bigram level of an endless word of a chain of order 1 on 2 symbols.

    A double integral over the two chances to switch, both Beta(alpha, alpha), by Gauss's rule.

    >>> binary_levels(1.0).round(5).tolist()
    [0.56383, 0.48089]
    """
    chance, weights = _nodes(alpha, nodes)
    leave, back = chance[:, None], chance[None, :]
    share = leave / (leave + back)  # how often the word is at 1
    at_one = _binary_entropy(back)
    levels = (_binary_entropy(share), (1 - share) * _binary_entropy(leave) + share * at_one)
    return np.array([weights @ level @ weights for level in levels])


def balanced_levels(alpha: float, nodes: int = NODES) -> Float[np.ndarray, " size"]:
    """The same for a doubly stochastic chain, balanced from two Dirichlet rows.

    Balancing keeps the cross ratio (1-p)(1-q)/(pq) of the rows and makes both chances to switch
    the same: 1/(1 + its root). The unigram level is ln 2, whatever the chain.

    >>> balanced_levels(1.0).round(4).tolist()
    [0.6931, 0.5631]
    """
    chance, weights = _nodes(alpha, nodes)
    odds = (1 - chance) / chance
    switch = 1 / (1 + np.sqrt(odds[:, None] * odds[None, :]))
    return np.array([np.log(2), weights @ _binary_entropy(switch) @ weights])


def independent_level(symbols: int, alpha: float) -> float:
    """Mean entropy of a Dirichlet row: the level if the context does not depend on the chain.

    >>> round(independent_level(10, 0.1), 5)
    0.84654
    """
    return float(digamma(symbols * alpha + 1) - digamma(alpha + 1))


def finite_level(level: float, context: int, symbols: int, length: int) -> float:
    """The level after `length` symbols, for many more symbols than contexts.

    S^context rows of S-1 free chances each are estimated, and cost 1/(2·length) each.

    >>> round(finite_level(0.815, 1, 3, 100), 3)
    0.845
    """
    return level + symbols**context * (symbols - 1) / (2 * length)


def cross_entropy(
    row: Float[Array, "... letter"], said: Float[Array, "... letter"]
) -> Float[Array, "..."]:
    """Expected loss if the next symbol follows `row` and `said` was predicted."""
    return -jnp.sum(jnp.where(row > 0, row * jnp.log(said), 0.0), axis=-1)


def _entropy(law: Float[np.ndarray, "draw set"]) -> Float[np.ndarray, " draw"]:
    safe = np.where(law > 0, law, 1.0)
    return -np.sum(safe * np.log(safe), axis=-1)


def _binary_entropy(chance: Any) -> Any:
    return -chance * np.log(chance) - (1 - chance) * np.log1p(-chance)


def _nodes(alpha: float, nodes: int) -> tuple[np.ndarray, np.ndarray]:
    """Gauss's rule for a chance that is Beta(alpha, alpha)."""
    places, weights = roots_jacobi(nodes, alpha - 1, alpha - 1)
    return (1 + places) / 2, weights / weights.sum()
