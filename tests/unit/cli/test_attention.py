"""`foretell attention` as people use it."""

import contextlib
import io
import json
import os
import shutil
import sys
from pathlib import Path
from unittest import mock

import pytest

from foretell.cli import main

GPT2 = Path(__file__).parents[2] / "golden" / "gpt2" / "weights.safetensors"
SHORT = ["--samples", "50", "--train", "1-8", "--bins", "9-12,17-20", "--budget", "smoke"]


def foretell(*arguments):
    out, err, code = io.StringIO(), io.StringIO(), 0
    with (
        mock.patch.object(sys, "argv", ["foretell", *map(str, arguments)]),
        mock.patch.dict(os.environ, {"COLUMNS": "100"}),
        contextlib.redirect_stdout(out),
        contextlib.redirect_stderr(err),
    ):
        try:
            main()
        except SystemExit as stopped:
            code = stopped.code or 0
    return code, out.getvalue(), err.getvalue()


def run_of(folder, *changes):
    command = ["measure", "tomita-4", *SHORT, "--seeds", "2", "--store", folder, "--json"]
    code, _, told = foretell(*command, *changes)
    assert code == 0, told
    (weights,) = folder.glob("*/*/weights.safetensors")
    return weights.parent


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    return run_of(tmp_path_factory.mktemp("runs"), "--positional", "alibi")


def test_every_head_of_every_model_is_told_at_every_length(run, tmp_path):
    page = tmp_path / "page.html"
    code, out, _ = foretell("attention", run, "--json", "--html", page)
    told = json.loads(out)
    assert code == 0 and told["task"] == "tomita-4" and told["lengths"] == [8, 12, 20]
    assert [(head["model"], head["layer"]) for head in told["heads"]] == [
        ("seed 0", 0),
        ("seed 1", 0),
    ]
    for head in told["heads"]:
        assert len(head["at"]) == len(head["shares"]) == 3
        for at in head["at"]:
            assert 0 < sum(at["near"]) <= 1 + 1e-5 and at["largest"] <= 1
    text = page.read_text()
    assert text.count("<svg") == 2 and told["summary"] in text and "seed 1" in text


def test_a_terminal_shows_a_line_for_each_head(run):
    code, out, _ = foretell("attention", run)
    assert code == 0 and "looks at" in out and "seed 1" in out and "look back" in out


def test_a_gpt2_reads_random_tokens_to_the_end_of_its_context():
    code, out, _ = foretell("attention", GPT2, "--heads", "2", "--json")
    told = json.loads(out)
    context = told["architecture"]["context"]
    assert code == 0 and told["task"] is None and len(told["heads"]) == 4
    assert told["lengths"][-1] == context


def changed(run, question, **settings):
    """The same run with other settings; None leaves one out."""
    shutil.copytree(run.parent, question)
    own = question / run.name / "settings.json"
    told = {**json.loads(own.read_text()), **settings}
    own.write_text(json.dumps({name: each for name, each in told.items() if each is not None}))
    return question / run.name


def test_bad_input_ends_with_2_and_one_message(run, tmp_path):
    recurrent = run_of(tmp_path / "gru", "--architecture", "gru")
    cases = {
        (tmp_path / "nowhere",): "there are no weights",
        (GPT2,): "number of heads is unknown",
        (GPT2, "--heads", "0"): "at least one head",
        (recurrent,): "only transformers have heads",
        (run, "--html", tmp_path / "no" / "page.html"): "no such folder",
        (run, "--heads", "1"): "a run says itself",
        (changed(run, tmp_path / "gap", protocol="gap"),): "a run of the protocol gap",
        (changed(run, tmp_path / "part", plan=None),): "the run is not whole",
    }
    for arguments, message in cases.items():
        code, out, err = foretell("attention", *arguments)
        assert (code, out) == (2, "") and message in err
