"""`foretell decide` and `foretell survey`: answers, certificates, batches, bad input."""

import contextlib
import io
import json
import os
import sys
from typing import NamedTuple
from unittest import mock

import pytest

from foretell.cli import main
from foretell.core.prediction import Checked
from foretell.crasp.deciding.certificates import PotentialCertificate
from foretell.crasp.deciding.checking.checking import check_document
from foretell.languages.classes import CLASSES, ClassReport, Membership
from foretell.languages.regular import RegularLanguage
from foretell.plain.errors import BadInput


class Done(NamedTuple):
    code: int
    out: str
    err: str


def foretell(*arguments, given=""):
    out, err, code = io.StringIO(), io.StringIO(), 0
    with (
        mock.patch.object(sys, "argv", ["foretell", *map(str, arguments)]),
        mock.patch.object(sys, "stdin", io.TextIOWrapper(io.BytesIO(given.encode()), "utf-8")),
        mock.patch.dict(os.environ, {"COLUMNS": "100"}),
        contextlib.redirect_stdout(out),
        contextlib.redirect_stderr(err),
    ):
        try:
            main()
        except SystemExit as stopped:
            code = stopped.code or 0
    return Done(code, out.getvalue(), err.getvalue())


def test_the_json_is_as_promised_and_its_certificates_check():
    done = foretell("decide", "--regex", "(a|b)*aa(a|b)*", "--json", "--check")
    assert done.code == 0, done.err
    told = json.loads(done.out)
    assert told["language"] == "(a|b)*aa(a|b)*"
    assert (told["alphabet"], told["states"], told["accept"]) == (["a", "b"], 3, "last-letter")
    answers = {name: part["answer"] for name, part in told["fragments"].items()}
    assert answers == {"crasp": "no", "crasp_local": "yes", "crasp_periodic_local": "yes"}
    assert told["classes"]["star_free"] is True
    assert told["classes"]["piecewise_testable"] is False
    for part in told["fragments"].values():
        assert part["checked"]["holds"] is True
        assert check_document(part["certificate"]).holds  # from the file alone


def test_the_explanation_shows_a_program_or_an_obstruction():
    text = foretell("decide", "--regex", "(aa)*", "--alphabet", "ab", "--explain").out
    assert "Why no for C-RASP[∅]" in text
    assert "i mod 2 == 0" in text
    assert "What follows for training is not" in text


@pytest.mark.parametrize(
    ("delta", "rung", "said"),
    [
        ([[1, 0], [1, 1]], "commutative", "uniform attention counts"),
        ([[1, 1], [2, 0], [3, 2], [4, 3], [0, 4]], "non-solvable", "unless TC⁰ = NC¹"),
    ],
)
def test_how_deep_a_transformer_must_be_stands_beside_the_classes(tmp_path, delta, rung, said):
    file = tmp_path / "one.json"
    document = {"alphabet": ["a", "b"], "start": 0, "final": [0], "delta": delta}
    file.write_text(json.dumps(document))
    assert said in " ".join(foretell("decide", "--dfa", str(file)).out.split())
    told = json.loads(foretell("decide", "--dfa", str(file), "--json").out)["depth"]
    assert (told["rung"], told["states"]) == (rung, len(delta))


def test_a_semigroup_that_is_too_large_costs_the_depth_only(monkeypatch):
    def refuse(dfa):
        raise BadInput("the automaton's semigroup is too large", seen="9 elements reached")

    monkeypatch.setattr("foretell.reports.programs.decided.depth_class", refuse)
    done = foretell("decide", "--regex", "(ab)*")
    assert done.code == 0 and "depth: not computed, 9 elements reached" in done.out
    told = json.loads(foretell("decide", "--regex", "(ab)*", "--json").out)
    assert told["depth"]["seen"] == "9 elements reached" and "fragments" in told


