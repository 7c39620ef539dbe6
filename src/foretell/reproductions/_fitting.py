"""Fit products of learned positions to a function of distance, many cells as one program.

A cell is one function φ and one seed: position embeddings p, a key and a query matrix, trained so
that p_jᵀ Kᵀ Q p_i is φ(i - j) for the pairs within a window that lies anywhere in the context.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
import optax
from jaxtyping import Array, Float, Int

from foretell.numerics.keys import key_for, root_key

SEGMENT = 500  # steps in one dispatch; progress and Ctrl-C wait for it


@dataclass(frozen=True, kw_only=True)
class Schedule:
    """Everything that cells of one program have in common."""

    width: int
    steps: int
    context: int = 200  # positions
    length: int = 50  # of the windows to fit
    batch: int = 64  # windows
    learning_rate: float = 1e-3
    penalty: float = 0.01  # times the mean square of each of the three arrays

    @property
    def value(self) -> float:
        """What φ is where it is true: enough to win the attention of a window."""
        return 2 * math.log(self.length)


class Parameters(NamedTuple):
    """What is learned."""

    positions: Float[Array, "*member length width"]
    query: Float[Array, "*member width hidden"]
    key: Float[Array, "*member width hidden"]


class State(NamedTuple):
    """What changes while fitting."""

    parameters: Parameters
    optimiser: optax.OptState
    step: Int[Array, "*member"]
    error: Float[Array, "*member"]  # of the last batch


class Fitted(NamedTuple):
    """What a cell showed: mean squared error by tested length, and shares of pairs well placed.

    A pair is well placed if its product is nearer to φ than half of what φ jumps: `seen` counts
    the pairs that training windows cover, `unseen` those farther apart.
    """

    errors: tuple[float, ...]
    seen: float
    unseen: float


def fit(
    schedule: Schedule,
    targets: Float[np.ndarray, "member length"],
    seeds: Sequence[int],
    lengths: Sequence[int],
    show: Callable[[int, float], None] = lambda step, error: None,
) -> list[Fitted]:
    """Train a cell for each row of `targets`, φ by distance, and test it at all offsets."""
    matrices = jax.vmap(by_distance)(jnp.asarray(targets, jnp.float32))
    numbers = jnp.asarray(seeds)
    states = jax.vmap(functools.partial(_start, schedule))(numbers)
    done = 0
    while done < schedule.steps:
        count = min(SEGMENT, schedule.steps - done)
        states = _advance(schedule, count, numbers, matrices, states)
        done += count
        show(done, float(states.error.mean()))
    products = np.asarray(jax.vmap(_products)(states.parameters), np.float64)
    wanted = np.asarray(matrices, np.float64)
    return [
        _test(schedule, lengths, found, phi) for found, phi in zip(products, wanted, strict=True)
    ]


def by_distance(values: Float[Array, " length"]) -> Float[Array, "query key"]:
    """The matrix with `values[i - j]` at query i and key j, 0 where the key comes later."""
    place = jnp.arange(len(values))
    distance = place[:, None] - place[None, :]
    return jnp.where(distance >= 0, values[jnp.maximum(distance, 0)], 0.0)


def _start(schedule: Schedule, seed: Int[Array, ""]) -> State:
    """Uniform in [-1, 1]; the two matrices divided by the root of their width."""
    root, width = root_key(seed), schedule.width

    def drawn(name: str, rows: int) -> Float[Array, "length width"]:
        key = key_for(root, "position fit", name)
        return jax.random.uniform(key, (rows, width), minval=-1.0, maxval=1.0)

    share = 1 / np.sqrt(width)
    parameters = Parameters(
        drawn("positions", schedule.context),
        share * drawn("query", width),
        share * drawn("key", width),
    )
    memory = _optimiser(schedule).init(parameters)
    return State(parameters, memory, jnp.zeros((), jnp.int32), jnp.zeros(()))


def _optimiser(schedule: Schedule) -> optax.GradientTransformation:
    return optax.adam(schedule.learning_rate)


def _products(parameters: Parameters) -> Float[Array, "query key"]:
    positions, query, key = parameters
    with jax.default_matmul_precision("highest"):
        return (positions @ query) @ (positions @ key).T


def window_counts(
    context: int, length: int, offsets: Int[Array, " batch"]
) -> Float[Array, "query key"]:
    """How many windows of that length, begun at `offsets`, hold both positions, key not later.

    The error of a batch of windows is then one weighted sum over all pairs.
    """
    begun = jnp.sum(offsets[:, None] < jnp.arange(context + 1), axis=0)  # windows before a place
    ended = begun[np.maximum(np.arange(context) - length + 1, 0)]
    both = jnp.maximum(begun[1:][None, :] - ended[:, None], 0)
    return jnp.tril(both).astype(jnp.float32)


def _step(
    schedule: Schedule, seed: Int[Array, ""], matrix: Float[Array, "query key"], state: State
) -> State:
    key = key_for(root_key(seed), "position fit", "offsets", state.step)
    last = schedule.context - schedule.length
    offsets = jax.random.randint(key, (schedule.batch,), 0, last + 1)
    counts = window_counts(schedule.context, schedule.length, offsets)
    pairs = schedule.batch * schedule.length * (schedule.length + 1) / 2

    def cost(parameters: Parameters) -> tuple[Float[Array, ""], Float[Array, ""]]:
        error = jnp.sum(counts * jnp.square(_products(parameters) - matrix)) / pairs
        size = sum(jnp.mean(jnp.square(each)) for each in parameters)
        return error + schedule.penalty * size, error

    gradient, error = jax.grad(cost, has_aux=True)(state.parameters)
    updates, memory = _optimiser(schedule).update(gradient, state.optimiser)
    return State(optax.apply_updates(state.parameters, updates), memory, state.step + 1, error)


@functools.partial(jax.jit, static_argnums=(0, 1), donate_argnums=4)
def _advance(
    schedule: Schedule,
    count: int,
    seeds: Int[Array, " member"],
    matrices: Float[Array, "member query key"],
    states: State,
) -> State:
    step = jax.vmap(functools.partial(_step, schedule))
    return jax.lax.fori_loop(0, count, lambda _, now: step(seeds, matrices, now), states)


def _test(
    schedule: Schedule,
    lengths: Sequence[int],
    products: Float[np.ndarray, "query key"],
    matrix: Float[np.ndarray, "query key"],
) -> Fitted:
    """Mean error over all windows of each length; and who is well placed, near and far."""
    context, error = schedule.context, np.abs(products - matrix)
    errors = []
    for length in lengths:
        counts = np.asarray(window_counts(context, length, jnp.arange(context - length + 1)))
        errors.append(float(np.sum(counts * np.square(error)) / counts.sum()))
    place = np.arange(context)
    distance = place[:, None] - place[None, :]
    near = (distance >= 0) & (distance < schedule.length)
    far = (distance >= schedule.length) & (distance < max(lengths))
    placed = error < schedule.value / 2
    return Fitted(tuple(errors), float(placed[near].mean()), float(placed[far].mean()))
