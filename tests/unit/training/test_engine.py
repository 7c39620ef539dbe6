"""Runs: killed at any moment they continue and end with the same bits; Ctrl-C saves first."""

import dataclasses
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest
from tests_plan import small_plan

from foretell.core.question import SizeRange
from foretell.plain.errors import StoreProblem
from foretell.tasks.lookup import find_task
from foretell.training import checkpoint, engine, fleet, loops
from foretell.training.checkpoint import load_checkpoint, save_checkpoint
from foretell.training.plan import Member, Plan, Trial
from foretell.training.sequence_run import SequenceRun as Run
from foretell.training.stopping import Interrupted

SCRIPT = """
import sys
sys.path.insert(0, {here!r})
from pathlib import Path
import numpy as np
from foretell.training import engine, sequence_run
from tests_plan import small_plan
engine.SAVE_SECONDS, engine.SAVE_SHARE = 0.0, float("inf")
folder = Path(sys.argv[1])
def show(progress):
    print(progress.step, flush=True)
record, weights = sequence_run.SequenceRun((small_plan(steps=200),), folder, show).execute()[0]
np.savez(folder / "weights.npz", **weights)
(folder / "record.txt").write_text(repr((record.members, record.scores, record.history)))
"""


def start(folder):
    folder.mkdir(parents=True, exist_ok=True)
    here = str(Path(__file__).parent)
    return subprocess.Popen(
        [sys.executable, "-c", SCRIPT.format(here=here), str(folder)],
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONUNBUFFERED": "1"},
    )


def finish(folder):
    process = start(folder)
    seen = process.communicate(timeout=300)[0].split()
    assert process.returncode == 0
    return seen, (folder / "record.txt").read_text(), dict(np.load(folder / "weights.npz"))


def test_killed_runs_continue_and_end_with_the_same_bits(tmp_path):
    _, record, weights = finish(tmp_path / "whole")
    folder = tmp_path / "killed"
    for wanted in (30, 110):  # two kills, each somewhere after that step
        process = start(folder)
        for line in process.stdout:
            if int(line) >= wanted:
                break
        time.sleep(0.03)  # not at a boundary
        process.send_signal(signal.SIGKILL)
        process.wait()
        assert (folder / checkpoint.POINTER).exists()
    seen, record_again, weights_again = finish(folder)
    assert int(seen[0]) > 100  # it did continue
    assert record_again == record
    assert set(weights) == set(weights_again)
    assert all((weights[name] == weights_again[name]).all() for name in weights)


def test_ctrl_c_saves_and_says_so(tmp_path, monkeypatch):
    def show(progress):
        if progress.step >= 20:
            os.kill(os.getpid(), signal.SIGINT)

    with pytest.raises(Interrupted, match="the same command continues"):
        Run((small_plan(steps=200),), tmp_path, show).execute()
    notes = json.loads((tmp_path / checkpoint.POINTER).read_text())["notes"]
    assert 20 <= notes["done"] < 200
    again = Run((small_plan(steps=200),), tmp_path, lambda progress: None)
    record, _ = again.execute()[0]
    assert len(again.sessions) == 2  # both processes are on record
    assert max(member.steps for member in record.members) == 200
    assert [entry["step"] for entry in record.history] == list(range(20, 201, 20))


@pytest.fixture
def saved(tmp_path):
    members = [{"a": np.arange(3.0), "b": np.ones(2, np.int32)} for _ in range(2)]
    save_checkpoint(tmp_path, members, {"done": 5})
    return tmp_path, members


def test_checkpoint_round_trip(saved):
    folder, members = saved
    loaded, notes = load_checkpoint(folder, members[0], 2)
    assert notes == {"done": 5}
    for before, after in zip(members, loaded, strict=True):
        assert all((before[name] == after[name]).all() for name in before)


def test_no_checkpoint_is_a_fresh_start(tmp_path):
    assert load_checkpoint(tmp_path, {"a": np.zeros(1)}, 1) is None


def arrays_of(folder):
    return next(folder.glob("checkpoint-*.safetensors"))


def damage_bytes(folder):
    path = arrays_of(folder)
    data = bytearray(path.read_bytes())
    data[-1] ^= 1
    path.write_bytes(bytes(data))


def cut_short(folder):
    path = arrays_of(folder)
    path.write_bytes(path.read_bytes()[:40])


def remove_arrays(folder):
    arrays_of(folder).unlink()


