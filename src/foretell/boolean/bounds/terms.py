"""Squared norm and sharpness of the explicit transformer, block by block.

Blocks carry the names of the construction's weights: `attention 1` and `attention 2` are the
combined key-query matrices, `value 1` and `value 2` what attention moves, `hidden` and `bias` the
MLP's first layer, `output` its second.
"""

from __future__ import annotations

import math
from enum import StrEnum
from typing import NamedTuple

import numpy as np

from foretell.boolean.bounds.function_class import FunctionClass
from foretell.boolean.bounds.numbers import Real
from foretell.plain.errors import BadInput


class Form(StrEnum):
    """Whose statement a bound is."""

    PUBLISHED = "published"  # as the paper has it, as far as it can be restored
    CORRECTED = "corrected"  # the same construction, with what its own weights need


class Ramp(StrEnum):
    """How the MLP of the construction climbs between two counts of ones."""

    NARROW = "narrow"  # slope 4·degree: the published one
    WIDE = "wide"  # slope 2·degree: as exact, and flatter

    def slope(self, degree: int) -> int:
        """Size of the MLP's output weights."""
        return 4 * degree if self is Ramp.NARROW else 2 * degree

    @property
    def hinges(self) -> tuple[float, float, float, float]:
        """Where its four corners lie around a count, in units of the distance between counts."""
        return (-0.5, -0.25, 0.25, 0.5) if self is Ramp.NARROW else (-0.75, -0.25, 0.25, 0.75)


