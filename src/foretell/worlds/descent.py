"""Train something small: one compiled program of many steps, watched at equal distances."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from typing import Any, NamedTuple

import jax
import numpy as np
import optax
from jaxtyping import Array, Float, Int, Key

from foretell.training.engine import Progress

WARM = 50  # steps until the full rate, if there are many
LOOKS = 10  # stretches of a training, unless told otherwise

Show = Callable[[Progress], None]
Loss = Callable[[Any, Key[Array, ""]], Float[Array, ""]]
Watch = Callable[[Any, Key[Array, ""]], dict[str, Array]]


class Trained(NamedTuple):
    """Final weights, and what was watched: a row at the start and one after every stretch."""

    weights: Any
    steps: Int[np.ndarray, " size"]
    watched: dict[str, np.ndarray]


def descend(
    loss: Loss,
    weights: Any,
    optimizer: optax.GradientTransformation,
    *,
    steps: int,
    key: Key[Array, ""],
    every: int | None = None,
    watch: Watch = lambda weights, key: {},
    show: Show = lambda progress: None,
    phase: str = "training",
) -> Trained:
    """Minimise `loss(weights, key)` with a fresh key a step.

    `watch` sees the weights before the first step and after every `every` steps, always with the
    same key, so that what it draws does not jitter; without `every` there are ten such stretches.
    `steps` is rounded up to a whole stretch. A fleet is a `loss` that sums over its members.
    """
    every = max(1, steps // LOOKS) if every is None else every

    def step(state: Any, number: Int[Array, ""]) -> tuple[Any, Float[Array, ""]]:
        weights, memory = state
        value, slope = jax.value_and_grad(loss)(weights, jax.random.fold_in(key, number))
        change, memory = optimizer.update(slope, memory, weights)
        return (optax.apply_updates(weights, change), memory), value

    @jax.jit
    def stretch(state: Any, first: Int[Array, ""]) -> tuple[Any, Float[Array, ""]]:
        state, values = jax.lax.scan(step, state, first + jax.numpy.arange(every))
        return state, values[-1]

    look = jax.jit(lambda weights: watch(weights, jax.random.fold_in(key, 2**31 - 1)))
    state, rows = (weights, optimizer.init(weights)), [look(weights)]
    began, stretches = time.monotonic(), 0
    for stretches in range(1, math.ceil(steps / every) + 1):
        state, value = stretch(state, jax.numpy.int32((stretches - 1) * every))
        rows.append(look(state[0]))
        show(_progress(stretches * every, steps, float(value), began, phase))
    watched = {name: np.stack([np.asarray(row[name]) for row in rows]) for name in rows[0]}
    return Trained(state[0], every * np.arange(stretches + 1), watched)


def rise_and_fall(rate: float, steps: int) -> optax.Schedule:
    """A short linear rise to the rate, then a long linear fall to zero."""
    warm = min(WARM, steps // 10)
    rise, fall = (0.0, rate, warm), (rate, 0.0, steps - warm)
    return optax.join_schedules([optax.linear_schedule(*each) for each in (rise, fall)], [warm])


def _progress(done: int, steps: int, loss: float, began: float, phase: str) -> Progress:
    rate = done / max(time.monotonic() - began, 1e-9)
    left = max(0, steps - done) / rate
    return Progress(min(done, steps), steps, 1, 1, loss, None, rate, left, phase)
