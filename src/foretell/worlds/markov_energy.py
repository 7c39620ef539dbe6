"""The layer on a Markov chain cut down to two numbers: its loss, its energy, its basins.

Rank-one weights along one direction leave e, the length of the embedding, and w, the strength of
the ReLU layer; the bias is always the best one. The logit after symbol x is then slope·x plus a
constant with slope = e²(1 + 2w|w|), so that all there is to learn is one slope.
"""

from __future__ import annotations

from typing import Any

import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Bool, Float
from scipy.integrate import quad
from scipy.special import erf

SADDLE = -1 / np.sqrt(2)  # where it lies on the line e = 0
SADDLE_ENERGY = -(1 + np.log(2)) / 2
EULER = 0.5772156649015329


def slope(point: Float[Array, "... parameter"]) -> Float[Array, "..."]:
    """What the symbol 1 adds to the logit; `point` is (e, w)."""
    return point[..., 0] ** 2 * (1 + 2 * point[..., 1] * jnp.abs(point[..., 1]))


def chances_of_one(factor: Any, p: Any, q: Any) -> tuple[Any, Any]:
    """Predicted after a 0 and after a 1, with the bias that makes the mean right, hence the best.

    `factor`, the exponential of the slope, is the ratio of the two odds; together with the mean
    that is a quadratic. So written it serves numbers and traced arrays alike.
    """
    root = ((p - q) ** 2 + 4 * p * q * factor) ** 0.5
    return 2 * p / (p + q + root), (p - q + root) / (p + q + root)


def factor(point: Float[Array, " parameter"]) -> Float[Array, ""]:
    """Of the odds; far out the prediction is certain long before the exponential overflows."""
    return jnp.exp(jnp.minimum(slope(point), 600.0))


def loss(point: Float[Array, " parameter"], p: Array, q: Array) -> Float[Array, ""]:
    """Exact: both symbols and both successors, with their probabilities."""
    low, high = chances_of_one(factor(point), p, q)

    def surprise(said: Array, one: Array) -> Array:
        said = jnp.clip(said, 1e-300, 1 - 1e-16)
        return -one * jnp.log(said) - (1 - one) * jnp.log1p(-said)

    return (q * surprise(low, p) + p * surprise(high, 1 - q)) / (p + q)


def excess(factor: Any, p: Any, q: Any) -> Any:
    """The loss's derivative by the slope: by how much a 1 after a 1 is predicted too often."""
    return p / (p + q) * (chances_of_one(factor, p, q)[1] - (1 - q))


def gradient(point: Float[Array, " parameter"], p: Array, q: Array) -> Float[Array, " parameter"]:
    """The formula: the slope's own derivatives times one number."""
    e, w = point
    turned = jnp.stack([2 * e * (1 + 2 * w * jnp.abs(w)), 4 * jnp.abs(w) * e**2])
    return excess(factor(point), p, q) * turned


def best_slope(p: float, q: float) -> float:
    """At every global minimum."""
    return float(np.log((1 - p) * (1 - q) / (p * q)))


def energy(e: Float[np.ndarray, "..."], w: Float[np.ndarray, "..."]) -> Float[np.ndarray, "..."]:
    """What the flow keeps, on either side of w = 0."""
    return e**2 - w**2 - np.sign(w) * np.log(np.abs(w))


def trapped(
    e: Float[np.ndarray, "..."], w: Float[np.ndarray, "..."], *, switching: bool
) -> Bool[np.ndarray, "..."]:
    """Does the flow from here end where the symbol is ignored? `switching` is p + q > 1.

    >>> trapped(np.array([0.1, 0.5]), np.array([0.1, -1.0]), switching=True)
    array([ True, False])
    """
    with np.errstate(divide="ignore", invalid="ignore"):  # w = 0, where nothing depends on it
        below = energy(e, w) < SADDLE_ENERGY
    if switching:
        return (w >= 0) | ((w > SADDLE) & below)
    return (w < SADDLE) & below


def trap_probability(spread: float, *, switching: bool) -> float:
    """Of a start with both e and w normal around 0: the trapped set's weight, by quadrature.

    >>> [round(trap_probability(1.0, switching=it), 4) for it in (True, False)]
    [0.6195, 0.113]
    """

    def weight(w: float) -> float:
        square = max(SADDLE_ENERGY + w**2 - np.log(-w), 0.0)  # of the e on the boundary
        normal = np.exp(-((w / spread) ** 2) / 2) / (spread * np.sqrt(2 * np.pi))
        return float(normal * erf(np.sqrt(square / 2) / spread))

    if switching:
        return 0.5 + quad(weight, SADDLE, 0, points=_near_zero(spread), limit=200)[0]
    return quad(weight, SADDLE - 12 * spread, SADDLE, limit=200)[0]


def _near_zero(spread: float) -> list[float]:
    """Where a narrow normal law has its mass, lest the quadrature step over it."""
    return [-each for each in (spread, 5 * spread) if each < -SADDLE]


def attention_slope(
    e: float, w: float, p: float, q: float, length: int
) -> Float[np.ndarray, " length"]:
    """The loss's derivative by the attention strength a at a = 0, for 1, 2, … symbols: the formula.

    Attention adds a·(m - ½) to the stream, m the mean of the symbols so far. Its covariance with
    the last symbol is π₀π₁(1 + λ + … + λⁿ⁻¹)/n, and ReLU passes it on after a 1 only.
    """
    zero, one, rate = q / (p + q), p / (p + q), 1 - p - q
    n = np.arange(1.0, length + 1)
    shared = zero * one * (1 - rate**n) / (1 - rate) / n
    bend = 4 * w * abs(w)
    force = excess(np.exp(e**2 * (1 + bend / 2)), p, q) / (zero * one)
    terms = shared * (1 + bend * zero) + bend * zero * one * (one - 0.5)
    return e**2 * force * np.cumsum(terms) / n


def long_attention_slope(e: float, p: float, q: float, length: int) -> float:
    """What `attention_slope` comes to at w = 0 after many symbols: of order log(N)/N."""
    limit = e**2 * excess(np.exp(e**2), p, q) / (p + q)
    return float(limit * (np.log(length) + EULER + np.log(p + q)) / length)


def border_line(w: Float[np.ndarray, " size"]) -> Float[np.ndarray, " size"]:
    """The e > 0 of the saddle's energy at negative w: it parts the basins."""
    return np.sqrt(np.maximum(SADDLE_ENERGY + w**2 - np.log(-w), 0))


def minima_line(w: Float[np.ndarray, " size"], p: float, q: float) -> Float[np.ndarray, " size"]:
    """The e > 0 of the global minima, or nothing (nan) where there is none at this w."""
    square = best_slope(p, q) / (1 + 2 * w * np.abs(w))
    return np.sqrt(np.where(square > 0, square, np.nan))
