"""How steep the flat construction is: gradient norms it cannot exceed, sharper than published."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from foretell.boolean.expansion import Expansion
from foretell.constructions.flat import PUBLISHED, Lookup, Scale, build_flat, heads
from foretell.plain.errors import BadInput


class GradientBounds(NamedTuple):
    """Bounds on the squared norm of the output's gradient, over all inputs.

    `last_row` holds if only the last row of the MLP's output matrix is trainable, `full` if all of
    it is: its other rows move positions, and with them the second attention.
    """

    last_row: float
    full: float


def largest_activity(degree: int, ramp: str) -> float:
    """The largest sum of squared MLP activities over the shares that a component can read.

    >>> [round(largest_activity(k, "wide"), 3) for k in (1, 2, 3)]
    [5.875, 5.781, 6.708]
    """
    shares = np.arange(degree + 1) / degree
    hidden = np.maximum(shares[:, None] + Lookup(degree, ramp).rows().bias, 0.0)
    return float(np.square(hidden).sum(axis=1).max())


def gradient_bounds(
    expansion: Expansion, attention_scale: Scale = PUBLISHED, ramp: str = "narrow"
) -> GradientBounds:
    """Bounds for subsets of one size and positive coefficients, the case of the paper."""
    sizes = {len(each) for each in expansion.sets}
    if len(sizes) != 1 or len(heads(expansion)) != 1 or expansion.coefficients[0] < 0:
        raise BadInput(
            "gradient bounds are known for one degree and positive coefficients only",
            seen=expansion.as_json(),
            hint="measure with `foretell.numerics.curvature.gradient_norms`",
        )
    weights = build_flat(expansion, attention_scale, ramp)
    total, degree = sum(expansion.coefficients), expansion.degree
    logits = np.asarray(weights.attention2[0, expansion.bits])
    activity = largest_activity(degree, ramp)
    flanks = 4 * Lookup(degree, ramp).slope ** 2 * (degree + 1)
    moved = (float(logits @ logits) + float(np.abs(logits).max()) ** 2) / 4
    return GradientBounds(
        2 + total**2 * (5 / 8 + activity + flanks),
        2 + total**2 * (5 / 8 + activity * (1 + moved) + flanks),
    )
