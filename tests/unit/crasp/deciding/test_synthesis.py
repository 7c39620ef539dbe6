from dataclasses import replace

import pytest

from foretell.core.alphabet import Alphabet
from foretell.crasp import shelf
from foretell.crasp.analysis import analyse
from foretell.crasp.deciding.decide import decide
from foretell.crasp.program import Program
from foretell.crasp.verifying.verify import verify
from foretell.languages import benchmark
from foretell.languages.dfa import DFA
from foretell.languages.regular import RegularLanguage


def program(regex, letters, fragment="crasp_periodic_local"):
    dfa = RegularLanguage.from_regex(regex, Alphabet(tuple(letters))).dfa
    return decide(dfa)[fragment].program


# Operations may be this many times those of the program written by hand; depth may not be more.
GENEROUS = {"tomita-7": 1.6, "abcde": 1.4, "ab-d-bc": 1.1, "d-12": 1.2}


@pytest.mark.parametrize(
    "name",
    [name for name in benchmark.names() if benchmark.row(name).facts.crasp_periodic_local == "yes"],
)
def test_programs_are_about_as_small_as_those_written_by_hand(name):
    ours = analyse(decide(benchmark.load(name).dfa).crasp_periodic_local.program)
    on_shelf = shelf.load("d-n" if name.startswith("d-") else name)
    hand = analyse(replace(on_shelf.core, next=(), next_of_empty=frozenset()).pruned())
    assert ours.operations <= hand.operations * GENEROUS.get(name, 1)
    assert ours.depth <= hand.depth
    assert not ours.dead_operations and not ours.dead_definitions


def test_a_readable_program():
    assert program("(a(ab)*b)*", "ab").show() == (
        "alphabet a b\n"
        "stage1_height1(i) := #[j <= i] Q_a(j) - #[j <= i] Q_b(j)\n"
        "doomed(i) := not (stage1_height1(i) >= 0 and stage1_height1(i) <= 2)\n"
        "accept(i) := not exists_past doomed(i) and stage1_height1(i) <= 0\n"
        "empty accept\n"
    )


def test_windows_have_names():
    text = program("~(.*000.*)", "01").show()
    assert "back_1_is_0(i) := #[j <= i, j == i - 1] Q_0(j) >= 1" in text


def test_the_letter_some_way_back_is_one_look():
    found = program("(a|b)*a(a|b)(a|b)(a|b)(a|b)", "ab")
    assert analyse(found).operations == 2


@pytest.mark.parametrize(
    ("regex", "letters"),
    [
        ("%", "ab"),
        ("a", "a"),
        ("aab?", "ab"),
        (".+", "ab"),
        ("...*", "ab"),
        ("a.*", "ab"),
        (".*ab.*", "ab"),
        ("(ab)*c(ba)*", "abc"),  # two stages that count
        ("(c|d)((c|d)e|f)(ab)*", "abcdef"),
        ("(a(ab)*b)*c.*", "abc"),
        ("d(ab)*|e(ba)*b(ab)*", "abde"),  # a stage entered at two heights
        ("(ab)*(c(ab)*)?", "abc"),
        ("..(ab)*", "ab"),
        ("(a..b)*", "ab"),
        ("~(.*aba.*)&~(.*bb)", "ab"),
        ("ab(..)*", "ab"),
        ("(aab)*.?", "ab"),
        ("(n*(x|yn*xn*zn*w))*n*", "nxyzw"),
        ("(a|b{30})*", "ab"),  # so many cases inside one another that parts get own names
    ],
)
def test_programs_are_proved_right_in_both_conventions(regex, letters):
    dfa = RegularLanguage.from_regex(regex, Alphabet(tuple(letters))).dfa
    for accept in ("last-letter", "every-prefix"):
        found = decide(dfa, accept)
        every = {id(item.certificate): item.certificate for item in found.answers}
        for certificate in every.values():
            checked = certificate.check()
            assert checked.holds, checked.how
            if certificate.answer == "yes":
                assert "Proved" in checked.how


def test_letters_that_are_no_names():
    dfa = RegularLanguage.from_regex("~(.*aa.*)").dfa
    moved = type(dfa)(Alphabet(("(", ")")), tuple((r[0], r[0]) for r in dfa.delta), 0, dfa.final)
    brackets = RegularLanguage.from_dfa(moved)
    found = decide(brackets.dfa).crasp_periodic_local
    assert verify(found.program, brackets).status == "proved"
    assert Program.parse(found.program.show()) == found.program


# The letter by which a stage is left occurs in a later stage too, which some words reach without
# ever having been in the first.
@pytest.mark.parametrize("accept", ["last-letter", "every-prefix"])
@pytest.mark.parametrize(
    ("rows", "final"),
    [
        ("1,2,3;1,4,2;2,2,2;2,4,2;3,2,2", {1, 4}),  # a+|a+b(ab)*|db(ab)*
        ("1,2,3;1,1,1;1,1,4;5,1,3;4,1,1;1,2,4", {3, 4, 5}),
        ("1,2,3,4;2,2,2,4;2,2,2,2;2,4,3,2;2,5,2,2;2,1,2,2", {1}),
    ],
)
def test_stages_that_are_passed_by(rows, final, accept):
    delta = tuple(tuple(map(int, row.split(","))) for row in rows.split(";"))
    dfa = DFA(Alphabet("abcd"[: len(delta[0])]), delta, 0, frozenset(final))
    for answer in decide(dfa, accept).answers:
        checked = answer.certificate.check()
        assert checked.holds, checked.how


def test_a_stage_that_is_passed_by_is_not_left():
    found = program("a+|a+b(ab)*|db(ab)*", "abd")
    assert found.run("dbab") and found.run("aabab") and not found.run("dbb")
