import pytest

from foretell.core.alphabet import Alphabet
from foretell.languages.dfa import DFA
from foretell.languages.regular import RegularLanguage
from foretell.plain.errors import BadInput

AB = Alphabet(("a", "b"))


def language(text, letters="ab"):
    return RegularLanguage.from_regex(text, Alphabet(tuple(letters)))


def test_names_and_values():
    assert language("(ab)*").name == "regex:(ab)*"
    assert language("(ab)*") == language("(ab)*")
    assert hash(language("(ab)*")) == hash(language("(ab)*"))
    assert RegularLanguage.from_regex("a", name="one").name == "one"
    parity = DFA(AB, ((1, 0), (0, 1)), 0, frozenset({0}))
    assert RegularLanguage.from_dfa(parity).name.startswith("dfa:")
    assert RegularLanguage.from_dfa(parity).dfa == language("b*(ab*ab*)*").dfa
    assert RegularLanguage.from_dfa(parity, "parity").name == "parity"


def test_a_language_without_words_is_refused():
    with pytest.raises(BadInput, match="no words"):
        language("a&b")
    with pytest.raises(BadInput, match="no words"):
        RegularLanguage.from_dfa(DFA(AB, ((0, 0),), 0, frozenset()))


def test_legal_next():
    pairs = language("(ab)*")
    assert pairs.legal_next("") == {"a", "<eos>"}
    assert pairs.legal_next("a") == {"b"}
    assert pairs.legal_next("b") == frozenset()
    assert pairs.legal_next(("a", "b", "b", "a")) == frozenset()
    with pytest.raises(BadInput):
        pairs.legal_next("c")


def test_counting():
    free = language("(a|b)*")
    assert [free.count(n) for n in range(4)] == [1, 2, 4, 8]
    assert free.count(500) == 2**500
    assert language("(aaa)*").count(4) == 0
    assert language("ab").count(5) == 0
    assert free.count(-1) == 0
    assert list(free.words(-1)) == []


def test_lengths():
    fours = language("(aaaa)*")
    assert fours.lengths(1, 9) == (4, 8)
    assert fours.lengths(0, 0) == (0,)
    assert fours.lengths(5, 7) == ()
    assert fours.lengths(7, 5) == ()
    assert fours.nearest_lengths(5, 7) == (4, 8)
    assert fours.nearest_lengths(0, 3) == (4,)
    assert language("a{3}|b{9}").nearest_lengths(4, 8) == (3, 9)
    assert language("a{3}|b{9}").nearest_lengths(10, 80) == (9,)
    assert language("a").nearest_lengths(0, 5) == ()


def test_words_in_order():
    assert list(language("(a|b)*a").words(3)) == [
        ("a", "a", "a"),
        ("a", "b", "a"),
        ("b", "a", "a"),
        ("b", "b", "a"),
    ]
    assert list(language("%").words(0)) == [()]
    assert list(language("a").words(2)) == []
    assert next(language(".*b").words(600))[-2:] == ("a", "b")


def test_non_members():
    assert language("(ab)*").non_members().dfa == language("~((ab)*)").dfa
    everything = language(".*")
    assert everything.non_members().is_empty
    assert everything.near_non_members().is_empty
    assert everything.near_non_members().count(3) == 0


def test_near_non_members():
    near = language("(aa)*", "a").near_non_members()
    assert near.dfa == language("a(aa)*", "a").dfa
    near = language("aaaa", "ab").near_non_members()
    found = sorted("".join(word) for n in range(7) for word in near.words(n))
    by_hand = ["aaa", "aaaaa", "aaab", "aaaba", "aaaab", "aaba", "aabaa", "abaa", "abaaa", "baaa"]
    assert found == sorted([*by_hand, "baaaa"])


def test_near_non_members_can_be_too_many():
    with pytest.raises(BadInput, match="too large"):
        language("(a|b)*abba(a|b)").near_non_members(limit=10)
