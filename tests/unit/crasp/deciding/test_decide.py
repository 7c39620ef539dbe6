import json

import pytest

from foretell.core.alphabet import Alphabet
from foretell.crasp.deciding import pairs, triples
from foretell.crasp.deciding.decide import decide
from foretell.crasp.deciding.machines import Machine
from foretell.crasp.deciding.pairs import PairSystem
from foretell.languages import benchmark
from foretell.languages.dfa import DFA
from foretell.languages.regular import RegularLanguage
from foretell.plain.errors import BadInput

NAMES = ("crasp", "crasp_local", "crasp_periodic_local")


def automaton(regex, letters):
    return RegularLanguage.from_regex(regex, Alphabet(tuple(letters))).dfa


def verdicts(dfa, **asked):
    return "".join(answer.answer[0] for answer in decide(dfa, certificates=False, **asked).answers)


@pytest.mark.parametrize("name", benchmark.names())
def test_every_row_of_the_published_table_with_certificates_that_check(name):
    facts, dfa = benchmark.row(name).facts, benchmark.load(name).dfa
    found = decide(dfa)
    assert facts.crasp in (None, found.crasp.answer)  # of some rows nothing is published
    assert facts.crasp_periodic_local in (None, found.crasp_periodic_local.answer)
    assert all(answer.certificate.answer == answer.answer for answer in found.answers)
    for certificate in {id(item.certificate): item.certificate for item in found.answers}.values():
        checked = certificate.check()
        assert checked.holds, checked.how
        if certificate.answer == "yes":
            assert "Proved" in checked.how


# What the specification works out, and its pitfalls.
@pytest.mark.parametrize(
    ("regex", "letters", "expected"),
    [
        ("(ab)*", "ab", "yyy"),
        ("(abbbaa)*", "ab", "yyy"),  # needs two levels
        ("(a|bbc|bcc)*", "abc", "nyy"),  # torsion counts as equal
        ("(abab|c)*", "abc", "nny"),  # differences at different places of a cycle are different
        ("(n*(x|yn*xn*zn*w))*n*", "nxyzw", "yyy"),  # cancelled pairs still count
        (".*a", "ab", "yyy"),  # the last letter is visible
        (".*ab", "ab", "nyy"),
        ("~(.*00.*)", "01", "nyy"),
        ("(aa)*", "a", "nny"),
        ("(ab|ba)*", "ab", "yyy"),
        ("(a|b)(ab|ba)*|%", "ab", "yyy"),
        ("(abc)*", "abc", "yyy"),  # u* for a primitive u
        ("(abaaba)*", "ab", "nny"),  # and for one that is not
        ("a*", "a", "yyy"),
        ("a", "ab", "yyy"),
        ("%", "ab", "yyy"),
        (".*", "ab", "yyy"),
        (".+", "ab", "yyy"),
        ("..*", "ab", "yyy"),
        (".*b.*a", "ab", "yyy"),
    ],
)
def test_worked_examples(regex, letters, expected):
    assert verdicts(automaton(regex, letters)) == expected


def test_a_cancelled_triple_leaves_the_right_level_sizes():
    machine = Machine.of(automaton("(n*(x|yn*xn*zn*w))*n*", "nxyzw"), "last-letter")
    assert PairSystem(machine).definable


def non_local() -> DFA:
    """Every local monoid is harmless, and yet it is not definable: differences go round."""
    states = [f"{kind}{i}" for kind in "rx" for i in range(3)] + ["dead"]
    letters = ("F", "E", "s", "t", "c0", "c1", "c2")

    def after(state, letter):
        kind, i = state[0], int(state[1]) if state != "dead" else 0
        if letter == "F" and kind == "r":
            return state
        if letter == "E" and kind == "x":
            return state
        if letter in "st" and kind == "r":
            return f"x{(i + (letter == 't')) % 3}"
        return f"r{i}" if kind == "x" and letter == f"c{i}" else "dead"

    delta = [[states.index(after(state, letter)) for letter in letters] for state in states]
    return DFA(Alphabet(letters), tuple(map(tuple, delta)), 0, frozenset({0}))


