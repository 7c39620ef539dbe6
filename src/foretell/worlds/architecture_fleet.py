"""Models of all kinds at one number of parameters, trained on several tasks side by side.

The members of one fleet are of one kind and differ in what they learn: one compiled program for
all tasks. A second fleet asks how much a GRU remembers: members of all widths are one program too,
for a unit whose weights are all held at zero stays at zero.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple, final

import jax
import jax.numpy as jnp
import numpy as np
import optax
from jaxtyping import Array, Bool, Float, Int, Key

from foretell.core.architecture import FIXED_STATE, Architecture
from foretell.models.layers import Linear
from foretell.models.recurrent import CELLS, Gru
from foretell.models.sequence_model import HYBRID, attention_layers, create_model
from foretell.numerics.keys import key_for, root_key
from foretell.theory._complexity import REGIMES, Shape, inference
from foretell.worlds.architecture_tasks import Game, Word
from foretell.worlds.descent import Show, descend

FIRST = "transformer"  # the others have about as many parameters as this one
HEADS = {FIRST: 2}
DEEPER = 2  # times, a hybrid: one of its layers attends
POSITIONAL = "rotary"  # of what attends
BYTES = 4  # of a number
TESTED = 256  # words of each task


def described(kind: str, layers: int, width: int) -> Architecture:
    """The architecture of a kind at a width."""
    fixed = kind in FIXED_STATE
    return Architecture(
        layers=layers * (DEEPER if kind == HYBRID else 1),
        heads=HEADS.get(kind, 1),
        width=width,
        positional="nope" if fixed else POSITIONAL,
        context=1,  # nothing here has learned positions
        tied=False,
        kind=kind,
    )


def parameters(shape: Architecture, tokens: int, labels: int) -> int:
    """How many numbers are trained."""
    made = jax.eval_shape(lambda: create_model(shape, tokens, labels, root_key(0)))
    return sum(leaf.size for leaf in jax.tree.leaves(made))


def matched(kind: str, layers: int, width: int, tokens: int, labels: int) -> Architecture:
    """The width of this kind that comes nearest to the transformer's number of parameters.

    That number is a polynomial of degree two in the width, so three counts give all.
    """
    aim = parameters(described(FIRST, layers, width), tokens, labels)
    step = 1 if kind in FIXED_STATE else 2 * HEADS.get(kind, 1)  # rotary turns pairs
    few = np.array([4, 8, 12])
    counts = [parameters(described(kind, layers, int(own)), tokens, labels) for own in few]
    widths = np.arange(4, 2 * width + 1, step)
    known = np.polyval(np.polyfit(few, counts, 2), widths)
    return described(kind, layers, int(widths[np.argmin(np.abs(known - aim))]))


@final
class Cost(NamedTuple):
    """What a model keeps between tokens, and what it computes on a word."""

    state: int  # bytes after a word
    operations: int
    order: str


def cost_of(shape: Architecture, length: int) -> Cost:
    """Counted: states, or keys and values of every token; operations of a pass."""
    attending = len(attention_layers(shape))
    memories = CELLS[shape.kind].memories if shape.kind in CELLS else 1
    numbers = (shape.layers - attending) * memories * shape.width
    numbers += 2 * attending * shape.width * length
    counted = Shape.of(shape)
    assert counted.regime is not None
    order = str(inference(counted, counted.regime))
    return Cost(BYTES * numbers, REGIMES[counted.regime](counted, length), order)


def words_of(games: Sequence[Game], key: Key[Array, ""], batch: int, length: int) -> Word:
    """A batch of every game, games first, all padded to one length."""
    drawn = [
        jax.vmap(lambda own, game=game: game.draw(own, length if game.longer else game.length))(
            jax.random.split(key_for(key, number), batch)
        )
        for number, game in enumerate(games)
    ]
    return jax.tree.map(
        lambda *parts: jnp.stack(
            [jnp.pad(part, ((0, 0), (0, length - part.shape[1]))) for part in parts]
        ),
        *drawn,
    )


def trained_accuracies(
    shape: Architecture, games: Sequence[Game], settings: Mapping[str, Any], show: Show
) -> Float[np.ndarray, "member draw"]:
    """Share of right answers of each game and seed, after training on all games side by side."""
    seeds, length = settings["seeds"], max(game.length for game in games)
    tokens, labels = max(game.tokens for game in games), max(game.labels for game in games)
    everyone = tuple(game for game in games for _ in range(seeds))
    root = key_for(root_key(settings["seed"]), shape.kind)
    keys = jax.random.split(key_for(root, "weights"), len(everyone))
    fresh = _created(lambda key: create_model(shape, tokens, labels, key), keys)

    def loss(models: Any, key: Key[Array, ""]) -> Float[Array, ""]:
        words = words_of(everyone, key, settings["batch"], length)
        return jnp.sum(jax.vmap(_cost)(models, words))

    steps = settings["steps"]
    optimizer = optax.chain(
        optax.clip(0.1), optax.adam(optax.linear_schedule(settings["rate"], 0.0, steps))
    )
    models = descend(
        loss,
        fresh,
        optimizer,
        steps=steps,
        key=key_for(root, "words"),
        show=show,
        phase=f"training {shape.label}",
    ).weights
    rights = _rights(models, everyone, length, key_for(root, "tests"))
    return rights.reshape(len(games), seeds)


def _created(make: Callable[[Key[Array, ""]], Any], keys: Key[Array, " member"]) -> Any:
    """Weights for each key."""
    return jax.jit(jax.vmap(make), compiler_options=_quickly())(keys)


def _quickly() -> dict[str, Any] | None:
    """For what runs once, compiling fast beats running fast."""
    quick = {"xla_backend_optimization_level": 0, "xla_llvm_disable_expensive_passes": True}
    return quick if jax.default_backend() == "cpu" else None


def _cost(model: Any, words: Word) -> Float[Array, ""]:
    costs = optax.softmax_cross_entropy_with_integer_labels(_logits(model, words), words.targets)
    return jnp.sum(costs * words.scored) / jnp.sum(words.scored)


def _logits(model: Any, words: Word) -> Float[Array, "batch length label"]:
    logits: Float[Array, "batch length label"] = model(
        words.tokens, jnp.arange(words.tokens.shape[1])[None]
    )
    return logits


def _rights(
    models: Any, games: Sequence[Game], length: int, key: Key[Array, ""]
) -> Float[np.ndarray, " member"]:
    """Right answers: of games that are tested on longer words, in the half that is new."""
    double = 2 * length if any(game.longer for game in games) else length

    def all_words(key: Key[Array, ""]) -> tuple[Word, Bool[Array, "member batch length"]]:
        words = words_of(games, key, TESTED, double)
        new = jnp.array([game.longer for game in games])[:, None, None]
        return words, words.scored & (~new | (jnp.arange(double) >= length))

    def share(model: Any, words: Word, counted: Bool[Array, "batch length"]) -> Float[Array, ""]:
        found = jnp.argmax(_logits(model, words), axis=-1) == words.targets
        return jnp.sum(found & counted) / jnp.sum(counted)

    words = jax.jit(all_words, compiler_options=_quickly())(key)
    rights = jax.jit(jax.vmap(share), compiler_options=_quickly())
    return np.asarray(rights(models, *words))


class Memory(NamedTuple):
    """A GRU that reads signs and is then asked for all of them at once."""

    cell: Gru
    output: Linear


def remembered(
    widths: Sequence[int], lengths: Sequence[int], settings: Mapping[str, Any], show: Show
) -> Float[np.ndarray, "size bit"]:
    """Share of bits that a GRU of each width still knows of words of each length."""
    hidden, longest = max(widths), max(lengths)
    places = [(width, length) for width in widths for length in lengths]
    root = key_for(root_key(settings["seed"]), "memory")
    keys = jax.random.split(key_for(root, "weights"), len(places))
    sizes = jnp.array(places)

    def make(key: Key[Array, ""]) -> Memory:
        cell = Gru.create(1, hidden, key_for(key, "cell"))
        output = Linear.create(hidden, longest, hidden**-0.5, key_for(key, "output"))
        return Memory(cell, output)  # type: ignore[arg-type]

    def loss(models: Memory, key: Key[Array, ""]) -> Float[Array, ""]:
        signs = _signs(key, settings["batch"], longest)
        return jnp.sum(jax.vmap(lambda own, size: _forgotten(own, size, signs)[0])(models, sizes))

    steps = settings["memory_steps"]
    models = descend(
        loss,
        _created(make, keys),
        optax.adam(optax.linear_schedule(settings["rate"], 0.0, steps)),
        steps=steps,
        key=key_for(root, "words"),
        show=show,
        phase="training memories",
    ).weights
    tests = _signs(key_for(root, "tests"), 1_000, longest)
    known = jax.jit(
        jax.vmap(lambda own, size: _forgotten(own, size, tests)[1]), compiler_options=_quickly()
    )
    return np.asarray(known(models, sizes)).reshape(len(widths), len(lengths))


def _signs(key: Key[Array, ""], batch: int, length: int) -> Float[Array, "batch length"]:
    return jax.random.rademacher(key, (batch, length), jnp.float32)


def _forgotten(
    memory: Memory, size: Int[Array, " size"], signs: Float[Array, "batch length"]
) -> tuple[Float[Array, ""], Float[Array, ""]]:
    """Mean loss and share of right signs; words are the last so many signs, nothing before them."""
    width, length = size
    longest = signs.shape[1]
    counted = jnp.arange(longest) >= longest - length
    there = jnp.arange(memory.cell.states.shape[0]) < width
    gates = jnp.tile(there, Gru.sums)
    inputs = memory.cell.inputs
    cell = Gru(
        Linear(inputs.weight * gates, inputs.bias * gates),
        memory.cell.states * there[:, None] * gates,
    )
    states = cell((signs * counted)[..., None])[:, -1:]
    said = memory.output(states)[:, 0]
    cost = jnp.where(counted, jax.nn.softplus(-2 * signs * said), 0.0)
    right = jnp.where(counted, signs * said > 0, False)
    return jnp.sum(cost) / (signs.shape[0] * length), jnp.sum(right) / (signs.shape[0] * length)
