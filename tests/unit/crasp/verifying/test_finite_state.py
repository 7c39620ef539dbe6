"""The languages it must prove, wrong programs for each, and traps for an unsound prover."""

import pytest

from foretell.core.alphabet import Alphabet
from foretell.crasp.program import Program
from foretell.crasp.verifying import finite_state
from foretell.crasp.verifying.automata import AutomatonReference
from foretell.crasp.verifying.joint import join
from foretell.crasp.verifying.programs import ProgramReference
from foretell.languages import benchmark
from foretell.languages.regular import RegularLanguage

TOMITA_4 = """alphabet 0 1
empty accept
one_back(i) := #[j <= i, j == i - 1] Q_0(j)
two_back(i) := #[j <= i, j == i - 2] Q_0(j)
bad(i) := Q_0(i) and one_back(i) >= 1 and two_back(i) >= 1
accept(i) := #[j <= i] bad(j) == 0"""
DEEP = """alphabet a b
empty accept
open(i) := #[j <= i] Q_a(j) - #[j <= i] Q_b(j)
bad(i) := open(i) < 0 or open(i) > {n}
accept(i) := #[j <= i] bad(j) == 0 and open(i) == 0"""
PROGRAMS = {
    "tomita-1": "alphabet 0 1\nempty accept\naccept(i) := #[j <= i] Q_0(j) == 0",
    "tomita-2": """alphabet 0 1
empty accept
gap(i) := #[j <= i] Q_1(j) - #[j <= i] Q_0(j)
good(i) := gap(i) == (Q_0(i) ? 0 : 1)
accept(i) := #[j <= i] not good(j) == 0 and Q_0(i)""",
    "tomita-4": TOMITA_4,
    "tomita-7": """alphabet 0 1
empty accept
drop(i) := Q_0(i) and #[j <= i, j == i - 1] Q_1(j) >= 1
accept(i) := #[j <= i] drop(j) <= 1""",
    "d-2": DEEP.format(n=2),
    "d-3": DEEP.format(n=3),
    "d-4": DEEP.format(n=4),
    "d-12": DEEP.format(n=12),
    "aa-star": "alphabet a\nempty accept\naccept(i) := i mod 2 == 0",
    "aaaa-star": "alphabet a\nempty accept\naccept(i) := i mod 4 == 0",
    "abab-star": """alphabet a b
empty accept
good(i) := Q_a(i) and i mod 2 == 1 or Q_b(i) and i mod 2 == 0
accept(i) := #[j <= i] not good(j) == 0 and i mod 4 == 0""",
    "abcde": """alphabet a b c d e
let seen[x](i) := #[j <= i] Q_x(j) >= 1
bad(i) := any x: (Q_x(i) and any y > x: seen[y](i))
accept(i) := all x: seen[x](i) and #[j <= i] bad(j) == 0""",
    "ab-d-bc": """alphabet a b c d
marks(i) := #[j <= i] Q_d(j)
bad(i) := Q_a(i) and marks(i) >= 1 or Q_c(i) and marks(i) == 0
accept(i) := #[j <= i] bad(j) == 0 and marks(i) == 1""",
}


def program(text, kind="accept"):
    return ProgramReference(Program.parse(text).core, kind)


def decide(left, right, **means):
    return finite_state.decide(join(left, right), **means)


def against(text, language, kind="accept", **means):
    left = program(text, kind)
    return decide(left, AutomatonReference(language.dfa, kind).renumbered(left.letters), **means)


@pytest.mark.parametrize("name", PROGRAMS)
def test_it_proves_the_languages_of_the_benchmark(name):
    assert against(PROGRAMS[name], benchmark.load(name)).outcome == "agree"


