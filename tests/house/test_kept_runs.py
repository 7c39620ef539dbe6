"""Runs that are kept hold together: what was tested is what was checked."""

import json
import tarfile
from pathlib import Path

import pytest

RESULTS = Path(__file__).parents[2] / "results"


def kept(folder):
    """Every folder of a run, from the store in the open and from those that are packed."""
    for packed in sorted(RESULTS.glob("*/*runs.tgz")):
        with tarfile.open(packed) as archive:
            archive.extractall(folder / packed.parent.name / packed.stem, filter="data")
    for place in (RESULTS / "runs", folder):
        yield from (path.parent for path in sorted(place.rglob("run.json")))


def in_range(run, trial):
    """Share of the in-range samples that each seed got right when it was tested."""
    label = trial["probe"] + (", shifted" if trial.get("shifted") else "")
    found = {}
    for line in (run / "values.jsonl").read_text().splitlines():
        value = json.loads(line)
        if (value["probe"], [value["low"], value["high"]]) == (label, trial["sizes"]):
            found[value["seed"]] = sum(value["right"]) / sum(value["tried"])
    return found


@pytest.mark.slow
def test_models_are_tested_as_they_were_checked(tmp_path):
    compared = 0
    for run in kept(tmp_path):
        told = json.loads((run / "run.json").read_text())
        if told.get("kind") != "scores" or not told.get("history"):
            continue
        plan = json.loads((run / "settings.json").read_text())["plan"]
        tested = in_range(run, plan["trials"][0])
        for place, member in enumerate(told["members"]):
            checks = [each for each in told["history"] if each["step"] <= member["steps"]]
            if member["status"] == "diverged" or not checks or member["seed"] not in tested:
                continue
            assert checks[-1]["in_range"][place] == pytest.approx(tested[member["seed"]]), run
            compared += 1
    assert compared > 2_000
