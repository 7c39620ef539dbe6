"""Train a decoder on short inputs of a task and ask it longer ones: the whole answer or nothing."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
import optax
from jaxtyping import Array, Float, Int, Key

from foretell.core.task import Example, Task
from foretell.models.small_decoder import Decoder, Shape, create, logits
from foretell.numerics.keys import key_for, root_key
from foretell.plain.errors import BadInput
from foretell.worlds.descent import Show, descend

WARM_UP = 0.1  # share of the steps in which the rate grows
DECAY, LARGEST_SLOPE = 0.01, 1.0


class Curve(NamedTuple):
    """Share of inputs answered without a mistake, by size, for each model."""

    sizes: tuple[int, ...]
    exact: Float[np.ndarray, "member size"]


class Plan(NamedTuple):
    """One task with the decoder for it: `context` has room for a random start of every word."""

    task: Task
    shape: Shape
    trained: tuple[int, ...]
    tested: tuple[int, ...]


def plan(task: Task, settings: Mapping[str, Any]) -> Plan:
    """Sizes up to `length` are trained, those up to `length + beyond` tested."""
    length, longest = settings["length"], settings["length"] + settings["beyond"]
    trained, later = task.sizes(1, length), task.sizes(length + 1, longest)
    if not trained or not later:
        raise BadInput(
            "no sizes to train or to test on",
            seen=f"{task.name}: up to {length}, then up to {longest}",
            why=f"its smallest size is {task.smallest}",
        )
    chosen = {size for size in (*trained, *later) if size % settings["stride"] == 0}
    width, placed = task.width(longest), settings["positions"] == "absolute"
    shape = Shape(
        tokens=len(task.alphabet.tokens),
        length=2 * width if placed else width,
        **{name: settings[name] for name in ("width", "heads", "layers", "hidden", "positions")},
    )
    return Plan(task, shape, trained, tuple(sorted(chosen | {trained[-1], later[-1]})))


def draw(
    made: Plan, key: Key[Array, ""], sizes: Int[Array, " batch"], largest: int
) -> tuple[Example, Int[Array, " batch"]]:
    """Examples of these sizes, and where each begins among the positions."""
    width = made.task.width(largest)
    starts = jax.random.randint(
        key_for(key, "starts"), sizes.shape, 0, made.shape.length - width + 1
    )
    return made.task.sample(key_for(key, "words"), sizes, width), starts


def answers(
    shape: Shape, model: Decoder, words: Int[Array, "batch length"], starts: Int[Array, " batch"]
) -> Float[Array, "batch length token"]:
    """Logits at every position of every word, each begun at its own start."""

    def one(word: Int[Array, " length"], start: Int[Array, ""]) -> Float[Array, "length token"]:
        if model.positions is None:
            return logits(shape, model, word)
        own = jax.lax.dynamic_slice_in_dim(model.positions, start, word.shape[0])
        return logits(shape, model._replace(positions=own), word)

    return jax.vmap(one)(words, starts)


def train(made: Plan, settings: Mapping[str, Any], show: Show) -> Curve:
    """As many models as there are seeds, on the same words, in one program."""
    members, shape = settings["seeds"], made.shape
    root = key_for(root_key(settings["seed"]), made.task.name)
    legal = jnp.asarray(made.trained)

    def loss(models: Decoder, key: Key[Array, ""]) -> Float[Array, ""]:
        sizes = jax.random.choice(key_for(key, "sizes"), legal, (settings["batch"],))
        example, starts = draw(made, key, sizes, made.trained[-1])

        def one(model: Decoder) -> Float[Array, ""]:
            said = answers(shape, model, example.tokens, starts)
            wrong = optax.softmax_cross_entropy_with_integer_labels(said, example.targets)
            return jnp.sum(wrong * example.mask) / jnp.sum(example.mask)

        return jax.vmap(one)(models).sum()

    keys = jax.random.split(key_for(root, "weights"), members)
    start = jax.jit(jax.vmap(lambda key: create(shape, key)))(keys)
    steps = settings["steps"]
    found = descend(
        loss,
        start,
        _optimizer(settings["rate"], steps),
        steps=steps,
        key=key_for(root, "train"),
        every=max(1, steps // settings["looks"]),
        watch=lambda models, key: {"exact": exact(made, models, key, settings["tested"])},
        show=show,
        phase=made.task.name,
    )
    return Curve(made.tested, found.watched["exact"][-1].T)


def exact(
    made: Plan, models: Decoder, key: Key[Array, ""], tested: int
) -> Float[Array, "size member"]:
    """Share of so many inputs that each model answers without a mistake, at every size."""

    def at(carry: None, size: Int[Array, ""]) -> tuple[None, Float[Array, " member"]]:
        sizes = jnp.full((tested,), size)
        example, starts = draw(made, key_for(key, size), sizes, made.tested[-1])

        def one(model: Decoder) -> Float[Array, ""]:
            said = answers(made.shape, model, example.tokens, starts).argmax(axis=-1)
            return jnp.mean(jnp.all((said == example.targets) | ~example.mask, axis=1))

        return carry, jax.vmap(one)(models)

    return jax.lax.scan(at, None, jnp.asarray(made.tested))[1]


def _optimizer(rate: float, steps: int) -> optax.GradientTransformation:
    warm = max(1, round(WARM_UP * steps))
    schedule = optax.warmup_cosine_decay_schedule(0.0, rate, warm, max(steps, warm + 1))
    return optax.chain(
        optax.clip_by_global_norm(LARGEST_SLOPE), optax.adamw(schedule, weight_decay=DECAY)
    )
