"""The layer of `markov-landscape` on long sequences, with separate matrices, ready to be trained.

Cells (a kind of layer on a chain) and their seeds are one array program: the weights carry two
leading axes, and what differs is data, not shape. Cells share what is drawn for a seed, both the
start's noise and the words', so that they differ in nothing else.
"""

from __future__ import annotations

import functools
import operator
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import optax
from jax.flatten_util import ravel_pytree
from jaxtyping import Array, Bool, Float, Int, Key

from foretell.numerics.keys import key_for, root_key
from foretell.plain.errors import BadInput
from foretell.plain.wording import counted
from foretell.worlds.binary_chain import require_chain
from foretell.worlds.descent import Show, Trained, descend

SPREAD = 0.02  # of a Gaussian start
GOOD = 0.5  # entries of the good start's embedding; its positions take half of it away


class Kind(NamedTuple):
    """A way to build and to start."""

    tied: bool
    good: bool
    layers: int


KINDS = {
    "tied": Kind(tied=True, good=False, layers=1),
    "separate": Kind(tied=False, good=False, layers=1),
    "good start": Kind(tied=True, good=True, layers=1),
    "two layers": Kind(tied=True, good=False, layers=2),
}
Cell = Sequence[Any]  # the name of a kind, p and q
Watch = Callable[["Weights", "Chain", Float[Array, "batch length"]], dict[str, Array]]


class Block(NamedTuple):
    """One head of attention and one ReLU layer."""

    query: Float[Array, "width width"]
    key: Float[Array, "width width"]
    value: Float[Array, "width width"]
    back: Float[Array, "width width"]
    first: Float[Array, "hidden width"]
    second: Float[Array, "width hidden"]


class Weights(NamedTuple):
    """Of one member; `output` is idle where it is tied to the embedding."""

    embedding: Float[Array, " width"]
    positions: Float[Array, "length width"]
    blocks: tuple[Block, ...]
    output: Float[Array, " width"]
    bias: Float[Array, ""]


class Chain(NamedTuple):
    """What a member is trained on, and whether its output vector is its embedding."""

    p: Float[Array, ""]
    q: Float[Array, ""]
    tied: Bool[Array, ""]


def start(noise: Weights, good: Bool[Array, ""]) -> Weights:
    """Small and Gaussian; or, if good, constant where it matters, so that a 1 lowers the logit."""
    narrow = SPREAD / (2 * len(noise.blocks)) ** 0.5

    def block(drawn: Block) -> Block:
        wide = Block(*(SPREAD * each for each in drawn))
        return wide._replace(
            back=narrow * drawn.back,
            first=jnp.where(good, 1.0, wide.first),
            second=jnp.where(good, -1.0, narrow * drawn.second),
        )

    return Weights(
        jnp.where(good, GOOD, SPREAD * noise.embedding),
        jnp.where(good, -GOOD / 2, SPREAD * noise.positions),
        tuple(map(block, noise.blocks)),
        SPREAD * noise.output,
        0 * noise.bias,
    )


def normal_weights(key: Key[Array, ""], *, layers: int, length: int, width: int) -> Weights:
    """All entries standard normal, drawn at once."""
    square, tall = jnp.zeros((width, width)), jnp.zeros((4 * width, width))
    block = Block(square, square, square, square, tall, tall.T)
    vector = jnp.zeros(width)
    shape = Weights(vector, jnp.zeros((length, width)), (block,) * layers, vector, jnp.zeros(()))
    flat, back = ravel_pytree(shape)
    drawn: Weights = back(jax.random.normal(key, flat.shape))
    return drawn


def logits(
    weights: Weights, word: Int[Array, " length"], tied: Bool[Array, ""]
) -> Float[Array, " length"]:
    """Of a 1 as the next symbol, at every position of one word."""
    stream = word[:, None] * weights.embedding + weights.positions
    causal = jnp.tril(jnp.ones((len(word), len(word)), bool))
    for block in weights.blocks:
        scores = (stream @ block.query.T) @ (stream @ block.key.T).T / stream.shape[1] ** 0.5
        attention = jax.nn.softmax(jnp.where(causal, scores, -jnp.inf), axis=-1)
        stream = stream + attention @ (stream @ block.value.T) @ block.back.T
        stream = stream + jax.nn.relu(stream @ block.first.T) @ block.second.T
    return stream @ jnp.where(tied, weights.embedding, weights.output) + weights.bias


def words(draws: Float[Array, "batch length"], chain: Chain) -> Int[Array, "batch length"]:
    """Of the stationary chain, from numbers even between 0 and 1.

    A draw makes the symbol 1, or 0, whatever came before, or else keeps it (p + q < 1) or flips it
    (p + q > 1): so a symbol follows from the last draw that decided, and no chain is walked.
    """
    low, high = jnp.minimum(chain.p, 1 - chain.q), jnp.maximum(chain.p, 1 - chain.q)
    place = jnp.arange(draws.shape[1])
    decides = ((draws < low) | (draws >= high)).at[:, 0].set(True)
    value = (draws < low).at[:, 0].set(draws[:, 0] < chain.p / (chain.p + chain.q))
    last = jax.lax.cummax(jnp.where(decides, place, 0), axis=1)
    flipped = (chain.p + chain.q > 1) & ((place - last) % 2 == 1)
    return (jnp.take_along_axis(value, last, axis=1) ^ flipped).astype(jnp.int32)


