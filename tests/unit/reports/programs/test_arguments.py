"""The argument in words can be checked by hand: every number it names is that of the table."""

import re

import pytest

from foretell.core.alphabet import Alphabet
from foretell.crasp.deciding.decide import decide
from foretell.languages.regular import RegularLanguage
from foretell.reports.programs.arguments import argue


def certificate(regex, letters, fragment, accept="last-letter"):
    dfa = RegularLanguage.from_regex(regex, Alphabet(tuple(letters))).dfa
    return decide(dfa, accept)[fragment].certificate


def after(dfa, state, word):
    for letter in dfa.letters(word):
        state = dfa.delta[state][letter]
    return state


@pytest.mark.parametrize(
    ("regex", "letters"), [("~(.*00.*)", "01"), ("(abab|c)*", "abc"), ("(a|bbc|bcc)*", "abc")]
)
def test_flows_show_where_edges_lead_and_list_the_classes(regex, letters):
    found = certificate(regex, letters, "crasp")
    text = "\n".join(argue(found))
    edges = re.findall(r"\((\d+) –(.)→ (\d+)\)", text)
    assert edges
    for state, letter, target in edges:
        assert after(found.dfa, int(state), letter) == int(target)
    assert "Their classes are {" in text
    yes, no = re.findall(r"accepted from state (\d+) .* not from state (\d+)", text)[0]
    assert after(found.dfa, int(yes), found.suffix) in found.dfa.final
    assert after(found.dfa, int(no), found.suffix) not in found.dfa.final


@pytest.mark.parametrize(
    ("regex", "letters"),
    [("(0(01)*(1|00)|1(10)*(0|11))*", "01"), ("b*(ab*ab*)*", "ab"), ("[012]*02*", "012")],
)
def test_differences_show_one_word_for_both_states_and_every_derivation(regex, letters):
    found = certificate(regex, letters, "crasp_periodic_local")
    lines = argue(found)
    anchors = [line for line in lines if re.match(r"  d\(\d+, \d+\): reading", line)]
    assert len(anchors) == len(found.pairs)
    derived = [line for line in lines if re.match(r"  d\(\d+, \d+\) = .*\(\d+\) = 0", line)]
    assert len(derived) == len(found.pairs)
    assert any("all of them are zero together" in line for line in lines)
    for one, two in re.findall(r"(\d+) to \1 and (\d+) to \2", "\n".join(anchors)):
        assert (int(one), int(two)) in found.pairs


def test_what_is_cut_is_in_the_json():
    found = certificate("(a{12})*", "a", "crasp")
    assert any("more flows: --json lists them all" in line for line in argue(found))


def test_a_yes_tells_stages_heights_and_doom():
    text = "\n".join(argue(certificate("(ab)*c(ba)*", "abc", "crasp")))
    assert "This program accepts exactly the words of the language" in text
    assert "stage1: state 0, state 1" in text and "stage1_height1: 0 at state 0" in text
    assert "A stage is" in text and "`doomed` is true" in text
    strict = "\n".join(argue(certificate("(ab)*", "ab", "crasp", "every-prefix")))
    assert "exactly when w_1…w_(i-1) is in the language" in strict


def test_a_yes_without_a_program_says_so():
    dfa = RegularLanguage.from_regex("(abab|c)*").dfa
    found = decide(dfa, most_configurations=3).crasp_periodic_local.certificate
    assert any("not written out" in line for line in argue(found))