def test_conventions_of_acceptance_differ():
    last = json.loads(foretell("decide", "--regex", "(a|b)*a", "--json").out)
    every = foretell("decide", "--regex", "(a|b)*a", "--accept", "every-prefix", "--json").out
    assert last["fragments"]["crasp"]["answer"] == "yes"
    assert json.loads(every)["fragments"]["crasp"]["answer"] == "no"


@pytest.fixture
def batch(tmp_path):
    lines = [
        {"id": "one", "alphabet": ["a", "b"], "regex": "(ab)*"},
        {"id": 2, "dfa": {"alphabet": ["a"], "start": 0, "final": [0], "delta": [[1], [0]]}},
        {"id": 3, "regex": "(a"},
    ]
    path = tmp_path / "batch.jsonl"
    path.write_text("\n".join(map(json.dumps, lines)) + "\nnot json\n")
    return path


def test_a_batch_answers_line_by_line_and_names_bad_lines(batch):
    done = foretell("decide", "--batch", batch)
    told = [json.loads(line) for line in done.out.splitlines()]
    assert [line["id"] for line in told] == ["one", 2, 3, 4]
    assert told[0]["fragments"]["crasp"]["answer"] == "yes"
    assert told[1]["fragments"]["crasp_periodic_local"]["answer"] == "yes"
    assert "error" in told[2] and "error" in told[3]
    assert done.code == 2
    assert "2 of 4" in done.err
    assert foretell("decide", "--batch", "-", given=batch.read_text()).out == done.out


def test_a_killed_batch_continues(batch, tmp_path):
    out = tmp_path / "answers.jsonl"
    foretell("decide", "--batch", batch, "--out", out)
    whole = out.read_text()
    first = whole.splitlines(keepends=True)[0]
    out.write_text(first + '{"id": 2, "lang')  # half a line
    foretell("decide", "--batch", batch, "--out", out)
    assert out.read_text() == whole


def test_a_batch_does_not_go_on_with_the_answers_to_another(batch, tmp_path):
    out = tmp_path / "answers.jsonl"
    first = foretell("decide", "--batch", batch, "--out", out)
    again = foretell("decide", "--batch", batch, "--out", out)
    assert first.code == again.code == 2 and "2 of 4" in again.err
    other = foretell("decide", "--batch", batch, "--out", out, "--accept", "every-prefix")
    assert other.code == 2 and "another batch" in other.err
    whole = out.read_text()
    batch.write_text(batch.read_text().replace("(ab)*", "(ab)+"))
    done = foretell("decide", "--batch", batch, "--out", out)
    assert done.code == 2 and "another batch" in done.err
    assert out.read_text() == whole


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ('{"regex": "a", "regex": "b"}', "twice"),
        ('{"regex": "a", "dfa": {}}', "both regex and dfa"),
        ('{"id": 1}', "neither"),
        ('{"id": NaN, "regex": "a"}', "not JSON"),
        ('{"regex": "a", "alphabet": ["a", "\\ud800"]}', "cannot be one"),
        ('{"regex": "a", "alphabet": ["a", "b\\n"]}', "cannot be one"),
        ('{"regex": "a", "moduli": [true]}', "whole number"),
        ('{"regex": "a", "moduli": 2}', "list"),
        ('{"regex": "a", "colour": 2}', "means nothing"),
        ('{"dfa": {"alphabet": ["a"], "start": 0, "final": [1], "delta": [[0], [0]]}}', "no word"),
        ("[]", "no JSON object"),
    ],
)
def test_bad_lines_do_not_stop_a_batch(line, message):
    done = foretell("decide", "--batch", "-", given=f'{line}\n\n{{"regex": "a\u2028"}}\n')
    bad, last = done.out.strip("\n").split("\n")
    good = json.loads(last)
    told = json.loads(bad)
    assert message in " ".join(str(told[key]) for key in ("error", "seen", "why"))
    assert good["id"] == 3  # its line in the file
    assert good["fragments"]["crasp"]["answer"] == "yes"
    assert done.code == 2


