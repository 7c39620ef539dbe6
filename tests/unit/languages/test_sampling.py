import itertools
from collections import Counter
from functools import partial

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from foretell.core.alphabet import Alphabet
from foretell.languages import sampling
from foretell.languages.benchmark import load
from foretell.languages.regular import RegularLanguage
from foretell.languages.sampling import draw_word, sampling_table, stack, walk
from foretell.numerics.keys import key_for, root_key
from foretell.plain.errors import BadInput


@partial(jax.jit, static_argnums=3)
def many(table, keys, size, width):
    return jax.vmap(lambda key: draw_word(table, key, size, width))(keys)


def draws(table, size, width, count, seed=0):
    keys = jax.random.split(root_key(seed), count)
    return np.asarray(many(table, keys, jnp.int32(size), width))


def accepted(dfa, word):
    return dfa.accepts([dfa.alphabet.symbols[letter] for letter in np.asarray(word)])


def test_exact_lengths_and_zeros_after():
    dfa = load("tomita-6").dfa
    table = sampling_table(dfa, 12)
    for size in load("tomita-6").lengths(0, 12):
        for word in draws(table, size, 12, 20):
            assert accepted(dfa, word[:size])
            assert not word[size:].any()


def test_uniform_by_chi_square():
    dfa = load("tomita-3").dfa
    words = load("tomita-3").count(6)
    found = draws(sampling_table(dfa, 6), 6, 6, 200 * words) @ (2 ** np.arange(6))
    _, counts = np.unique(found, return_counts=True)
    assert len(counts) == words
    statistic = ((counts - 200) ** 2 / 200).sum()
    # Mean of the statistic: words - 1; five standard deviations above it.
    assert statistic < words - 1 + 5 * np.sqrt(2 * words)


def test_one_compilation_for_all_sizes_and_the_same_word_at_every_width():
    table = sampling_table(load("d-4").dfa, 64)
    traces = []

    @jax.jit
    def draw(key, size):
        traces.append(1)
        return draw_word(table, key, size, 64)

    for size in (2, 10, 64):
        wide = draw(root_key(1), jnp.int32(size))
        assert wide[:size].tolist() == draw_word(table, root_key(1), size, size).tolist()
    assert len(traces) == 1


@pytest.mark.parametrize("name", ["tomita-7", "d-12", "abcde", "012-star-02", "tomita-5"])
def test_long_words(name):
    dfa = load(name).dfa
    table = sampling_table(dfa, 600)
    assert np.isfinite(table.thresholds).all()
    for word in draws(table, 600, 600, 5):
        assert accepted(dfa, word)


def test_one_word_beside_astronomically_many():
    # From the state after b, one word; after a, 4^699.
    ours = RegularLanguage.from_regex("a[abcd]*|bb*", Alphabet(tuple("abcd")))
    table = sampling_table(ours.dfa, 700)
    after_b = ours.dfa.state_after("b")
    row = table.thresholds[600, after_b]
    assert row[0] == 0.0
    assert row[1] == sampling.NEVER_PASSED


def test_extreme_draws_choose_only_possible_letters(monkeypatch):
    ours = RegularLanguage.from_regex("([bd][bd])*", Alphabet(tuple("abcde")))
    table = sampling_table(ours.dfa, 8)
    for extreme in (0.0, float(np.nextafter(np.float32(1), np.float32(0))), 0.5):
        monkeypatch.setattr(
            jax.random, "uniform", lambda key, shape, dtype, u=extreme: jnp.full(shape, u, dtype)
        )
        assert accepted(ours.dfa, draw_word(table, root_key(0), 8, 8))


def test_thresholds_match_exact_counts():
    ours = load("tomita-4")
    table = sampling_table(ours.dfa, 300)
    begins = RegularLanguage.from_regex("0.*&~(.*000.*)", ours.alphabet)
    share = begins.count(300) / ours.count(300)
    assert table.thresholds[300, ours.dfa.start, 0] == pytest.approx(share, rel=1e-6)


def test_stacked_tables_draw_the_same_words():
    names = ["aa-star", "abcde", "tomita-6", "d-12"]
    lengths = [10, 20, 30, 40]
    tables = [sampling_table(load(n).dfa, m) for n, m in zip(names, lengths, strict=True)]
    together = stack(tables)
    assert together.thresholds.shape == (4, 41, 14, 5)
    sizes = jnp.array(lengths)
    keys = jnp.stack([key_for(root_key(0), name) for name in names])
    found = jax.jit(jax.vmap(lambda t, k, n: draw_word(t, k, n, 40)))(together, keys, sizes)
    for member, name in enumerate(names):
        alone = draw_word(tables[member], keys[member], lengths[member], 40)
        assert found[member].tolist() == alone.tolist()
        assert accepted(load(name).dfa, found[member][: lengths[member]])


def test_walk_agrees_with_the_automaton():
    ours = load("tomita-3")
    word = "1001101"
    states = walk(np.array(ours.dfa.delta), 0, np.array([int(letter) for letter in word]))
    assert states.tolist() == [ours.dfa.state_after(word[:n]) for n in range(len(word) + 1)]


def test_empty_width():
    table = sampling_table(load("tomita-1").dfa, 0)
    assert draw_word(table, root_key(0), 0, 0).shape == (0,)


@pytest.mark.parametrize("size", [-1, 5, 9])
def test_sizes_outside_table_and_width(size):
    table = sampling_table(load("tomita-1").dfa, 8)
    with pytest.raises(BadInput, match="cannot be drawn"):
        draw_word(table, root_key(0), size, 4 if size == 5 else 20)


def test_enormous_tables_are_refused(monkeypatch):
    monkeypatch.setattr(sampling, "LARGEST_TABLE", 100)
    with pytest.raises(BadInput, match="too large"):
        sampling_table(load("d-12").dfa, 50)


def test_lingering_words_stay_where_they_are():
    """Each word as often as its weight says: 9 for every letter that leaves the state alone."""
    dfa = RegularLanguage.from_regex("(a|b|c)*ac*", Alphabet(("a", "b", "c"))).dfa
    words = ["".join(word) for word in itertools.product("abc", repeat=4)]
    weights = {}
    for word in filter(dfa.accepts, words):
        states = [dfa.state_after(word[:size]) for size in range(5)]
        weights[word] = 9.0 ** sum(a == b for a, b in itertools.pairwise(states))
    found = draws(sampling_table(dfa, 4, linger=9.0), 4, 4, 40_000)
    counts = Counter("".join("abc"[letter] for letter in row) for row in found.tolist())
    assert set(counts) <= set(weights)
    total = sum(weights.values())
    for word, weight in weights.items():
        assert abs(counts[word] / 40_000 - weight / total) < 0.012
