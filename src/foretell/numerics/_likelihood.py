"""Curves through runs that are known exactly or only by a bound, by maximum likelihood.

Errors are normal in log P, with one spread. Every fit is three numbers (log P at both ends of the
curve, and the log of the spread), and all resamples of the seeds are fitted at once.
"""

from __future__ import annotations

import functools
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Bool, Float

from foretell.numerics.precision import double_precision

GRAIN = 0.05  # least relative spread: samples are counted from check to check, never exactly
STEPS, AGAIN = 60, 15  # of the optimiser: from nothing, and from the fit to all seeds
MULTIPLE = 8  # seeds and sizes are padded to
Kind = tuple[str, bool, bool]  # the curve; are there censored runs, are there counted ones
FAR = 3.0  # a curve this far (in log P) above all that was seen is held by no data


class Runs(NamedTuple):
    """What the runs showed, in logarithms: as `heights`, or as at least or at most that.

    Counted numbers are known to lie above `floors`; where both are the same, they are exact.
    """

    heights: Float[Array | np.ndarray, "member size"]
    floors: Float[Array | np.ndarray, "member size"]
    exact: Bool[Array | np.ndarray, "member size"]
    above: Bool[Array | np.ndarray, "member size"]
    below: Bool[Array | np.ndarray, "member size"]
    places: Float[Array | np.ndarray, " size"]  # log T, 0 at the first size and 1 at the last


class Fits(NamedTuple):
    """Parameters and cost for each weighting of the seeds, and curvature for the first."""

    parameters: Float[np.ndarray, "draw parameter"]
    costs: Float[np.ndarray, " draw"]
    curvature: Float[np.ndarray, "_ _"]


def fit_curve(name: str, runs: Runs, weights: Float[np.ndarray, "draw member"]) -> Fits:
    """The best `logarithm` or `power` for each weighting of the seeds; the first weighs all."""
    censored = bool(np.any(runs.above | runs.below))
    counted = bool(np.any(runs.exact & (runs.floors < runs.heights)))
    with double_precision():
        found = _fit_all((name, censored, counted), *_padded(runs, weights))
    return Fits(*map(np.asarray, found))


def _padded(
    runs: Runs, weights: Float[np.ndarray, "draw member"]
) -> tuple[Runs, Float[np.ndarray, "draw _"]]:
    """The same with seeds and sizes that say nothing, up to a multiple: few programs to compile."""
    more = [-count % MULTIPLE for count in runs.heights.shape]
    cells = [(0, more[0]), (0, more[1])]
    heights, floors = (np.pad(each, cells, mode="edge") for each in (runs.heights, runs.floors))
    exact, above, below = (np.pad(each, cells) for each in (runs.exact, runs.above, runs.below))
    places = np.pad(runs.places, (0, more[1]))
    return Runs(heights, floors, exact, above, below, places), np.pad(
        weights, [(0, 0), (0, more[0])]
    )


def _mean(
    name: str, ends: Float[Array, " parameter"], places: Float[Array | np.ndarray, " size"]
) -> Float[Array, " size"]:
    """Log P on the curve through these two ends: positive at every size, whatever the ends."""
    first, last = ends[0], ends[1]
    if name == "power":
        return first + (last - first) * places
    top = jnp.maximum(first, last)
    return top + jnp.log((1 - places) * jnp.exp(first - top) + places * jnp.exp(last - top))


def _cost(
    parameters: Float[Array, " parameter"],
    kind: Kind,
    runs: Runs,
    weights: Float[Array, " member"],
) -> Float[Array, ""]:
    """Negative log likelihood; parameters are both ends of the curve and the log of the spread."""
    name, censored, counted = kind  # without such runs most of the arithmetic falls away
    spread = jnp.hypot(GRAIN, jnp.exp(parameters[2]))
    mean = _mean(name, parameters[:2], runs.places)
    distance = (runs.heights - mean) / spread
    cost = 0.5 * distance**2 + jnp.log(spread)
    if counted:
        interval = runs.exact & (runs.floors < runs.heights)
        lowest = jnp.asarray((runs.floors - mean) / spread)
        cost = jnp.where(interval, -_between(lowest, jnp.asarray(distance)), cost)
    exact = jnp.where(runs.exact, cost, 0.0)
    if censored:
        chance = jax.scipy.stats.norm.logcdf(jnp.where(runs.above, -distance, distance))
        exact = exact - jnp.where(runs.above | runs.below, chance, 0.0)
    return jnp.sum(weights[:, None] * exact)


