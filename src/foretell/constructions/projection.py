"""The flat construction with random position vectors instead of one-hot ones.

A random matrix J with entries of variance 1/d stands for the d-dimensional embedding: positions are
its rows, an attention matrix W becomes JᵀWJ. Position products are then right on average and off
by about one over the root of d, so this pays where d is much larger than the number of positions.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from jaxtyping import Float

from foretell.constructions.flat import FlatWeights
from foretell.plain.errors import BadInput


class Projected(NamedTuple):
    """Weights in the smaller stream, and the position vectors that go with them."""

    weights: FlatWeights
    positions: Float[np.ndarray, "length part"]


def projected(weights: FlatWeights, size: int, seed: int) -> Projected:
    """The construction with positions of `size` random coordinates, and the bit as before."""
    if size < 1:
        raise BadInput("positions need at least one coordinate", seen=size)
    width = np.shape(weights.attention1)[-1]
    drawn = np.random.default_rng(seed).normal(size=(width - 1, size)) / math.sqrt(size)
    whole = np.zeros((width, size + 1))
    whole[:-1, :-1], whole[-1, -1] = drawn, 1.0
    last = np.zeros((width, size + 1))
    last[-1, -1] = 1.0
    _refuse_constant(weights)
    small = FlatWeights(
        attention1=whole.T @ weights.attention1 @ whole,
        value1=last.T @ weights.value1 @ last,
        mlp_in=weights.mlp_in @ last,
        mlp_bias=np.asarray(weights.mlp_bias),
        mlp_out=last.T @ weights.mlp_out,
        attention2=whole.T @ weights.attention2 @ whole,
        value2=weights.value2 @ last,
    )
    return Projected(small, drawn)


def johnson_lindenstrauss_size(bits: int, distortion: float = 0.1) -> int:
    """The size the paper's authors use: enough for the distortion, at most one a bit."""
    if bits < 2 or not 0 < distortion < 1:
        raise BadInput(
            "needs two bits or more and a distortion between 0 and 1", seen=(bits, distortion)
        )
    return min(bits, math.ceil(8 * math.log(bits) / distortion**2))


def expected_squared_norm(matrix: Float[np.ndarray, "width width"], size: int) -> float:
    """The mean of ‖JᵀWJ‖² over J, for a W without entries in the row and column of the bit."""
    if np.any(matrix[-1]) or np.any(matrix[:, -1]):
        raise BadInput("only a product of positions is projected", seen="entries for the bit")
    squares = np.trace(matrix) ** 2 + np.trace(matrix @ matrix)
    return float(np.square(matrix).sum() + squares / size)


def _refuse_constant(weights: FlatWeights) -> None:
    """The constant is read from positions that add up to 1: random ones do not."""
    if np.any(np.asarray(weights.value2)[..., :-1]):
        raise BadInput(
            "a function with a constant cannot be projected",
            why="the constant is read from one-hot positions",
            hint="leave the constant out and add it to the output",
        )