def norm_blocks(
    family: FunctionClass, form: Form = Form.CORRECTED, ramp: Ramp = Ramp.NARROW
) -> dict[str, float]:
    """Bounds on the squared norm of each block of weights.

    The published statement allows the output block 16k²(k+1). Its weights are ±slope at the four
    corners around each even count, ⌊k/2⌋ + 1 of them, so the narrow ramp needs 64k²(⌊k/2⌋+1).
    The block `attention 2` needs every coefficient to be at least bits⁻⁴.
    """
    k, w = family.degree, family.sparsity
    scale = 4 * family.log_bits**2
    if Form(form) is Form.PUBLISHED:
        output = 16.0 * k * k * (k + 1)
    else:
        output = 4.0 * Ramp(ramp).slope(k) ** 2 * (k // 2 + 1)
    return {
        "value 1": 1.0,
        "value 2": float(w),
        "hidden": 4.0 * (k + 1),
        "bias": 4.0 * (k + 1),
        "output": output,
        "attention 1": scale * k * w,
        "attention 2": scale * w,
    }


def norm_term(
    family: FunctionClass, form: Form = Form.CORRECTED, ramp: Ramp = Ramp.NARROW
) -> float:
    """L: what the squared norm of the construction cannot exceed.

    >>> tiling = FunctionClass(degree=2, sparsity=10, bits=20)
    >>> [round(norm_term(tiling, form), 2) for form in (Form.PUBLISHED, Form.CORRECTED)]
    [1303.93, 1623.93]
    """
    return math.fsum(norm_blocks(family, form, ramp).values())


def older_norm_term(family: FunctionClass) -> float:
    """L of an earlier version of the construction, in which idle positions attend to a sink.

    >>> round(older_norm_term(FunctionClass(degree=2, sparsity=10, bits=20)), 2)
    1349.83
    """
    k, w = family.degree, family.sparsity
    attention = 4 * family.log_bits**2 * (k * w + family.bits + 1 - w)
    return 21 + 16 * (k + 1) * k * k + 8 * (k + 1) + attention


def sharpness_blocks(family: FunctionClass) -> dict[str, float]:
    """Published bounds on the squared gradient of the output, by block; half the Hessian's trace.

    The first attention layer has none: the MLP is flat around every count.
    """
    k, w = family.degree, family.sparsity
    return {
        "value 2": 4.0,
        "attention 2": 4.0 * w,
        "output": 4.0 * w * (k + 1),
        "hidden": 64.0 * w * k * k * (k + 1),
        "bias": 64.0 * w * k * k * (k + 1),
    }


def sharpness_term(family: FunctionClass) -> float:
    """G: what the squared gradient of the construction's output cannot exceed, as published.

    It leaves out that the MLP's output matrix has rows which move the positional coordinates.

    >>> sharpness_term(FunctionClass(degree=2, sparsity=10, bits=20))
    15524.0
    """
    return math.fsum(sharpness_blocks(family).values())


def last_row_sharpness(
    family: FunctionClass,
    ramp: Ramp = Ramp.NARROW,
    coefficient_sum: Real | None = None,
) -> float:
    """A sharper G, valid if only the last row of the MLP's output matrix is trained.

    Up to the leakage of the second attention layer. Without `coefficient_sum` the largest one of
    the class is taken: the root of its sparsity.

    >>> round(last_row_sharpness(FunctionClass(degree=2, sparsity=10, bits=20), Ramp.WIDE), 1)
    1986.1
    """
    k, ramp = family.degree, Ramp(ramp)
    corner = 4 * ramp.slope(k) ** 2 * (k + 1)
    energy = 5 / 8 + activation_energy(k, ramp) + corner
    return 2 + _squared_sum(family, coefficient_sum) * energy


def full_sharpness(
    family: FunctionClass,
    ramp: Ramp = Ramp.NARROW,
    coefficient_sum: Real | None = None,
    attention: tuple[Real, Real] | None = None,
) -> float:
    """G with every row of the MLP's output matrix trained; up to leakage of the second layer.

    `attention` holds the squared norm and the largest size of the second layer's logits; without
    it, what the class allows.

    >>> round(full_sharpness(FunctionClass(degree=1, sparsity=20, bits=20)))
    21284
    """
    if attention is None:
        attention = 4 * family.sparsity * family.log_bits**2, 2 * family.log_bits
    squared_norm, largest = attention
    if min(squared_norm, largest) < 0:
        raise BadInput("sizes of attention weights are not negative", seen=attention)
    moved = (squared_norm + largest**2) / 4
    squared = _squared_sum(family, coefficient_sum)
    beyond = squared * activation_energy(family.degree, ramp) * moved
    return last_row_sharpness(family, ramp, coefficient_sum) + beyond


class Sizes(NamedTuple):
    """What a bound takes from a construction: L, G, and which ramp they belong to."""

    norm: float  # of the squared norm
    sharpness: float  # of the squared gradient; twice that bounds the Hessian's trace
    ramp: Ramp


def sizes_of(family: FunctionClass, form: Form = Form.CORRECTED) -> Sizes:
    """The published construction; both forms share its sharpness, the norm differs.

    >>> sizes_of(FunctionClass(degree=2, sparsity=10, bits=20), Form.PUBLISHED).sharpness
    15524.0
    """
    return Sizes(norm_term(family, form), sharpness_term(family), Ramp.NARROW)


def flattest(family: FunctionClass) -> Sizes:
    """The wide ramp with every gradient counted: valid in all classes, often smaller."""
    return Sizes(norm_term(family, ramp=Ramp.WIDE), full_sharpness(family, Ramp.WIDE), Ramp.WIDE)


def activation_energy(degree: int, ramp: Ramp) -> float:
    """Largest sum of squared activations of the MLP: at a count of all ones.

    >>> activation_energy(1, Ramp.WIDE), activation_energy(1, Ramp.NARROW)
    (5.875, 4.9375)
    """
    counts = np.arange(degree + 1)[:, None] + np.array(Ramp(ramp).hinges)
    return float(np.sum(np.maximum(1 - counts / degree, 0) ** 2))


def _squared_sum(family: FunctionClass, coefficient_sum: Real | None) -> float:
    if coefficient_sum is None:
        return float(family.sparsity)
    if not 1 - 1e-9 <= coefficient_sum <= math.sqrt(family.sparsity) + 1e-9:
        raise BadInput(
            "no positive coefficients of l2 norm 1 have that sum",
            seen=coefficient_sum,
            why=f"it lies between 1 and the root of the sparsity, {family.sparsity}",
        )
    return coefficient_sum**2
