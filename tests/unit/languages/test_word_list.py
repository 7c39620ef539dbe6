"""Lists of words, and the laws that make them as the framework paper's released code does."""

from __future__ import annotations

import itertools
import json
import re

import jax
import numpy as np
import pytest

from foretell.languages import benchmark
from foretell.languages.regular import RegularLanguage
from foretell.languages.released_words import MAKERS, released_list, released_words
from foretell.languages.word_list import WordList, draw_listed, stack_lists
from foretell.numerics.keys import root_key
from foretell.plain.errors import BadInput
from foretell.tasks.agreement import draw_examples
from foretell.tasks.lookup import task_from_json
from foretell.tasks.next_symbols import LISTED, MEMBERS
from foretell.tasks.regular import RegularTask

RANGES = ((5, 60, 80), (61, 120, 40))


def spelled(language: RegularLanguage, word: bytes) -> str:
    return "".join(language.alphabet.symbols[letter] for letter in word)


@pytest.mark.parametrize("name", MAKERS)
def test_a_law_makes_members_of_the_lengths_asked_for(name: str) -> None:
    language = benchmark.load(name)
    listed = released_words(language, RANGES)
    assert len(listed.words) == 120
    assert all(language.accepts(spelled(language, word)) for word in listed.words)
    lengths = np.array([len(word) for word in listed.words])
    for low, high, count in RANGES:
        assert ((lengths >= low) & (lengths <= high)).sum() == count


def test_a_list_is_the_same_each_time() -> None:
    language = benchmark.load("d-4")
    made = released_words.__wrapped__(language, RANGES)
    assert made == released_words(language, RANGES)
    assert made.hash == released_words(language, RANGES).hash
    assert made.hash != released_words(language, RANGES[:1]).hash


def test_nested_words_are_deep_and_uniform_ones_are_not() -> None:
    """What makes the released words of D_12 other: they reach the last level, and stay in runs."""
    language = benchmark.load("d-12")
    words = [spelled(language, word) for word in released_words(language, ((2, 100, 300),)).words]
    deepest = [max(word[:end].count("a") * 2 - end for end in range(len(word))) for word in words]
    assert np.mean([depth == 12 for depth in deepest]) > 0.5
    changes = [np.mean([x != y for x, y in itertools.pairwise(w)]) for w in words]
    assert np.mean(changes) < 0.45  # coins would change at half of the letters


def test_short_lists_of_nested_words_are_two_large_blocks() -> None:
    """As in the released files of D_2: a smaller block comes only when large ones are used up."""
    language = benchmark.load("d-2")
    words = [spelled(language, word) for word in released_words(language, ((101, 150, 25),)).words]
    assert all(re.fullmatch("a(ab)+ba(ab)+b", word) for word in words)
    many = released_words(language, ((2, 50, 200),)).words
    assert any(spelled(language, word).count("aab") > 2 for word in many)


@pytest.mark.parametrize("name", [name for name in MAKERS if name.startswith("d-")])
def test_no_nested_word_comes_twice(name: str) -> None:
    for low, high, count in RANGES:
        words = MAKERS[name](np.random.default_rng(1), low, high, count)
        assert len(set(words)) == len(words) == count


def test_nested_words_that_are_not_there_are_given_up() -> None:
    """D_2 has 7 words of two to six letters: blocks get smaller until nothing is left of them."""
    found = MAKERS["d-2"](np.random.default_rng(1), 2, 6, 50)
    language = benchmark.load("d-2")
    assert 4 <= len(set(found)) == len(found) <= 7
    assert all(language.accepts(word) for word in found)


def test_blocks_are_in_order_and_parts_have_their_letters() -> None:
    five = benchmark.load("abcde")
    for word in released_words(five, ((5, 50, 50),)).words:
        assert sorted(word) == list(word) and set(word) == set(range(5))
    flip = benchmark.load("012-star-02")
    tails = [
        len(w) - len(w.rstrip("2"))
        for w in (spelled(flip, word) for word in released_words(flip, ((2, 50, 400),)).words)
    ]
    assert max(tails) > 30  # a run of 2s of any length: uniform words have short ones


