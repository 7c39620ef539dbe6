"""The question of capture: what it accepts, and that it reads back."""

import pytest

from foretell.core.question import Outcome, SizeRange
from foretell.plain.errors import BadInput
from foretell.tasks.capturing import CapturesAlgorithm


def test_it_reads_back_and_knows_its_largest_size():
    asked = CapturesAlgorithm(16, (32, SizeRange(64, 64)), 0.9)
    assert Outcome.read(asked.as_json()) == asked
    assert asked.adapted == (32, 64)
    assert asked.largest == 64


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ((16, (32,), 0.0), "threshold"),
        ((16, (32,), 1.01), "threshold"),
        ((16, (32,), float("nan")), "threshold"),
        ((16, ()), "at least one"),
        ((16, (64, 32)), "grow"),
        ((16, (16, 32)), "grow"),
        ((16, (SizeRange(20, 32),)), "single sizes"),
        ((0, (32,)), "at least 1"),
    ],
)
def test_what_makes_no_sense_is_refused(given, said):
    with pytest.raises(BadInput, match=said):
        CapturesAlgorithm(*given)