def test_an_obstruction_that_no_local_monoid_shows():
    found = decide(non_local()).crasp_periodic_local
    assert found.answer == "no"
    kinds = {equation.kind for equation in found.certificate.equations}
    assert "triple" in kinds
    assert found.certificate.check().holds


def test_fixed_moduli():
    found = decide(automaton("(aaaa)*", "a"), moduli=(2, 4, 6, 8))
    assert {answer.fragment: answer.answer for answer in found.answers} == {
        "crasp": "no",
        "crasp_local": "no",
        "crasp_periodic_2_local": "no",
        "crasp_periodic_4_local": "yes",
        "crasp_periodic_6_local": "no",
        "crasp_periodic_8_local": "yes",
        "crasp_periodic_local": "yes",
    }
    assert all(answer.certificate.check().holds for answer in found.answers)
    with pytest.raises(BadInput, match="out of range"):
        decide(automaton("a*", "a"), moduli=(0,))


@pytest.mark.parametrize("regex", [".*a", "(ab)*", "(a|b)*b", "a*b*", "a", "%", ".*", "(..)*"])
def test_knowing_the_state_at_every_prefix(regex):
    dfa = automaton(regex, "ab")
    strict, visible = decide(dfa, "every-prefix"), decide(dfa)
    for certificate in {id(item.certificate): item.certificate for item in strict.answers}.values():
        checked = certificate.check()
        assert checked.holds, checked.how
    assert not (strict.crasp.answer == "yes" and visible.crasp.answer == "no")
    for name in NAMES[1:]:  # a window shows the last letter
        assert strict[name].answer == visible[name].answer
    expected = {".*a": "no", "(a|b)*b": "no", "(..)*": "no"}
    assert strict.crasp.answer == expected.get(regex, "yes")


def test_conventions_are_named():
    with pytest.raises(BadInput, match="convention"):
        decide(automaton("a", "a"), "first-letter")


def test_the_empty_word_letters_and_names_do_not_matter():
    for regex in ("(ab)*", "~(.*00.*)".replace("0", "a"), "(aa|b)*", "(a(ab)*b)*"):
        dfa = automaton(regex, "ab")
        expected = verdicts(dfa)
        flipped = (dfa - automaton("%", "ab")) if dfa.accepts("") else dfa | automaton("%", "ab")
        assert verdicts(flipped) == expected
        doubled = tuple((*row, row[0]) for row in dfa.delta)
        assert verdicts(DFA(Alphabet("xyz"), doubled, 0, dfa.final)) == expected
        doubled_answer = decide(DFA(Alphabet("xyz"), doubled, 0, dfa.final)).crasp_periodic_local
        assert doubled_answer.certificate.check().holds
        assert verdicts(dfa.complement()) == expected


def test_a_program_that_is_too_large_leaves_a_certificate():
    found = decide(automaton("(a|b)*a(a|b)(a|b)", "ab"), most_configurations=3).crasp_local
    assert found.answer == "yes" and found.program is None
    assert found.certificate.kind == "pair-solutions"
    assert "not written out" in found.certificate.summary
    assert found.certificate.check().holds
    found = decide(automaton("(abab|c)*", "abc"), most_configurations=3).crasp_periodic_local
    assert found.certificate.kind == "pair-solutions" and found.certificate.check().holds


def test_the_same_input_gives_the_same_output():
    dfa = automaton("(a|bbc|bcc)*", "abc")
    one, two = (json.dumps(decide(dfa).as_json("x")) for _ in range(2))
    assert one == two