@pytest.mark.parametrize(
    ("name", "old", "new", "word"),
    [
        ("tomita-1", "== 0", "<= 1", "0"),
        ("tomita-2", " and Q_0(i)", "", "1"),
        ("tomita-4", "i - 2", "i - 3", "000"),
        ("tomita-7", "<= 1", "<= 2", "1010"),
        ("d-4", "> 4", "> 5", "aaaaabbbbb"),
        ("d-12", "> 12", "> 11", "aaaaaaaaaaaabbbbbbbbbbbb"),
        ("d-2", "open(i) < 0 or ", "", "ba"),
        ("aaaa-star", "mod 4 == 0", "mod 4 in {0, 2}", "aa"),
        ("abab-star", "i mod 4 == 0", "i mod 2 == 0", "ab"),
        ("abcde", "y > x", "y >= x", "abcde"),
        ("ab-d-bc", "marks(i) == 1", "marks(i) >= 1", "dd"),
    ],
)
def test_it_refutes_wrong_programs_with_a_shortest_word(name, old, new, word):
    assert old in PROGRAMS[name]
    decision = against(PROGRAMS[name].replace(old, new), benchmark.load(name))
    assert (decision.outcome, decision.shortest) == ("differ", True)
    letters = Program.parse(PROGRAMS[name]).letters
    # Another word may be as short as the one given here, none may be shorter.
    assert len(decision.word) == len(word), [letters[letter] for letter in decision.word]
    assert decision.word == tuple(map(letters.index, word)) or name in ("tomita-4", "tomita-7")


@pytest.mark.parametrize("pattern", ["ab", "aba", "abba", "bbbb"])
def test_it_proves_piecewise_testable_programs(pattern):
    lines, before = ["alphabet a b"], None
    for number, letter in enumerate(pattern):
        earlier = "" if before is None else f" and #[j < i] {before}(j) >= 1"
        before = f"step{number}"
        lines.append(f"{before}(i) := Q_{letter}(i){earlier}")
    lines.append(f"accept(i) := exists_past {before}(i)")
    language = RegularLanguage.from_regex(".*" + ".*".join(pattern) + ".*", Alphabet("ab"))
    assert against("\n".join(lines), language).outcome == "agree"
    wrong = "\n".join(lines).replace("#[j < i]", "#[j <= i]")
    expected = "agree" if "aa" not in pattern and "bb" not in pattern else "differ"
    assert against(wrong, language).outcome == expected


def test_contains_ab_with_a_window():
    text = """alphabet a b
here(i) := Q_b(i) and #[j <= i, j == i - 1] Q_a(j) >= 1
accept(i) := #[j <= i] here(j) >= 1"""
    language = RegularLanguage.from_regex(".*ab.*", Alphabet("ab"))
    assert against(text, language).outcome == "agree"
    assert against(text.replace("i - 1", "i - 2"), language).outcome == "differ"


def test_counters_without_end_do_not_close():
    text = "alphabet a b\naccept(i) := #[j <= i] Q_a(j) >= #[j <= i] Q_b(j)"
    decision = against(text, RegularLanguage.from_regex(".*", Alphabet("ab")))
    assert decision.outcome == "differ"
    other = text + " and #[j <= i] Q_a(j) >= #[j <= i] Q_b(j) - 1"
    decision = decide(program(text), program(other), states=500)
    assert decision.outcome == "does not apply"
    assert "500" in decision.reason


def test_the_same_operations_need_no_search():
    text = "alphabet a b\naccept(i) := #[j <= i] Q_a(j) >= #[j <= i] Q_b(j)"
    other = "alphabet a b\nx(i) := #[j <= i] Q_a(j)\naccept(i) := #[j <= i] Q_b(j) <= x(i)"
    assert decide(program(text), program(other), states=1).outcome == "agree"


def test_wide_windows_and_huge_factors_do_not_apply():
    wide = "alphabet a b\naccept(i) := #[j <= i, j == i - 70] Q_a(j) >= 1"
    huge = f"alphabet a b\naccept(i) := {2**50} * #[j <= i] Q_a(j) >= 1"
    for text in (wide, huge):
        language = RegularLanguage.from_regex(".*", Alphabet("ab"))
        assert against(text, language).outcome == "does not apply"


def test_many_choices_do_not_apply():
    parts = " + ".join(
        f"(i mod {n} == 0 ? #[j <= i] (Q_a(j) and j mod {n} == 0) : 0)" for n in range(2, 9)
    )
    text = f"alphabet a b\naccept(i) := {parts} >= 0"
    decision = decide(program(text), program("alphabet a b\naccept(i) := true"))
    assert decision.outcome == "does not apply"
    assert "linear forms" in decision.reason