def test_an_unforeseen_failure_of_one_line_is_a_record(monkeypatch):
    def fail(*arguments):
        raise ZeroDivisionError("of ours")

    monkeypatch.setattr("foretell.reports.programs.decided.answer_regex", fail)
    done = foretell("decide", "--batch", "-", given='{"id": "\\ud800", "regex": "a"}\n')
    assert json.loads(done.out)["error"] == "a failure of ours"
    assert done.code == 1


def test_a_batch_checks_and_takes_moduli():
    lines = '{"regex": "(aaa)*", "moduli": [3]}\n{"regex": "(aaa)*"}\n'
    done = foretell("decide", "--batch", "-", "--check", "--modulus", "2", given=lines)
    assert done.code == 0, done.err
    first, second = (json.loads(line)["fragments"] for line in done.out.splitlines())
    assert first["crasp_periodic_3_local"]["answer"] == "yes"
    assert second["crasp_periodic_2_local"]["answer"] == "no"
    assert all(part["checked"]["holds"] for part in (*first.values(), *second.values()))


def test_a_certificate_that_does_not_hold_is_our_failure(monkeypatch):
    wrong = Checked(False, "the program is wrong")
    monkeypatch.setattr(PotentialCertificate, "check", lambda self: wrong)
    done = foretell("decide", "--regex", "(ab)*", "--check", "--explain")
    assert done.code == 1
    assert "DOES NOT HOLD" in done.out and "accepts exactly" not in done.out
    told = foretell("decide", "--regex", "(ab)*", "--check", "--json")
    assert told.code == 1 and not json.loads(told.out)["fragments"]["crasp"]["checked"]["holds"]
    lines = foretell("decide", "--batch", "-", "--check", given='{"regex": "(ab)*"}\n')
    assert lines.code == 1
    said = foretell("predict", "regex:(ab)*c?", "--positional", "nope", "--check")
    assert said.code == 1
    assert "✗" in said.out and "undecided" in said.out and "✓ C-RASP" not in said.out


def test_every_prefix_is_not_called_acceptance():
    asked = ("--accept", "every-prefix", "--explain", "--check")
    no = foretell("decide", "--regex", "(a|b)*a", *asked).out
    assert "knows, before each letter, whether the prefix so far is in the language" in no
    yes = foretell("decide", "--regex", "(ab)*", *asked).out
    assert "is true at position i of a word w exactly when w_1…w_(i-1) is in the language" in yes
    assert "one letter more: Proved" in yes
    for text in (no, yes):
        assert "accepts exactly" not in text


def test_the_empty_language_is_decided(tmp_path):
    done = foretell("decide", "--regex", "~(.*)", "--alphabet", "ab", "--check", "--json")
    assert done.code == 0, done.err
    assert {part["answer"] for part in json.loads(done.out)["fragments"].values()} == {"yes"}
    path = tmp_path / "none.json"
    path.write_text('{"alphabet": ["a"], "start": 0, "final": [], "delta": [[0]]}')
    assert foretell("decide", "--dfa", path, "--explain").code == 0


def test_witnesses_stand_beside_the_classes():
    told = json.loads(foretell("decide", "--regex", "(aa)*", "--json").out)
    assert told["witnesses"]["star_free"]["law"] == "x^ω x = x^ω"
    assert "star free: not so for x = a" in foretell("decide", "--regex", "(aa)*", "--explain").out


def test_classes_that_were_not_computed_are_not_none(monkeypatch):
    everything = {name: Membership("too-large") for name in CLASSES}
    report = ClassReport(RegularLanguage.from_regex("a").dfa, everything)
    monkeypatch.setattr("foretell.reports.programs.decided.class_report", lambda dfa: report)
    text = foretell("decide", "--regex", "a").out
    assert "not computed (syntactic monoid beyond" in text and "classes: none" not in text


