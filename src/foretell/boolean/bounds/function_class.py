"""The class of Boolean functions that a bound speaks about."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import final

from foretell.plain.errors import BadInput


@final
@dataclass(frozen=True, kw_only=True)
class FunctionClass:
    """Sums of `sparsity` parities of `degree` bits each, coefficients positive, of l2 norm 1.

    >>> tiling = FunctionClass(degree=2, sparsity=10, bits=20)
    >>> round(tiling.log_bits, 3)
    2.996
    """

    degree: int
    sparsity: int
    bits: int

    def __post_init__(self) -> None:
        given = {"degree": self.degree, "sparsity": self.sparsity, "number of bits": self.bits}
        for name, value in given.items():
            if isinstance(value, bool) or not isinstance(value, int) or value < 1:
                raise BadInput(f"the {name} is a whole number, at least 1", seen=value)
        if self.degree > self.bits:
            raise BadInput(
                "the degree is larger than the number of bits",
                seen=f"degree {self.degree}, {self.bits} bits",
                why="a parity holds each bit at most once",
            )
        available = math.comb(self.bits, self.degree)
        if self.sparsity > available:
            raise BadInput(
                "there are not that many different parities",
                seen=f"sparsity {self.sparsity}",
                why=f"{self.bits} bits have {available} subsets of size {self.degree}",
            )
        if self.sparsity > self.bits:
            raise BadInput(
                "more components than bits",
                seen=f"sparsity {self.sparsity}, {self.bits} bits",
                why="the construction computes one component at each position",
                hint="a larger context, or fewer components",
            )

    @property
    def log_bits(self) -> float:
        """The natural logarithm of the number of bits: the scale of the attention weights."""
        return math.log(self.bits)

    def __str__(self) -> str:
        bits = "1 bit" if self.bits == 1 else f"{self.bits} bits"
        return f"degree {self.degree}, sparsity {self.sparsity}, {bits}"
