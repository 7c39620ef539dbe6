"""The command line as people use it: good input, bad input, exit codes, JSON on stdout alone."""

import contextlib
import io
import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple
from unittest import mock

import pytest

from foretell.cli import main

SMOKE = ["--budget", "smoke", "--samples", "50", "--train", "1-8", "--bins", "9-12,13-16"]


class Done(NamedTuple):
    returncode: int
    stdout: str
    stderr: str


def foretell(*arguments, cwd=None, env=None):
    """The command line in this process: a fresh one would load JAX for every case."""
    out, err, code = io.StringIO(), io.StringIO(), 0
    with (
        mock.patch.object(sys, "argv", ["foretell", *map(os.fsdecode, arguments)]),
        mock.patch.dict(os.environ, {"COLUMNS": "100", **(env or {})}),
        contextlib.chdir(cwd or Path.cwd()),
        contextlib.redirect_stdout(out),
        contextlib.redirect_stderr(err),
    ):
        try:
            main()
        except SystemExit as stopped:
            code = stopped.code or 0
    return Done(code, out.getvalue(), err.getvalue())


def answer(*arguments, **settings):
    done = foretell(*arguments, **settings)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


@pytest.fixture(scope="module")
def store(tmp_path_factory):
    """One checked task; later tests read it."""
    folder = tmp_path_factory.mktemp("runs")
    page = folder / "page.html"
    told = answer(
        "check", "binary-majority", *SMOKE, "--store", folder / "s", "--html", page, "--json"
    )
    return folder / "s", told, page


def test_check_answers_in_the_promised_form(store):
    _, told, _ = store
    assert told["task"] == "binary-majority"
    prediction = told["predictions"][0]
    assert {
        "predictor",
        "architecture",
        "outcome",
        "verdict",
        "strength",
        "reason",
        "bound",
    } <= set(prediction)
    assert (prediction["verdict"], prediction["strength"]) == ("yes", "conditional")
    measurement = told["measurements"][0]
    assert [value["size_range"] for value in measurement["values"]] == [[1, 8], [9, 12], [13, 16]]
    assert all(len(value["seeds"]) == 3 for value in measurement["values"])
    assert {"versions", "device", "commit", "seeds", "seconds"} <= set(measurement["provenance"])
    assert told["agreement"] in {"agrees", "disagrees", "open"}


def test_the_report_is_one_file_without_the_network(store):
    page = store[2].read_text()
    assert "<svg" in page
    assert "binary-majority" in page
    for word in ("src=", "<link", "@import", "<script"):
        assert word not in page


def test_a_finished_run_is_read_from_the_store(store):
    folder, told, _ = store
    again = answer("check", "binary-majority", *SMOKE, "--store", folder, "--json")
    assert again == told


def test_the_prediction_was_on_record_before_the_run(store):
    folder, told, _ = store
    noted = (folder / told["questions"][0] / "predictions.jsonl").read_text().splitlines()
    assert json.loads(noted[0])["predictions"] == told["predictions"]
    assert json.loads(noted[0])["time"] <= told["measurements"][0]["provenance"]["time"]


def test_scoreboard(store, tmp_path):
    folder, told, _ = store
    board = answer(
        "scoreboard", "--store", folder, "--html", tmp_path / "b.html", "--parquet",
        tmp_path / "b.parquet", "--json",
    )  # fmt: skip
    assert told["questions"][0] in json.dumps(board)
    assert "binary-majority" in (tmp_path / "b.html").read_text()
    assert (tmp_path / "b.parquet").stat().st_size > 0
    text = foretell("scoreboard", "--store", folder).stdout
    assert "binary-majority" in text
    rows = answer("scoreboard", "--store", folder, "--sql", "SELECT count(*) AS n FROM scores")
    assert rows[0]["n"] > 0


def test_a_damaged_run_does_not_stop_the_scoreboard(store, tmp_path):
    folder = tmp_path / "copy"
    subprocess.run(["cp", "-r", store[0], folder], check=True)
    run = next(folder.glob("*/*/run.json"))
    bad = folder / "0000" / "1111"
    bad.mkdir(parents=True)
    (bad / "run.json").write_text(run.read_text()[:100])
    done = foretell("scoreboard", "--store", folder)
    assert done.returncode == 0
    assert "binary-majority" in done.stdout
    assert "0000" in done.stdout + done.stderr


def test_measure_asks_no_theory(store):
    told = answer("measure", "binary-majority", *SMOKE, "--store", store[0], "--json")
    assert told["predictions"] == []
    assert told["agreement"] is None


