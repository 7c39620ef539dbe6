"""Words as arrays, and as users write them."""

import itertools

import numpy as np
import pytest

from foretell.crasp.words import Words, read_word
from foretell.plain.errors import BadInput


def test_words_lie_one_after_the_other():
    words = Words.of([[0, 1, 1], [2], [0, 0]])
    assert len(words) == 3
    assert words.letters.tolist() == [0, 1, 1, 2, 0, 0]
    assert words.starts.tolist() == [0, 3, 4]
    assert words.positions.tolist() == [1, 2, 3, 1, 1, 2]
    assert [words.word(k) for k in range(3)] == [(0, 1, 1), (2,), (0, 0)]
    assert len(Words.of([])) == 0


@pytest.mark.parametrize(("letters", "length"), [(2, 3), (3, 2), (1, 4)])
def test_all_words_of_a_length(letters, length):
    words = Words.all_of_length(letters, length)
    listed = [words.word(k) for k in range(len(words))]
    assert listed == [*itertools.product(range(letters), repeat=length)]
    piece = Words.all_of_length(letters, length, 1, len(words) - 1)
    assert [piece.word(k) for k in range(len(piece))] == listed[1:]
    assert piece.positions.dtype == np.int64


@pytest.mark.parametrize(
    ("text", "letters", "word"),
    [
        ("abba", ("a", "b"), ("a", "b", "b", "a")),
        ("a b  a", ("a", "b"), ("a", "b", "a")),
        (" ab", ("ab", "c"), ("ab",)),
        ("", ("a",), ()),
        ("  ", ("a",), ()),
        ("up down", ("up", "down"), ("up", "down")),
        ("1 <sep> 1", ("1", "<sep>"), ("1", "<sep>", "1")),
        (["a", "b"], ("a", "b"), ("a", "b")),
        (("é",), ("é",), ("é",)),
    ],
)
def test_reading(text, letters, word):
    assert read_word(text, letters) == word


@pytest.mark.parametrize("word", ["abc", "a<sep>", "a <eos>", "<pad>", "A", "á"])
def test_a_letter_outside_the_alphabet(word):
    with pytest.raises(BadInput, match="a letter outside the alphabet") as caught:
        read_word(word, ("a", "b"))
    assert "the alphabet is a b" in caught.value.why


def test_the_first_unknown_letter_is_named():
    with pytest.raises(BadInput) as caught:
        read_word("abxya", ("a", "b"))
    assert "'x'" in caught.value.seen
    with pytest.raises(BadInput) as caught:
        read_word("updown", ("up", "down"))
    assert "separated by spaces" in caught.value.hint
