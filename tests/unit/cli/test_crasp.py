"""`foretell crasp` as people use it: good programs, bad programs, exit codes, JSON alone."""

import contextlib
import io
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple
from unittest import mock

import pytest

from foretell.cli import main

GOOD = """
# words over {a, b} that contain ab
alphabet a b
before_a(i) := #[j <= i, j == i - 1] Q_a(j)
ab_here(i)  := Q_b(i) and before_a(i) >= 1
seen(i)     := #[j <= i] ab_here(j)
accept(i)   := seen(i) >= 1
"""


class Done(NamedTuple):
    returncode: int
    stdout: str
    stderr: str


def foretell(*arguments, input="", cwd=None):
    """The command line in this process: a fresh one would load JAX for every case."""
    out, err, code = io.StringIO(), io.StringIO(), 0
    with (
        mock.patch.object(sys, "argv", ["foretell", *map(str, arguments)]),
        mock.patch.object(sys, "stdin", io.TextIOWrapper(io.BytesIO(input.encode()), "utf-8")),
        mock.patch.dict(os.environ, {"COLUMNS": "100"}),
        contextlib.chdir(cwd or Path.cwd()),
        contextlib.redirect_stdout(out),
        contextlib.redirect_stderr(err),
    ):
        try:
            main()
        except SystemExit as stopped:
            code = stopped.code or 0
    return Done(code, out.getvalue(), err.getvalue())


def lines(*arguments, **settings):
    done = foretell(*arguments, **settings)
    assert done.returncode == 0, done.stderr
    return [json.loads(line) for line in done.stdout.splitlines()]


@pytest.fixture(scope="module")
def good(tmp_path_factory):
    path = tmp_path_factory.mktemp("programs") / "good.crasp"
    path.write_text(GOOD)
    return path


def test_run_prints_one_json_line_a_word(good):
    told = lines("crasp", "run", good, "abba", "bbaa", "", "--json")
    assert told == [
        {"word": "abba", "accept": True},
        {"word": "bbaa", "accept": False},
        {"word": "", "accept": False},
    ]


def test_a_process_of_its_own_says_the_same_without_loading_jax(good):
    code = (
        "import sys; sys.argv = ['foretell', 'crasp', 'run', sys.argv[1], 'ab', '--json']\n"
        "from foretell.cli import main\n"
        "try: main()\n"
        "except SystemExit: pass\n"
        "assert 'jax' not in sys.modules"
    )
    done = subprocess.run([sys.executable, "-c", code, good], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout) == {"word": "ab", "accept": True}


def test_run_reads_words_from_a_file_and_from_standard_input(good, tmp_path):
    words = tmp_path / "words.txt"
    words.write_text("ab\n\nba\n")
    told = lines("crasp", "run", good, "--words-file", words, "--json")
    assert [each["accept"] for each in told] == [True, False, False]
    assert lines("crasp", "run", good, "--words-file", "-", "--json", input="ab\n\nba\n") == told


def test_run_separates_longer_tokens_by_spaces(tmp_path):
    path = tmp_path / "steps.crasp"
    path.write_text("alphabet up down\nhigh(i) := #[j <= i] Q_up(j) >= #[j <= i] Q_down(j)\n")
    told = lines("crasp", "run", path, "up down up", "down", "--json")
    assert [each["accept"] for each in told] == [True, False]


def test_next_symbol_programs_name_symbols():
    told = lines("crasp", "run", "induction-all", "abcab", "--json")
    assert told == [{"word": "abcab", "next": ["c"]}]


def test_parameters_can_be_set():
    told = lines("crasp", "run", "d-n", "aaabbb", "--set", "n=3", "--json")
    assert told[0]["accept"] is True
    assert "no such parameter" in foretell("crasp", "run", "d-n", "ab", "--set", "m=3").stderr


