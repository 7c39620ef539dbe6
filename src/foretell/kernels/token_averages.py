"""Attention averaged over the values of tokens, exactly, however many tokens there are.

Given the places' numbers, a token whose places have exponentials summing to S weighs S e^{βg}, with
g standard normal. Its share of the attention is a ratio of sums of such weights; but
1/Z = ∫ e^{-τZ} dτ turns the ratio into an integral over one line, and on that line the tokens are
independent: each gives a factor that is a known function of log τ + log S,

    e_k(y) = E[u^k e^{-u}],  u = e^{y + βg}.

So the mean share of a token is ∫ e_1(y_v) Π e_0(y_u) dx with y = x + log S, and the mean square of
the share is the same with e_2. The integrand is smooth and falls off fast on both sides, where the
trapezoid rule converges exponentially. Nothing is left to sample but places and shared tokens.
"""

from __future__ import annotations

import functools
import math
from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Bool, Float, Int

from foretell.plain.errors import BadInput

SIZE = 4096  # of the tables
SHARPEST = 100.0
STEP = 0.4  # at most, of the integral: errors below 1e-8, since e_k is no narrower than 1
LEFT, RIGHT, DEVIATIONS = 20.0, 4.5, 6.0  # where the integrand has fallen below 1e-8


class Factors(NamedTuple):
    """Taylor coefficients of e_0, e_1, e_2 (rows: value, slope, half the bend) on a fine grid."""

    start: Float[Array | np.ndarray, ""]
    step: Float[Array | np.ndarray, ""]
    table: Float[Array | np.ndarray, "size _ _"]
    line: Float[Array | np.ndarray, " draw"]  # where to evaluate the integral; 0: largest weight


@functools.lru_cache(maxsize=32)
def factors(sharpness: float) -> Factors:
    """The tables for one β, in NumPy."""
    if sharpness > SHARPEST:
        raise BadInput(
            "beta is too large to average over tokens",
            seen=f"{sharpness:g}, the norm of the query included",
            why=f"attention is then a hard maximum, and the tables stop at {SHARPEST:g}",
            hint="a smaller beta",
        )
    low, high = -LEFT - DEVIATIONS * sharpness, RIGHT + DEVIATIONS * sharpness
    # e_k varies over 1 or β, whichever is larger: as many points are fine enough for any β.
    grid, step = np.linspace(low, high, SIZE, retstep=True)
    width = min(0.3, 0.4 / max(sharpness, 1e-9))
    values = np.arange(-9.0, 9.0 + width, width)
    weights = np.exp(-(values**2) / 2)
    weights /= weights.sum()
    moments = np.zeros((5, len(grid)))
    # u e^{-u} is 0 far beyond u = 1; cutting the exponent off there avoids infinity times 0.
    exponent = np.minimum(grid[:, None] + sharpness * values[None, :], 200.0)
    decay = -np.exp(exponent)
    for power in range(5):
        moments[power] = np.exp(power * exponent + decay) @ weights
    e0, e1, e2, e3, e4 = moments
    # y ↦ u^k e^{-u} has slope k u^k e^{-u} - u^{k+1} e^{-u}: slopes are made of the next moments.
    table = np.stack(
        [
            np.stack([e0, -e1, -(e1 - e2) / 2]),
            np.stack([e1, e1 - e2, (e1 - 3 * e2 + e3) / 2]),
            np.stack([e2, 2 * e2 - e3, (4 * e2 - 5 * e3 + e4) / 2]),
        ]
    )
    # Lengths in steps of 128: few shapes, so few compilations, whatever β.
    line = np.linspace(low, high, 128 * math.ceil((high - low) / (128 * STEP)))
    # Read-only: the cache hands out the same arrays again.
    table.setflags(write=False)
    line.setflags(write=False)
    return Factors(np.asarray(low), np.asarray(step), np.moveaxis(table, 2, 0).copy(), line)


def _looked_up(tables: Factors, y: Float[Array, "*draw"], orders: int) -> Float[Array, "*draw _"]:
    """e_0 … of y. A token that is not there has y = -∞: it leaves the product as it is."""
    last = tables.table.shape[0] - 1
    place = jnp.clip((y - tables.start) / tables.step, 0.0, float(last))
    nearest = jnp.round(place).astype(jnp.int32)
    rest = ((place - nearest) * tables.step)[..., None]
    found = tables.table[:, :orders][nearest]
    values = found[..., 0] + rest * (found[..., 1] + rest * found[..., 2])
    absent = jnp.zeros(orders).at[0].set(1.0)
    return jnp.where(jnp.isneginf(y)[..., None], absent, values)


def _others(
    chosen: Float[Array, "draw token"], plain: Float[Array, "draw token"]
) -> Float[Array, "draw token"]:
    """For every token its `chosen` factor times the `plain` ones of all others."""
    own = jnp.eye(plain.shape[1], dtype=bool)
    return jnp.where(own, chosen[:, None, :], plain[:, None, :]).prod(axis=2)


def mean_attention(
    tables: Factors,
    wildcard: Int[Array | np.ndarray, " length"],
    scores: Float[Array, " length"],
    wildcards: int,
) -> Float[Array, " length"]:
    """E[softmax] over the values of wildcards, at every place of one template.

    `wildcard` is the number of the wildcard at a place, or negative where the token's value is
    given; `scores` is β (γp + g) there, and βγp at a wildcard. `wildcards` bounds the numbers.
    """
    given = wildcard < 0
    member = wildcard[None, :] == jnp.arange(wildcards)[:, None]
    sums = jax.nn.logsumexp(jnp.where(member, scores, -jnp.inf), axis=1)
    fixed = jax.nn.logsumexp(jnp.where(given, scores, -jnp.inf))
    largest = jnp.maximum(sums.max(initial=-jnp.inf), fixed)
    found = _looked_up(tables, jnp.asarray(tables.line)[:, None] + (sums - largest), 2)
    held = jnp.exp(tables.line + fixed - largest)
    decay = jnp.exp(-held)
    shares = (decay[:, None] * _others(found[..., 1], found[..., 0])).sum(axis=0)
    rest = (decay * held * found[..., 0].prod(axis=1)).sum()
    own = jnp.where(given, fixed, sums[jnp.where(given, 0, wildcard)])
    share = jnp.where(given, rest, shares[jnp.where(given, 0, wildcard)])
    mean = share * jnp.exp(scores - own)
    return mean / mean.sum()  # 1 up to the error of quadrature, which this takes out in part


def mean_square(
    tables: Factors,
    token: Int[Array, " length"],
    scores: Float[Array, " length"],
    gamma: Float[Array, ""],
) -> Float[Array, ""]:
    """E[Σ_v share_v² + γ² Σ_i a_i²] over the values of all tokens: a string with itself."""
    member: Bool[Array, "token length"] = token[None, :] == jnp.arange(len(token))[:, None]
    sums = jax.nn.logsumexp(jnp.where(member, scores, -jnp.inf), axis=1)
    found = _looked_up(tables, jnp.asarray(tables.line)[:, None] + (sums - sums.max()), 3)
    step = tables.line[1] - tables.line[0]
    squares = step * _others(found[..., 2], found[..., 0]).sum(axis=0)
    within = jnp.exp(scores - sums[token]) ** 2
    return squares.sum() + gamma**2 * (squares[token] * within).sum()
