"""Strings of templates as integers: substitution, draws without replacement, blocks, diversity."""

import collections
import itertools

import jax
import numpy as np
import pytest
from scipy import stats

from foretell.numerics.keys import root_key
from foretell.plain.errors import BadInput
from foretell.templates.diversity import diversity
from foretell.templates.reading import read_templates
from foretell.templates.sampling import draw_string, draw_strings, drawing_table
from foretell.templates.substituting import (
    avoided_places,
    disjoint_strings,
    distinct,
    encode,
    symbol_blocks,
)

MIXED = read_templates("symbols P Q S R T; aSb -> a @ 0.2; abb -> b @ 0.3; aT -> T @ 0.5")


def test_offsets_and_injections_are_one_to_one():
    for places, count, avoided in ((5, 3, ()), (6, 2, (0, 3)), (4, 4, ()), (3, 0, (1,))):
        free = places - len(avoided)
        offsets = list(itertools.product(*(range(free - i) for i in range(count))))
        array = np.array(offsets, int).reshape(len(offsets), count)
        taken = np.broadcast_to(np.array([*avoided, 999]), (len(offsets), len(avoided) + 1))
        found = [tuple(row) for row in distinct(array, taken).tolist()]
        allowed = [place for place in range(places) if place not in avoided]
        assert sorted(found) == sorted(itertools.permutations(allowed, count))


def names(templates):
    """Token of each id, for sets that list their symbols."""
    new = [symbol for symbol in templates.symbols if symbol not in templates.regular]
    return (*templates.regular, *new)


def agrees(templates, tokens, template, label):
    named = names(templates)
    word = tuple(named[token] for token in tokens if token >= 0)
    assert len(word) == len(templates.templates[template])
    number, found = templates.match(word)
    assert number == template
    assert found.value(templates.labels[number]) == named[label]
    return word


def test_drawn_strings_match_their_template_and_label():
    symbols = symbol_blocks(MIXED).train
    drawn = draw_strings(MIXED, 3_000, symbols, np.random.default_rng(0))
    words = collections.Counter(
        agrees(MIXED, *row) for row in zip(*(part.tolist() for part in drawn), strict=True)
    )
    counts = np.bincount(drawn.templates)
    assert stats.chisquare(counts, 3_000 * np.array(MIXED.probabilities)).pvalue > 1e-4
    # aSb may not take S: 4 · 3 strings; abb takes any two: 20; aT takes any but T: 4
    assert len(words) == 12 + 20 + 4
    of_first = [words[word] for word in words if len(word) == 3 and word[1] == "S" != word[2]]
    assert stats.chisquare(of_first).pvalue > 1e-4


def test_draws_on_a_device_are_the_same_distribution():
    table = drawing_table(MIXED, symbol_blocks(MIXED).train)
    keys = jax.random.split(root_key(1), 2_000)
    drawn = jax.jit(jax.vmap(lambda key: draw_string(table, key, 5)))(keys)
    parts = (drawn.tokens, drawn.template, drawn.answer)
    rows = zip(*(np.asarray(part).tolist() for part in parts), strict=True)
    words = collections.Counter(agrees(MIXED, *row) for row in rows)
    assert len(words) == 36
    counts = np.bincount(np.asarray(drawn.template))
    assert stats.chisquare(counts, 2_000 * np.array(MIXED.probabilities)).pvalue > 1e-4
    of_third = [words[word] for word in words if len(word) == 2]
    assert stats.chisquare(of_third).pvalue > 1e-4


def test_one_compilation_for_all_alphabets():
    templates = read_templates("aab -> 1; abb -> -1")
    table = drawing_table(templates, symbol_blocks(templates, 50).train)
    traced = []

    @jax.jit
    def draw(key, size):
        traced.append(1)
        return draw_string(table, key, size)

    for size in (2, 7, 50):
        drawn = jax.vmap(draw, in_axes=(0, None))(jax.random.split(root_key(2), 300), size)
        tokens = np.asarray(drawn.tokens)
        assert (tokens[:, 0] != tokens[:, 2]).all() and tokens.max() < size
        assert len(np.unique(tokens)) == size
        assert ((tokens[:, 0] == tokens[:, 1]) == (np.asarray(drawn.value) == 1)).all()
    assert len(traced) == 1