def test_nondeterministic_and_untrimmed_automata_can_be_asked_for(tmp_path):
    path = tmp_path / "loose.att"
    path.write_text("0 1 a\n0 2 a\n1 1 b\n2 0 a\n7 7 a\n1\n7\n")
    assert "--determinize" in foretell("decide", "--dfa", path, "--sink").err
    assert "--trim" in foretell("decide", "--dfa", path, "--sink", "--determinize").err
    done = foretell("decide", "--dfa", path, "--sink", "--determinize", "--trim", "--explain")
    assert done.code == 0, done.err


def test_the_states_of_a_file_are_found_in_the_table(tmp_path):
    path = tmp_path / "ring.att"
    path.write_text("3 8 a\n8 5 a\n5 3 a\n9 3 a\n3\n")
    text = foretell("decide", "--dfa", path, "--explain").out
    assert "3 is 0, 8 is 1, 5 is 2, 9 is never reached" in text


def test_att_files_are_read(tmp_path):
    path = tmp_path / "ab.att"
    path.write_text("0 1 a a\n1 0 b b\n0\n")
    assert foretell("decide", "--dfa", path).code == 2  # transitions are missing
    done = foretell("decide", "--dfa", path, "--sink", "--json")
    assert done.code == 0, done.err
    assert json.loads(done.out)["fragments"]["crasp"]["answer"] == "yes"


def test_a_survey_counts_and_never_says_unknown(tmp_path):
    page = tmp_path / "survey.html"
    done = foretell("survey", "--states", 4, "--count", 30, "--html", page, "--json")
    told = json.loads(done.out)
    for part in told["fragments"].values():
        assert part["yes"] + part["no"] == 30
        assert part["unknown"] == 0
    order = ("crasp", "crasp_local", "crasp_periodic_local")
    counts = [told["fragments"][name]["yes"] for name in order]
    assert counts == sorted(counts)
    assert "C-RASP[periodic, local]" in page.read_text() and "<svg" in page.read_text()
    assert "C-RASP[local]" in foretell("survey", "--states", 3, "--count", 5).out
    again = json.loads(foretell("survey", "--states", 4, "--count", 30, "--json").out)
    assert again["fragments"] == told["fragments"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["decide"], "exactly one"),
        (["decide", "--regex", "a", "--dfa", "x.json"], "exactly one"),
        (["decide", "--regex", "(a"], "seen"),
        (["decide", "--regex", "ab", "--alphabet", "a"], "alphabet"),
        (["decide", "--regex", "a", "--accept", "sometimes"], "last-letter or every-prefix"),
        (["decide", "--regex", "a", "--out", "x"], "batch"),
        (["decide", "--regex", ""], "names no letter"),
        (["decide", "--regex", "", "--alphabet", "ab"], "expected one of"),
        (["decide", "--regex", "a", "--alphabet", ""], "the alphabet is empty"),
        (["decide", "--regex", "up down", "--alphabet", "up,down"], "quoted: 'up'"),
        (["decide", "--regex", "a", "--modulus", "two"], "whole number"),
        (["decide", "--regex", "a", "--modulus", "0"], "out of range"),
        (["decide", "--regex", "'a b'"], "without blanks"),
        (["decide", "--batch", "x", "--explain"], "means nothing for a batch"),
        (["decide", "--batch", "x", "--alphabet", "ab"], "means nothing for a batch"),
        (["decide", "--dfa", "missing.json"], "missing.json"),
        (["decide", "--dfa", "missing.txt"], "suffix"),
        (["decide", "--regex", "(a|b)*a(a|b){11}"], "1,500 states"),
        (["survey", "--states", "0"], "states"),
        (["survey", "--states", "40"], "states"),
        (["survey", "--count", "0"], "automata"),
        (["survey", "--seed", "-1"], "seen: -1"),
        (["survey", "--states", "12", "--alphabet", "1", "--count", "1"], "too rare"),
    ],
)
def test_bad_input_gets_one_clear_message(arguments, message):
    done = foretell(*arguments)
    assert done.code == 2
    assert message in done.err
    assert "Traceback" not in done.err
