"""`foretell positions` and `foretell reproduce position-fit` as people use them."""

import contextlib
import io
import json
import os
import sys
from pathlib import Path
from typing import NamedTuple
from unittest import mock

import jax.numpy as jnp
import numpy as np
import pytest
from safetensors.numpy import load_file, save_file

from foretell.cli import main
from foretell.models.gpt2 import from_gpt2
from foretell.models.position_products import offset_variance, position_products, position_vectors
from foretell.protocols._trained import read_trained

GOLDEN = Path(__file__).parents[2] / "golden" / "gpt2"
SHORT = ["--samples", "50", "--train", "1-8", "--bins", "9-12", "--budget", "smoke"]


class Done(NamedTuple):
    returncode: int
    stdout: str
    stderr: str


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
    return Done(code, out.getvalue(), err.getvalue())


def answer(*arguments):
    done = foretell(*arguments)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    """A run with two seeds."""
    folder = tmp_path_factory.mktemp("runs")
    command = ["measure", "binary-majority", "--positional", "ape", "--seeds", "2"]
    answer(*command, *SHORT, "--store", folder, "--json")
    (weights,) = folder.glob("*/*/weights.safetensors")
    return weights.parent


@pytest.mark.slow
def test_a_run_is_read_back_seed_by_seed(run):
    first, second = read_trained(run)
    assert (first.name, second.name) == ("seed 0", "seed 1")
    assert first.task is not None and first.task.name == "binary-majority"
    kept = load_file(run / "weights.safetensors")
    np.testing.assert_array_equal(kept["seed-1.embedding"], second.model.embedding)
    tokens, positions, counted = first.inputs()
    assert tokens.shape == positions.shape == counted.shape
    assert int(positions.max()) < first.model.architecture.context


def test_every_head_of_a_run_is_measured(run, tmp_path):
    page = tmp_path / "page.html"
    told = answer("positions", run, "--json", "--html", page)
    assert told["task"] == "binary-majority" and "typical inputs" in told["norms_averaged_over"]
    assert [model["name"] for model in told["models"]] == ["seed 0", "seed 1"]
    for model in told["models"]:
        (head,) = model["heads"]
        assert 0 < head["offset_variance"] <= head["variance"]
        assert head["logit_deviation"] == pytest.approx((head["offset_variance"] / 16) ** 0.5)
        assert model["regularizer"]["first_key"] > 0 and model["regularizer"]["all_pairs"] > 0
    assert {"device", "commit"} <= set(told["provenance"])
    text = page.read_text()
    assert text.count("<svg") == 2 and "seed 1" in text


def test_a_gpt2_is_measured_with_its_own_norms():
    told = answer("positions", GOLDEN / "weights.safetensors", "--heads", "2", "--json")
    model = from_gpt2(load_file(GOLDEN / "weights.safetensors"), 2)
    (described,) = told["models"]
    assert len(described["heads"]) == 4
    variance = jnp.float32(described["norm_variances"][1])
    products = position_products(model.blocks[1], position_vectors(model), variance)
    expected = offset_variance(np.asarray(products[1], np.float64))
    assert described["heads"][3]["offset_variance"] == pytest.approx(expected, rel=1e-4)
    assert told["task"] is None and "uniformly random" in told["norms_averaged_over"]


def test_a_folder_from_huggingface_says_its_heads(tmp_path):
    save_file(load_file(GOLDEN / "weights.safetensors"), tmp_path / "model.safetensors")
    (tmp_path / "config.json").write_text('{"n_head": 4}')
    assert len(answer("positions", tmp_path, "--json")["models"][0]["heads"]) == 8
    shown = foretell("positions", tmp_path)
    assert shown.returncode == 0 and "offset variance" in shown.stdout


def test_bad_input_ends_with_2_and_one_message(run, tmp_path):
    (tmp_path / "model.safetensors").write_bytes(b"nothing")
    bare = GOLDEN / "weights.safetensors"
    cases = {
        (tmp_path / "nowhere",): "there are no weights",
        (tmp_path,): "cannot be read",
        (bare,): "number of heads is unknown",
        (bare, "--heads", "0"): "at least one head",
        (bare, "--heads", "3"): "do not divide",
        (run, "--html", tmp_path / "no" / "page.html"): "no such folder",
    }
    for arguments, message in cases.items():
        done = foretell("positions", *arguments)
        assert (done.returncode, done.stdout) == (2, "")
        assert message in done.stderr


def test_a_model_without_positions_is_refused(tmp_path):
    command = ["measure", "binary-majority", "--positional", "nope", "--seeds", "1"]
    answer(*command, *SHORT, "--store", tmp_path, "--json")
    (weights,) = tmp_path.glob("*/*/weights.safetensors")
    done = foretell("positions", weights)
    assert done.returncode == 2 and "adds no positions" in done.stderr


def test_the_fitting_experiment_runs_resumes_and_writes_its_page(tmp_path):
    page = tmp_path / "page.html"
    command = ["reproduce", "position-fit", "--budget", "smoke", "--store", tmp_path]
    told = answer(*command, "--only", "periodic", "--json")
    assert told["summary"]["not run"] == 5
    (cell,) = (tmp_path / "experiments" / "position-fit").iterdir()
    before = cell.stat().st_mtime_ns
    done = foretell(*command, "--no-train", "--html", page)
    assert done.returncode == 0 and "not run" in done.stdout
    assert "<svg" in page.read_text()
    done = foretell(*command, "--only", "periodic", "--json")
    assert json.loads(done.stdout) == told and cell.stat().st_mtime_ns == before
    assert foretell(*command, "--positional", "ape").returncode == 2
