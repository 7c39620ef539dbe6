"""`examples/lanes.sh` runs reproductions side by side and packs what they finished."""

import os
import subprocess
import tarfile
from pathlib import Path

import pytest

LANES = Path(__file__).parents[2] / "examples" / "lanes.sh"
# as `foretell reproduce NAME --only RUN --store STORE --minutes M`, without the work
FAKE = """#!/usr/bin/env bash
[ "$2" != broken ] || exit 2
[ "$2" != loud ] || seq 400000
run=$6/question-$2/$4
mkdir -p "$run"
echo {} | tee "$6/question-$2/question.json" "$run/run.json" "$run/weights.safetensors"
echo "$@"
"""


@pytest.fixture
def lanes(tmp_path):
    fake = tmp_path / "fake"
    fake.write_text(FAKE)
    fake.chmod(0o755)

    def call(*arguments, text=""):
        return subprocess.run(
            ["bash", LANES, *map(str, arguments)],
            input=text,
            capture_output=True,
            text=True,
            env=os.environ | {"FORETELL": f"bash {fake}"},  # a command may have several words
            check=False,
        )

    return call


def packed(file):
    with tarfile.open(file) as archive:
        return {name.removeprefix("./") for name in archive.getnames()}


def test_lanes_run_and_what_they_finish_is_packed_without_weights(lanes, tmp_path):
    store, file = tmp_path / "store", tmp_path / "new.tgz"
    (store / "question-old" / "run").mkdir(parents=True)
    (store / "question-old" / "run" / "run.json").write_text("{}")
    asked = "# first\na --only one; b --only two\n\na --only three\n"
    assert lanes("run", store, 1, text=asked).returncode == 0
    assert lanes("pack", store, file).stdout == f"3 runs in {file}\n"
    names = {name for name in packed(file) if name.endswith("json")}
    assert names == {
        "question-a/question.json",
        "question-a/one/run.json",
        "question-a/three/run.json",
        "question-b/question.json",
        "question-b/two/run.json",
    }
    assert not any("weights" in name for name in packed(file))


def test_minutes_are_shared_by_what_follows_one_another(lanes, tmp_path):
    store = tmp_path / "store"
    lanes("run", store, 0.5, text="a --only one; a --only two\n")
    log = (tmp_path / "store.lanes" / "1.log").read_text()
    minutes = [float(line.split()[-1]) for line in log.splitlines() if "--minutes" in line]
    assert len(minutes) == 2
    assert 0 < minutes[1] <= minutes[0] <= 0.5


def test_a_lane_that_fails_is_named_and_others_go_on(lanes, tmp_path):
    store = tmp_path / "store"
    done = lanes("run", store, 1, text="broken --only it; a --only one\n")
    assert done.returncode == 1
    assert "1.log" in done.stdout and "exit code 2" in done.stdout
    assert (store / "question-a" / "one" / "run.json").exists()


def test_cells_of_an_experiment_are_packed(lanes, tmp_path):
    store, file = tmp_path / "store", tmp_path / "new.tgz"
    lanes("run", store, 1, text="a --only one\n")
    cell = store / "experiments" / "fit" / "0a.json"
    cell.parent.mkdir(parents=True)
    cell.write_text("{}")
    assert lanes("pack", store, file).stdout == f"2 runs in {file}\n"
    assert "experiments/fit/0a.json" in packed(file)


def test_cells_alone_are_packed_too(lanes, tmp_path):
    store, file = tmp_path / "store", tmp_path / "new.tgz"
    lanes("run", store, 1)
    (store / "experiments" / "fit").mkdir(parents=True)
    (store / "experiments" / "fit" / "0a.json").write_text("{}")
    assert lanes("pack", store, file).stdout == f"1 runs in {file}\n"
    assert "experiments/fit/0a.json" in packed(file)


def test_a_failure_is_found_in_a_long_log_and_a_bad_quote_is_one(lanes, tmp_path):
    done = lanes("run", tmp_path / "store", 1, text="broken --only it; loud --only one; \n")
    assert (done.returncode, done.stdout.count("exit code 2")) == (1, 1)
    bad = lanes("run", tmp_path / "other", 1, text="a --only it's\n")
    assert bad.returncode == 1 and not (tmp_path / "other" / "question-a").exists()


def test_a_name_with_spaces_stands_in_quotes(lanes, tmp_path):
    lanes("run", tmp_path / "store", 1, text="a --only 'one name'\n")
    assert (tmp_path / "store" / "question-a" / "one name" / "run.json").exists()


@pytest.mark.parametrize(
    "arguments",
    [(), ("run", "store"), ("run", "store", "soon"), ("pack", "nowhere", "it.tgz"), ("x", "y", 1)],
)
def test_bad_input_shows_how_it_is_used(lanes, arguments):
    done = lanes(*arguments)
    assert done.returncode == 2
    assert "examples/lanes.sh run STORE MINUTES" in done.stderr


def test_nothing_finished_is_said(lanes, tmp_path):
    lanes("run", tmp_path / "store", 1)
    done = lanes("pack", tmp_path / "store", tmp_path / "new.tgz")
    assert (done.returncode, done.stderr) == (1, "nothing is finished yet\n")
