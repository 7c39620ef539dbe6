from itertools import islice, product

import pytest

from foretell.core.alphabet import Alphabet
from foretell.languages.compiling import compiled
from foretell.languages.matching import matches
from foretell.languages.operations import (
    equivalent,
    reversal,
    separating_word,
    shuffle,
    symmetric_difference,
    words_in_order,
)
from foretell.languages.regex import parse
from foretell.languages.regular import RegularLanguage
from foretell.languages.syntax import OneOf, Shuffle, Union, write
from foretell.plain.errors import BadInput

AB = Alphabet(("a", "b"))


def automaton(text, alphabet=AB):
    return compiled(parse(text, alphabet))


def test_shuffle_binds_between_concatenation_and_intersection():
    a, b = OneOf(("a",)), OneOf(("b",))
    assert parse("a#b|b", AB).tree == Union((Shuffle((a, b)), b))
    assert parse("ab#ba", AB).tree == parse("(ab)#(ba)", AB).tree
    assert parse("a#b&b", AB).tree == parse("(a#b)&b", AB).tree
    assert write(Shuffle((Union((a, b)), b)), AB) == "(a|b)#b"
    assert parse("a#a#b", AB).tree == Shuffle((a, a, b))


def test_shuffle_of_words_and_the_letter_itself():
    mixed = automaton("ab#ab")
    assert ["".join(w) for w in words_in_order(mixed)] == ["aabb", "abab"]
    assert automaton("(ab)*#%") == automaton("(ab)*")
    assert automaton("a*#b*") == automaton(".*")
    assert compiled(parse("\\#a")).accepts("#a")
    assert matches(parse("(ab)*#b", AB).tree, "abb")
    assert not matches(parse("(ab)*#b", AB).tree, "aab")


@pytest.mark.parametrize(
    "text",
    ["a*b#b*", "(a|%)#(ab)*", "a#b#a", "(a#b)*", "~(a#b)", "(ab)*#a&b.*", "[^ab]#a", "(a#%)b"],
)
def test_shuffles_are_the_matcher(text):
    dfa, tree = automaton(text), parse(text, AB).tree
    for word in ("".join(w) for n in range(5) for w in product("ab", repeat=n)):
        assert dfa.accepts(word) == matches(tree, word), word


@pytest.mark.parametrize(("text", "column"), [("#a", 1), ("a#", 3), ("a##b", 3), ("a#*", 3)])
def test_complaints_about_shuffles(text, column):
    with pytest.raises(BadInput, match=f"column {column}"):
        parse(text, AB)


def test_limits():
    with pytest.raises(BadInput, match="too large"):
        automaton("(.{150})#(.{150})")
    with pytest.raises(BadInput, match="more than 100 states"):
        shuffle(automaton("a{20}"), automaton("b{20}"), limit=100)
    with pytest.raises(BadInput, match="pairs of states"):
        separating_word(automaton("a{30}"), automaton("a{31}"), limit=10)
    with pytest.raises(BadInput, match="too large"):
        reversal(automaton(".{14}a.*"), limit=1000)


def test_separation():
    assert separating_word(automaton("(ab)*"), automaton("(ab)*")) is None
    assert separating_word(automaton("a*"), automaton("a*|b")) == ("b",)
    assert separating_word(automaton("a"), automaton("a*")) == ()
    assert equivalent(automaton("(a|b)*"), automaton("(a*b*)*"))
    assert symmetric_difference(automaton("a*"), automaton("a*|b")) == automaton("b")
    for operation in (separating_word, shuffle):
        with pytest.raises(BadInput, match="different alphabets"):
            operation(automaton("a"), automaton("a", Alphabet(("a",))))


def test_enumeration():
    assert list(words_in_order(automaton("a&b"))) == []
    found = islice(words_in_order(RegularLanguage.from_regex("(aa)*b?").dfa), 5)
    assert ["".join(word) for word in found] == ["", "b", "aa", "aab", "aaaa"]