def test_next_symbols_against_an_automaton():
    text = """alphabet a b
empty next a <eos>
open(i) := #[j <= i] Q_a(j) - #[j <= i] Q_b(j)
next[a](i) := open(i) < 3
next[b](i) := open(i) > 0
next[<eos>](i) := open(i) == 0"""
    # After a violation the program is wrong, but nobody asks: no legal symbol is left.
    assert against(text, benchmark.load("d-3"), "next").outcome == "agree"
    wrong = against(text.replace("open(i) < 3", "open(i) < 4"), benchmark.load("d-3"), "next")
    assert (wrong.outcome, wrong.word) == ("differ", (0, 0, 0))
    silent = text.replace("next[<eos>](i) := open(i) == 0", "")
    assert against(silent, benchmark.load("d-3"), "next").outcome == "differ"


def test_next_symbols_between_programs():
    one = "alphabet a b\nnext[a](i) := #[j <= i] Q_a(j) <= 2\nnext[b](i) := Q_a(i)"
    two = "alphabet a b\nnext[a](i) := not #[j <= i] Q_a(j) > 2\nnext[b](i) := not Q_b(i)"
    assert decide(program(one, "next"), program(two, "next")).outcome == "agree"
    wrong = two.replace("> 2", "> 1")
    assert decide(program(one, "next"), program(wrong, "next")).word == (0, 0)


# Traps: each of these is "proved" by a search that forgets one part of the state. --------------

ALWAYS = "#[j <= i] Q_b(j) >= #[j <= i] Q_c(j) or #[j <= i] Q_c(j) >= #[j <= i] Q_b(j)"


def test_trap_a_settled_boolean_must_say_which_way():
    left = """alphabet a b c d
first(i) := not Q_d(i) and #[j <= i] true <= 1
accept(i) := #[j <= i] first(j) >= 1"""
    right = (
        left.replace("accept", "begun")
        + f"""
always(i) := {ALWAYS}
late(i) := always(i) ? 1 : 0
accept(i) := (#[j <= i] true <= 2 ? (begun(i) ? 1 : 0) : late(i)) >= 1"""
    )
    decision = decide(program(left), program(right))
    assert decision.outcome == "differ"
    assert len(decision.word) == 3 and decision.word[0] == 3


def test_trap_a_decided_form_must_say_which_way():
    begin = """alphabet a b c
marked(i) := not Q_c(i) and #[j <= i] true <= 1
begun(i) := #[j <= i] marked(j)
after_b(i) := #[j <= i, j == i - 1] Q_b(j) >= 1
"""
    begin += "even(i) := i mod 2 == 0 ? 1 : 0\n"
    left = begin + "accept(i) := (after_b(i) ? begun(i) : even(i)) >= 1"
    right = begin + "accept(i) := (after_b(i) ? 1 : even(i)) >= 1"
    decision = decide(program(left), program(right))
    assert decision.outcome == "differ"
    assert decision.word[:2] == (2, 1) and len(decision.word) == 3


def test_trap_growth_is_not_read_off_the_fastest_case():
    text = """alphabet a b
after_a(i) := #[j <= i, j == i - 1] Q_a(j) >= 1
after_b(i) := #[j <= i, j == i - 1] Q_b(j) >= 1
high(i) := #[j <= i] after_a(j) - #[j <= i] after_b(j) >= 1
"""
    decision = decide(
        program(text + "accept(i) := high(i)"), program(text + "accept(i) := exists_past high(i)")
    )
    assert decision.outcome == "differ"
    assert decision.word == (0, 1, 0)  # after aba the gap is 1 - 1


def test_trap_what_a_window_sees_next_matters():
    left = """alphabet a b
many(i) := #[j <= i] Q_b(j) >= 2
accept(i) := #[j <= i, j == i - 1] many(j) >= 1"""
    decision = decide(program(left), program("alphabet a b\naccept(i) := false"))
    assert decision.word == (1, 1, 0)


def test_trap_a_window_still_sees_what_can_never_happen_again():
    left = """alphabet a b
first(i) := #[j <= i] true <= 1
accept(i) := #[j <= i, j == i - 2] first(j) >= 1"""
    decision = decide(program(left), program("alphabet a b\naccept(i) := false"))
    assert len(decision.word) == 3
