"""Arrays of fractions: whole numerators over whole denominators, of any size, never rounded.

NumPy arrays of Python integers, two per value. An array of `Fraction` objects would do the same
some twenty times slower.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

Number = int | Fraction


@dataclass(frozen=True)
class Exact:
    """An array of fractions in lowest terms; denominators are positive."""

    above: np.ndarray
    below: np.ndarray

    @classmethod
    def whole(cls, values: np.ndarray) -> Exact:
        """From integers."""
        above = values.astype(object)
        return cls(above, np.ones_like(above))

    @classmethod
    def reduced(cls, above: np.ndarray, below: np.ndarray) -> Exact:
        """A quotient in lowest terms."""
        common = np.gcd(above, below)
        return cls(above // common, below // common)

    @classmethod
    def total(cls, terms: Iterable[tuple[Number, Exact]], shape: tuple[int, ...]) -> Exact:
        """A sum with weights."""
        parts = [(Fraction(weight), value) for weight, value in terms if weight]
        if not parts:
            return cls.whole(np.zeros(shape, int))
        belows = [value.below * weight.denominator for weight, value in parts]
        below = functools.reduce(np.lcm, belows)
        above = sum(
            value.above * (weight.numerator * (below // own))
            for (weight, value), own in zip(parts, belows, strict=True)
        )
        return cls.reduced(*np.broadcast_arrays(above, below))

    def __mul__(self, other: Exact) -> Exact:
        return Exact.reduced(self.above * other.above, self.below * other.below)

    def expand(self, axis: int) -> Exact:
        """With one more axis."""
        return Exact(np.expand_dims(self.above, axis), np.expand_dims(self.below, axis))

    def rectified(self) -> Exact:
        """ReLU."""
        kept = self.above > 0
        return Exact(np.where(kept, self.above, 0), np.where(kept, self.below, 1))

    def stepped(self) -> Exact:
        """Heaviside: 1 where it is at least 0."""
        return Exact.whole((self.above >= 0).astype(int))

    def rounded(self, bits: int) -> np.ndarray:
        """The nearest multiples of 2^-bits, as multiples; halves go up."""
        return (self.above * 2 ** (bits + 1) + self.below) // (2 * self.below)

    def fractions(self) -> np.ndarray:
        """As an array of fractions."""
        found = [Fraction(*pair) for pair in zip(self.above.flat, self.below.flat, strict=True)]
        out = np.empty(len(found), object)
        out[:] = found
        return out.reshape(self.above.shape)


def power(base: int, exponent: int, bits: int, output_bits: int) -> int:
    """base ** (exponent / 2^bits), rounded to a multiple of 2^-output_bits; that multiple.

    >>> power(9, 2, 1, 0), power(9, 1, 1, 0), power(2, 1, 1, 10)
    (9, 3, 1448)
    """
    root = 2**bits
    shift = (output_bits + 1) * root  # one bit more than asked, to round
    inside = base ** abs(exponent)
    found = (inside << shift) if exponent >= 0 else (1 << shift) // inside
    for _ in range(bits):
        found = math.isqrt(found)  # whole parts of nested roots are that of the nested root
    return (found + 1) // 2
