"""`foretell boolean` as people use it."""

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

LARGE = "degree=2,sparsity=5,T=80"  # too large for what takes long


class Done(NamedTuple):
    returncode: int
    stdout: str
    stderr: str


def foretell(*arguments):
    out, err, code = io.StringIO(), io.StringIO(), 0
    with (
        mock.patch.object(sys, "argv", ["foretell", "boolean", *map(str, arguments)]),
        mock.patch.dict(os.environ, {"COLUMNS": "80"}),
        contextlib.redirect_stdout(out),
        contextlib.redirect_stderr(err),
    ):
        try:
            main()
        except SystemExit as stopped:
            code = stopped.code or 0
    return Done(code, out.getvalue(), err.getvalue())


def test_json_is_one_document_and_nothing_else(tmp_path):
    page = tmp_path / "page.html"
    done = foretell(LARGE, "--json", "--html", page)
    assert done.returncode == 0, done.stderr
    assert done.stdout.count("\n") == 1
    told = json.loads(done.stdout)
    assert told["function"]["name"] == "degree=2,sparsity=5,T=80,seed=0"
    assert told["tested"]["degree"]["found"] == 2
    assert told["asked"]["samples"] == 8192
    assert page.read_text(encoding="utf-8").startswith("<!doctype html>")


def test_options_reach_the_report():
    options = ("--samples", 10**6, "--delta", 0.01, "--constant", 0.02, "--ramp", "wide")
    done = foretell(LARGE, "--attention-scale", 3, "--query-only", "--json", *options)
    told = json.loads(done.stdout)
    assert told["asked"] == {
        "samples": 10**6,
        "delta": 0.01,
        "constant": 0.02,
        "attention_scale": 3.0,
        "ramp": "wide",
        "query_only": True,
    }
    assert told["spectrum"] is None and told["bounds"]["lower_limits"] is True
    assert told["bounds"]["columns"][0]["samples"] == 10**6


def test_the_prefix_means_nothing_here():
    plain, prefixed = foretell("x1 and x2"), foretell("boolean:x1 and x2")
    assert plain.returncode == 0 and plain.stdout == prefixed.stdout
    assert "More components than positions" in " ".join(plain.stdout.split())


@pytest.mark.parametrize(
    "arguments",
    [
        ("",),
        ("nonsense",),
        ("x1 xor",),
        ("degree=3,sparsity=7",),
        ("degree=3,sparsity=7,T=2",),
        ("degree=2,sparsity=50,T=8",),
        ("no-such-file.json",),
        (LARGE, "--samples", "0"),
        (LARGE, "--samples", "many"),
        (LARGE, "--delta", "1"),
        (LARGE, "--constant", "nan"),
        (LARGE, "--attention-scale", "-2"),
        (LARGE, "--attention-scale", "inf"),
        (LARGE, "--ramp", "steep"),
        (LARGE, "--html", "/no/such/folder/page.html"),
        (),
    ],
    ids=str,
)
def test_bad_input_is_one_clear_message(arguments):
    done = foretell(*arguments)
    assert done.returncode == 2
    assert not done.stdout
    assert done.stderr.strip() and "Traceback" not in done.stderr


def test_a_file_may_describe_the_function(tmp_path):
    file = tmp_path / "and.json"
    file.write_text(json.dumps({"truth_table": [0, 0, 0, 1]}))
    told = json.loads(foretell(file, "--json").stdout)
    assert told["spectrum"]["degree"] == 2 and told["spectrum"]["sparsity"] == 3
    file.write_text(json.dumps({"bits": 2, "sets": [[0], [0]], "coefficients": [1, 1]}))
    assert "listed twice" in foretell(file).stderr


def test_its_help_loads_nothing_heavy():
    code = (
        "import sys; sys.argv = ['foretell', 'boolean', '--help']\n"
        "from foretell.cli import main\n"
        "try:\n    main()\nexcept SystemExit:\n    pass\n"
        "print([name for name in ('jax', 'numpy', 'matplotlib') if name in sys.modules])"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.strip().splitlines()[-1] == "[]"