def test_an_unknown_language_and_impossible_lengths_are_refused() -> None:
    with pytest.raises(BadInput, match="no law of words"):
        released_words(RegularLanguage.from_regex("(ab)*"), ((2, 4, 3),))
    with pytest.raises(BadInput, match="does not make so many such words"):
        released_words(benchmark.load("aa-star"), ((3, 3, 1),))
    with pytest.raises(BadInput, match="empty"):
        WordList.of([], "ab")


def test_draws_are_even_over_the_words_of_a_length() -> None:
    listed = WordList.of(["ab", "ba", "ba", "a", "bbb"], "ab")
    table = listed.table(4)
    keys = jax.random.split(root_key(0), 600)
    drawn = np.asarray(jax.vmap(lambda key: draw_listed(table, key, 2, 6))(keys))
    assert set(map(tuple, drawn.tolist())) == {(0, 1, 0, 0, 0, 0), (1, 0, 0, 0, 0, 0)}
    assert 0.6 < (drawn[:, 0] == 1).mean() < 0.74  # `ba` is there twice
    assert draw_listed(table, keys[0], 3, 3).tolist() == [1, 1, 1]
    assert (listed.lengths(0, 2), listed.nearest_lengths(2, 2)) == ((1, 2), (1, 3))


def test_a_task_with_a_released_list_is_read_back_from_its_hash() -> None:
    language = benchmark.load("d-12")
    listed = released_list(language, "small")
    assert listed.lengths(1, 1_000)[-1] <= 300
    task = RegularTask(300, language=language, probed=(LISTED,), listed=listed)
    again = task_from_json(json.loads(json.dumps(task.as_json())))
    assert isinstance(again, RegularTask)
    assert again.listed == listed and again.as_json() == task.as_json()


def test_lists_of_different_shapes_stack() -> None:
    small, large = WordList.of(["a"], "ab"), WordList.of(["ab", "bbb", "bab"], "ab")
    table = stack_lists([small.table(1), large.table(3)])
    one, two = (jax.tree.map(lambda leaf, at=at: leaf[at], table) for at in (0, 1))
    key = root_key(1)
    assert draw_listed(one, key, 1, 3).tolist() == [0, 0, 0]
    assert draw_listed(two, key, 2, 3).tolist() == [0, 1, 0]
    assert draw_listed(two, key, 3, 3).tolist() in ([1, 1, 1], [1, 0, 1])


def test_a_task_draws_from_its_list_and_agrees_with_the_oracle() -> None:
    language = benchmark.load("d-4")
    listed = released_words(language, RANGES)
    task = RegularTask(120, language=language, probed=(LISTED, MEMBERS), listed=listed)
    assert task.sizes(1, 60) == listed.lengths(1, 60)
    assert task.sizes(1, 6, MEMBERS) == (2, 4, 6)
    assert "list" in task.sampler
    _, drawn = draw_examples(task, 120, each=3)
    known = {spelled(language, word) for word in listed.words}
    for row in range(len(drawn.tokens)):
        word = task.read_word(drawn.tokens[row].tolist())
        tokens, targets, mask = task.lay_out(word)
        assert drawn.targets[row, : len(tokens)].tolist() == targets
        assert drawn.mask[row, : len(tokens)].tolist() == mask
    assert {"".join(task.read_word(row.tolist())) for row in drawn.tokens[:20]} <= known
    with pytest.raises(BadInput, match="cannot be made again"):
        task_from_json(task.as_json())  # its ranges are not the released ones
    plain = RegularTask(120, language=language, probed=(MEMBERS,))
    assert task.as_json() != plain.as_json()
    with pytest.raises(BadInput, match="probes"):
        RegularTask(120, language=language, probed=(LISTED,))
