"""Train a decoder to compose permutations: on the hardest questions only, or on easier ones too.

A word says σ_k, ..., σ_1, a token a value, and then asks about the first few of them: one token
names how many, k', and the argument x. The π are fixed and never shown.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import jax
import jax.numpy as jnp
import optax
from jaxtyping import Array, Float, Int, Key

from foretell.models.small_decoder import Decoder, Shape, create, logits
from foretell.numerics.keys import key_for
from foretell.plain.errors import BadInput
from foretell.worlds.descent import Show, Trained, descend

DIETS = ("all lengths", "longest only")


def lengths_asked(folds: int) -> tuple[int, ...]:
    """How many permutations a question may be about: powers of two up to all.

    >>> lengths_asked(4)
    (1, 2, 4)
    """
    return tuple(2**power for power in range(folds.bit_length()))


def sample_question(
    key: Key[Array, ""], inner: Int[Array, "size label"], which: Int[Array, ""]
) -> tuple[Int[Array, " length"], Int[Array, ""]]:
    """A word and its answer; `which` chooses among `lengths_asked`."""
    folds, symbols = inner.shape
    drawn = jax.random.uniform(key, (folds * symbols + 1,))  # one draw: quick to compile
    outer = jnp.argsort(drawn[:-1].reshape(folds, symbols), axis=1)
    start = jnp.floor(drawn[-1] * symbols).astype(int)
    asked = jnp.asarray(lengths_asked(folds))[which]
    value = start
    for fold in range(folds):  # a handful, and every one needs the one before
        value = jnp.where(fold < asked, outer[fold, inner[fold, value]], value)
    blocks = symbols * jnp.arange(folds)[:, None] + outer
    question = symbols * (folds + which) + start
    return jnp.append(blocks[::-1].ravel(), question), value


def shape_of(settings: Mapping[str, Any]) -> Shape:
    """Tokens are values by block, then arguments by length asked."""
    folds, symbols = settings["folds"], settings["symbols"]
    if folds < 2 or folds & (folds - 1) or symbols < 2:
        raise BadInput(
            "no such composition to learn",
            seen=f"{folds} permutations of {symbols} symbols",
            why="a power of two above one, of two symbols or more",
        )
    return Shape(
        tokens=symbols * (folds + len(lengths_asked(folds))),
        length=folds * symbols + 1,
        width=settings["width"],
        heads=settings["heads"],
        layers=folds.bit_length(),
        hidden=4 * settings["width"],
    )


def train_compositions(
    settings: Mapping[str, Any], inner: Int[Array, "size label"], key: Key[Array, ""], show: Show
) -> Trained:
    """Two decoders that begin alike, one for each diet; watched on the longest questions."""
    shape, symbols = shape_of(settings), settings["symbols"]
    kinds = len(lengths_asked(settings["folds"]))

    def judged(
        weights: Decoder, keys: Key[Array, " batch"], which: Int[Array, " batch"]
    ) -> tuple[Float[Array, ""], Float[Array, ""]]:
        draw = jax.vmap(lambda each, kind: sample_question(each, inner, kind))
        words, wanted = draw(keys, which)
        said = jax.vmap(lambda word: logits(shape, weights, word)[-1, :symbols])(words)
        losses = optax.softmax_cross_entropy_with_integer_labels(said, wanted)
        return jnp.mean(losses), jnp.mean(said.argmax(axis=1) == wanted)

    over = jax.vmap(judged, (0, None, 0))

    def loss(weights: Decoder, key: Key[Array, ""]) -> Float[Array, ""]:
        count = settings["batch"]
        mixed = jax.random.randint(key_for(key, "which"), (count,), 0, kinds)
        which = jnp.stack([mixed, jnp.full(count, kinds - 1)])
        return jnp.sum(over(weights, jax.random.split(key_for(key, "words"), count), which)[0])

    def watch(weights: Decoder, key: Key[Array, ""]) -> dict[str, Array]:
        which = jnp.full((len(DIETS), settings["watched"]), kinds - 1)
        losses, right = over(weights, jax.random.split(key, settings["watched"]), which)
        return {"loss": losses, "right": right}

    one = create(shape, key_for(key, "weights"))
    return descend(
        loss,
        jax.tree.map(lambda each: jnp.stack([each] * len(DIETS)), one),
        optax.adam(optax.cosine_decay_schedule(settings["rate"], settings["steps"])),
        steps=settings["steps"],
        key=key_for(key, "train"),
        every=max(1, settings["steps"] // 100),
        watch=watch,
        show=show,
    )
