"""The scan transformer: no wrong state with ⌈log₂ T⌉ layers, a failing word with one fewer."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from foretell.constructions.counting_automaton import flip_flop_lookup, uniform_counter
from foretell.constructions.k_gram_layers import HARD, next_symbol
from foretell.constructions.scan_automaton import (
    at_places,
    blind_word,
    enough_sharpness,
    layers_for,
    looped_scan,
    scan,
    states_said,
)
from foretell.plain.errors import BadInput
from foretell.protocols._asking import Budget
from foretell.sandboxes import compare
from foretell.sandboxes.representation.scan_transformer import (
    ScanTransformer,
    _layers_needed,
    _wrong_in_time,
    tried,
)
from foretell.worlds.automata import BUILT_IN, automaton, bounded_brackets, follow, from_maps

SANDBOX = ScanTransformer()


def _uniform(letters: int, words: int, length: int) -> np.ndarray:
    return np.random.default_rng(0).integers(0, letters, (words, length))


def test_the_layers_of_the_specification() -> None:
    assert [layers_for(length) for length in (1, 7, 8, 64, 100, 128, 129)] == [0, 3, 3, 6, 7, 7, 8]
    assert len(scan(automaton("symmetric-5"), 100).layers) == 7


def test_the_symmetric_group_at_every_length_up_to_130() -> None:
    settings = SANDBOX.settings(Budget.CPU) | {"words": 3, "short": [7, 8, 64, 100, 129, 130]}
    found = tried("symmetric-5", settings, HARD)
    assert _wrong_in_time(found) == 0
    assert [_layers_needed(found, length) for length in (7, 8, 64, 100)] == [3, 3, 6, 7]
    for row, length in enumerate(settings["short"], start=3):
        assert found.wrong[layers_for(length) - 1, row, length - 1]


@pytest.mark.parametrize("name", BUILT_IN)
def test_every_automaton_on_all_words_of_six_letters(name: str) -> None:
    dfa = automaton(name)
    letters = len(dfa.alphabet.symbols)
    words = np.array(list(itertools.product(range(letters), repeat=6)))[:64]
    # NumPy's engine here: it runs sooner than ten shapes compile.
    network = scan(dfa, 6, 40.0)
    np.testing.assert_array_equal(next_symbol(network, words).argmax(-1), follow(dfa, words))


def test_both_engines_say_the_same_after_every_layer() -> None:
    dfa, words = automaton("symmetric-3"), _uniform(2, 4, 10)
    said = states_said(scan(dfa, 10, 40.0), words)
    for layers in range(5):
        fewer = scan(dfa, 10, 40.0, layers)
        np.testing.assert_array_equal(said[layers], next_symbol(fewer, words).argmax(-1))


def test_a_looped_layer_does_as_well() -> None:
    dfa, words = automaton("symmetric-4"), _uniform(2, 4, 11)
    network = looped_scan(dfa, 11)
    assert all(layer is network.layers[0] for layer in network.layers)
    said = next_symbol(network, at_places(words, 2)).argmax(-1)
    np.testing.assert_array_equal(said, follow(dfa, words))


@pytest.mark.parametrize("name", ["parity", "gridworld-5", "brackets-3", "flip-flop"])
def test_blind_words_against_all_words(name: str) -> None:
    dfa = automaton(name)
    letters = len(dfa.alphabet.symbols)
    for length, seen in ((3, 2), (5, 4), (6, 4)):
        words = np.array(list(itertools.product(range(letters), repeat=length)))
        differs = follow(dfa, words)[:, -1] != follow(dfa, words[:, -seen:])[:, -1]
        word = blind_word(dfa, length, seen)
        assert (word is not None) == differs.any()
        assert word is None or differs[(words == word).all(axis=1)].all()


def test_some_automata_have_no_blind_word() -> None:
    reset = from_maps({"a": [0, 0], "b": [1, 1]})  # the last letter is enough
    assert blind_word(reset, 9, 4) is None
    assert blind_word(automaton("parity"), 4, 4) is None


def test_attention_that_is_blunt_fails_and_sharp_enough_does_not() -> None:
    dfa, words = automaton("symmetric-3"), _uniform(2, 4, 10)
    truth = follow(dfa, words)
    assert (states_said(scan(dfa, 10, 0.5), words)[-1] != truth).any()
    assert (states_said(scan(dfa, 10, enough_sharpness(10)), words)[-1] == truth).all()


@pytest.mark.parametrize("modulus", [2, 3, 7])
def test_one_uniform_layer_counts(modulus: int) -> None:
    words = _uniform(3, 8, 60)
    network = uniform_counter((0, 1, 2), modulus, 60)
    sums = np.cumsum(words, axis=1) % modulus
    np.testing.assert_array_equal(next_symbol(network, words).argmax(-1), sums)


def test_two_layers_look_up_the_last_write() -> None:
    dfa = automaton("flip-flop")
    words = np.array(list(itertools.product(range(3), repeat=5)))
    for sharpness in (HARD, 40.0):
        network = flip_flop_lookup((0, 1, None), 0, 5, sharpness)
        np.testing.assert_array_equal(next_symbol(network, words).argmax(-1), follow(dfa, words))
    far = np.array([[1] + [2] * 199])  # a write long ago: κ is what it was
    network = flip_flop_lookup((0, 1, None), 0, 200, 40.0)
    assert (next_symbol(network, far).argmax(-1) == 1).all()


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (lambda: scan(automaton("parity"), 0), "at least one letter"),
        (lambda: scan(automaton("parity"), 4, 0.0), "sharpness"),
        (lambda: uniform_counter((0, 1), 0, 4), "counter"),
        (lambda: uniform_counter((0, -1), 2, 4), "counter"),
        (lambda: flip_flop_lookup((0, 1), 0, 4, -1.0), "lookup"),
        (lambda: SANDBOX.claims(SANDBOX.settings(Budget.SMOKE) | {"longest": 5}), "lengths"),
    ],
)
def test_bad_input(make, said: str) -> None:
    with pytest.raises(BadInput, match=said):
        make()


def test_states_off_the_path_do_no_harm() -> None:
    dfa = bounded_brackets(2)
    words = np.array([[0, 0, 0, 1, 1], [0, 1, 0, 1, 1], [1, 0, 0, 1, 0]])
    np.testing.assert_array_equal(next_symbol(scan(dfa, 5), words).argmax(-1), follow(dfa, words))


@pytest.mark.slow
@pytest.mark.parametrize("seed", [0, 1])
def test_the_run_on_a_cpu_holds_every_claim(seed: int) -> None:
    settings = SANDBOX.settings(Budget.CPU) | {"seed": seed}
    rows = compare(SANDBOX.claims(settings), SANDBOX.measure(settings, lambda progress: None))
    assert [row.claim.quantity for row in rows if not row.agrees] == []
