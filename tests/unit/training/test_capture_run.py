"""Capture runs: stages, arms, and that a killed run goes on and ends with the same bits."""

import dataclasses
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import jax.numpy as jnp
import numpy as np
import pytest
from tests_capture import capture_plan

from foretell.core.question import SizeRange
from foretell.plain.errors import BadInput, StoreProblem
from foretell.protocols.capture import Capture
from foretell.tasks.lookup import find_task
from foretell.training import asking_symbols, checkpoint, member
from foretell.training.asking_symbols import shares_by_symbol
from foretell.training.capture_plan import (
    ARMS,
    FROM_SCRATCH,
    FROM_START,
    PRE_TRAINING,
    STEP_BY_STEP,
)
from foretell.training.capture_run import CaptureRun
from foretell.training.capture_stage import Shown, fleet_for
from foretell.training.evaluation import Right
from foretell.training.fleet import SequenceFleet
from foretell.training.loops import OneByOne
from foretell.training.record import AdaptedMember

SCRIPT = """
import sys
sys.path.insert(0, {here!r})
from pathlib import Path
import numpy as np
from foretell.training import engine
from foretell.training.capture_run import CaptureRun
from tests_capture import capture_plan
engine.SAVE_SECONDS, engine.SAVE_SHARE = 0.0, float("inf")
folder = Path(sys.argv[1])
def show(progress):
    print(progress.phase.split("stage ")[1][0], progress.step, flush=True)
record, weights = CaptureRun((capture_plan(),), folder, show).execute()[0]
np.savez(folder / "weights.npz", **weights)
(folder / "record.txt").write_text(repr((record.members, record.history)))
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


def test_stages_know_whose_weights_they_begin_with():
    stages = capture_plan().stages
    assert [stage.sizes.high for stage in stages] == [6, 8, 12]
    assert stages[0].sources == {PRE_TRAINING: None}
    assert stages[1].sources == {FROM_START: 0, FROM_SCRATCH: None}  # one step is both
    assert stages[2].sources == {FROM_START: 0, STEP_BY_STEP: 1, FROM_SCRATCH: None}
    alone = dataclasses.replace(capture_plan(), arms=(STEP_BY_STEP,)).stages
    assert [stage.sources for stage in alone[1:]] == [{STEP_BY_STEP: 0}, {STEP_BY_STEP: 1}]


def test_a_stage_is_an_ordinary_plan_with_a_threshold():
    plan = capture_plan()
    first, second = (plan.parts(stage, (0, 2))[0] for stage in plan.stages[:2])
    assert (first.train, first.until, first.one_size) == (SizeRange(3, 6), 0.3, False)
    assert (second.train, second.one_size) == (SizeRange(8, 8), True)
    assert [member.seed for member in second.members] == [0, 2]
    assert "until" not in dataclasses.replace(first, until=None).as_json()


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"arms": ("sideways",)}, "known by name"),
        ({"arms": (FROM_SCRATCH,)}, "compared with"),
        ({"sizes": (12, 8)}, "grow"),
        ({"sizes": (6, 8)}, "grow"),
        ({"threshold": 1.5}, "threshold"),
        ({"start": SizeRange(1, 2)}, "no input"),
        ({"seeds": (1, 1)}, "seeds"),
        ({"sizes": (8, 64)}, "no input"),
    ],
)
def test_bad_plans_are_refused(change, said):
    with pytest.raises(BadInput, match=said):
        dataclasses.replace(capture_plan(), **change)


def test_the_hash_follows_what_decides():
    plan = capture_plan()
    assert plan.hash == capture_plan().hash
    assert plan.hash != dataclasses.replace(plan, adapting_rate=0.5).hash
    assert plan.hash != dataclasses.replace(plan, arms=ARMS[:2]).hash


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    folder = tmp_path_factory.mktemp("whole")
    record, weights = CaptureRun((capture_plan(),), folder, lambda progress: None).execute()[0]
    return folder, record, weights


def test_every_arm_size_and_seed_is_on_record(whole):
    _, record, weights = whole
    places = [(own.arm, own.size, own.seed) for own in record.members]
    assert len(set(places)) == len(places) == 2 + 2 * 2 + 3 * 2
    for own in record.members:
        assert own.samples % 8 == 0
        assert own.reached == (own.after >= 0.3)
        assert own.reached or own.samples == (160 if own.arm == PRE_TRAINING else 40) * 8
        if own.reached and own.samples == 0:
            assert own.before == own.after
    assert {name.split(".")[0] for name in weights} == {"start", "adapted"}


def test_no_adaptation_is_the_same_before_every_arm_from_the_start(whole):
    """Both arms at the first larger size begin with what they were given."""
    _, record, _ = whole
    fresh = [own for own in record.members if own.arm == FROM_SCRATCH]
    first = [own for own in record.members if own.arm == PRE_TRAINING]
    assert all(own.before < 0.3 for own in fresh + first)
    assert all(own.after >= own.before for own in first)


def test_what_only_stages_needed_is_gone_or_goes_with_the_checkpoints(whole):
    folder, _, _ = whole
    assert not list(folder.glob("stage-*"))
    checkpoint.remove_arrays(folder)
    (folder / checkpoint.POINTER).unlink()
    assert not list(folder.iterdir())


def test_nobody_adapts_who_did_not_learn(tmp_path):
    plan = dataclasses.replace(capture_plan(), threshold=1.0, first_steps=20)
    record, weights = CaptureRun((plan,), tmp_path, lambda progress: None).execute()[0]
    assert {own.arm for own in record.members} == {PRE_TRAINING}
    assert not any(own.reached for own in record.members)
    assert weights


def test_another_version_is_refused_by_name(tmp_path):
    (tmp_path / checkpoint.POINTER).write_text(json.dumps({"version": 0, "stages": []}))
    with pytest.raises(StoreProblem, match="another version") as refused:
        CaptureRun((capture_plan(),), tmp_path, lambda progress: None).execute()
    assert str(tmp_path) in str(refused.value)


@pytest.mark.slow
def test_killed_runs_go_on_in_their_stage_and_end_with_the_same_bits(tmp_path):
    process = start(tmp_path / "whole")
    process.communicate(timeout=600)
    folder = tmp_path / "killed"
    for wanted in ("1", "2", "3"):  # once in every stage
        process = start(folder)
        for line in process.stdout:
            if line.split()[0] == wanted:
                break
        time.sleep(0.02)  # not at a boundary
        process.send_signal(signal.SIGKILL)
        process.wait()
    process = start(folder)
    seen = process.communicate(timeout=600)[0].split("\n")
    assert process.returncode == 0
    assert not seen[0].startswith(("1", "2"))  # finished stages were not repeated
    told = [(tmp_path / name / "record.txt").read_text() for name in ("whole", "killed")]
    assert told[0] == told[1]
    one, other = (dict(np.load(tmp_path / name / "weights.npz")) for name in ("whole", "killed"))
    assert set(one) == set(other)
    assert all((one[name] == other[name]).all() for name in one)


@pytest.mark.parametrize(
    ("shown", "missed"),
    [
        ([{FROM_START: False, FROM_SCRATCH: True}], {FROM_START, STEP_BY_STEP}),  # one run is both
        ([{FROM_START: True, FROM_SCRATCH: False}], set()),  # a control decides nothing
        ([{FROM_START: True}, {FROM_START: False, STEP_BY_STEP: True}], {FROM_START}),
        ([{FROM_START: True}, {FROM_START: True, STEP_BY_STEP: False}], {STEP_BY_STEP}),
        (
            [
                {FROM_START: True},
                {FROM_START: False, STEP_BY_STEP: True},
                {STEP_BY_STEP: False},
            ],
            {FROM_START, STEP_BY_STEP},
        ),
    ],
)
def test_a_way_that_most_runs_missed_is_known(tmp_path, shown, missed):
    run = CaptureRun((capture_plan(),), tmp_path, lambda progress: None)
    run.done = [Shown((), (), {})]
    for number, arms in enumerate(shown):
        members = tuple(
            AdaptedMember(arm, 8 + number, seed, "fitted" if good else "not fitted", 1, 0.1, 0.2)
            for arm, good in arms.items()
            for seed in (0, 1)
        )
        run.done.append(Shown(members, (), {}))
    assert run._missed == missed


@pytest.mark.parametrize(
    ("missed", "arms"),
    [
        ({FROM_START, STEP_BY_STEP}, set()),
        ({FROM_START}, {STEP_BY_STEP, FROM_SCRATCH}),
        ({STEP_BY_STEP}, {FROM_START, FROM_SCRATCH}),
    ],
)
def test_a_miss_ends_its_way_where_it_is_asked_to(tmp_path, monkeypatch, missed, arms):
    known = property(lambda self: missed if len(self.done) == 2 else set())
    monkeypatch.setattr(CaptureRun, "_missed", known)
    plan = dataclasses.replace(capture_plan(), stop_at_miss=True)
    record, weights = CaptureRun((plan,), tmp_path, lambda progress: None).execute()[0]
    assert {own.arm for own in record.members if own.size == 12} == arms
    assert any(name.startswith("adapted.") for name in weights)


def test_the_control_from_scratch_may_end_earlier():
    plan = dataclasses.replace(capture_plan(), largest_from_scratch=8)
    assert [FROM_SCRATCH in stage.sources for stage in plan.stages] == [False, True, False]
    assert (plan.sizes_of(FROM_SCRATCH), plan.sizes_of(FROM_START)) == ((8,), (8, 12))


def test_what_is_right_is_told_by_the_symbol_that_asks(monkeypatch):
    """Of a made-up model that never finds t2, whatever the others."""
    plan = dataclasses.replace(capture_plan(), samples=200)
    made = fleet_for(plan.parts(plan.stages[0], (0,))[0])
    (drawn,) = made.loop.gather(made.in_range)
    first = np.asarray(drawn.example.first)[:200]
    asking = np.asarray(drawn.example.tokens)[np.arange(200), first]
    (lost,) = plan.task.alphabet.encode(["t2"])
    right = Right(asking != lost, asking != lost, np.where(asking != lost, 1.0, 0.0))
    monkeypatch.setattr(made, "score", lambda *arguments: [right])
    assert shares_by_symbol(made, [None]) == [{"t0": 1.0, "t1": 1.0, "t2": 0.0, "t3": 1.0}]
    monkeypatch.setattr(asking_symbols, "FEWEST", 200)  # none occurs as often
    assert shares_by_symbol(made, [None]) == [None]


def test_with_several_answers_nothing_is_told_by_symbol(tmp_path):
    task = find_task("sorting", 8)
    shape = dataclasses.replace(capture_plan().architecture, context=task.width(8))
    changed = {"task": task, "architecture": shape, "start": SizeRange(2, 4), "sizes": (8,)}
    plan = dataclasses.replace(capture_plan(), **changed, threshold=0.01, arms=(STEP_BY_STEP,))
    record, weights = CaptureRun((plan,), tmp_path, lambda progress: None).execute()[0]
    assert all(own.by_symbol is None for own in record.members)
    # step by step is what became of the weights where nothing adapts from the start
    assert {name.split(".")[0] for name in weights} == {"start", "adapted"}


def test_thresholds_and_sizes_of_adapting():
    plan = capture_plan()
    better = dataclasses.replace(plan, first_threshold=0.9)
    assert [better.parts(stage, (0,))[0].until for stage in better.stages] == [0.9, 0.3, 0.3]
    mixed = dataclasses.replace(plan, mixed=True)
    sizes = [mixed.parts(stage, (0,))[0].train for stage in mixed.stages]
    assert sizes == [SizeRange(3, 6), SizeRange(3, 8), SizeRange(3, 12)]
    tests = [mixed.parts(stage, (0,))[0].trials[0].sizes for stage in mixed.stages]
    assert tests == [SizeRange(6, 6), SizeRange(8, 8), SizeRange(12, 12)]
    half = dataclasses.replace(plan, half=True)
    assert [half.parts(stage, (0,))[0].train for stage in half.stages] == sizes
    drawn = [half.parts(stage, (0,))[0].training_sizes(half.task) for stage in half.stages]
    assert drawn[0] == (3, 4, 5, 6)  # small sizes are learned as ever
    assert drawn[1] == (3, 4, 5, 6, 7, 8, 8, 8, 8, 8)
    assert len({plan.hash, better.hash, mixed.hash, half.hash}) == 4
    assert "mixed" not in plan.as_json() and "first_threshold" not in plan.as_json()
    with pytest.raises(BadInput, match=r"\(0, 1\]"):
        dataclasses.replace(plan, first_threshold=1.5)


def test_inputs_of_several_sizes_train_alike_alone_in_a_row_and_packed(monkeypatch):
    """Which of the two it is hangs on the device and on how sizes are drawn."""
    plan = dataclasses.replace(capture_plan(), half=True)
    part = plan.parts(plan.stages[1], (0,))[0]
    own = SequenceFleet(part, OneByOne())
    (data,), (state,) = own.data, own.start()
    losses = []
    for alone in (True, False):
        monkeypatch.setattr(member, "alone_in_a_row", lambda plan, alone=alone: alone)
        rows = member.draw_batch(part, member.room_for(part), data, jnp.int32(3))
        assert (rows.starts is None) is alone
        losses.append(float(member.loss(state.model, rows, data.label_count)))
    assert losses[0] == pytest.approx(losses[1], rel=1e-5)
    drawn = data.sizes[: int(data.size_count)]
    assert (drawn == part.train.high).sum() * 2 == len(drawn)


def test_kept_settings_without_a_word_on_inputs_mean_alone():
    assert Capture().inputs == "alone"
    with pytest.raises(BadInput, match="not both"):
        Capture(mixed=True, half=True)
