"""Kernel ridge regression, which is Gaussian-process regression with noise of variance λ."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import final

import numpy as np
from jaxtyping import Float, Int
from scipy import linalg

from foretell.plain.errors import BadInput

Gram = Float[np.ndarray, "batch batch"]
Cross = Float[np.ndarray, "query batch"]
Labels = Float[np.ndarray, "_ *label"]
Places = Int[np.ndarray, " _"] | slice


@final
@dataclass(frozen=True, eq=False)
class Regression:
    """A fit: K + λI, factorised, and the coefficients α = (K + λI)⁻¹ y.

    >>> fitted = fit(np.array([[1.0, 0.5], [0.5, 1.0]]), np.array([1.0, -1.0]), ridge=0.5)
    >>> fitted.predict(np.array([[1.0, 0.5]])).round(3).tolist()
    [0.5]
    """

    factor: Float[np.ndarray, "batch batch"]  # lower Cholesky factor
    coefficients: Labels
    ridge: float

    def predict(self, cross: Cross) -> Float[np.ndarray, " query *label"]:
        """The mean at new points, from their kernel with the training points."""
        return cross @ self.coefficients

    def variance(self, cross: Cross, own: Float[np.ndarray, " query"]) -> np.ndarray:
        """The posterior variance of the noiseless value, from the kernel of each with itself."""
        solved = linalg.solve_triangular(self.factor, cross.T, lower=True)
        return np.maximum(own - (solved**2).sum(axis=0), 0.0)

    @cached_property
    def effective_dimension(self) -> float:
        """tr K (K + λI)⁻¹: how many training points the fit could follow one by one."""
        inverse = linalg.solve_triangular(self.factor, np.eye(len(self.factor)), lower=True)
        return len(self.factor) - self.ridge * float((inverse**2).sum())


def fit(gram: Gram, labels: Labels, ridge: float) -> Regression:
    """Fit labels given the kernel among training points and λ; λ = 0 interpolates, if it can."""
    check_ridge(ridge)
    if gram.shape[0] != gram.shape[1] or len(labels) != len(gram) or len(gram) == 0:
        raise BadInput(
            "a Gram matrix is square, with a label for each row",
            seen=f"matrix {gram.shape}, {len(labels)} labels",
        )
    if not (np.isfinite(gram).all() and np.isfinite(labels).all()):
        raise BadInput("the Gram matrix or the labels hold numbers that are not finite")
    try:
        factor = linalg.cholesky(gram + ridge * np.eye(len(gram)), lower=True)
    except linalg.LinAlgError:
        raise _singular(gram, ridge) from None
    # A pivot is the part of a point that the points before it do not explain.
    pivots = np.diagonal(factor) ** 2
    if pivots.min() <= 4 * len(gram) * np.finfo(float).eps * np.abs(gram).max():
        raise _singular(gram, ridge)
    return Regression(factor, linalg.cho_solve((factor, True), labels), ridge)


def check_ridge(ridge: float) -> None:
    """Refuse a λ that is no variance."""
    if not (math.isfinite(ridge) and ridge >= 0):
        raise BadInput("the ridge λ is a finite number, and not negative", seen=ridge)


def _singular(gram: Gram, ridge: float) -> BadInput:
    smallest = float(np.linalg.eigvalsh(gram)[0])
    return BadInput(
        "the Gram matrix is singular up to rounding",
        seen=f"λ = {ridge:g}, smallest eigenvalue of the Gram matrix {smallest:.2g}",
        why="then no fit, or no single one, passes through the labels: are two points the same?",
        hint="a larger ridge λ, such as 1e-6 times the largest entry",
    )


def two_stages(
    tangent: Gram,
    start: Float[np.ndarray, " batch *label"],
    labels: tuple[Labels, Labels],
    *,
    first: Places,
    second: Places,
    ridges: tuple[float, float] = (0.0, 0.0),
) -> Float[np.ndarray, " batch *label"]:
    """Values everywhere after training on some points, and then, from there, on others.

    `tangent` is the NTK among all points of interest, `start` the untrained network there; `first`
    and `second` say which points each stage trains on. What gradient descent on the linearised
    network converges to, with weights pulled back to those at the start of the stage where the
    ridge is above 0. The second stage does not rehearse the first.
    """
    values = np.asarray(start, float)
    for place, stage, ridge in zip((first, second), labels, ridges, strict=True):
        fitted = fit(tangent[place][:, place], stage - values[place], ridge)
        values = values + fitted.predict(tangent[:, place])
    return values