def test_a_trace_shows_every_definition_at_every_position(good, tmp_path):
    page = tmp_path / "trace.html"
    done = foretell("crasp", "trace", good, "bbab", "--html", page)
    assert done.returncode == 0
    assert "ab_here" in done.stdout
    assert "before_a" in page.read_text()
    (told,) = lines("crasp", "trace", good, "bbab", "--json")
    values = {row["name"]: row["values"] for row in told["operations"]}
    assert values["seen"] == [0, 0, 0, 1]
    assert told["accept"] is True
    (core,) = lines("crasp", "trace", good, "bbab", "--core", "--json")
    assert len(core["operations"]) > len(told["operations"])


def test_show_prints_a_program_that_parses_and_its_analysis(good, tmp_path):
    (told,) = lines("crasp", "show", good, "--json")
    assert told["fragment"] == "C-RASP[local]"
    for form in ("program", "core"):
        again = tmp_path / f"{form}.crasp"
        again.write_text(told[form])
        assert lines("crasp", "show", again, "--json")[0]["core"] == told["core"]
    assert "C-RASP[local]" in foretell("crasp", "show", good).stdout


def test_verify_says_which_of_the_three_it_is(good, tmp_path):
    (proved,) = lines("crasp", "verify", good, "regex:(a|b)*ab(a|b)*", "--json")
    assert proved["status"] == "proved"
    (wrong,) = lines("crasp", "verify", good, "regex:(a|b)*aab(a|b)*", "--json")
    assert wrong["status"] == "refuted"
    assert wrong["counterexample"]["word"] == ["a", "b"]
    assert wrong["shortest"] is True
    (checked,) = lines("crasp", "verify", "dyck-1", "dyck-1", "--budget", "20000", "--json")
    assert checked["status"] == "checked"
    (examples,) = lines("crasp", "verify", "sort", "sort", "--json")
    assert examples["status"] == "checked"
    assert "-1" not in examples["summary"]


def test_compile_reports_saves_and_draws(good, tmp_path):
    out, page = tmp_path / "net.json", tmp_path / "net.html"
    (told,) = lines(
        "crasp", "compile", good, "--length", "20", "--out", out, "--word", "bbab", "--html", page,
        "--json",
    )  # fmt: skip
    assert told["bounded"] is True
    assert told["transformer"]["context"] == 21
    assert told["regularizer"][0]["total"] == told["regularizer"][-1]["total"]
    assert out.exists() and list(tmp_path.glob("net-*.safetensors"))
    assert page.read_text().count("<svg") == 2


def test_a_saved_network_is_measured_like_a_trained_model(tmp_path):
    out = tmp_path / "dyck.json"
    done = foretell(
        "crasp",
        "compile",
        "dyck-1",
        "--for",
        "dyck-1",
        "--length",
        "24",
        "--no-growth",
        "--out",
        out,
    )
    assert done.returncode == 0, done.stderr
    sizes = ["--train", "2-8", "--bins", "9-16,17-24", "--samples", "100"]
    (told,) = lines(
        "measure", "dyck-1", "--weights", out, *sizes, "--store", tmp_path / "s", "--json"
    )
    (measured,) = told["measurements"]
    assert measured["protocol"] == "compiled"
    assert measured["verdict"] == "yes"
    assert [value["mean"] for value in measured["values"]] == [1.0, 1.0, 1.0]
    wrong = foretell("measure", "anbn", "--weights", out, *sizes, "--store", tmp_path / "s")
    assert wrong.returncode == 2
    assert "are not those of the task" in wrong.stderr
    # and the scoreboard reads the run back
    (board,) = lines("scoreboard", "--store", tmp_path / "s", "--json")
    assert board["rows"][0]["measurement"]["verdict"] == "yes"
    assert not board["problems"]


def test_predict_carries_a_program_that_can_be_checked(tmp_path):
    (told,) = lines("predict", "tomita-2", "--positional", "nope", "--check", "--json")
    (said,) = told["predictions"]
    assert (said["verdict"], said["strength"]) == ("yes", "conditional")
    assert said["certificate"]["kind"] == "crasp-program"
    assert said["checked"]["holds"] is True
    assert "Proved" in said["checked"]["how"]


