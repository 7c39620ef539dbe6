"""The authors' notebook, quirks included, so that its numbers can be recognised. Never a bound.

It puts the root of an older norm term where the divergence needs the norm term itself, and
weighs P twice as much as the theorem.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from foretell.boolean.bounds.function_class import FunctionClass
from foretell.boolean.bounds.numbers import Real
from foretell.boolean.bounds.perturbation import analytic_perturbation
from foretell.boolean.bounds.risk_bound import Setting
from foretell.boolean.bounds.terms import Form, older_norm_term, sharpness_term


class Notebook(NamedTuple):
    """The two summands."""

    complexity: float
    sharpness: float


def notebook_parts(
    family: FunctionClass,
    setting: Setting,
    noise: Real,
    width: Real | None = None,
    form: Form = Form.PUBLISHED,
) -> Notebook:
    """Both summands as the notebook computes them; the corrected form restores the factors s.

    >>> parity = FunctionClass(degree=1, sparsity=1, bits=50)
    >>> setting = Setting(samples=1e7, constant=0.01, delta=0.01)
    >>> notebook_parts(parity, setting, 1e-5, width=52).complexity
    2.376740233010865
    """
    divergence = math.sqrt(older_norm_term(family)) / (2 * noise**2) + setting.log_confidence
    complexity = 2 * setting.constant * math.sqrt(divergence / (2 * setting.samples))
    change = float(analytic_perturbation(family, np.array(noise), form, width).total)
    return Notebook(complexity, noise**2 * (sharpness_term(family) + change))


def notebook_samples(
    family: FunctionClass, setting: Setting, noise: Real, change: Real, target: Real = 1.0
) -> float:
    """Samples at which the notebook's expression reaches the target, given a measured P."""
    divergence = math.sqrt(older_norm_term(family)) / (2 * noise**2) + setting.log_confidence
    left = target - noise**2 * (sharpness_term(family) + change)
    return 2 * setting.constant**2 * divergence / left**2 if left > 0 else math.inf
