"""Dual activations: what a pointwise nonlinearity does to a pair of Gaussian numbers on average.

With (u, v) Gaussian of variances a, b and covariance r, the dual of φ is E[φ(u) φ(v)] and the
derivative dual is E[φ'(u) φ'(v)]. They carry a covariance through a wide layer. All are written in
terms of the determinant ab - r², cut off at 0, so that a covariance that sampling has pushed
slightly beyond √(ab) is read as √(ab), and values and gradients stay finite at the edge.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import final

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float

from foretell.plain.errors import BadInput

Numbers = Float[Array | np.ndarray, "..."] | float | int


@final
@dataclass(frozen=True)
class Activation:
    """A pointwise nonlinearity, with its duals in closed form.

    `frequency` and `phase` are those of the cosine, cos(frequency · x + phase), and belong to no
    other. Use the constants `RELU`, `GELU`, `ERF`, `IDENTITY` and `cosine(frequency, phase)`.

    >>> round(float(RELU.dual(1.3, 0.9, 0.7)), 5)
    0.38466
    """

    name: str
    frequency: float = 1.0
    phase: float = 0.0

    def __post_init__(self) -> None:
        if self.name not in _FORMULAS:
            raise BadInput("unknown activation", seen=self.name, hint=", ".join(sorted(_FORMULAS)))
        if not (math.isfinite(self.frequency) and math.isfinite(self.phase)):
            raise BadInput(
                "frequency and phase of an activation are finite numbers",
                seen=(self.frequency, self.phase),
            )
        if self.name != "cosine" and (self.frequency, self.phase) != (1.0, 0.0):
            raise BadInput(
                f"{self.name} has neither frequency nor phase", seen=(self.frequency, self.phase)
            )

    def __call__(self, x: Numbers) -> Float[Array, "..."]:
        """The function itself."""
        return _FORMULAS[self.name].function(self, jnp.asarray(x))

    def dual(self, a: Numbers, b: Numbers, r: Numbers) -> Float[Array, "..."]:
        """E[φ(u) φ(v)] for variances `a`, `b` and covariance `r`."""
        return _FORMULAS[self.name].dual(self, *_together(a, b, r))

    def derivative_dual(self, a: Numbers, b: Numbers, r: Numbers) -> Float[Array, "..."]:
        """E[φ'(u) φ'(v)], which is also the slope of the dual in `r`.

        The slope of ReLU at 0 counts as ½. Where ReLU's own dual has an infinite second slope
        (|r| = √(ab)) the gradient of this function is 0, not infinite.
        """
        return _FORMULAS[self.name].derivative_dual(self, *_together(a, b, r))


Numeric = Float[Array, "..."]
Dual = Callable[[Activation, Numeric, Numeric, Numeric], Numeric]


@dataclass(frozen=True)
class _Formulas:
    """A nonlinearity and its two duals."""

    function: Callable[[Activation, Numeric], Numeric]
    dual: Dual
    derivative_dual: Dual


def _together(a: Numbers, b: Numbers, r: Numbers) -> tuple[Numeric, Numeric, Numeric]:
    """The three at one shape and one floating type."""
    kind = jnp.result_type(a, b, r, jnp.float32)
    a, b, r = jnp.broadcast_arrays(*(jnp.asarray(each, kind) for each in (a, b, r)))
    return a, b, r


def _root(x: Numeric) -> Numeric:
    """The square root, with slope 0 instead of infinity at 0."""
    positive = x > 0
    return jnp.where(positive, jnp.sqrt(jnp.where(positive, x, 1)), 0)


def _determinant(a: Numeric, b: Numeric, r: Numeric) -> Numeric:
    return jnp.maximum(a * b - r * r, 0)


@jax.custom_jvp
def _relu_dual(a: Numeric, b: Numeric, r: Numeric) -> Numeric:
    """The arc-cosine kernel of degree 1, as (√(ab - r²) + r (π - θ)) / 2π."""
    limit = _root(a * b)
    r = jnp.clip(r, -limit, limit)
    sine = _root(_determinant(a, b, r))
    return (sine + r * (jnp.pi - jnp.arctan2(sine, r))) / (2 * jnp.pi)


@_relu_dual.defjvp
def _relu_dual_slope(
    at: tuple[Numeric, Numeric, Numeric], along: tuple[Numeric, Numeric, Numeric]
) -> tuple[Numeric, Numeric]:
    # Differentiating the formula term by term subtracts two infinities at θ = 0; the sum is plain.
    a, b, r = at
    sine = _root(_determinant(a, b, r)) / (4 * jnp.pi)
    by_a = jnp.where(a > 0, sine / jnp.where(a > 0, a, 1), 0)
    by_b = jnp.where(b > 0, sine / jnp.where(b > 0, b, 1), 0)
    slope = by_a * along[0] + by_b * along[1] + _relu_derivative_dual(a, b, r) * along[2]
    return _relu_dual(a, b, r), slope


def _relu_derivative_dual(a: Numeric, b: Numeric, r: Numeric) -> Numeric:
    """Chance that both are positive: (π - θ) / 2π, and ¼ where one is always 0."""
    some = a * b > 0
    r = jnp.where(some, r, 0)
    sine = jnp.where(some, _root(_determinant(a, b, r)), 1)
    return (jnp.pi - jnp.arctan2(sine, r)) / (2 * jnp.pi)


def _gelu(x: Numeric) -> Numeric:
    return jax.nn.gelu(x, approximate=False)


def _gelu_dual(a: Numeric, b: Numeric, r: Numeric) -> Numeric:
    product = (a + 1) * (b + 1)
    under = 1 + a + b + _determinant(a, b, r)  # product - r², never below 1
    root = jnp.sqrt(under)
    smooth = (r * r + a * b * under) / (product * root) + r * jnp.arctan2(r, root)
    return smooth / (2 * jnp.pi) + r / 4


def _gelu_derivative_dual(a: Numeric, b: Numeric, r: Numeric) -> Numeric:
    product = (a + 1) * (b + 1)
    under = 1 + a + b + _determinant(a, b, r)
    root = jnp.sqrt(under)
    first = r * ((2 - a * b) * under + r * r) / (product * under * root)
    return (first + r / root + jnp.arctan2(r, root)) / (2 * jnp.pi) + 0.25


def _erf_under(a: Numeric, b: Numeric, r: Numeric) -> Numeric:
    """(1 + 2a)(1 + 2b) - 4r², never below 1."""
    return 1 + 2 * a + 2 * b + 4 * _determinant(a, b, r)


def _erf_dual(a: Numeric, b: Numeric, r: Numeric) -> Numeric:
    return 2 / jnp.pi * jnp.arctan2(2 * r, jnp.sqrt(_erf_under(a, b, r)))


def _erf_derivative_dual(a: Numeric, b: Numeric, r: Numeric) -> Numeric:
    return 4 / (jnp.pi * jnp.sqrt(_erf_under(a, b, r)))


def _waves(phi: Activation, a: Numeric, b: Numeric, r: Numeric) -> tuple[Numeric, Numeric]:
    """Mean cosine of the difference, and of the sum, of the two angles, each halved."""
    square, mean = phi.frequency**2, (a + b) / 2
    difference = jnp.exp(square * jnp.minimum(r - mean, 0)) / 2
    both = jnp.exp(-square * jnp.maximum(r + mean, 0)) / 2
    return difference, jnp.cos(2 * phi.phase) * both


def _cosine_dual(phi: Activation, a: Numeric, b: Numeric, r: Numeric) -> Numeric:
    difference, both = _waves(phi, a, b, r)
    return difference + both


def _cosine_derivative_dual(phi: Activation, a: Numeric, b: Numeric, r: Numeric) -> Numeric:
    difference, both = _waves(phi, a, b, r)
    return phi.frequency**2 * (difference - both)


_FORMULAS = {
    "relu": _Formulas(
        lambda _, x: jax.nn.relu(x),
        lambda _, a, b, r: _relu_dual(a, b, r),
        lambda _, a, b, r: _relu_derivative_dual(a, b, r),
    ),
    "gelu": _Formulas(
        lambda _, x: _gelu(x),
        lambda _, a, b, r: _gelu_dual(a, b, r),
        lambda _, a, b, r: _gelu_derivative_dual(a, b, r),
    ),
    "erf": _Formulas(
        lambda _, x: jax.scipy.special.erf(x),
        lambda _, a, b, r: _erf_dual(a, b, r),
        lambda _, a, b, r: _erf_derivative_dual(a, b, r),
    ),
    "cosine": _Formulas(
        lambda phi, x: jnp.cos(phi.frequency * x + phi.phase),
        _cosine_dual,
        _cosine_derivative_dual,
    ),
    "identity": _Formulas(
        lambda _, x: x,
        lambda _, a, b, r: r,
        lambda _, a, b, r: jnp.ones_like(r),
    ),
}

RELU = Activation("relu")
GELU = Activation("gelu")
ERF = Activation("erf")
IDENTITY = Activation("identity")


def cosine(frequency: float, phase: float) -> Activation:
    """x → cos(frequency · x + phase).

    >>> cosine(2.0, 0.5)
    Activation(name='cosine', frequency=2.0, phase=0.5)
    """
    return Activation("cosine", frequency, phase)
