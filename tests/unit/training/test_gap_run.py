"""Fitting functions of bits: what is measured, resuming, joining, the record in the store."""

import dataclasses
import json

import jax
import numpy as np
import pytest

from foretell.core.question import Question
from foretell.plain.errors import BadInput
from foretell.protocols._asking import Request
from foretell.protocols._running import Asked, fleets, measure, stored
from foretell.protocols.gap import Gap
from foretell.tasks.lookup import find_task
from foretell.training import regression
from foretell.training.gap_plan import GapMember, GapPlan
from foretell.training.gap_run import GapRun, RegressionFleet
from foretell.training.loops import OneByOne, Together
from foretell.training.record import GapRecord
from foretell.training.stopping import Interrupted
from foretell.training.store import Store

TASK = find_task("boolean:degree=1,sparsity=2,T=4")


def small_plan(count=2, steps=40, **settings):
    request = Request(what="boolean:degree=1,sparsity=2,T=4")
    return GapPlan(
        architecture=Gap.architecture(request, TASK),
        members=tuple(GapMember(seed, 3e-3, TASK) for seed in range(count)),
        steps=steps,
        **{
            "samples": 64,
            "validation": 128,
            "check_every": 20,
            "segment": 10,
            "threshold": 0.02,
            "draws": 4,
            "batch": 32,
        }
        | settings,
    )


def run(plan, folder, **settings):
    return GapRun((plan,), folder, lambda progress: None, **settings).execute()[0]


def test_what_is_measured_is_what_it_says(tmp_path):
    plan = small_plan(count=1, steps=300, check_every=100)
    record, weights = run(plan, tmp_path)
    (member,) = record.members
    assert member.status == "fitted"
    assert member.train < 0.02
    model = RegressionFleet(plan).shapes().model
    rebuilt = jax.tree.unflatten(
        jax.tree.structure(model),
        [weights[f"seed-0.{name}"] for name in _names(model)],
    )
    data = regression.draw_data(plan, plan.members[0])
    for sample, told in ((data.train, member.train), (data.fresh, member.validation)):
        found = regression.readout.apply(rebuilt, jax.numpy.asarray(sample.inputs))
        expected = TASK.function(np.asarray(sample.inputs))
        assert np.mean((found - expected) ** 2) == pytest.approx(told, rel=1e-4)
    assert member.gap == member.validation - member.train
    total = sum(float(np.square(leaf).sum()) for leaf in weights.values())
    assert member.squared_norm == pytest.approx(total, rel=1e-4)
    assert member.trace > 0 and member.trace_error >= 0 and member.sub_gaussian > 0


def _names(model):
    from foretell.training.checkpoint import named_leaves

    return named_leaves(model)


def test_both_loops_fit_alike():
    plan = small_plan(steps=20)
    fleet = RegressionFleet(plan, Together())
    states = fleet.advance(fleet.advance(fleet.start()))
    losses = [loss for _, loss in fleet.standing(states)]
    other = RegressionFleet(plan, OneByOne())
    expected = other.standing(other.advance(other.advance(other.start())))
    assert np.allclose(losses, [loss for _, loss in expected], rtol=1e-4)


def test_a_run_that_was_stopped_ends_like_one_that_was_not(tmp_path):
    plan = small_plan(steps=60)
    whole, _ = run(plan, tmp_path / "whole")
    with pytest.raises(Interrupted):
        run(plan, tmp_path / "cut", seconds=0.0)
    again, _ = run(plan, tmp_path / "cut")
    assert [dataclasses.asdict(m) for m in again.members] == [
        dataclasses.asdict(m) for m in whole.members
    ]


@pytest.mark.slow
def test_functions_train_together_and_are_read_apart(tmp_path):
    texts = ("degree=1,sparsity=1,T=4", "degree=2,sparsity=1,T=4")
    protocol = Gap(steps=40, check_every=20, learning_rate=3e-3)
    asked = []
    for text in texts:
        request = Request(what=f"boolean:{text}", budget="smoke", samples=64)
        asked.append(Asked(request.question(), protocol, (0, 1)))
    assert len(fleets(asked)) == 1
    plans = [each.plan for each in asked]
    found = GapRun(plans, tmp_path, lambda progress: None).execute()
    alone, _ = run(plans[1], tmp_path / "alone")
    assert [m.seed for m in found[0][0].members] == [0, 1]
    assert [m.train for m in found[1][0].members] == pytest.approx(
        [m.train for m in alone.members], rel=1e-4
    )


def test_the_store_gives_the_record_back(tmp_path):
    request = Request(what="boolean:degree=1,sparsity=2,T=4", budget="smoke", samples=64, seeds=2)
    question, protocol = request.question(), request.build_protocol()
    first = measure(question, protocol, request.seed_list(), Store.at(tmp_path))
    again = stored(Asked(question, protocol, request.seed_list()), Store.at(tmp_path))
    assert again.as_json() == first.as_json()
    assert json.dumps(again.as_json())
    runs, problems = Store.at(tmp_path).runs()
    assert isinstance(runs[0].record, GapRecord) and not problems
    assert {value.probe for value in first.values} >= {"gap", "Hessian trace", "squared norm"}


def test_what_cannot_be_fitted_is_refused():
    for settings in ({"threshold": 0.0}, {"dropout": 1.0}, {"samples": 0}, {"steps": 45}):
        with pytest.raises(BadInput):
            small_plan(**settings)
    other = find_task("boolean:parity,T=5")
    with pytest.raises(BadInput, match="equally many bits"):
        dataclasses.replace(
            small_plan(), members=(*small_plan().members, GapMember(5, 1e-3, other))
        )
    request = Request(what="majority", protocol="gap")
    with pytest.raises(BadInput, match="functions of bits"):
        request.question()
    with pytest.raises(BadInput, match="length questions"):
        length = Request(what="boolean:parity,T=4", protocol="gap").question()
        Request(what="sort").build_protocol().plan(
            Question(length.task, length.architecture, length.outcome), (0,)
        )
