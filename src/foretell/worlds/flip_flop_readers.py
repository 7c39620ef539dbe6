"""Models that read flip-flops, small decoders and recurrent cells, and how they are trained.

A reader gets tokens and says, at every instruction, how much rather 1 than 0 the bit after it is.
Only at reads is that asked and trained. Members of a fleet share their shape and differ in seed and
recipe: which words they see, how much their weights decay, whether attention is made sharp.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
import optax
from jaxtyping import Array, Bool, Float, Int, Key

from foretell.models import small_decoder
from foretell.models.small_decoder import Decoder, Shape
from foretell.numerics.keys import key_for, root_key
from foretell.worlds.descent import Show, descend, rise_and_fall
from foretell.worlds.flip_flops import READ, ZERO, Word, require_law, sample, tokens
from foretell.worlds.recurrent_reader import Recurrent, said_after

INSTRUCTIONS = slice(None, None, 2)  # the tokens between them are bits

# Weights and tokens of a batch, to what is said at the instructions and how sharp attention is.
Reader = Callable[[Any, Int[Array, "batch length"]], tuple[Array, Array]]


class Recipe(NamedTuple):
    """How one member is trained: chances of an ignore to draw words from, and two remedies."""

    laws: tuple[float, ...]
    decay: float = 0.0
    sharpening: float = 0.0


class Recipes(NamedTuple):
    """Those of all members, side by side, with their seeds."""

    laws: Float[np.ndarray, "member size"]
    decay: Float[np.ndarray, " member"]
    sharpening: Float[np.ndarray, " member"]
    seeds: Int[np.ndarray, " member"]

    @classmethod
    def of(cls, members: Sequence[tuple[Recipe, int]], pairs: int) -> Recipes:
        """Laws are repeated where another member has more of them."""
        recipes, seeds = zip(*members, strict=True)
        most = max(len(recipe.laws) for recipe in recipes)
        laws = np.array([np.resize(recipe.laws, most) for recipe in recipes], np.float32)
        for law in laws.ravel():
            require_law(float(law), pairs)
        decay, sharpening = (
            np.array([getattr(recipe, name) for recipe in recipes], np.float32)
            for name in ("decay", "sharpening")
        )
        return cls(laws, decay, sharpening, np.array(seeds, np.int32))


def decoder_reader(shape: Shape, looking: bool = False) -> Reader:
    """A small decoder, read at every other token; how sharp attention is where that is looked at.

    Otherwise the last layer is computed at every other token only.
    """

    def one(weights: Decoder, word: Int[Array, " length"]) -> tuple[Array, Array]:
        if looking:
            seen = small_decoder.look(shape, weights, word)
            logits, sharp = seen.logits[::2], jnp.square(seen.attention).sum(axis=-1).mean()
        else:
            logits = small_decoder.logits(shape, weights, word, INSTRUCTIONS)
            sharp = jnp.array(jnp.nan)  # nobody looked: a loss that asks for it must not go on
        return logits[:, ZERO + 1] - logits[:, ZERO], sharp

    return jax.vmap(one, (None, 0))


def recurrent_reader(
    weights: Recurrent, words: Int[Array, "batch length"]
) -> tuple[Float[Array, "batch length"], Float[Array, " batch"]]:
    """What is said after every other token; nothing attends."""
    return said_after(weights, words)[:, ::2], jnp.zeros(words.shape[0])


def draw_batch(key: Key[Array, ""], laws: Float[Array, " size"], pairs: int, count: int) -> Word:
    """Words, each of a law taken at random."""

    def one(key: Key[Array, ""]) -> Word:
        which = jax.random.randint(key_for(key, "law"), (), 0, laws.shape[0])
        return sample(key, laws[which], pairs)

    return jax.vmap(one)(jax.random.split(key, count))


def train(
    reader: Reader,
    fresh: Callable[[Key[Array, ""]], Any],
    members: Sequence[tuple[Recipe, int]],
    plan: Mapping[str, Any],
    show: Show,
) -> Any:
    """All members, each a recipe and a seed; their weights at the end.

    `plan` has steps, batch, pairs, rate and a root seed. Models this small keep one core of a
    processor busy and no more, so there the fleet is trained in two halves side by side.
    """
    half = -(-len(members) // 2) if jax.default_backend() == "cpu" else len(members)
    parts = [members[:half], members[half:]]
    shows = [show, lambda progress: None]  # the halves are equally fast
    with ThreadPoolExecutor(len(parts)) as pool:
        running = [
            pool.submit(_train, reader, fresh, part, plan, own)
            for part, own in zip(parts, shows, strict=True)
            if part
        ]
        found = [each.result() for each in running]
    return jax.tree.map(lambda *leaves: jnp.concatenate(leaves), *found)


def _train(
    reader: Reader,
    fresh: Callable[[Key[Array, ""]], Any],
    members: Sequence[tuple[Recipe, int]],
    plan: Mapping[str, Any],
    show: Show,
) -> Any:
    """A part of the members as one program."""
    laws, decay, sharpening, seeds = Recipes.of(members, plan["pairs"])
    sharpened = sharpening.any()  # if not, it costs nothing
    root = key_for(root_key(plan["seed"]), "flip-flop")

    def member_loss(weights: Any, key: Key[Array, ""], law: Array, sharp: Array) -> Array:
        words = draw_batch(key, law, plan["pairs"], plan["batch"])
        said, squares = reader(weights, jax.vmap(tokens)(words))
        reads = words.instructions == READ
        losses = jax.nn.softplus(jnp.where(words.bits == 1, -said, said))
        loss = jnp.sum(losses * reads) / jnp.sum(reads)
        return loss - sharp * squares.mean() if sharpened else loss

    def loss(weights: Any, key: Key[Array, ""]) -> Float[Array, ""]:
        keys = jax.vmap(lambda seed: jax.random.fold_in(key, seed))(seeds)
        own = jnp.asarray(laws), jnp.asarray(sharpening)
        return jax.vmap(member_loss)(weights, keys, *own).sum()

    start = jax.jit(jax.vmap(lambda seed: fresh(key_for(root, "weights", seed))))(seeds)
    steps = plan["steps"]
    trained = descend(
        loss,
        start,
        _optimizer(plan["rate"], steps, decay),
        steps=steps,
        key=key_for(root, "train"),
        show=show,
        phase=plan["phase"],
    )
    return trained.weights


def _optimizer(
    rate: float, steps: int, decay: Float[np.ndarray, " member"]
) -> optax.GradientTransformation:
    """AdamW with a decay for each member."""

    def decayed(updates: Any, weights: Any) -> Any:
        def one(update: Array, weight: Array) -> Array:
            return update + decay.reshape(-1, *[1] * (weight.ndim - 1)) * weight

        return jax.tree.map(one, updates, weights)

    return optax.chain(
        optax.scale_by_adam(),
        optax.stateless(decayed),
        optax.scale_by_learning_rate(rise_and_fall(rate, steps)),
    )


def glitches(
    reader: Reader, weights: Any, words: Word, batch: int
) -> Bool[np.ndarray, "member draw length"]:
    """Where each member reads the wrong bit; words go through in equal batches."""
    parts = jax.tree.map(lambda each: each.reshape(-1, batch, each.shape[-1]), words)

    def wrong(weights: Any, part: Word) -> Bool[Array, "member batch length"]:
        word = jax.vmap(tokens)(part)
        said = jax.vmap(lambda member: reader(member, word)[0])(weights)
        return (part.instructions == READ) & ((said > 0) != (part.bits == 1))

    run = jax.jit(lambda weights, parts: jax.lax.map(lambda part: wrong(weights, part), parts))
    found = np.asarray(run(weights, parts))
    return np.moveaxis(found, 1, 0).reshape(found.shape[1], -1, found.shape[-1])
