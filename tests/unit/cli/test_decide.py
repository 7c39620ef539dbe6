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
from foretell.crasp.deciding.checking.checking import check_document


class Done(NamedTuple):
    code: int
    out: str
    err: str


def foretell(*arguments, given=""):
    out, err, code = io.StringIO(), io.StringIO(), 0
    with (
        mock.patch.object(sys, "argv", ["foretell", *map(str, arguments)]),
        mock.patch.object(sys, "stdin", io.StringIO(given)),
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
    assert "C-RASP" in page.read_text()
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
        (["decide", "--dfa", "missing.json"], "missing.json"),
        (["decide", "--dfa", "missing.txt"], "suffix"),
        (["decide", "--regex", "(a|b)*a(a|b){11}"], "1,500 states"),
        (["survey", "--states", "0"], "states"),
        (["survey", "--states", "40"], "states"),
        (["survey", "--count", "0"], "automata"),
        (["survey", "--states", "12", "--alphabet", "1", "--count", "1"], "too rare"),
    ],
)
def test_bad_input_gets_one_clear_message(arguments, message):
    done = foretell(*arguments)
    assert done.code == 2
    assert message in done.err
    assert "Traceback" not in done.err
