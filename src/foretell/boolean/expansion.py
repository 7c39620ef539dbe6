"""A Boolean function as a sparse sum of parities: the form in which theory speaks about it."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import Any, final

import numpy as np
from jaxtyping import Float, Int

from foretell.plain.errors import BadInput


@final
@dataclass(frozen=True)
class Expansion:
    """f(x) = constant + Σ coefficient · e_S(x), where e_S is 1 if S holds an even number of ones.

    Bits are numbered from 0. In the ±1 basis the coefficient of S is half as large, and half the
    sum of all coefficients moves to the constant.

    >>> parity = Expansion(3, ((0, 2),), (1.0,))
    >>> parity(np.array([[1, 0, 0], [1, 1, 1]])).tolist(), parity.degree, parity.sparsity
    ([0.0, 1.0], 2, 1)
    """

    bits: int
    sets: tuple[tuple[int, ...], ...]
    coefficients: tuple[float, ...]
    constant: float = 0.0

    def __post_init__(self) -> None:
        if self.bits < 1:
            raise BadInput("a Boolean function needs at least one bit", seen=self.bits)
        if len(self.sets) != len(self.coefficients):
            raise BadInput(
                "every subset needs one coefficient",
                seen=f"{len(self.sets)} subsets, {len(self.coefficients)} coefficients",
            )
        ordered = tuple(tuple(sorted(each)) for each in self.sets)
        object.__setattr__(self, "sets", ordered)
        for each in ordered:
            if not each or len(set(each)) < len(each):
                raise BadInput(
                    "a subset holds each of its bits once, and at least one", seen=list(each)
                )
            if each[0] < 0 or each[-1] >= self.bits:
                raise BadInput(
                    "a subset names a bit that does not exist",
                    seen=list(each),
                    why=f"bits are numbered from 0 to {self.bits - 1}",
                )
        if len(set(ordered)) < len(ordered):
            twice = next(each for each in ordered if ordered.count(each) > 1)
            raise BadInput("a subset is listed twice", seen=list(twice), hint="add them up")
        if not all(map(math.isfinite, (*self.coefficients, self.constant))):
            raise BadInput("coefficients must be finite numbers", seen=self.coefficients)
        if 0.0 in self.coefficients:
            raise BadInput("a coefficient is 0", seen=self.coefficients, hint="leave its set out")

    @property
    def degree(self) -> int:
        """Size of the largest subset."""
        return max((len(each) for each in self.sets), default=0)

    @property
    def sparsity(self) -> int:
        """How many subsets there are; the constant does not count."""
        return len(self.sets)

    @cached_property
    def indicator(self) -> Int[np.ndarray, "set bit"]:
        """1 where the subset holds the bit."""
        found = np.zeros((len(self.sets), self.bits), np.int32)
        for row, each in enumerate(self.sets):
            found[row, list(each)] = 1
        return found

    def __call__(self, inputs: Int[np.ndarray, "batch bit"]) -> Float[np.ndarray, " batch"]:
        """The value at each row of bits."""
        odd = (np.asarray(inputs) @ self.indicator.T) % 2
        return self.constant + (1.0 - odd) @ np.array(self.coefficients, float)

    def as_json(self) -> dict[str, Any]:
        """What identifies it."""
        return {
            "bits": self.bits,
            "sets": [list(each) for each in self.sets],
            "coefficients": list(self.coefficients),
            "constant": self.constant,
        }