def _between(
    low: Float[Array, "member size"], high: Float[Array, "member size"]
) -> Float[Array, "member size"]:
    """Log of the chance to fall between the two, from the side where both chances are small."""
    flipped = low + high > 0
    near, far = jnp.where(flipped, -low, high), jnp.where(flipped, -high, low)
    far = jnp.minimum(far, near - 1e-9)  # where nothing lies between: not used, but differentiated
    logs = jax.scipy.stats.norm.logcdf
    return logs(near) + jnp.log(-jnp.expm1(logs(far) - logs(near)))


@functools.partial(jax.jit, static_argnums=0)
def _fit_all(
    kind: Kind, runs: Runs, weights: Float[Array, "draw member"]
) -> tuple[Float[Array, "draw parameter"], Float[Array, " draw"], Float[Array, "_ _"]]:
    """Best parameters and their cost for each weighting of seeds; curvature for the first.

    The first weighting begins from a flat curve; the others are resamples and begin at its end.
    """
    seen = (runs.exact | runs.above | runs.below) * weights[0][:, None]
    level = jnp.sum(seen * runs.heights) / jnp.sum(seen)
    begun = jnp.stack([level, level, jnp.log(0.5)])
    first, cost = _fit(kind, runs, weights[0], begun, STEPS)
    others, costs = jax.vmap(lambda weight: _fit(kind, runs, weight, first, AGAIN))(weights[1:])
    curvature = jax.hessian(_cost)(first, kind, runs, weights[0])
    return jnp.vstack([first, others]), jnp.append(cost, costs), curvature


def _fit(
    kind: Kind,
    runs: Runs,
    weights: Float[Array, " member"],
    begun: Float[Array, " parameter"],
    steps: int,
) -> tuple[Float[Array, " parameter"], Float[Array, ""]]:
    """Damped Newton steps, each kept only if it improves."""
    low, high = jnp.min(runs.heights) - 2 * FAR, jnp.max(runs.heights) + 2 * FAR
    bounds = jnp.stack([low, low, jnp.log(1e-4)]), jnp.stack([high, high, jnp.log(20.0)])
    cost = functools.partial(_cost, kind=kind, runs=runs, weights=weights)

    def step(_: Any, state: tuple[Any, Any, Any]) -> tuple[Any, Any, Any]:
        now, value, damping = state
        curvature = jax.hessian(cost)(now)
        own = jnp.abs(jnp.diagonal(curvature)) + 1e-9
        move = _solve(curvature + damping * jnp.diag(own), jax.grad(cost)(now))
        move = move * jnp.minimum(1.0, 2.0 / jnp.maximum(jnp.linalg.norm(move), 1e-30))
        there = jnp.clip(now - move, *bounds)
        found = cost(there)
        better = found < value
        return (
            jnp.where(better, there, now),
            jnp.where(better, found, value),
            jnp.clip(jnp.where(better, damping / 10, damping * 10), 1e-8, 1e8),
        )

    state = begun, cost(begun), jnp.asarray(0.1)
    found, value, _ = jax.lax.fori_loop(0, steps, step, state)
    return found, value


def _solve(
    matrix: Float[Array, "_ _"], right: Float[Array, " parameter"]
) -> Float[Array, " parameter"]:
    """Three equations by Cramer's rule, which thousands at once do faster than a factorisation."""
    crossed = jnp.cross(jnp.roll(matrix, -1, axis=0), jnp.roll(matrix, -2, axis=0))
    determinant = jnp.dot(matrix[0], crossed[0])
    return (right @ crossed) / jnp.where(determinant == 0, 1e-30, determinant)
