"""Orders of growth: read, written, compared as they grow."""

import itertools

import pytest

from foretell.plain.errors import BadInput
from foretell.tasks.complexity import Order

ASCENDING = ["1", "log T", "log^2 T", "T^(1/2)", "T", "T log T", "T log^2 T", "T^(3/2)", "T^2"]
ASCENDING += ["T^2 log T", "T^3", "2^T"]


@pytest.mark.parametrize("text", ASCENDING)
def test_what_is_written_is_read_again(text):
    assert str(Order.parse(text)) == text
    assert Order.parse(f"O({text})") == Order.parse(text)


def test_orders_compare_as_they_grow():
    found = [Order.parse(text) for text in ASCENDING]
    assert found == sorted(found)
    for small, large in itertools.pairwise(found):
        if large.exponential:
            continue
        # the quotient grows: compared by its values far out, not by the fields
        assert large.at(1e40) / small.at(1e40) > large.at(1e9) / small.at(1e9)


def test_factors_of_a_logarithm_do_not_exceed():
    for small, large in itertools.pairwise(map(Order.parse, ASCENDING)):
        assert not small.exceeds(large)
        more = large.exponential or large.power > small.power
        assert large.exceeds(small) is more
    assert not Order.parse("T^2").exceeds(Order.parse("T^2"))


def test_other_spellings():
    assert Order.parse("T²") == Order.parse(" T^2 ") == Order.parse("T^2.0")
    assert Order.parse("T·log T") == Order.parse("T log T")
    assert str(Order.parse("T^1.5")) == "T^(3/2)"
    assert str(Order.parse("T^0")) == "1"


@pytest.mark.parametrize(
    "text", ["", "n^2", "T^", "T T", "log", "T logT", "T^-1", "T^(1/0)", "3T", "T log", "O()"]
)
def test_anything_else_is_refused_with_one_message(text):
    with pytest.raises(BadInput, match="no order of growth") as raised:
        Order.parse(text)
    assert raised.value.hint


def test_values():
    assert Order.parse("2^T").at(10) == 1024
    assert Order.parse("2^T").at(1e6) == float("inf")
    with pytest.raises(BadInput, match="from 2 on"):
        Order.parse("T").at(1)
