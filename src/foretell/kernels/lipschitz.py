"""How an error in the covariance of the input grows on its way through the layers.

With all covariances at most κ in size and an error of at most ε in every entry, the covariance
after attention is off by at most ε through the values and (2κε + ε²)/2 · 20κ through the scores;
neither depends on the length. The 20 is made of how much softmax can bend: see the two sums below.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import final

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float

from foretell.kernels.duals import Activation
from foretell.plain.errors import BadInput

SLOPE = 2.0  # no softmax has a larger `softmax_slope`
CURVATURE = 6.0  # nor a larger `softmax_curvature`
# Both inputs bend their own attention (κ · 6 each), and both slopes meet in the cross terms, twice.
SCORES = 2 * CURVATURE + 2 * SLOPE * SLOPE


def softmax_slope(chances: Float[np.ndarray, " key"]) -> float:
    """Σ |∂p_s / ∂z_u| over s and u, which equals 2 (1 - Σ p²) and is below 2.

    >>> softmax_slope(np.full(4, 0.25))
    1.5
    """
    p = np.asarray(chances, float)
    return float(np.abs(np.diag(p) - np.outer(p, p)).sum())


def softmax_curvature(chances: Float[np.ndarray, " key"]) -> float:
    """Σ |∂²p_s / ∂z_u ∂z_v| over s, u and v, which is below 6.

    >>> round(softmax_curvature(np.full(4, 0.25)), 9)
    2.25
    """
    p = np.asarray(chances, float)
    away = np.eye(len(p)) - p[None, :]  # [s, u]: 1 if s is u, less p_u
    spread = np.diag(p) - np.outer(p, p)  # [u, v]
    bends = p[:, None, None] * (away[:, :, None] * away[:, None, :] - spread[None])
    return float(np.abs(bends).sum())


def attention_constant(bound: float) -> float:
    """By how much attention may stretch a small error: 1 + 20 κ²."""
    _positive(bound)
    return 1 + SCORES * bound**2


def attention_error(bound: float, error: float) -> float:
    """The most that an error of `error` in every entry becomes, with its square."""
    _positive(bound)
    return error + (2 * bound * error + error**2) / 2 * SCORES * bound


def dual_slope(activation: Activation, low: float, high: float, points: int = 41) -> float:
    """By how much a dual may stretch a small error, for variances between `low` and `high`.

    The largest sum of absolute slopes on a grid, `points` to a side: a number to compute with, not
    a proof. ReLU stretches without limit as one variance goes to 0, so `low` matters.
    """
    if not 0 < low <= high or not math.isfinite(high):
        raise BadInput("variances lie between two positive numbers", seen=(low, high))
    variances = jnp.geomspace(low, high, points)
    cosines = jnp.linspace(-1.0, 1.0, points)

    def stretch(a: Array, b: Array, cosine: Array) -> Array:
        slopes = jax.grad(activation.dual, argnums=(0, 1, 2))(a, b, cosine * jnp.sqrt(a * b))
        return jnp.abs(jnp.stack(slopes)).sum()

    grid = jnp.meshgrid(variances, variances, cosines)
    return float(jax.vmap(stretch)(*(axis.ravel() for axis in grid)).max())


@final
@dataclass(frozen=True)
class ErrorBound:
    """How wrong covariances may be after each layer, and what that rests on.

    `leading` is start · (attention · mixing)^layers; `errors` also holds the squares, layer by
    layer. A bound that allows an error as large as two covariances can differ says nothing.
    """

    leading: float
    errors: tuple[float, ...]
    vacuous: bool
    assumptions: tuple[str, ...]


def error_bound(start: float, *, bound: float, layers: int, mixing: float = 1.0) -> ErrorBound:
    """Error of covariances after `layers` layers, from `start` in every entry of the input's.

    `bound` is κ, and `mixing` the constant of what follows attention (`dual_slope`, times the
    variance of its weights).
    """
    _positive(bound)
    if layers < 1 or not (0 <= start < math.inf) or not (0 <= mixing < math.inf):
        raise BadInput(
            "needs a layer or more, and finite errors and constants that are not negative",
            seen=(start, layers, mixing),
        )
    errors, error = [], start
    for _ in range(layers):
        error = mixing * attention_error(bound, error)
        errors.append(error)
    return ErrorBound(
        start * (attention_constant(bound) * mixing) ** layers,
        tuple(errors),
        errors[-1] >= 2 * bound,
        (
            f"no covariance of any layer is larger than {bound:g} in size",
            f"the layer after attention stretches an error by at most {mixing:g}",
            "attention is softmax over all keys, without residual connection or normalisation",
            "both covariances, the exact one and the one in error, are positive semidefinite",
        ),
    )


def _positive(bound: float) -> None:
    if not 0 < bound < math.inf:
        raise BadInput("the bound on covariances is a positive number", seen=bound)
