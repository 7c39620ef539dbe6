"""Functions to experiment on: random ones of given degree and sparsity, tilings, parity."""

from __future__ import annotations

import itertools
import math

import numpy as np
from jaxtyping import Int

from foretell.boolean.expansion import Expansion
from foretell.boolean.spectrum import MOST_SETS
from foretell.plain.errors import BadInput

LISTED = 1 << 12  # this many subsets are listed rather than drawn until enough are distinct
AT_ONCE = 1 << 22  # numbers drawn at a time


def draw_expansion(bits: int, degree: int, sparsity: int, seed: int = 0) -> Expansion:
    """A sum of `sparsity` even-parity indicators on distinct subsets of `degree` bits each.

    All choices of subsets are equally likely. Coefficients are absolute values of normal draws,
    scaled so that their squares sum to 1: the variance over all inputs is then 1/4.

    >>> drawn = draw_expansion(20, 3, 7)
    >>> drawn.degree, drawn.sparsity, round(sum(c * c for c in drawn.coefficients), 12)
    (3, 7, 1.0)
    """
    _check_shape(bits, degree)
    possible = math.comb(bits, degree)
    if not 1 <= sparsity <= min(possible, MOST_SETS):
        why = f"an expansion is for at most {MOST_SETS:,}"
        if possible <= MOST_SETS:
            why = f"there are {possible:,} subsets of {degree} of {bits} bits"
        raise BadInput(
            "a function cannot have that many components",
            seen=f"sparsity {sparsity}",
            why=why,
            hint=f"a sparsity from 1 to {min(possible, MOST_SETS):,}",
        )
    if seed < 0:
        raise BadInput("a seed must be 0 or more", seen=seed)
    generator = np.random.default_rng(seed)
    coefficients = np.abs(generator.standard_normal(sparsity))
    coefficients /= np.linalg.norm(coefficients)
    subsets = _distinct_subsets(generator, bits, degree, sparsity)
    return Expansion(bits, tuple(map(tuple, subsets.tolist())), tuple(coefficients.tolist()))


def tiling(bits: int, degree: int) -> Expansion:
    """Disjoint blocks of neighbouring bits with equal coefficients, squares summing to 1.

    >>> tiling(4, 2).sets
    ((0, 1), (2, 3))
    """
    _check_shape(bits, degree)
    if bits % degree:
        fitting = ", ".join(str(d) for d in range(1, bits + 1) if bits % d == 0)
        raise BadInput(
            "blocks of that degree do not tile the bits",
            seen=f"degree {degree}, {bits} bits",
            why=f"{bits % degree} of them would be left over",
            hint=f"a degree of {fitting}",
        )
    blocks = bits // degree
    sets = tuple(tuple(range(degree * block, degree * (block + 1))) for block in range(blocks))
    return Expansion(bits, sets, (1 / math.sqrt(blocks),) * blocks)


def parity(bits: int) -> Expansion:
    """1 where the number of ones is even.

    >>> parity(3)(np.array([[1, 1, 0], [1, 1, 1]])).tolist()
    [1.0, 0.0]
    """
    _check_shape(bits, bits)
    return Expansion(bits, (tuple(range(bits)),), (1.0,))


def _check_shape(bits: int, degree: int) -> None:
    if bits < 1:
        raise BadInput("a Boolean function needs at least one bit", seen=bits)
    if not 1 <= degree <= bits:
        raise BadInput(
            "a degree must be between 1 and the number of bits",
            seen=f"degree {degree}, {bits} bits",
        )


def _distinct_subsets(
    generator: np.random.Generator, bits: int, degree: int, count: int
) -> Int[np.ndarray, "set bit"]:
    """Distinct subsets in random order, all choices equally likely.

    Few of many: draw until enough are distinct, the order being that of first appearance.
    Otherwise list them all, which is then no more than a few times what is asked for.
    """
    possible = math.comb(bits, degree)
    if possible <= max(LISTED, 4 * count):
        listed = np.array(list(itertools.combinations(range(bits), degree)))
        return listed[generator.permutation(possible)[:count]]
    found = np.zeros((0, degree), np.int64)
    while len(found) < count:
        draws = min(2 * (count - len(found)) + 8, 8 + AT_ONCE // bits)
        order = generator.random((draws, bits)).argpartition(degree - 1, axis=1)
        found = np.concatenate([found, np.sort(order[:, :degree], axis=1)])
        first = np.sort(np.unique(found, axis=0, return_index=True)[1])
        found = found[first]
    return found[:count]
