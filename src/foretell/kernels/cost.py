"""What a prediction costs: operations of a forward pass and of a sampled kernel, and draws needed.

The table of inference complexities is computed from counts at given lengths, and its exponents are
fitted to the counts.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import final

import numpy as np

from foretell.plain.errors import BadInput

LENGTHS = tuple(2**power for power in range(10, 31, 4))
SOFTMAX = 5  # operations for an entry: largest, difference, exponential, sum, quotient


@final
@dataclass(frozen=True, kw_only=True)
class ForwardPass:
    """The shape of a transformer of finite width, for counting.

    >>> block = ForwardPass(length=2, width=3, heads=1, key_width=3, value_width=3, hidden=3)
    >>> block.operations
    284
    """

    length: int
    width: int
    heads: int
    key_width: int
    value_width: int
    hidden: int
    layers: int = 1
    output_matrix: bool = True

    def __post_init__(self) -> None:
        for name, number in vars(self).items():
            if number < (0 if name in ("hidden", "output_matrix") else 1):
                raise BadInput(f"{name} must be positive", seen=number)

    @property
    def operations(self) -> int:
        """Additions and multiplications, each counted as one; n × m times m × p is 2nmp."""
        length, width = self.length, self.width
        head = 4 * length * width * self.key_width  # queries and keys
        head += 2 * length * width * self.value_width
        head += 2 * length**2 * self.key_width + SOFTMAX * length**2
        head += 2 * length**2 * self.value_width
        block = self.heads * head + 4 * length * width * self.hidden
        if self.output_matrix:
            block += 2 * length * self.heads * self.value_width * width
        return self.layers * block


def kernel_operations(length: int, width: int, draws: int, layers: int = 1) -> int:
    """Operations of the pair sampler for one pair of inputs of the same length.

    A draw multiplies T × T matrices six times and takes two softmaxes. The product of features,
    2 T² d, is needed once a pair, not once a draw; the canonical form, also once, is left out.
    """
    draw = 12 * length**3 + 2 * SOFTMAX * length**2
    return layers * draws * draw + 3 * 2 * length**2 * width


def draws_needed(
    *,
    accuracy: float,
    chance: float,
    bound: float,
    coefficients: Sequence[float],
    shared: bool = False,
) -> int:
    """Draws with which the sampled predictor is within `accuracy`, except with this `chance`.

    The predictor is a sum of kernel entries, each a mean of numbers of size at most `bound`, with
    these coefficients: Hoeffding's inequality for independent draws of every entry, or with
    `shared` ones (the joint sampler), for which entries may all err together.

    >>> draws_needed(accuracy=0.1, chance=0.05, bound=1.0, coefficients=[1.0, -1.0])
    1476
    """
    if not (accuracy > 0 and 0 < chance < 1 and bound > 0):
        raise BadInput(
            "accuracy and bound are positive, and a chance is between 0 and 1",
            seen=(accuracy, chance, bound),
        )
    weights = np.abs(np.asarray(coefficients, float))
    size = weights.sum() ** 2 if shared else (weights**2).sum()
    return max(1, math.ceil(2 * bound**2 * size * math.log(2 / chance) / accuracy**2))


@final
@dataclass(frozen=True)
class Complexity:
    """A row of the table: operations and evaluation error at each length, and fitted exponents.

    `exponent` is the slope of log operations in log length over all lengths, and `last_exponent`
    over the last two: powers of logarithms show as the difference from a whole number.
    """

    regime: str
    evaluation: str
    lengths: tuple[int, ...]
    operations: tuple[float, ...]
    errors: tuple[float, ...]
    exponent: float
    last_exponent: float


@final
@dataclass(frozen=True, kw_only=True)
class Growth:
    """How the sizes in the table grow with the length T.

    Training points P = points + points_by_log · log T; coefficients of size at most
    `coefficient`; draws as `draws_needed` says for P of them; heads and width of the network that
    is run are a power of log₂ T. `rate` is the power of 1/width in the error of a finite network:
    1 to leading order for a lazy one; for a rich one it is assumed.
    """

    points: float = 100.0
    points_by_log: float = 10.0
    coefficient: float = 1.0
    bound: float = 1.0
    accuracy: float = 0.1
    chance: float = 0.05
    width: int = 64
    layers: int = 2
    power: float = 2.0
    rate: float = 1.0

    def training(self, length: int) -> float:
        """Training points."""
        return self.points + self.points_by_log * math.log(length)

    def draws(self, length: int) -> int:
        """Draws for the accuracy; every coefficient as large as it may be."""
        one = 2 * math.log(2 / self.chance) * (self.bound * self.coefficient / self.accuracy) ** 2
        return math.ceil(one * self.training(length))

    def finite(self, length: int) -> int:
        """Heads, and width, of the network that is run."""
        return max(1, round(math.log2(length) ** self.power))


def complexity_table(growth: Growth, lengths: Sequence[int] = LENGTHS) -> tuple[Complexity, ...]:
    """The three rows: a sampled kernel, and a forward pass in the lazy and in the rich regime."""
    if len(lengths) < 2 or min(lengths) < 2 or list(lengths) != sorted(set(lengths)):
        raise BadInput("lengths grow, from 2 on, and there are at least two", seen=list(lengths))
    kernel = [
        growth.training(length)
        * kernel_operations(length, growth.width, growth.draws(length), growth.layers)
        for length in lengths
    ]
    sampled = [
        growth.bound
        * growth.coefficient
        * math.sqrt(growth.training(length) / growth.draws(length))
        for length in lengths
    ]
    forward = [float(_network(growth, length).operations) for length in lengths]
    # |δf| = O(P^3.5 / N): the leading correction of a lazy network, its constant taken as 1.
    lazy = [growth.training(length) ** 3.5 / growth.finite(length) for length in lengths]
    rich = [growth.finite(length) ** -growth.rate for length in lengths]
    return (
        _row("NNGP/NTK", "sampled kernel", lengths, kernel, sampled),
        _row("NNGP/NTK", "forward pass of a wide network", lengths, forward, lazy),
        _row("rich", "forward pass of a wide network", lengths, forward, rich),
    )


def _network(growth: Growth, length: int) -> ForwardPass:
    width = growth.finite(length)
    return ForwardPass(
        length=length,
        width=width,
        heads=width,
        key_width=width,
        value_width=width,
        hidden=width,
        layers=growth.layers,
        output_matrix=False,
    )


def _row(
    regime: str,
    evaluation: str,
    lengths: Sequence[int],
    operations: Sequence[float],
    errors: Sequence[float],
) -> Complexity:
    exponent, last = (
        fitted_exponent(lengths, operations),
        fitted_exponent(lengths[-2:], operations[-2:]),
    )
    counts = tuple(operations), tuple(errors)
    return Complexity(regime, evaluation, tuple(lengths), *counts, exponent, last)


def fitted_exponent(sizes: Sequence[float | int], costs: Sequence[float | int]) -> float:
    """The slope of log cost in log size, by least squares.

    >>> round(fitted_exponent([1, 2, 4], [3, 24, 192]), 6)
    3.0
    """
    return float(np.polyfit(np.log(np.asarray(sizes, float)), np.log(costs), 1)[0])
