"""How much noise on the weights can change the construction's Hessian: the analytic bound.

Valid and very loose: some five to nine orders of magnitude above what one measures.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from foretell.boolean.bounds.function_class import FunctionClass
from foretell.boolean.bounds.numbers import Numbers, Real
from foretell.boolean.bounds.terms import Form, sharpness_term
from foretell.plain.errors import BadInput

DISTORTION = 0.1  # of distances, by the random projection of positions
ROOT2 = math.sqrt(2)


class Perturbation(NamedTuple):
    """The ingredients, and their sum `total`: a bound on the change of the Hessian's trace."""

    gradient: Numbers  # change of the gradient's norm
    hessian: float  # norm of the Hessian without noise
    hessian_change: Numbers
    output: Numbers  # change of the network's output
    parameters: int
    total: Numbers


def projected_width(bits: int) -> float:
    """Dimensions that keep all distances of the positions up to the distortion, at most `bits`.

    >>> projected_width(20)
    20.0
    """
    return float(min(bits, 8 * math.log(bits) / DISTORTION**2))


def parameter_count(degree: int, width: Real, form: Form = Form.CORRECTED) -> int:
    """Weights of the construction; the authors' code counts 6(k+1) too few.

    >>> parameter_count(2, 21), parameter_count(2, 21, Form.PUBLISHED)
    (2014, 1996)
    """
    rest = 12 if Form(form) is Form.CORRECTED else 6
    return round(3 * (width + 1) ** 2 + (width + 1) + (8 * width + rest) * (degree + 1))


def analytic_perturbation(
    family: FunctionClass,
    noise: Real | Numbers,
    form: Form = Form.CORRECTED,
    width: Real | None = None,
) -> Perturbation:
    """Bounds for each standard deviation of the noise.

    The published form is that of the authors' notebook: two terms of the gradient's change lack
    their factor of the noise, so the bound does not vanish with it. The corrected form has it.
    """
    form = Form(form)
    s = np.asarray(noise, float)
    if not np.all(s > 0):
        raise BadInput("the noise is a standard deviation, larger than 0", seen=noise)
    d = projected_width(family.bits) if width is None else float(width)
    if d < 1:
        raise BadInput("the width is at least 1", seen=width)
    gradient = _gradient_change(family, s, d, restored=form is Form.CORRECTED)
    hessian, hessian_change = _hessian(family, d), _hessian_change(family, s, d)
    k, w = family.degree, family.sparsity
    output = s * (128 * k**2 * w * family.log_bits + math.sqrt(2 * d) + 32 * math.sqrt(w) * k**2)
    parameters = parameter_count(k, d, form)
    slope = 2 * math.sqrt(sharpness_term(family))
    total = 2 * gradient * (slope + gradient) + output * (hessian + hessian_change) * parameters
    return Perturbation(gradient, hessian, hessian_change, output, parameters, total)


def _gradient_change(family: FunctionClass, s: Numbers, d: float, restored: bool) -> Numbers:
    k, w, log = family.degree, family.sparsity, family.log_bits
    forgotten = 128 * ROOT2 * k**2 * w**2 * log + 64 * ROOT2 * d * k**2 * w**2 * log
    rest = (
        128 * ROOT2 * k**2 * math.sqrt(w) * log
        + 192 * math.sqrt(w) * k**2
        + 128 * d * w**2 * log * k**1.5
        + 1024 * k**3.5 * w**1.5 * log
        + 8 * math.sqrt(k * w) * log * d
        + 256 * k**2.5 * w**2 * d
        + 32 * math.sqrt(k) * w**2 * d**2
    )
    return s * rest + (s if restored else np.ones_like(s)) * forgotten


def _hessian(family: FunctionClass, d: float) -> float:
    k, w, bits = family.degree, family.sparsity, family.bits
    return (
        8 * (k + 1)
        + 6 * (k + 1) * math.sqrt(w)
        + 2 * math.sqrt(3 * bits * (k + 1))
        + math.sqrt(48 * bits * (k + 1) * k)
        + 3 * k * math.sqrt(12 * bits * (k + 1))
        + (8 * ROOT2 + 2) * k * math.sqrt(d * bits)
        + 8 * ROOT2 * d * k * math.sqrt(w)
        + 6 * ROOT2 * d**1.5 * k
    )


def _hessian_change(family: FunctionClass, s: Numbers, d: float) -> Numbers:
    k, w, log = family.degree, family.sparsity, family.log_bits
    return s * (
        768 * ROOT2 * k**2 * w**1.5 * d * log
        + 256 * w**1.5 * d**2 * k**1.5 * log
        + 1024 * k**3.5 * w**1.5 * log
        + 512 * k**2.5 * w**1.5 * d**2 * log
        + 1536 * k**3.5 * w**2.5 * math.sqrt(d) * log**2
        + 768 * k**2 * w**2.5 * d * log**2
        + 16 * w**2 * d**2.5 * log
    )