def test_json_has_the_promised_form():
    document = decide(automaton("~(.*00.*)", "01")).as_json("no 00")
    assert document["language"] == "no 00" and document["alphabet"] == ["0", "1"]
    assert document["states"] == 3 and document["accept"] == "last-letter"
    assert list(document["fragments"]) == list(NAMES)
    for item in document["fragments"].values():
        assert item["answer"] in ("yes", "no") and item["certificate"]["dfa"]["start"] == 0
    assert json.loads(json.dumps(document)) == document


def test_layers_and_training_length():
    found = decide(automaton("(ab)*", "ab"))
    assert found.layers.value == 2 and "depth 2" in found.layers.says
    automata, programs = found.training_length
    assert automata.value == 4 and "no computable" in programs.says
    assert "quadratic" in decide(automaton("a*", "ab")).training_length[1].says
    nothing = decide(automaton("(aa)*", "a"))
    assert nothing.layers.value is None and nothing.layers.source


def test_large_automata_are_no_problem():
    depth = 80
    rows = [(q + 1 if q < depth else depth + 1, q - 1 if q else depth + 1, q) for q in range(81)]
    dfa = DFA(Alphabet("abn"), (*rows, (depth + 1,) * 3), 0, frozenset({0}))
    assert verdicts(dfa) == "yyy"


def ring(size: int) -> DFA:
    """One letter goes round, another stays: every pair of states runs side by side for ever."""
    delta = tuple(((state + 1) % size, state) for state in range(size))
    return DFA(Alphabet("ab"), delta, 0, frozenset({0}))


def test_what_is_too_large_is_unknown_and_says_why():
    found = decide(ring(560), certificates=False)
    assert [answer.answer for answer in found.answers] == ["no", "unknown", "unknown"]
    assert "more than 300,000 pairs" in found.crasp_local.note
    document = found.as_json()["fragments"]
    assert document["crasp_local"]["note"] and "note" not in document["crasp"]


def test_automata_that_forget_are_no_problem():
    found = decide(automaton("(a|b)*a" + "(a|b)" * 9, "ab"))  # 1,024 states, a million pairs
    assert [answer.answer for answer in found.answers] == ["no", "yes", "yes"]


@pytest.mark.parametrize("regex", ["(a|bbc|bcc)*", "(abab|c)*", "~(.*aba.*)", "[ab]*c[ab]*", "a*b"])
def test_taking_pairs_without_a_past_away_changes_nothing(regex, monkeypatch):
    dfa = automaton(regex, "abc")
    usual = verdicts(dfa, moduli=(2, 4))
    monkeypatch.setattr(pairs, "MANY_PAIRS", 0)
    assert verdicts(dfa, moduli=(2, 4)) == usual
    assert all(answer.certificate.check().holds for answer in decide(dfa).answers)


def test_a_no_that_some_triples_give(monkeypatch):
    few = decide(ring(47))
    monkeypatch.setattr(triples, "MOST_TRIPLES", 10)
    found = decide(ring(47))
    assert found == few and found.crasp_periodic_local.answer == "no"
    assert found.crasp_periodic_local.certificate.check().holds


def test_too_many_triples_without_a_no_are_unknown(monkeypatch):
    monkeypatch.setattr(triples, "MOST_TRIPLES", 0)
    monkeypatch.setattr(triples, "SMALL", 0)
    # brackets with a neutral letter have a triple, and no factor 00 needs a window
    found = decide(automaton("(n|x(n|xn*y)*y)*|(1|01)*0?", "nxy01"))
    assert found.crasp.answer == "no" and found.crasp_periodic_local.answer == "unknown"
    assert "triples" in found.crasp_periodic_local.note


def test_a_period_is_found_although_smaller_ones_are_too_large(monkeypatch):
    monkeypatch.setattr(pairs, "MOST_PAIRS", 4)
    found = decide(automaton("(aaaa)*", "a"))
    assert found.crasp_local.answer == "unknown"
    assert found.crasp_periodic_local.answer == "yes"
    assert found.crasp_periodic_local.certificate.check().holds
