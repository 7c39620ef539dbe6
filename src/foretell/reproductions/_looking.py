"""Train scalar look-ups on functions of bits, many as one program, and look inside each.

Only what can be drawn is kept: mean attention, what each position reads, the MLP's curve.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
import optax
from jaxtyping import Array, Float, Int, Key
from scipy.signal import find_peaks

from foretell.boolean.expansion import Expansion
from foretell.boolean.truth_table import every_input
from foretell.models import scalar_lookup
from foretell.models.scalar_lookup import ScalarLookup
from foretell.numerics.keys import key_for, root_key

SEGMENT = 250  # steps in one dispatch; progress and Ctrl-C wait for it
EXACT_BITS = 12  # up to here a model is asked for every input
ASKED = 1 << EXACT_BITS  # beyond, for so many random ones
BINS = 60  # of the numbers that are looked up
PROMINENCE = 0.1  # of the curve's range where it is used: a smaller wiggle is no turning point


@dataclass(frozen=True, kw_only=True)
class Training:
    """Everything that models of one program have in common."""

    bits: int
    sparsity: int
    sees_bits: bool
    steps: int
    batch: int = 64  # fresh random inputs a step
    learning_rate: float = 5e-3
    weight_decay: float = 1e-4


class State(NamedTuple):
    """What changes while training."""

    model: ScalarLookup
    optimiser: optax.OptState
    step: Int[Array, "*member"]
    loss: Float[Array, "*member"]  # of the last batch


class Target(NamedTuple):
    """The function a member learns."""

    indicator: Int[Array, "*member set bit"]
    coefficients: Float[Array, "*member set"]


class Seen(NamedTuple):
    """A model asked for all inputs, before it is made plain.

    A position `adds` to the answer what varies with the input (standard deviation), and its
    attention `moves` by the share that lies elsewhere than on average (mean over inputs).
    """

    error: Float[Array, ""]
    learned: Float[Array, " set"]
    variance: Float[Array, ""]
    attention: Float[Array, "query key"]
    reads: Float[Array, "batch length"]
    adds: Float[Array, " length"]
    moves: Float[Array, " length"]


def train(
    training: Training,
    expansions: Sequence[Expansion],
    keys: Key[Array, " member"],
    show: Callable[[int, float], None] = lambda step, loss: None,
) -> ScalarLookup:
    """One model for each function and key, by AdamW on the squared error."""
    targets = Target(
        jnp.asarray(np.stack([each.indicator for each in expansions])),
        jnp.asarray(np.array([each.coefficients for each in expansions]), jnp.float32),
    )
    states = jax.vmap(functools.partial(_start, training))(keys)
    done = 0
    while done < training.steps:
        count = min(SEGMENT, training.steps - done)
        states = _advance(training, count, keys, targets, states)
        done += count
        show(done, float(states.loss.mean()))
    return states.model


def key_of(start: int, *path: str | int) -> Key[Array, ""]:
    """The key of one start; nothing else moves it."""
    return key_for(root_key(start), "parity lookup", *path)


def _start(training: Training, key: Key[Array, ""]) -> State:
    model = scalar_lookup.create(training.bits, key_for(key, "model"), training.sees_bits)
    memory = _optimiser(training).init(model)
    return State(model, memory, jnp.zeros((), jnp.int32), jnp.zeros(()))


def _optimiser(training: Training) -> optax.GradientTransformation:
    return optax.adamw(training.learning_rate, weight_decay=training.weight_decay)


def _wanted(target: Target, inputs: Int[Array, "batch bit"]) -> Float[Array, " batch"]:
    even = 1 - (inputs @ target.indicator.T) % 2
    return even.astype(jnp.float32) @ target.coefficients


def _step(training: Training, key: Key[Array, ""], target: Target, state: State) -> State:
    drawn = key_for(key, "inputs", state.step)
    inputs = jax.random.bernoulli(drawn, 0.5, (training.batch, training.bits)).astype(jnp.int32)
    wanted = _wanted(target, inputs)

    def cost(model: ScalarLookup) -> Float[Array, ""]:
        answers = jax.vmap(scalar_lookup.output, (None, 0))(model, inputs)
        return jnp.mean(jnp.square(answers - wanted))

    loss, gradient = jax.value_and_grad(cost)(state.model)
    updates, memory = _optimiser(training).update(gradient, state.optimiser, state.model)
    return State(optax.apply_updates(state.model, updates), memory, state.step + 1, loss)


@functools.partial(jax.jit, static_argnums=(0, 1), donate_argnums=4)
def _advance(
    training: Training, count: int, keys: Key[Array, " member"], targets: Target, states: State
) -> State:
    step = jax.vmap(functools.partial(_step, training))
    return jax.lax.fori_loop(0, count, lambda _, now: step(keys, targets, now), states)


def look(models: ScalarLookup, expansions: Sequence[Expansion]) -> list[dict[str, Any]]:
    """What is inside each model, plain enough for JSON."""
    inputs = asked(expansions[0].bits)
    return [
        _plain(jax.tree.map(lambda leaf: leaf[place], models), expansion, inputs)  # noqa: B023
        for place, expansion in enumerate(expansions)
    ]


def asked(bits: int) -> Int[np.ndarray, "batch bit"]:
    """All inputs if they are few, else random ones."""
    if bits <= EXACT_BITS:
        return np.asarray(every_input(bits), np.int32)
    return np.random.default_rng(0).integers(0, 2, (ASKED, bits), dtype=np.int32)


@jax.jit
def _see(model: ScalarLookup, target: Target, inputs: Int[Array, "batch bit"]) -> Seen:
    attention = jax.vmap(scalar_lookup.attention_rows, (None, 0))(model, inputs)
    mean = attention.mean(axis=0)
    reads = jax.vmap(scalar_lookup.gathered, (None, 0))(model, inputs)
    looked_up = jax.vmap(scalar_lookup.look_up, (None, 0))(model, reads)
    answers = looked_up @ model.head + model.head_bias
    signs = (1 - 2 * ((inputs @ target.indicator.T) % 2)).astype(jnp.float32)
    return Seen(
        error=jnp.mean(jnp.square(answers - _wanted(target, inputs))),
        learned=signs.T @ answers / len(inputs),
        variance=jnp.var(answers),
        attention=mean,
        reads=reads,
        adds=jnp.std(looked_up * model.head, axis=0),
        moves=jnp.mean(jnp.sum(jnp.abs(attention - mean), axis=2), axis=0) / 2,
    )


def _plain(
    model: ScalarLookup, expansion: Expansion, inputs: Int[np.ndarray, "batch bit"]
) -> dict[str, Any]:
    coefficients = jnp.asarray(expansion.coefficients, jnp.float32)
    target = Target(jnp.asarray(expansion.indicator), coefficients)
    seen = jax.tree.map(np.asarray, _see(model, target, jnp.asarray(inputs)))
    low, high = float(seen.reads.min()), float(seen.reads.max())
    numbers, values = curve(model, low, high)
    rows = component_rows(seen.attention, expansion)
    return {
        "error": float(seen.error),
        "learned": seen.learned.tolist(),
        "explained": float(np.square(seen.learned).sum() / max(float(seen.variance), 1e-12)),
        "attention": np.round(seen.attention, 4).tolist(),
        "adds": np.round(seen.adds, 4).tolist(),
        "moves": np.round(seen.moves, 4).tolist(),
        "reads": np.stack([seen.reads.min(axis=0), seen.reads.max(axis=0)], axis=1).tolist(),
        "histogram": np.histogram(seen.reads, bins=BINS, range=(low, high))[0].tolist(),
        "curve": [numbers.tolist(), values.tolist()],
        "levels": levels(seen.reads, rows, expansion, inputs),
    }


def curve(
    model: ScalarLookup, low: float, high: float
) -> tuple[Float[np.ndarray, " hidden"], Float[np.ndarray, " hidden"]]:
    """The MLP between two numbers: it is straight between its hinges, so these say it all."""
    slope, bias = np.asarray(model.mlp_in, float), np.asarray(model.mlp_bias, float)
    hinges = np.divide(-bias, slope, out=np.full_like(bias, np.inf), where=slope != 0)
    inside = hinges[(hinges > low) & (hinges < high)]
    numbers = np.unique(np.concatenate([[low], inside, [high]]))
    hidden = np.maximum(numbers[:, None] * slope + bias, 0.0)
    return numbers, hidden @ np.asarray(model.mlp_out, float) + float(model.mlp_out_bias)


def turning_points(
    numbers: Sequence[float], values: Sequence[float], low: float, high: float
) -> int:
    """How often a piecewise straight curve turns between two numbers, small wiggles left out.

    >>> turning_points([0, 1, 2, 3], [0.0, 1.0, 0.0, 1.0], 0, 3)
    2
    >>> turning_points([0, 1, 2, 3], [0.0, 1.0, 0.95, 3.0], 0, 3)
    0
    """
    places = np.asarray(numbers, float)
    inside = places[(places > low) & (places < high)]
    seen = np.interp(np.concatenate([[low], inside, [high]]), places, np.asarray(values, float))
    least = PROMINENCE * float(np.ptp(seen))
    if least == 0:
        return 0
    return sum(len(find_peaks(side, prominence=least)[0]) for side in (seen, -seen))


def component_rows(
    attention: Float[np.ndarray, "query key"], expansion: Expansion
) -> Int[np.ndarray, " set"]:
    """For each component, the position that looks most at the one of its bits it looks at least.

    The most on all of them together would often be a position that looks at one bit alone.

    >>> rows = np.array([[0.9, 0.0, 0.1], [0.4, 0.4, 0.2], [0.2, 0.1, 0.7]])
    >>> component_rows(rows, Expansion(2, ((0, 1),), (1.0,))).tolist()
    [1]
    """
    least = [attention[:, list(bits)].min(axis=1) for bits in expansion.sets]
    return np.argmax(np.array(least), axis=1)


def levels(
    reads: Float[np.ndarray, "batch length"],
    rows: Int[np.ndarray, " set"],
    expansion: Expansion,
    inputs: Int[np.ndarray, "batch bit"],
) -> list[list[float]]:
    """What a component's position reads if 0, 1, … of the component's bits are 1: means."""
    counts = inputs @ expansion.indicator.T
    return [
        [
            float(reads[counts[:, place] == ones, row].mean())
            for ones in range(len(expansion.sets[place]) + 1)
        ]
        for place, row in enumerate(rows)
    ]
