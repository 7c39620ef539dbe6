import numpy as np
import pytest

from foretell.core.alphabet import Alphabet
from foretell.crasp.program import Program
from foretell.crasp.verifying.automata import AutomatonReference
from foretell.crasp.verifying.exhaustive import affordable, exhaust, word_number
from foretell.crasp.verifying.machine import Machine
from foretell.crasp.verifying.programs import ProgramReference
from foretell.crasp.verifying.reference import Oracle
from foretell.crasp.words import Words
from foretell.languages.regular import RegularLanguage
from foretell.plain.errors import BadInput

PAIRS = RegularLanguage.from_regex("(ab)*")
TEXT = """alphabet a b
before(i) := #[i - 2 <= j <= i - 1] Q_a(j)
accept(i) := Q_b(i) and before(i) >= 1 and #[j <= i] Q_a(j) >= #[j <= i] Q_b(j)"""
MIXED = Words.of([(0, 1, 0, 1), (1,), (0, 0, 1), (0, 1, 1)])


def test_automata_answer_at_every_prefix_of_words_of_any_length():
    side = AutomatonReference(PAIRS.dfa, "accept")
    words = [MIXED.word(n) for n in range(len(MIXED))]
    expected = [
        PAIRS.accepts(["ab"[x] for x in word[:size]])
        for word in words
        for size in range(1, len(word) + 1)
    ]
    assert side.everywhere(MIXED).values[:, 0].tolist() == expected
    assert side.at_ends(MIXED).values[:, 0].tolist() == [True, False, False, False]


def test_legal_symbols_are_defined_on_live_prefixes_only():
    side = AutomatonReference(PAIRS.dfa, "next")
    assert side.columns == ("a", "b", "<eos>")
    found = side.everywhere(Words.of([(0, 1, 1, 0)]))
    assert found.defined.tolist() == [True, True, False, False]
    assert side.name_of(found, 0) == ("b",)
    assert side.name_of(found, 1) == ("a", "<eos>")
    assert side.name_of(found, 2) is None
    assert side.name_of(side.empty(), 0) == ("a", "<eos>")


def test_letters_in_another_order():
    for side in (
        AutomatonReference(PAIRS.dfa, "accept"),
        ProgramReference(Program.parse(TEXT).core, "accept"),
        Oracle(("a", "b"), "accept", lambda word: PAIRS.accepts(word)),
    ):
        turned = side.renumbered(("b", "a"))
        swapped = Words(1 - MIXED.letters, MIXED.ends)
        assert np.array_equal(turned.at_ends(swapped).values, side.at_ends(MIXED).values)
        assert turned.letters == ("b", "a")


def test_an_oracle_answers_at_ends_and_may_be_silent():
    side = Oracle(("a", "b"), "next", lambda word: None if "bb" in "".join(word) else {"a"})
    found = side.everywhere(MIXED)
    ends = MIXED.ends - 1
    assert found.defined[ends].tolist() == [True, True, True, False]
    assert found.defined.sum() == 3
    assert side.name_of(side.empty(), 0) == ("a",)
    with pytest.raises(BadInput, match="no letter"):
        Oracle(("a",), "next", lambda word: {"x"}).empty()


def test_programs_say_what_they_are_asked():
    text = "alphabet a b\nempty next a\nnext[a](i) := Q_b(i)\naccept(i) := Q_a(i)"
    core = Program.parse(text).core
    asked = ProgramReference(core, "next")
    assert asked.name_of(asked.empty(), 0) == ("a",)
    assert asked.at_ends(Words.of([(1,), (0,)])).values.tolist() == [
        [True, False, False],
        [False, False, False],
    ]
    assert ProgramReference(core, "accept").at_ends(Words.of([(0,)])).values.tolist() == [[True]]
    with pytest.raises(BadInput, match="does not predict"):
        ProgramReference(Program.parse(TEXT).core, "next")
    only = Program.parse("alphabet a\nnext[a](i) := true").core
    with pytest.raises(BadInput, match="does not accept"):
        ProgramReference(only, "accept")


@pytest.mark.parametrize("kind", ["program", "automaton", "oracle", "wide program"])
def test_trees_list_all_words_in_order(kind):
    wide = TEXT.replace("i - 2 <= j", "i - 80 <= j").replace("i - 1]", "i - 70]")
    side = {
        "program": lambda: ProgramReference(Program.parse(TEXT).core, "accept"),
        "wide program": lambda: ProgramReference(Program.parse(wide).core, "accept"),
        "automaton": lambda: AutomatonReference(PAIRS.dfa, "accept"),
        "oracle": lambda: Oracle(("a", "b"), "accept", lambda word: PAIRS.accepts(word)),
    }[kind]()
    tree = side.tree()
    for length in range(1, 7):
        grown, listed = tree.grow(), side.at_ends(Words.all_of_length(2, length))
        assert np.array_equal(grown.values, listed.values)


def test_the_machine_says_when_it_would_overflow():
    assert Machine(Program.parse(TEXT).core).fits(10**6)
    assert not Machine(
        Program.parse(TEXT.replace("#[j <= i] Q_a", f"{2**60} * #[j <= i] Q_a")).core
    ).fits(60)


def test_exhausting_stops_at_the_first_difference():
    never = Oracle(("a", "b"), "accept", lambda word: False)
    side = AutomatonReference(RegularLanguage.from_regex(".*bab.*", Alphabet("ab")).dfa, "accept")
    assert exhaust(side, never, 10_000).word == (1, 0, 1)
    assert exhaust(side, never, 8).length == 1
    assert exhaust(side, never, 8).word is None
    everything = Oracle(("a", "b"), "accept", lambda word: True)
    assert exhaust(side, everything, 100).word == ()


def test_one_letter_is_one_word():
    side = AutomatonReference(RegularLanguage.from_regex("(a{300})*").dfa, "accept")
    only_empty = AutomatonReference(RegularLanguage.from_regex("%", Alphabet("a")).dfa, "accept")
    assert len(exhaust(side, only_empty, 10_000).word) == 300
    assert exhaust(side, side, 10_000).length == 10_000
    # An oracle is not asked about prefixes, so every length costs a word of its own.
    oracle = Oracle(("a",), "accept", lambda word: not word)
    assert exhaust(side, oracle, 1000).length == 44
    assert len(exhaust(side, oracle, 100_000).word) == 300


def test_numbers_of_words():
    assert [word_number(n, 2, 3) for n in (0, 3, 7)] == [(0, 0, 0), (0, 1, 1), (1, 1, 1)]
    assert affordable(26, 25) == 0
