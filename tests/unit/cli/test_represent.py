"""`foretell represent` as people use it: terminal, JSON, page, refusals, and how fast it starts."""

from __future__ import annotations

import contextlib
import io
import json
import os
import subprocess
import sys
from typing import NamedTuple
from unittest import mock

import pytest

from foretell.cli import main


class Done(NamedTuple):
    code: int
    out: str
    err: str


def foretell(*arguments: object, columns: int = 100) -> Done:
    out, err, code = io.StringIO(), io.StringIO(), 0
    with (
        mock.patch.object(sys, "argv", ["foretell", *map(str, arguments)]),
        mock.patch.dict(os.environ, {"COLUMNS": str(columns)}),
        contextlib.redirect_stdout(out),
        contextlib.redirect_stderr(err),
    ):
        try:
            main()
        except SystemExit as stopped:
            code = stopped.code or 0
    return Done(code, out.getvalue(), err.getvalue())


def test_one_model_gets_a_verdict_with_its_chain_its_condition_and_the_caveat():
    asked = ("--depth", "constant", "--precision", "logarithmic", "--steps", "none")
    done = foretell("represent", "s5-word", *asked)
    assert done.code == 0
    text = " ".join(done.out.split())
    assert "not representable unless TC0 = NC1 conditional" in text
    assert "because constant depth, log precision: uniform TC0 (Merrill, Sabharwal 2022)" in text
    assert "and s5-word is complete for NC1 (Barrington 1989) theorem, as recalled" in text
    assert "Asymptotic" in text and "training may not find them" in text


def test_without_options_there_is_the_whole_table():
    told = json.loads(foretell("represent", "s5-word", "--json").out)
    assert len(told["verdicts"]) == 16
    conditions = {each["condition"] for each in told["verdicts"]}
    assert conditions == {None, "TC0 = NC1"}
    assert all(each["chain"] for each in told["verdicts"])
    assert told["certificate"] is None and "asymptotic" in told["caveat"]
    table = foretell("represent", "s5-word").out
    assert table.count("unless TC0 = NC1") == 2 and "unknown" in table


def test_a_regular_language_shows_its_semigroup():
    done = foretell("represent", "regex:(b|ab*a)*")
    assert "kind: commutative" in done.out and "2 ⊇ 1" in done.out
    assert "a recurrent state needs 1 bit" in done.out
    told = json.loads(foretell("represent", "symmetric-5", "--json").out)
    assert told["row"] == "non-solvable" and told["state_bits"] == 3
    assert told["certificate"]["semigroup"]["series"] == [[120, 60, 60]]


def test_a_dfa_file_is_read(tmp_path):
    file = tmp_path / "even.json"
    file.write_text('{"alphabet": ["a"], "start": 0, "final": [0], "delta": [[1], [0]]}')
    told = json.loads(foretell("represent", file, "--json", "--steps", "none").out)
    assert told["row"] == "quasi-aperiodic" and len(told["verdicts"]) == 4


def test_sizes_say_formula_strength_and_what_is_built():
    done = foretell("represent", "index", "--length", 1000, "--bits", 16)
    assert done.code == 0
    text = " ".join(done.out.split())
    assert "1,000 bits must cross a cut: n(1 - h₂(a)) with a = 1" in text
    assert "63 units" in text and "32 units" in text and "no bound" in text
    assert "shift register" in text and "counted where all inputs can be" in text
    told = json.loads(foretell("represent", "induction", "--json").out)
    assert told["needed"] == {"bits": 499.0, "formula": "⌊(n - 1)/2⌋"}
    layer = told["bounds"][-1]
    assert layer["model"] == "transformer, 1 layer" and layer["built"]["width"] == 9
    recalled = json.loads(foretell("represent", "three-gram", "--json").out)["bounds"][-1]
    assert recalled["evidence"] == "theorem, as recalled"


def test_a_vacuous_bound_says_so():
    done = foretell("represent", "index", "--length", 10, "--accuracy", 0.5)
    text = " ".join(done.out.split())
    assert "0 units (vacuous)" in text and "every model has that much" in text
    told = json.loads(foretell("represent", "index", "--length", 10, "--json").out)
    assert [bound["vacuous"] for bound in told["bounds"]] == [True, True, True, False]


def test_a_model_that_is_there_is_told_how_far_it_reaches():
    done = foretell("represent", "copy", "--width", 64, "--bits", 16)
    assert "up to n = 218" in done.out and "at any n" in done.out  # (64 · 16 + 1) / log₂ 26
    told = json.loads(foretell("represent", "copy", "--width", 64, "--json").out)
    assert [bound["longest"] for bound in told["bounds"]] == [218, 435, 218, None]


@pytest.mark.parametrize("what", ["s5-word", "induction", "three-gram", "tomita-3", "index"])
def test_the_page_is_one_file_without_the_network(tmp_path, what):
    page = tmp_path / "page.html"
    assert foretell("represent", what, "--html", page).code == 0
    text = page.read_text()
    assert what in text and ("<svg" in text) == (what in ("induction", "three-gram", "index"))
    for word in ("src=", "<link", "@import", "<script"):
        assert word not in text


@pytest.mark.parametrize(
    "wrong",
    [
        ("index", "--bits", "0"),
        ("index", "--length", "0"),
        ("index", "--length", str(10**18)),
        ("s5-wrd",),
        ("s5-word", "--depth", "deep"),
        ("regex:(((",),
        ("index", "--html", "/nowhere/page.html"),
    ],
)
def test_bad_input_is_one_message_and_exit_code_two(wrong):
    done = foretell("represent", *wrong)
    assert done.code == 2 and done.out == ""
    assert done.err.startswith("foretell: ") and done.err.count("foretell: ") == 1
    assert "Traceback" not in done.err


def test_list_and_explain_know_the_problems():
    listed = json.loads(foretell("list", "problems", "--json").out)["problems"]
    assert {"s5-word", "index", "parity"} <= {each["name"] for each in listed}
    assert "foretell represent index" in foretell("explain", "index").out
    assert "foretell represent parity" in foretell("explain", "parity").out
    assert json.loads(foretell("explain", "problem:parity", "--json").out)["kind"] == "problems"


@pytest.mark.parametrize("what", ["s5-word", "index"])
def test_problems_are_answered_without_jax_and_numpy(what):
    code = (
        "import sys\nsys.argv = ['foretell', 'represent', sys.argv[1]]\n"
        "from foretell.cli import main\n"
        "try:\n    main()\nexcept SystemExit as stop:\n    assert not stop.code\n"
        "print([name for name in ('jax', 'matplotlib', 'scipy', 'numpy') if name in sys.modules])"
    )
    run = [sys.executable, "-c", code, what]
    printed = subprocess.run(run, capture_output=True, text=True, check=True).stdout
    assert printed.splitlines()[-1] == "[]"