def garble_pointer(folder):
    (folder / checkpoint.POINTER).write_text('{"arrays": ')


@pytest.mark.parametrize("damage", [damage_bytes, cut_short, remove_arrays, garble_pointer])
def test_a_damaged_checkpoint_is_refused_by_name(saved, damage):
    folder, members = saved
    damage(folder)
    with pytest.raises(StoreProblem, match="checkpoint is damaged") as refused:
        load_checkpoint(folder, members[0], 2)
    assert str(folder) in str(refused.value)
    assert "delete" in str(refused.value)


def test_a_checkpoint_of_another_shape_is_refused(saved):
    folder, _ = saved
    with pytest.raises(StoreProblem, match="does not fit"):
        load_checkpoint(folder, {"a": np.zeros(4), "b": np.ones(2, np.int32)}, 2)


def test_a_pointer_cannot_reach_outside_its_folder(saved):
    folder, members = saved
    pointer = json.loads((folder / checkpoint.POINTER).read_text())
    pointer["arrays"] = "../../" + pointer["arrays"]
    (folder / checkpoint.POINTER).write_text(json.dumps(pointer))
    loaded = load_checkpoint(folder, members[0], 2)  # the folder part is dropped
    assert loaded is not None


def test_progress_tells_where_the_run_stands(tmp_path):
    seen = []
    Run((small_plan(steps=40),), tmp_path, seen.append).execute()
    training = [progress for progress in seen if progress.phase == "training"]
    assert [progress.step for progress in training] == [10, 20, 30, 40]
    assert [progress.accuracy is None for progress in training] == [True, False, False, False]
    assert all(progress.rate > 0 and progress.members == 2 for progress in training)
    assert seen[-1].phase.startswith("testing")


def language_plan(name: str, positional: str = "nope") -> Plan:
    task = find_task(name, 12)
    shape = dataclasses.replace(
        small_plan(task="abcde", positional=positional).architecture, tied=False
    )
    probes = [Trial(probe, SizeRange(9, 12), 40) for probe in task.probes]
    return Plan(
        architecture=shape,
        members=tuple(Member(seed, 1e-2, task) for seed in range(2)),
        train=SizeRange(2, 8),
        trials=(Trial("members", SizeRange(2, 8), 40), *probes[: 3 if name == "abcde" else 1]),
        steps=60,
        check_every=20,
        segment=20,
        batch=8,
    )


@pytest.mark.slow
def test_together_or_alone_is_the_same(tmp_path):
    plans = [language_plan("tomita-1"), language_plan("abcde")]
    together = Run(plans, tmp_path / "both", lambda progress: None).execute()
    for number, plan in enumerate(plans):
        alone = Run((plan,), tmp_path / str(number), lambda progress: None).execute()[0]
        record, weights = together[number]
        assert {s.probe for s in record.scores} == {t.probe for t in plan.trials}
        assert [(m.seed, m.status, m.steps) for m in record.members] == [
            (m.seed, m.status, m.steps) for m in alone[0].members
        ]
        assert record.baselines == alone[0].baselines
        for ours, theirs in zip(record.history, alone[0].history, strict=True):
            np.testing.assert_allclose(ours["loss"], theirs["loss"], rtol=1e-3)
        assert {name: a.shape for name, a in weights.items()} == {
            name: a.shape for name, a in alone[1].items()
        }


@pytest.mark.slow
def test_who_has_stopped_leaves_the_batched_fleet(tmp_path, monkeypatch):
    """A member that stops early is parked, and everybody is tested in the end."""
    monkeypatch.setattr(engine, "WORTH_SECONDS", 0.0)
    monkeypatch.setattr(fleet, "loop_for_device", loops.Together)
    plan = small_plan(count=3, steps=60)
    run = Run((plan,), tmp_path, lambda progress: None)
    check = fleet.SequenceFleet.check
    marked = []

    def first_two_fit(self, states, last):
        states, scores = check(self, states, last)
        if not marked:
            marked.append(True)
            states = self._mark(states, np.array([True, True, False]))
        return states, scores

    monkeypatch.setattr(fleet.SequenceFleet, "check", first_two_fit)
    record, _ = run.execute()[0]
    assert [m.status for m in record.members][:2] == ["fitted", "fitted"]
    assert [m.steps for m in record.members] == [20, 20, 60]
    assert {s.seed for s in record.scores} == {0, 1, 2}
    assert run.parked.keys() == {0, 1}