def test_a_program_file_can_be_asked_about(good):
    (told,) = lines("predict", good, "--json")
    assert [said["verdict"] for said in told["predictions"]] == ["yes"]  # ape only: it is local
    assert told["not_applicable"][0]["architecture"]["positional"] == "nope"


BAD = {
    "type error": ("alphabet a b\nx(i) := Q_a(i) + 1\n", "is a Boolean, not a count"),
    "unknown name": ("alphabet a b\nx(i) := y(i)\n", "unknown name y"),
    "not local": ("alphabet a\nx(i) := #[j <= i, j == 2*i] Q_a(j) >= 1\n", "translation-invariant"),
    "not periodic": ("alphabet a\nx(i) := i == 5\n", "not periodic"),
    "no acceptor": ("alphabet a\nc(i) := #[j <= i] Q_a(j)\n", "no accepting operation"),
    "nested": (f"alphabet a\nx(i) := {'(' * 10_000}Q_a(i){')' * 10_000}\n", "nested"),
    "64 bits": ("alphabet a\nx(i) := #[j <= i] Q_a(j) <= 99999999999999999999\n", "64 bits"),
    "stops": ("alphabet a\nx(i) := (Q_a(i)\n", "expected one of"),
    "empty": ("", "expected one of: alphabet"),
}


@pytest.mark.parametrize("case", BAD)
@pytest.mark.parametrize("verb", ["run", "show"])
def test_bad_programs_get_one_clear_message(case, verb, tmp_path):
    text, message = BAD[case]
    path = tmp_path / "bad.crasp"
    path.write_text(text)
    done = foretell("crasp", verb, path, *(["a"] if verb == "run" else []))
    assert done.returncode == 2
    assert message in done.stderr
    assert "Traceback" not in done.stderr
    assert not done.stdout


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["run", "GOOD", "abc"], "outside the alphabet"),
        (["run", "GOOD"], "no words"),
        (["run", "tomita-9", "ab"], "did you mean"),
        (["run", "missing.crasp", "ab"], "missing.crasp"),
        (["run", "GOOD", "--words-file", "nowhere.txt"], "nowhere.txt"),
        (["run", "GOOD", "ab", "--set", "n"], "whole number"),
        (["trace", "GOOD", "a" * 2000], "up to 1,000 letters"),
        (["verify", "GOOD", "regex:(c"], "regular expression"),
        (["verify", "GOOD", "parity-language", "--budget", "0"], "budget"),
        (["verify", "GOOD", "tomita-1"], "alphabets"),
        (["compile", "GOOD", "--length", "0"], "length"),
        (["compile", "GOOD", "--word", "ab"], "--html"),
        (["compile", "GOOD", "--for", "tomita-1"], "different alphabets"),
        (["compile", "GOOD", "--for", "regex:(ab)*"], "does not predict symbols"),
        (["compile", "GOOD", "--for", "accept-before:regex:(ab)*"], "before the next one"),
        (["compile", "GOOD", "--out", "no/such/folder/net.json"], "no such folder"),
    ],
)
def test_bad_arguments_get_one_clear_message(arguments, message, good, tmp_path):
    filled = [good if part == "GOOD" else part for part in arguments]
    done = foretell("crasp", *filled, cwd=tmp_path)
    assert done.returncode == 2
    assert message in done.stderr
    assert "Traceback" not in done.stderr


def test_a_file_that_is_not_text_is_refused(tmp_path):
    path = tmp_path / "bytes.crasp"
    path.write_bytes(b"alphabet a\n\xff\xfe")
    for command in (["crasp", "show", path], ["predict", path]):
        done = foretell(*command)
        assert done.returncode == 2
        assert "UTF-8" in done.stderr


def test_a_damaged_network_is_refused(tmp_path):
    path = tmp_path / "net.json"
    path.write_text("{}")
    done = foretell("measure", "dyck-1", "--weights", path, "--store", tmp_path / "s")
    assert done.returncode == 2
    assert "Traceback" not in done.stderr
