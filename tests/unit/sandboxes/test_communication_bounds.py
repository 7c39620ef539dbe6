"""Bounds on width: the formulas' numbers, and that what is counted does not come from them."""

from __future__ import annotations

import math

import numpy as np
import pytest

from foretell.plain.errors import BadInput
from foretell.protocols._asking import Budget
from foretell.sandboxes import compare
from foretell.sandboxes.representation.communication_bounds import CommunicationBounds
from foretell.worlds import communication as formulas
from foretell.worlds.communication import Size, attention_message, fewest, three_gram_message
from foretell.worlds.communication_counts import (
    encoder_accuracies,
    induction_answers,
    kinds_bits,
    searched_rounds,
    three_gram_is_zero,
)
from foretell.worlds.induction_words import follower, index_words

SANDBOX = CommunicationBounds()


@pytest.mark.parametrize(("accuracy", "bits"), [(0.75, 12.1), (0.9, 34.0), (0.99, 58.8), (1, 64.0)])
def test_an_index_into_64_bits(accuracy: float, bits: float) -> None:
    assert formulas.index_bits(64, float(accuracy)) == pytest.approx(bits, abs=0.05)


@pytest.mark.parametrize(("length", "width", "gram"), [(64, 5, 2), (512, 28, 17), (4096, 170, 112)])
def test_smallest_widths_of_one_layer(length: int, width: int, gram: int) -> None:
    size = Size(precision=formulas.position_precision(length))
    assert fewest(attention_message, "width", formulas.induction_bits(length), size) == width
    assert fewest(three_gram_message, "width", formulas.three_gram_bits(length), size) == gram


def test_a_copy_of_32_letters_takes_150_bits() -> None:
    assert math.ceil(formulas.copy_bits(32, 26)) == 150


def test_what_is_solved_for_is_just_enough() -> None:
    bits, size = formulas.induction_bits(301), Size(heads=2, width=4, precision=3)
    for name in ("heads", "width", "precision"):
        least = fewest(attention_message, name, bits, size)
        assert attention_message(Size(**{**vars(size), name: least})) >= bits
        assert attention_message(Size(**{**vars(size), name: least - 1})) < bits


def test_the_oracle_of_induction_is_a_search_from_the_end() -> None:
    words = np.random.default_rng(0).integers(0, 4, (200, 9))
    for word, found in zip(words, follower(words, none=-1), strict=True):
        places = [place for place in range(8) if word[place] == word[-1]]
        assert found == (word[places[-1] + 1] if places else -1)
    assert follower(np.array([[1]]), none=-1).tolist() == [-1]


def test_an_index_hides_in_an_induction_head() -> None:
    bits = np.random.default_rng(1).integers(0, 2, (50, 6))
    asked = np.random.default_rng(2).integers(0, 6, 50)
    assert (follower(index_words(bits, asked), none=-1) == bits[np.arange(50), asked]).all()
    assert kinds_bits(induction_answers(13)) == 6


def test_the_three_gram_is_zero_exactly_for_disjoint_sets() -> None:
    subsets = np.arange(8)
    np.testing.assert_array_equal(three_gram_is_zero(3), (subsets[:, None] & subsets) == 0)


def test_two_messages_give_three_bits_at_most_three_quarters() -> None:
    assert encoder_accuracies(2).max() == 0.75


def test_rounds_are_found_by_trying() -> None:
    assert [searched_rounds(hops) for hops in (1, 2, 3, 4, 5)] == [0, 1, 2, 2, 3]


@pytest.mark.parametrize(
    ("ask", "message"),
    [
        (lambda: Size(precision=0), "precision of 0 bits"),
        (lambda: Size(heads=0), "too few heads"),
        (lambda: formulas.index_bits(8, 0.3), "no accuracy"),
        (lambda: formulas.copy_bits(8, 1), "too few letters"),
        (lambda: fewest(attention_message, "depth", 8.0, Size()), "nothing to solve for"),
        (lambda: fewest(formulas.recurrent_message, "heads", 8.0, Size()), "do not help"),
    ],
)
def test_bad_input_is_refused(ask, message: str) -> None:
    with pytest.raises(BadInput, match=message):
        ask()


def test_claims_can_fail_and_all_hold() -> None:
    settings = SANDBOX.settings(Budget.CPU)
    claims = {claim.quantity: claim for claim in SANDBOX.claims(settings)}
    assert not claims["T = 512, one layer: smallest width"].holds(27.0)
    assert not claims["disjointness, n = 8: bits"].holds(math.log2(255))
    rows = compare(tuple(claims.values()), SANDBOX.measure(settings, lambda progress: None))
    assert [row.claim.quantity for row in rows if not row.agrees] == []
