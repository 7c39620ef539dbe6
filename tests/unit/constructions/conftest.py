"""Random sums of parities, all subsets of one size, coefficients positive and of norm 1."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from foretell.boolean.expansion import Expansion


def random_expansion(bits: int, degree: int, sparsity: int, seed: int) -> Expansion:
    generator = np.random.default_rng([seed, bits, degree, sparsity])
    subsets = list(itertools.combinations(range(bits), degree))
    chosen = generator.permutation(len(subsets))[:sparsity]
    coefficients = np.abs(generator.normal(size=len(chosen)))
    coefficients /= np.linalg.norm(coefficients)
    return Expansion(bits, tuple(subsets[i] for i in chosen), tuple(coefficients.tolist()))


@pytest.fixture
def drawn():
    """`drawn(bits, degree, sparsity, seed)`: a random function of that class."""
    return random_expansion


@pytest.fixture
def published():
    """The worked example of the spec: a chain of four pairs with weights 4, 3, 2, 1."""
    weights = np.array([4.0, 3.0, 2.0, 1.0])
    coefficients = tuple((weights / np.linalg.norm(weights)).tolist())
    return Expansion(8, ((0, 1), (1, 2), (2, 3), (3, 4)), coefficients)


@pytest.fixture
def tiling():
    """Ten disjoint pairs of twenty bits, equal weights of norm 1."""
    pairs = tuple((2 * i, 2 * i + 1) for i in range(10))
    return Expansion(20, pairs, (10**-0.5,) * 10)