def test_real_labels_have_noise_and_draws_are_pure():
    templates = read_templates("noise 0.5; aa -> 2; ab -> -2")
    symbols = symbol_blocks(templates, 30).train
    one, two = (draw_strings(templates, 4_000, symbols, np.random.default_rng(5)) for _ in "ab")
    assert all((a == b).all() for a, b in zip(one, two, strict=True))
    noise = one.labels - np.where(one.templates == 0, 2.0, -2.0)
    assert stats.kstest(noise / 0.5, "norm").pvalue > 1e-4


def test_blocks_are_disjoint_and_large_enough():
    templates = read_templates("program")
    blocks = symbol_blocks(templates, 64)
    ids = np.concatenate([*blocks])
    assert [len(block) for block in blocks] == [64, 100, 100]
    assert len(np.unique(ids)) == len(ids) and ids.min() == len(templates.regular)
    assert blocks.tokens == ids.max() + 1
    with pytest.raises(BadInput, match="fewer symbols than wildcards"):
        symbol_blocks(templates, 1)
    with pytest.raises(BadInput, match="fewer symbols than wildcards"):
        draw_strings(templates, 3, blocks.train[:1], np.random.default_rng(0))
    with pytest.raises(BadInput, match="how many symbols"):
        symbol_blocks(templates)


def test_listed_symbols_may_be_tokens_of_others():
    blocks = symbol_blocks(MIXED)
    assert [names(MIXED)[i] for i in blocks.train] == list("PQSRT")
    assert blocks.validation[0] == len(names(MIXED))
    own = avoided_places(MIXED, blocks.train)
    assert [[place for place in row if place < 5] for row in own.tolist()] == [[2], [], [4]]


def test_disjoint_strings_share_regular_tokens_and_the_end_only():
    templates = read_templates("program-symbols")
    pair = disjoint_strings(templates)
    regular = set(range(len(templates.regular)))
    shared = {*pair.left.ravel().tolist()} & {*pair.right.ravel().tolist()}
    assert shared == {token for token in regular if token in pair.left} | {pair.tokens - 1}
    assert (pair.left[:, -1] == pair.tokens - 1).all()
    assert (pair.left[:, :-1] != pair.tokens - 1).all()
    for side in pair[:2]:
        for row, codes in zip(side[:, :-1], encode(templates).places, strict=True):
            equal = row[:, None] == row[None, :]
            assert (equal == (codes[:, None] == codes[None, :])).all()
    with pytest.raises(BadInput, match="different lengths"):
        disjoint_strings(read_templates("a -> 1; ab -> 2"))


@pytest.mark.parametrize("text", ["aa -> 1; ab -> -1", "aSb -> a; bbb -> b", "S -> 1; T -> 2"])
def test_diversity_is_one_over_the_largest_chance_of_a_symbol(text):
    templates = read_templates(f"symbols P Q R S; {text}")
    chances = [0.0]
    for template in templates.templates:
        free = [symbol for symbol in templates.symbols if symbol not in template.tokens]
        images = list(itertools.permutations(free, len(template.wildcards)))
        chances += [np.mean([symbol in image for image in images]) for symbol in free]
    expected = np.inf if max(chances) == 0 else 1 / max(chances)
    assert diversity(templates) == pytest.approx(expected)


def test_diversity_of_an_alphabet_of_given_size():
    assert diversity(read_templates("aba-abb"), 512) == 256.0
    assert diversity(read_templates("copy"), 512) == 512.0


def test_large_alphabets_are_cheap():
    templates = read_templates("program-symbols")
    symbols = symbol_blocks(templates, 262_144).train
    drawn = draw_strings(templates, 20_000, symbols, np.random.default_rng(0))
    assert drawn.tokens.shape == (20_000, 16)
    assert len(np.unique(drawn.labels)) > 15_000
