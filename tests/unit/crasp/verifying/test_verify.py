import json

import numpy as np
import pytest

from foretell.core.alphabet import Alphabet
from foretell.crasp.program import Program
from foretell.crasp.verifying.random_words import _families, try_random
from foretell.crasp.verifying.reference import Oracle
from foretell.crasp.verifying.shrinking import shrink
from foretell.crasp.verifying.verification import show_word
from foretell.crasp.verifying.verify import as_reference, verify
from foretell.languages import benchmark
from foretell.languages.regular import RegularLanguage
from foretell.plain.errors import BadInput

DYCK = """alphabet a b
empty accept
open(i) := #[j <= i] Q_a(j) - #[j <= i] Q_b(j)
low(i) := open(i) < 0
accept(i) := #[j <= i] low(j) == 0 and open(i) == 0"""
SMALL = 20_000


def parse(text):
    return Program.parse(text)


def test_proved():
    program = parse("alphabet 0 1\nempty accept\naccept(i) := #[j <= i] Q_0(j) == 0")
    found = verify(program, benchmark.load("tomita-1"), SMALL)
    assert (found.status, found.method, found.counterexample) == ("proved", "finite-state", None)
    assert found.summary().startswith("Proved: they agree on every word")
    assert found.exhaustive_up_to >= 12
    assert verify(program, benchmark.load("tomita-1").dfa, SMALL).status == "proved"


def test_the_empty_word_counts():
    program = parse("alphabet 0 1\naccept(i) := #[j <= i] Q_0(j) == 0")
    found = verify(program, benchmark.load("tomita-1"), SMALL)
    assert (found.status, found.method, found.shortest) == ("refuted", "exhaustive", True)
    assert found.counterexample.word == ()
    assert (found.counterexample.left, found.counterexample.right) == (False, True)
    assert "the empty word" in found.summary()


def test_refuted_with_a_shortest_word_and_both_answers():
    wrong = parse(DYCK.replace("low(j) == 0", "low(j) <= 1"))
    found = verify(parse(DYCK), wrong, SMALL)
    assert found.counterexample.as_json() == {"word": ["b", "a"], "left": False, "right": True}
    assert found.shortest
    assert found.as_json()["status"] == "refuted"


def test_checked_is_not_called_proved():
    same = parse(DYCK.replace("low(j) == 0", "low(j) < 1"))
    oracle = Oracle(("a", "b"), "accept", balanced)
    found = verify(same, oracle, 100_000)
    assert found.status == "checked"
    assert "not proved" in found.summary() and "every word up to length" in found.summary()
    assert found.random_words > 30
    assert found.longest_random == 10_000
    assert found.decisions[0].outcome == "does not apply"
    json.dumps(found.as_json())


def balanced(word):
    open_ = 0
    for letter in word:
        open_ += 1 if letter == "a" else -1
        if open_ < 0:
            return False
    return open_ == 0


def test_a_difference_between_long_words_only_is_found_and_shrunk():
    """Far beyond all exhaustive checks."""
    text = DYCK.replace("accept(i)", "far(i) := open(i) > 300\naccept(i)")
    limited = parse(text + " and #[j <= i] far(j) == 0")
    tried = try_random(as_reference(parse(DYCK)), as_reference(limited), 2_000_000, 10_000, 0)
    assert tried.word is not None
    small = shrink(as_reference(parse(DYCK)), as_reference(limited), tried.word)
    assert len(small) == 602
    assert small == (0,) * 301 + (1,) * 301


def test_random_words_are_the_same_for_the_same_seed():
    one, two = as_reference(parse(DYCK)), as_reference(parse(DYCK.replace("< 0", "< -3")))
    first, again = (try_random(one, two, 30_000, 200, 5) for _ in range(2))
    assert first == again
    assert first.word is not None


def test_every_family_of_random_words_gives_words_of_the_length():
    left = as_reference(parse(DYCK))
    right = as_reference(RegularLanguage.from_regex("(ab)*"))
    families = _families(left, right)
    assert set(families) == {
        *("uniform", "skewed", "runs", "blocks", "repeated", "pumped"),
        "drawn by the second",
    }
    for name, family in families.items():
        words = family(np.random.default_rng(1), 20, 50, 2)
        assert words, name
        assert all(len(word) <= 50 and set(word.tolist()) <= {0, 1} for word in words), name
        assert max(map(len, words)) >= 48, name
    drawn = families["drawn by the second"](np.random.default_rng(1), 20, 50, 2)
    assert sum(right.dfa.accepts(["ab"[x] for x in word]) for word in drawn) >= 10


def test_next_symbols_against_a_language_and_an_oracle():
    text = """alphabet a b
empty next a <eos>
next[a](i) := Q_b(i)
next[b](i) := Q_a(i)
next[<eos>](i) := Q_b(i)"""
    language = RegularLanguage.from_regex("(ab)*")
    assert verify(parse(text), language, SMALL).status == "proved"
    oracle = Oracle(("b", "a"), "next", lambda word: language.legal_next(word) or None)
    assert verify(parse(text), oracle, SMALL).status == "checked"
    wrong = verify(parse(text.replace("next[a](i) := Q_b(i)", "next[a](i) := true")), oracle, SMALL)
    assert wrong.counterexample.word == ("a",)
    assert (wrong.counterexample.left, wrong.counterexample.right) == (("a", "b"), ("b",))
    assert "{a, b}" in wrong.summary()


def test_an_oracle_that_is_mostly_silent():
    """Only words with one separator are asked about; the program may say anything elsewhere."""
    text = "alphabet a b <sep>\naccept(i) := #[j <= i] Q_a(j) >= #[j <= i] Q_b(j)"

    def more(word):
        if word.count("<sep>") != 1 or word[-1] != "<sep>":
            return None
        return word.count("a") >= word.count("b")

    assert (
        verify(parse(text), Oracle(("a", "b", "<sep>"), "accept", more), SMALL).status == "checked"
    )
    strict = parse(text.replace(">=", ">"))
    found = verify(strict, Oracle(("a", "b", "<sep>"), "accept", more), SMALL)
    assert found.counterexample.word == ("<sep>",)


def test_what_cannot_be_compared():
    with pytest.raises(BadInput, match="different alphabets"):
        verify(parse(DYCK), benchmark.load("tomita-1"), SMALL)
    nexts = parse("alphabet a b\nnext[a](i) := true")
    with pytest.raises(BadInput, match="does not predict"):
        verify(parse(DYCK), nexts, SMALL)
    oracle = Oracle(("a", "b"), "accept", balanced)
    with pytest.raises(BadInput, match="different questions"):
        verify(nexts, oracle, SMALL, kind="next")


def test_the_kind_can_be_chosen():
    text = "alphabet a b\nempty next a <eos>\nnext[a](i) := true\naccept(i) := Q_a(i)"
    everything = RegularLanguage.from_regex("a*", Alphabet("a"))
    assert everything.alphabet.symbols == ("a",)
    language = RegularLanguage.from_regex(".*a", Alphabet("ab"))
    assert verify(parse(text), language, SMALL).status == "proved"
    assert verify(parse(text), language, SMALL, kind="next").status == "refuted"


def test_words_are_shown():
    assert show_word(("a", "b")) == "ab"
    assert show_word(("up", "down")) == "up down"
    assert "1,000 letters" in show_word(("a",) * 1000)