def sampled_loss(
    weights: Weights, chain: Chain, draws: Float[Array, "batch length"]
) -> Float[Array, ""]:
    """What training sees: words and their next symbols."""
    drawn = words(draws, chain)
    said = jax.vmap(logits, (None, 0, None))(weights, drawn[:, :-1], chain.tied)
    return -jnp.mean(jax.nn.log_sigmoid(jnp.where(drawn[:, 1:] == 1, said, -said)))


def expected_loss(
    weights: Weights, chain: Chain, draws: Float[Array, "batch length"]
) -> tuple[Float[Array, ""], Float[Array, " state"]]:
    """Loss, and chance of a 1 predicted after a 0 and after a 1.

    The next symbol is averaged over and both last symbols get their stationary weights, so that
    only what the layer makes of the symbols before remains to chance.
    """
    drawn = words(draws, chain)[:, :-1]
    said = jax.vmap(logits, (None, 0, None))(weights, drawn, chain.tied)
    ones = jnp.where(drawn == 1, 1 - chain.q, chain.p)
    surprise = jax.nn.softplus(said) - ones * said
    is_last = jnp.stack([drawn == 0, drawn == 1])

    def by_symbol(values: Array) -> Float[Array, " state"]:
        return jnp.sum(is_last * values, axis=(1, 2)) / jnp.sum(is_last, axis=(1, 2))

    law = jnp.stack([chain.q, chain.p]) / (chain.p + chain.q)
    return law @ by_symbol(surprise), by_symbol(jax.nn.sigmoid(said))


def optimizer(rate: float, steps: int) -> optax.GradientTransformation:
    """AdamW with two per cent of warming up, then half a cosine down to a fifth."""
    schedule = optax.warmup_cosine_decay_schedule(
        rate / 100, rate, max(1, steps // 50), steps, rate / 5
    )
    return optax.adamw(schedule, b1=0.9, b2=0.95, weight_decay=1e-3)


def require_cells(settings: Mapping[str, Any]) -> list[tuple[str, float, float]]:
    """Kinds that exist on chains that forget, and sequences with something to predict from."""
    if settings["length"] < 2:
        raise BadInput("the sequences are too short", seen=settings["length"], why="at least 2")
    for kind, p, q in settings["cells"]:
        require_chain(p, q)
        if kind not in KINDS:
            raise BadInput("unknown kind of layer", seen=kind, hint=", ".join(KINDS))
    return [(kind, p, q) for kind, p, q in settings["cells"]]


def train(settings: Mapping[str, Any], watch: Watch, show: Show) -> dict[tuple[Any, ...], Trained]:
    """Every cell with all its seeds; those of one depth are one program.

    `watch` sees one member; what it returns has an axis of seeds after that of time.
    """
    cells, trained = require_cells(settings), {}
    for layers in sorted({KINDS[kind].layers for kind, _, _ in cells}):
        chosen = [cell for cell in cells if KINDS[cell[0]].layers == layers]
        done = _train_shape(chosen, layers, settings, watch, show)
        for number, cell in enumerate(chosen):
            weights = jax.tree.map(operator.itemgetter(number), done.weights)
            watched = {name: rows[:, number] for name, rows in done.watched.items()}
            trained[cell] = Trained(weights, done.steps, watched)
    return trained


def _train_shape(
    cells: Sequence[tuple[str, float, float]],
    layers: int,
    settings: Mapping[str, Any],
    watch: Watch,
    show: Show,
) -> Trained:
    chains = Chain(
        jnp.array([p for _, p, _ in cells]),
        jnp.array([q for _, _, q in cells]),
        jnp.array([KINDS[kind].tied for kind, _, _ in cells]),
    )
    good = jnp.array([KINDS[kind].good for kind, _, _ in cells])
    length, width, seeds = settings["length"], settings["width"], jnp.arange(settings["seeds"])
    root = key_for(root_key(settings["seed"]), "markov layer")

    @jax.jit
    def begin() -> Weights:
        draw = functools.partial(normal_weights, layers=layers, length=length, width=width)
        noise = jax.vmap(lambda seed: draw(key_for(root, "start", seed)))(seeds)
        drawn: Weights = jax.vmap(lambda each: jax.vmap(start, (0, None))(noise, each))(good)
        return drawn

    def everywhere(
        one: Callable[..., Any], weights: Weights, key: Key[Array, ""], batch: int
    ) -> Any:
        def draws(seed: Int[Array, ""]) -> Float[Array, "batch length"]:
            return jax.random.uniform(jax.random.fold_in(key, seed), (batch, length + 1))

        of_seeds = jax.vmap(one, (0, None, 0))
        return jax.vmap(of_seeds, (0, 0, None))(weights, chains, jax.vmap(draws)(seeds))

    return descend(
        lambda weights, key: everywhere(sampled_loss, weights, key, settings["batch"]).sum(),
        begin(),
        optimizer(settings["rate"], settings["steps"]),
        steps=settings["steps"],
        key=key_for(root, "steps"),
        every=settings["every"],
        watch=lambda weights, key: everywhere(watch, weights, key, settings["tested"]),
        show=show,
        phase=counted(layers, "layer"),
    )
