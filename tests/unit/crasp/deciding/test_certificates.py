import copy
import json

import pytest

from foretell.core.alphabet import Alphabet
from foretell.crasp.deciding.checking.checking import check_document
from foretell.crasp.deciding.decide import decide
from foretell.crasp.deciding.reading import certificate_from_json
from foretell.languages.dfa_json import dfa_as_json
from foretell.languages.regular import RegularLanguage
from foretell.plain.errors import BadInput


def certificate(regex, letters, fragment="crasp", **asked):
    dfa = RegularLanguage.from_regex(regex, Alphabet(tuple(letters))).dfa
    return decide(dfa, **asked)[fragment].certificate


def plain(found):
    return json.loads(json.dumps(found.as_json()))


FLOWS = plain(certificate("~(.*00.*)", "01"))
TORSION = plain(certificate("(a|bbc|bcc)*", "abc"))
CLASSES = plain(certificate("(abab|c)*", "abc"))
MERGE = plain(certificate("[012]*02*", "012", "crasp_periodic_local"))
SWAP = plain(certificate("b*(ab*ab*)*", "ab", "crasp_periodic_local"))
TRIPLE = plain(certificate("(0(01)*(1|00)|1(10)*(0|11))*", "01", "crasp_periodic_local"))
LOCAL = plain(certificate("(aa)*", "a", "crasp_local"))
YES = plain(certificate("(abbbaa)*", "ab"))
WINDOWS = plain(certificate("(a|bbc|bcc)*", "abc", "crasp_local"))
PERIOD = plain(certificate("(abab|c)*", "abc", "crasp_periodic_local"))
SOLUTION = plain(certificate("(abab|c)*", "abc", "crasp_periodic_local", most_configurations=3))
ALL = [FLOWS, TORSION, CLASSES, MERGE, SWAP, TRIPLE, LOCAL, YES, WINDOWS, PERIOD, SOLUTION]


@pytest.mark.parametrize("document", ALL, ids=lambda item: f"{item['kind']}-{item['fragment']}")
def test_certificates_check_and_survive_a_file(document):
    checked = check_document(document)
    assert checked.holds, checked.how
    found = certificate_from_json(document)
    assert plain(found) == document and found.check() == checked and found.summary


def changed(document, *path, to):
    copied = copy.deepcopy(document)
    *before, last = path
    inner = copied
    for key in before:
        inner = inner[key]
    inner[last] = to(inner[last]) if callable(to) else to
    return copied


def plus_one(number):
    return number + 1


