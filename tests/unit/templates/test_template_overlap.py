"""Matching, equivalence and overlap against going through all strings."""

import functools
import itertools

import pytest

from foretell.templates.matching import match
from foretell.templates.overlapping import overlap, overlapping
from foretell.templates.template import Template

TOKENS = "STPQR"  # two regular tokens and one for each of three places
EVERY = [Template.parse("".join(s)) for n in (1, 2, 3) for s in itertools.product("abST", repeat=n)]


@functools.cache
def strings(template):
    """Every string of the template, by trying all injective substitutions."""
    free = [token for token in TOKENS if token not in template.tokens]
    chosen = itertools.permutations(free, len(template.wildcards))
    return {template.substitute(dict(zip(template.wildcards, t, strict=True))) for t in chosen}


@pytest.mark.parametrize(
    ("word", "expected"),
    [
        ("QQRST", "α = Q, β = R"),
        ("QQQST", "α and β would both be Q"),
        ("QQSST", "β would be S, a token of the template"),
        ("QRRST", "token 2 is R, where the template has α, which is Q"),
        ("QQRSS", "token 5 is S, where the template has T"),
        ("QQRS", "it has 4 tokens, the template 5"),
    ],
)
def test_the_example_of_the_definition(word, expected):
    found = match(Template.parse("ααβST"), word)
    assert bool(found) == ("=" in expected)
    assert (str(found) if found else found.why) == expected


def test_matching_is_coming_from_a_substitution():
    for template in EVERY[::3]:
        for word in itertools.product(TOKENS, repeat=len(template)):
            found = match(template, word)
            assert bool(found) == (word in strings(template))
            assert not found or template.substitute(found.tokens) == word


def test_overlap_is_having_a_string_in_common():
    pairs = list(itertools.combinations_with_replacement(EVERY[::2], 2))
    overlapped = 0
    for left, right in pairs:
        found = overlap(left, right)
        assert (found is not None) == bool(strings(left) & strings(right)), (left, right)
        if found is not None:
            overlapped += 1
            assert match(left, found.word) == found.left
            assert match(right, found.word) == found.right
    assert 0 < overlapped < len(pairs)


def test_equivalence_is_having_the_same_strings():
    for left, right in itertools.combinations(EVERY[::2], 2):
        assert left.equivalent(right) == (strings(left) == strings(right))


def test_pairs_are_all_found():
    some = EVERY[20::3]
    found = {(first, second) for first, second, _ in overlapping(some)}
    pairs = itertools.combinations(range(len(some)), 2)
    assert found == {(i, j) for i, j in pairs if overlap(some[i], some[j]) is not None}


def test_new_tokens_avoid_those_that_are_known():
    found = overlap(Template.parse("aSb"), Template.parse("bca"), avoid=("A", "B"))
    assert found is not None and found.word == ("C", "S", "D")
