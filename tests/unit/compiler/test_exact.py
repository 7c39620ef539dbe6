import math
from fractions import Fraction

import numpy as np
import pytest

from foretell.compiler.exact import Exact, power


def exact(*values: Fraction) -> Exact:
    pairs = [(value.numerator, value.denominator) for value in values]
    above, below = (np.array(column, object) for column in zip(*pairs, strict=True))
    return Exact(above, below)


X = exact(Fraction(1, 3), Fraction(-5, 4), Fraction(0))
Y = exact(Fraction(1, 6), Fraction(1, 2), Fraction(7))


def test_sums_and_products_are_those_of_fractions():
    total = Exact.total([(Fraction(1, 2), X), (-3, Y)], (3,))
    assert total.fractions().tolist() == [Fraction(-1, 3), Fraction(-17, 8), -21]
    assert (X * Y).fractions().tolist() == [Fraction(1, 18), Fraction(-5, 8), 0]
    assert Exact.total([], (2,)).fractions().tolist() == [0, 0]


def test_activations():
    assert X.rectified().fractions().tolist() == [Fraction(1, 3), 0, 0]
    assert X.stepped().fractions().tolist() == [1, 0, 1]


def test_rounding_to_bits_goes_to_the_nearest():
    values = exact(Fraction(1, 4), Fraction(-1, 4), Fraction(7, 10), Fraction(-7, 10))
    assert values.rounded(1).tolist() == [1, 0, 1, -1]
    assert values.rounded(0).tolist() == [0, 0, 1, -1]


@pytest.mark.parametrize("exponent", [-3, -1, 0, 1, 2, 5, 8])
@pytest.mark.parametrize("base", [1, 2, 7, 100])
@pytest.mark.parametrize("bits", [0, 1, 2])
def test_powers_are_rounded_correctly(base, exponent, bits):
    found = power(base, exponent, bits, 20)
    assert abs(found / 2**20 - math.pow(base, exponent / 2**bits)) <= 2.0**-20
    if exponent >= 0 and exponent % 2**bits == 0:
        assert found == base ** (exponent >> bits) << 20
