"""The spectrum of a function of bits: its coefficients on parities, in the ±1 basis."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import final

import numpy as np
from jaxtyping import Float, Int, Num

from foretell.boolean.expansion import Expansion
from foretell.boolean.transform import bits_of_table, check_bits, sizes_of_masks, walsh_hadamard
from foretell.plain.errors import BadInput

MOST_MASK_BITS = 62  # a subset is one 64-bit number
MOST_SETS = 1 << 17  # subsets of an expansion that is written out


@final
@dataclass(frozen=True, eq=False)
class Spectrum:
    """f(x) = Σ coefficient · χ_S(x), where χ_S is +1 if S holds an even number of ones, else -1.

    Bit i of a mask says whether S holds bit i; masks ascend, and subsets that are not listed have
    coefficient 0. What is no larger than `tolerance` counts as 0 for degree and sparsity.

    >>> spectrum = Spectrum.of_truth_table(np.array([1.0, 0.0, 0.0, 1.0]))  # even parity
    >>> spectrum.masks.tolist(), spectrum.coefficients.tolist()
    ([0, 3], [0.5, 0.5])
    >>> spectrum.degree, spectrum.sparsity, spectrum.variance
    (2, 1, 0.25)
    """

    bits: int
    masks: Int[np.ndarray, "..."]  # one axis of subsets, as are the coefficients
    coefficients: Float[np.ndarray, "..."]
    tolerance: float = 0.0

    def __post_init__(self) -> None:
        _check_mask_bits(self.bits)
        masks, coefficients = np.array(self.masks, np.int64), np.array(self.coefficients, float)
        if masks.ndim != 1 or masks.shape != coefficients.shape:
            raise BadInput(
                "every mask needs one coefficient",
                seen=f"shapes {masks.shape} and {coefficients.shape}",
            )
        if masks.size and (masks[0] < 0 or masks[-1] >> self.bits or (np.diff(masks) <= 0).any()):
            raise BadInput(
                "masks must ascend, each once",
                seen=masks,
                why=f"with {self.bits} bits they are numbers from 0 to {2**self.bits - 1}",
            )
        if not np.isfinite(coefficients).all():
            raise BadInput("coefficients must be finite numbers", seen=coefficients)
        if not (math.isfinite(self.tolerance) and self.tolerance >= 0):
            raise BadInput("a tolerance must be 0 or more", seen=self.tolerance)
        masks.flags.writeable = coefficients.flags.writeable = False
        object.__setattr__(self, "masks", masks)
        object.__setattr__(self, "coefficients", coefficients)

    @classmethod
    def of_truth_table(
        cls, values: Num[np.ndarray, "..."], tolerance: float | None = None
    ) -> Spectrum:
        """From the values at all inputs; by default, what rounding may explain counts as 0."""
        table = np.asarray(values)
        if table.ndim != 1:
            raise BadInput("a truth table must have one axis", seen=f"shape {table.shape}")
        dense = walsh_hadamard(table)
        dense /= len(dense)
        bits = bits_of_table(len(dense))
        if tolerance is None:
            largest = max(abs(float(table.max())), abs(float(table.min())))
            tolerance = 4 * bits * float(np.finfo(dense.dtype).eps) * largest
        masks = np.flatnonzero(dense)
        return cls(bits, masks, dense[masks], tolerance)

    @classmethod
    def of_expansion(cls, expansion: Expansion) -> Spectrum:
        """From even-parity indicators: half of each coefficient stays, half joins the constant."""
        _check_mask_bits(expansion.bits)
        halves = np.array([0.0, *expansion.coefficients]) / 2
        halves[0] = math.fsum([expansion.constant, *halves])
        masks = np.array([0, *(sum(1 << bit for bit in each) for each in expansion.sets)])
        order = np.argsort(masks)[int(halves[0] == 0) :]
        return cls(expansion.bits, masks[order], halves[order])

    def expansion(self) -> Expansion:
        """The same function on even-parity indicators, without what the tolerance takes for 0.

        >>> Spectrum.of_truth_table(np.array([0.0, 1.0])).expansion()
        Expansion(bits=1, sets=((0,),), coefficients=(-1.0,), constant=1.0)
        """
        masks, kept = self.masks[self._counts], self.coefficients[self._counts]
        if len(masks) > MOST_SETS:
            raise BadInput(
                "the spectrum is too dense to be written out as an expansion",
                seen=f"{len(masks):,} subsets",
                why=f"an expansion is for at most {MOST_SETS:,}",
                hint="work with the spectrum itself, or raise its tolerance",
            )
        sets = tuple(self.subset(int(mask)) for mask in masks)
        constant = math.fsum([self.mean, *(-kept)])
        return Expansion(self.bits, sets, tuple((2 * kept).tolist()), constant)

    def values(self) -> Float[np.ndarray, " batch"]:
        """The truth table: the transform back."""
        check_bits(self.bits)
        dense = np.zeros(1 << self.bits)
        dense[self.masks] = self.coefficients
        return walsh_hadamard(dense)

    def subset(self, mask: int) -> tuple[int, ...]:
        """The bits of a mask, in order."""
        return tuple(bit for bit in range(self.bits) if mask >> bit & 1)

    @cached_property
    def _counts(self) -> np.ndarray:
        """Which entries are more than 0 and not the empty set."""
        return (np.abs(self.coefficients) > self.tolerance) & (self.masks != 0)

    @cached_property
    def _sizes(self) -> Int[np.ndarray, " set"]:
        return sizes_of_masks(self.masks)

    @property
    def mean(self) -> float:
        """The coefficient of the empty set: the mean over all inputs."""
        first = self.masks[:1] == 0
        return float(self.coefficients[:1][first].sum())

    @property
    def norm(self) -> float:
        """The mean square over all inputs, by Parseval: the sum of all squared coefficients."""
        return float(np.sum(np.square(self.coefficients)))

    @property
    def variance(self) -> float:
        """The variance over all inputs."""
        return float(np.sum(np.square(self.coefficients[self.masks != 0])))

    @property
    def degree(self) -> int:
        """Size of the largest subset with a coefficient above the tolerance."""
        return int(self._sizes[self._counts].max(initial=0))

    @property
    def sparsity(self) -> int:
        """How many subsets have a coefficient above the tolerance; the empty one does not count."""
        return int(np.count_nonzero(self._counts))

    def largest(self, count: int) -> tuple[tuple[tuple[int, ...], float], ...]:
        """The subsets with the largest coefficients and those, the empty one left out.

        >>> spectrum = Spectrum.of_truth_table(np.array([0.0, 0.0, 0.0, 1.0]))  # and
        >>> spectrum.largest(2)
        (((0,), -0.25), ((1,), -0.25))
        """
        if count < 0:
            raise BadInput("a number of components must be 0 or more", seen=count)
        places = np.flatnonzero(self._counts)
        sizes = np.abs(self.coefficients[places])
        if count < len(places):  # at T = 24 a full sort takes seconds
            least = np.partition(sizes, len(sizes) - count)[len(sizes) - count] if count else np.inf
            places, sizes = places[sizes >= least], sizes[sizes >= least]
        order = places[np.argsort(-sizes, kind="stable")][:count]
        return tuple(
            (self.subset(int(self.masks[place])), float(self.coefficients[place]))
            for place in order
        )

    @cached_property
    def weight_by_degree(self) -> Float[np.ndarray, " size"]:
        """The sum of squared coefficients of the subsets of 0, 1, …, T bits."""
        squares = np.square(self.coefficients)
        return np.bincount(self._sizes, squares, minlength=self.bits + 1).astype(float)

    @cached_property
    def influences(self) -> Float[np.ndarray, " bit"]:
        """For each bit, a quarter of the mean squared change when it flips.

        That is the sum of squared coefficients of the subsets that hold the bit. It is the chance
        of a change for a function with values ±1, and a quarter of it for values 0 and 1.
        """
        squares = np.square(self.coefficients)
        return np.array([squares @ (self.masks >> bit & 1) for bit in range(self.bits)])

    @property
    def total_influence(self) -> float:
        """The sum of all influences."""
        return float(np.arange(self.bits + 1) @ self.weight_by_degree)

    def noise_stability(self, correlation: float) -> float:
        """The mean of f(x) f(y) where each bit of y is that of x, except if redrawn.

        A bit is redrawn with probability 1 - correlation. A negative correlation flips all bits
        first.
        """
        if not -1 <= correlation <= 1:
            raise BadInput(
                "a correlation must be between -1 and 1",
                seen=correlation,
                hint="1 - 2p, where each bit flips with probability p",
            )
        return float(correlation ** np.arange(self.bits + 1) @ self.weight_by_degree)

    def noise_sensitivity(self, correlation: float) -> float:
        """A quarter of the mean squared change from x to y, drawn as for `noise_stability`.

        It is the chance of a change for a function with values ±1, a quarter of it for 0 and 1.
        """
        return (self.norm - self.noise_stability(correlation)) / 2


def _check_mask_bits(bits: int) -> None:
    if not 1 <= bits <= MOST_MASK_BITS:
        raise BadInput(
            f"a spectrum has between 1 and {MOST_MASK_BITS} bits",
            seen=bits,
            hint="an Expansion has no such limit, and knows its degree and sparsity",
        )