def test_predict_in_the_promised_form():
    told = answer("predict", "tomita-4", "--json")
    assert [said["verdict"] for said in told["predictions"]] == ["no", "yes"]
    assert told["task"] == "tomita-4"


def test_list_and_explain():
    names = answer("list", "--json")
    kinds = {"tasks", "languages", "programs", "predictors", "protocols", "positionals"}
    assert set(names) == {*kinds, "reproductions", "sandboxes", "problems"}
    assert "tomita-4" in {row["name"] for row in names["languages"]}
    assert "Definition" in foretell("explain", "tomita-4").stdout
    assert answer("explain", "parity", "--json")["definition"]


def test_explain_a_task_with_settings():
    told = answer("explain", "shortest-path:degree=6,torus", "--json")
    assert told["name"] == "shortest-path:degree=6,torus"
    assert "unit torus" in told["with_these_settings"]
    assert "expected degree of 6" in told["with_these_settings"]
    assert "critical" in told["definition"]
    assert answer("explain", "sorting:vocabulary=16", "--json")["name"] == "sorting:vocabulary=16"


@pytest.mark.parametrize("form", ["jsonl", "parquet"])
def test_export(tmp_path, form):
    done = foretell(
        "export", "addition", "--sizes", "4..12", "--count", "20", "--format", form, cwd=tmp_path
    )
    assert done.returncode == 0, done.stderr
    assert (tmp_path / f"addition.{form}").stat().st_size > 0


def test_a_regex_a_file_and_a_question_file(tmp_path):
    dfa = {"alphabet": ["a", "b"], "start": 0, "final": [1], "delta": [[1, 0], [1, 1]]}
    (tmp_path / "d.json").write_text(json.dumps(dfa))
    assert answer("predict", str(tmp_path / "d.json"), "--json")["not_applicable"]
    assert answer("predict", "regex:(ab)*", "--json")["task"] == "regex:(ab)*"
    (tmp_path / "q.toml").write_text('what = "parity"\npositional = "ape"\nbins = [[60, 70]]\n')
    said = answer("predict", str(tmp_path / "q.toml"), "--json")["predictions"]
    assert {row["architecture"]["positional"] for row in said} == {"ape"}
    assert said[0]["outcome"]["asked"] == [[60, 70]]


