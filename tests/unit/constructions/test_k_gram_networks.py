"""The four transformers that count after the last k symbols, against a count in plain Python."""

from __future__ import annotations

import numpy as np
import pytest

from foretell.constructions.k_gram_codes import (
    code_gap,
    enumerated_gap,
    sharpness_needed,
    three_layers,
    two_layers,
)
from foretell.constructions.k_gram_copies import layers_with_one_head, many_heads, many_layers
from foretell.constructions.k_gram_layers import next_symbol, slots_of, wiring, with_sharpness
from foretell.constructions.k_gram_reach import (
    built_up_to,
    impossible_from,
    searched_order,
    symbols_in_reach,
)
from foretell.plain.errors import BadInput

GAPS = {
    many_heads: lambda order: 1.0,
    many_layers: lambda order: 1.0,
    three_layers: lambda order: code_gap(order, 2.0),
    two_layers: lambda order: code_gap(order, 3.0),
}


def _oracle(word: np.ndarray, order: int, symbols: int) -> np.ndarray:
    """Slow and obvious: nan where the last `order` symbols were not seen before."""
    said = np.full((len(word), symbols), np.nan)
    for end in range(len(word)):
        tail = tuple(word[end - order + 1 : end + 1])
        followed = [word[i] for i in range(order, end + 1) if tuple(word[i - order : i]) == tail]
        if end + 1 >= order and followed:
            said[end] = np.bincount(followed, minlength=symbols) / len(followed)
    return said


@pytest.mark.parametrize("build", GAPS, ids=lambda build: build.__name__)
@pytest.mark.parametrize(("symbols", "order", "length"), [(2, 1, 64), (3, 2, 64), (2, 5, 96)])
def test_it_counts_at_the_sharpness_predicted_and_not_at_an_eighth_of_it(
    build, symbols: int, order: int, length: int
) -> None:
    words = np.random.default_rng(1).integers(0, symbols, (2, length))
    words[1, : length // 2] = 0  # repeats: the closest codes, and contexts cut off by the start
    truth = np.stack([_oracle(word, order, symbols) for word in words])
    network = build(order, symbols, length)
    needed = sharpness_needed(length, 1e-3, GAPS[build](order))

    def error(sharpness: float) -> float:
        said = next_symbol(with_sharpness(network, sharpness), words)
        return float(np.nanmax(np.abs(said - truth)))

    assert error(needed) <= 1e-3
    assert error(needed / 8) > 1e-2
    assert error(20 * needed) <= 1e-9


@pytest.mark.parametrize("order", [1, 2, 3, 5])
def test_two_layers_are_exact_when_very_sharp(order: int) -> None:
    word = np.random.default_rng(2).integers(0, 2, 100)
    said = next_symbol(with_sharpness(two_layers(order, 2, 100), 1e8), word)
    # Rounding of the cosine, 1e-16, times the sharpness is what can remain.
    assert np.nanmax(np.abs(said - _oracle(word, order, 2))) <= 1e-7


def test_layers_heads_and_widths_are_those_of_the_papers() -> None:
    for order in range(1, 9):
        heads, layers = many_heads(order, 3, 20), many_layers(order, 3, 20)
        assert heads.heads == (order, 1)
        assert heads.width <= (order + 2) * 3 + order + 1
        assert layers.heads == (1,) * layers_with_one_head(order)
        assert layers.width <= 2 * order * (3 + 1) + 3
        assert three_layers(order, 3, 20).heads == (1, 1, 1)
        assert two_layers(order, 3, 20).heads == (1, 1)
        assert two_layers(order, 3, 20).width <= 6 * 3 + 3


def test_gaps_of_codes() -> None:
    listed = [1, 0.1056, 0.01361, 0.002541, 5.55e-4, 1.30e-4, 3.15e-5]
    for order, value in enumerate(listed, start=1):
        assert code_gap(order, 2.0) == pytest.approx(value, rel=2e-3)
        for symbols in (2, 3):
            if symbols**order < 1000:
                for base in (2.0, 3.0):
                    enumerated = enumerated_gap(order, symbols, base)
                    assert enumerated == pytest.approx(code_gap(order, base), rel=1e-8)
    assert code_gap(11, 2.0) > 2**-24 > code_gap(12, 2.0)  # float32 cannot tell 12 symbols
    assert code_gap(9, 3.0) * 9.0**9 == pytest.approx(2.0, rel=1e-3)


def test_what_lags_reach() -> None:
    assert (impossible_from([1, 1]), impossible_from([1, 1, 1])) == (4, 6)
    for heads in ([1, 1], [2, 1], [4, 1], [1, 1, 1], [1, 2, 1], [2, 1, 1]):
        assert searched_order(heads) == built_up_to(heads) == symbols_in_reach(heads) - 1


def test_wires_lead_from_slot_to_slot() -> None:
    slots, width = slots_of({"a": 2, "b": 2})
    row = np.array([1.0, 2.0, 0.0, 0.0])
    assert (row @ wiring(width, slots, [("a", "b", 3.0)])).tolist() == [0, 0, 3, 6]


def test_bad_input() -> None:
    with pytest.raises(BadInput, match="longer than the sequence"):
        many_heads(8, 2, 8)
    with pytest.raises(BadInput, match="no such context"):
        two_layers(0, 2, 8)
    with pytest.raises(BadInput, match="GiB of memory"):
        enumerated_gap(13, 2, 2.0)
    with pytest.raises(BadInput, match="no sharpness"):
        sharpness_needed(10, 0.0, 1.0)
    with pytest.raises(BadInput, match="no such stack"):
        symbols_in_reach([1])
    with pytest.raises(BadInput, match="too many lags"):
        searched_order([8, 8, 1])