TAMPERED = {
    "flow coefficient": changed(FLOWS, "flows", 0, "edges", 0, 2, to=plus_one),
    "flow letter": changed(FLOWS, "flows", 0, "edges", 0, 1, to="0"),
    "flow amount": changed(TORSION, "flows", 0, "amount", to=plus_one),
    "flow of nothing": changed(FLOWS, "flows", 0, "amount", to=0),
    "empty suffix": changed(FLOWS, "suffix", to=[]),
    "suffix that does not separate": changed(FLOWS, "suffix", to=["1"]),
    "missing flow": changed(FLOWS, "flows", to=[]),
    "classes too coarse": changed(CLASSES, "classes", to=lambda c: [[*c[0], *c[1]], *c[2:]]),
    "classes that miss a state": changed(CLASSES, "classes", to=lambda c: c[1:]),
    "classes with an empty one": changed(CLASSES, "classes", to=lambda c: [*c, []]),
    "component with the dead state": changed(FLOWS, "states", to=[0, 1, 2]),
    "pair of two classes": changed(CLASSES, "pair", to=[0, 1]),
    "access to elsewhere": changed(FLOWS, "access", to=["0", "0"]),
    "flows against a larger fragment": changed(FLOWS, "fragment", to="crasp_local"),
    "merge word": changed(MERGE, "equations", 0, "word", to=["2"]),
    "anchor that moves": changed(MERGE, "anchors", 0, 0, to=["0"]),
    "anchor length": changed(SWAP, "anchors", 0, 1, to=plus_one),
    "step": changed(SWAP, "step", to=plus_one),
    "no step": changed(SWAP, "step", to=0),
    "derivation": changed(SWAP, "derivations", 0, 0, 1, to=1),
    "missing derivation": changed(SWAP, "derivations", to=lambda d: d[1:]),
    "missing anchor": changed(SWAP, "anchors", to=lambda a: a[1:]),
    "equation kind": changed(SWAP, "equations", 0, "kind", to="swap"),
    "equation pairs": changed(TRIPLE, "equations", 0, "pairs", to=lambda p: p[::-1]),
    "access of the pair": changed(MERGE, "access", to=lambda word: [*word, "0"]),
    "connections": changed(MERGE, "connections", to=[]),
    "suffix of the pair": changed(MERGE, "suffix", to=["0"]),
    "no pairs": changed(MERGE, "pairs", to=[]),
    "a stronger claim": changed(LOCAL, "fragment", to="crasp_periodic_local"),
    "another modulus": changed(LOCAL, "modulus", to=None),
    "height": changed(YES, "components", 0, "levels", 0, 0, 1, to=plus_one),
    "missing level": changed(YES, "components", 0, "levels", to=lambda x: x[:1]),
    "levels in the wrong order": changed(YES, "components", 0, "levels", to=lambda x: x[::-1]),
    "missing component": changed(YES, "components", to=[]),
    "wrong program": changed(YES, "program", to=lambda text: text.replace("<=", "<")),
    "other alphabet": changed(
        YES, "program", to=lambda t: t.replace("alphabet a b", "alphabet a b c")
    ),
    "no program at all": changed(YES, "program", to="hello"),
    "smaller fragment": changed(PERIOD, "fragment", to="crasp_local"),
    "windows in no fragment": changed(WINDOWS, "fragment", to="crasp"),
    "windows missing": changed(WINDOWS, "windows", to=[[]]),
    "windows not closed": changed(WINDOWS, "windows", to=lambda w: w[:-1]),
    "period": changed(PERIOD, "modulus", to=2),
    "padding": changed(WINDOWS, "padding", to="q"),
    "grouped letters": changed(WINDOWS, "letters", to=[["a", "b"], ["c"]]),
    "solution": changed(SOLUTION, "levels", 0, 0, 0, 0, to=plus_one),
    "solution of nothing": changed(SOLUTION, "levels", to=[]),
    "solution period": changed(SOLUTION, "modulus", to=2),
    "solution pairs": changed(SOLUTION, "cycles", to=lambda c: c[1:]),
    "final states": changed(FLOWS, "dfa", "final", to=[0, 1, 2]),
    "transition": changed(FLOWS, "dfa", "delta", 0, to=[0, 0]),
    "convention": changed(FLOWS, "accept", to="whenever"),
    "kind": changed(FLOWS, "kind", to="prose"),
    "nothing": {},
    "types": changed(MERGE, "pairs", to=[["x", "y"]]),
    "state out of range": changed(MERGE, "pairs", 0, 0, to=99),
}


@pytest.mark.parametrize("name", TAMPERED)
def test_tampered_certificates_do_not_hold(name):
    assert TAMPERED[name] not in ALL
    checked = check_document(TAMPERED[name])
    assert not checked.holds and checked.how


def test_evidence_for_one_language_is_none_for_another():
    others = [
        RegularLanguage.from_regex(regex, Alphabet(tuple(letters))).dfa
        for regex, letters in [("(ab)*", "ab"), ("a*b*", "ab"), ("0*1*", "01"), ("[ab]*c", "abc")]
    ]
    for document in (FLOWS, TORSION, MERGE, SWAP, TRIPLE):
        for dfa in others:
            assert not check_document({**document, "dfa": dfa_as_json(dfa)}).holds


def test_what_is_no_certificate_cannot_be_read():
    for bad in ({"kind": "prose"}, {}, {"kind": "flows"}, changed(FLOWS, "pair", to=[1])):
        with pytest.raises(BadInput):
            certificate_from_json(bad)


@pytest.mark.parametrize("document", ALL, ids=lambda item: f"{item['kind']}-{item['fragment']}")
def test_another_answer_than_the_evidence_shows_is_refused(document):
    turned = {**document, "answer": {"yes": "no", "no": "yes"}[document["answer"]]}
    assert not check_document(turned).holds
    with pytest.raises(BadInput, match="cannot be read"):
        certificate_from_json(turned)


def test_numbers_that_are_none_do_not_hold():
    document = copy.deepcopy(SWAP)
    assert document["derivations"]
    for factor in ("1/0", float("inf")):
        for derivation in document["derivations"]:
            for pair in derivation:
                pair[1] = factor
        assert not check_document(document).holds


def test_windows_that_some_history_never_shows_are_refused_at_once():
    document = copy.deepcopy(YES)
    assert document["kind"] == "potentials"
    document["windows"] = [["a"]]
    assert not check_document(document).holds