CAPTURE = ("check", "--protocol", "capture")
BAD = {
    "unknown task": (["check", "binary-majorty"], "did you mean binary-majority"),
    "unknown encoding": (["check", "parity", "--positional", "nop"], "did you mean nope"),
    "unknown budget": (["check", "parity", "--budget", "big"], "smoke or cpu or gpu"),
    "unknown protocol": (["check", "parity", "--protocol", "lenth"], "did you mean length"),
    "unknown kind": (["list", "taks"], "tasks"),
    "unknown name": (["explain", "tomita-44"], "tomita-4"),
    "explained setting": (["explain", "shortest-path:degre=6"], "did you mean degree"),
    "explained value": (["explain", "multi-hop:hops=99"], "from 1 to 7"),
    "nothing to set": (["explain", "majority:letters=3"], "majority has no settings"),
    "explained regex": (["explain", "regex:(aa)*"], "foretell predict 'regex:(aa)*'"),
    "small instance": (["check", "shortest-path", "--start", "4"], "smallest size is 8"),
    "few numbers": (
        [*CAPTURE, "sorting:vocabulary=16", "--start", "8", "--sizes", "16,32"],
        "a vocabulary of 16 for sizes up to 32",
    ),
    "no path": (
        [*CAPTURE, "min-cut:degree=0.05", "--start", "64", "--sizes", "128"],
        "acceptance rate 0 of 1,000 graphs",
    ),
    "threshold": ([*CAPTURE, "sorting", "--threshold", "1.5"], "a threshold lies in (0, 1]"),
    "smaller sizes": ([*CAPTURE, "sorting", "--start", "64", "--sizes", "32"], "sizes to adapt to"),
    "threshold for nothing": (["check", "sorting", "--threshold", "0.9"], "--protocol capture"),
    "regex syntax": (["check", "regex:(ab"], "expected"),
    "empty language": (["check", "regex:a&b"], "no words"),
    "no such size": (["check", "aaaa-star", "--bins", "53-55"], "52 and"),
    "reversed range": (["check", "parity", "--bins", "100-51"], "51-100"),
    "not a range": (["check", "parity", "--train", "short"], "two whole numbers"),
    "overlapping range": (["check", "parity", "--bins", "40-60"], "from 51 on"),
    "heads": (["check", "parity", "--heads", "3", "--width", "16"], "do not divide"),
    "context": (["check", "parity", "--context", "60"], "--context 154"),
    "steps": (["check", "parity", "--steps", "-5"], "at least 1"),
    "learning rate": (["check", "parity", "--learning-rate", "7"], "between 0 and 1"),
    "no seeds": (["check", "parity", "--seeds", "0"], "between 1 and"),
    "precision": (["check", "parity", "--precision", "float8"], "float32 or bfloat16"),
    "store is a file": (["check", "parity", "--store", __file__], "cannot write"),
    "report is a folder": (["check", "parity", "--html", "."], "file name"),
    "report nowhere": (["check", "parity", "--html", "no/where.html"], "no such folder"),
    "alphabet misses a letter": (["check", "regex:abc", "--alphabet", "ab"], "c"),
    "alphabet of a task": (["check", "parity", "--alphabet", "ab"], "only a regular expression"),
    "no letters": (["check", "regex:.*"], "--alphabet"),
    "huge width": (["check", "parity", "--width", "100000000"], "8,192 at most"),
    "huge sizes": (["check", "parity", "--bins", "51-1000000"], "up to 2,000"),
    "empty range": (["check", "parity", "--train", ""], "two whole numbers"),
    "store not there": (["scoreboard", "--store", "nowhere"], "no run store"),
    "huge export": (["export", "parity", "--count", "1000000000"], "at most"),
    "missing dfa": (["check", "missing.json"], "no such file"),
    "missing question": (["check", "missing.toml"], "no such file"),
    "export count": (["export", "parity", "--count", "0"], "0"),
    "export format": (["export", "parity", "--format", "csv"], "jsonl or parquet"),
    "export sizes": (["export", "aa-star", "--sizes", "3..3"], "2 and"),
    "export probe": (["export", "parity", "--probe", "members"], "typical"),
    "sql": (["scoreboard", "--sql", "DROP"], "does not run"),
    "not utf-8": (["check", b"regex:\xff*"], "UTF-8"),
}  # fmt: skip


@pytest.mark.parametrize("case", BAD, ids=lambda case: case.replace(" ", "-"))
def test_bad_input_gets_one_message_and_exit_code_2(case, tmp_path):
    arguments, expected = BAD[case]
    done = foretell(*arguments, cwd=tmp_path, env={"FORETELL_STORE": str(tmp_path / "runs")})
    assert done.returncode == 2, done.stderr
    assert expected in done.stderr
    assert "Traceback" not in done.stderr
    assert done.stdout == ""


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ('seeds = "four"', "whole number"),
        ("layers = 1.5", "whole number"),
        ('train = "abc"', "two whole numbers"),
        ("bins = []", "at least one range"),
        ("learning_rate = 'x'", "number"),
        ("norm = 1", "true or false"),
        ("positonal = 'ape'", "did you mean positional"),
        ("steps = ", "not TOML"),
    ],
)
def test_a_question_file_with_a_wrong_setting(tmp_path, line, expected):
    (tmp_path / "q.toml").write_text(f'what = "parity"\n{line}\n')
    done = foretell("check", "q.toml", cwd=tmp_path)
    assert done.returncode == 2, done.stderr
    assert expected in done.stderr
    assert "Traceback" not in done.stderr


def test_letters_outside_a_given_alphabet_are_named(tmp_path):
    bad = {"alphabet": ["a"], "start": 0, "final": [7], "delta": [[0]]}
    (tmp_path / "d.json").write_text(json.dumps(bad))
    done = foretell("check", "d.json", cwd=tmp_path)
    assert done.returncode == 2
    assert "7" in done.stderr


def test_ctrl_c_says_how_to_go_on(tmp_path):
    arguments = ["check", "parity", "--steps", "100000", "--store", str(tmp_path)]
    process = subprocess.Popen(
        [sys.executable, "-m", "foretell", *arguments], stderr=subprocess.PIPE, text=True
    )
    for _ in range(600):
        if list(Path(tmp_path).glob("*/*/checkpoint.json")):
            break
        try:
            process.wait(0.2)
        except subprocess.TimeoutExpired:
            continue
    process.send_signal(signal.SIGINT)
    said = process.communicate(timeout=120)[1]
    assert process.returncode == 130
    assert "the same command continues" in said
    assert "Traceback" not in said
