"""Fitting a chain of thought: what is trained, what is counted as wrong, what the record keeps."""

import dataclasses
import json

import jax
import numpy as np
import pytest

from foretell.models import chained
from foretell.numerics.keys import root_key
from foretell.plain.errors import BadInput
from foretell.protocols._running import Asked, fleets
from foretell.protocols.gap import Gap, question_about
from foretell.tasks.lookup import find_task
from foretell.training import regression
from foretell.training.checkpoint import named_leaves
from foretell.training.gap_plan import GapMember
from foretell.training.gap_run import GapRun, RegressionFleet
from foretell.training.record import FittedMember, GapRecord
from foretell.training.stopping import Interrupted

CHAIN, PASS = "parity,T=4,steps", "parity,T=4"


def plan_of(text, steps=800, seeds=(0,), **settings):
    protocol = Gap(steps=steps, check_every=50, learning_rate=2e-3, **settings)
    plan = Asked(question_about(text, 64), protocol, seeds).plan
    return dataclasses.replace(plan, draws=2, validation=512)


def run(plan, folder, **settings):
    return GapRun((plan,), folder, lambda progress: None, **settings).execute()[0]


@pytest.fixture(scope="module")
def trained(tmp_path_factory):
    plan = plan_of(CHAIN, threshold=0.002, batch=64)
    record, weights = run(plan, tmp_path_factory.mktemp("chain"))
    like = RegressionFleet(plan).shapes().model
    leaves = [weights[f"seed-0.{name}"] for name in named_leaves(like)]
    return plan, record, jax.tree.unflatten(jax.tree.structure(like), leaves)


@pytest.mark.slow
def test_a_chain_of_four_bits_learns_parity(trained):
    _, record, model = trained
    (member,) = record.members
    assert (member.status, member.wrong) == ("fitted", 0.0)
    assert member.train < 0.002
    inputs = np.arange(16)[:, None] >> np.arange(4) & 1
    written = chained.run(model, jax.numpy.asarray(inputs))
    assert np.array_equal(written, np.cumsum(inputs, axis=1) % 2)


def test_what_is_measured_is_what_it_says(trained):
    plan, record, model = trained
    data, member = regression.draw_data(plan, plan.members[0]), record.members[0]
    one_pass = regression.draw_data(plan_of(PASS), plan_of(PASS).members[0])
    assert np.array_equal(data.train.inputs, one_pass.train.inputs)  # both ways the same inputs
    for sample, told in ((data.train, member.train), (data.fresh, member.validation)):
        right = np.cumsum(sample.inputs, axis=1) % 2
        assert np.array_equal(sample.values, right)
        assert np.array_equal(1 - right[:, -1], plan.members[0].task.function(sample.inputs))
        said = chained.apply(model, jax.numpy.asarray(sample.inputs), jax.numpy.asarray(right))
        assert np.mean((said - right) ** 2) == pytest.approx(told, rel=1e-4)


def half_right(text, model):
    """The fresh inputs of a plan, and a model that is wrong about some of them."""
    plan = plan_of(text)
    if text == PASS:
        model = regression.readout.create(4, root_key(3))
        model = jax.tree.map(lambda leaf: 2 * leaf, model)._replace(head_bias=np.float32(0.5))
    noise = np.random.default_rng(0)
    noisy = jax.tree.map(lambda leaf: leaf + 0.08 * noise.normal(size=leaf.shape), model)
    return regression.draw_data(plan, plan.members[0]).fresh, jax.tree.map(np.float32, noisy)


@pytest.mark.parametrize("text", [CHAIN, PASS])
def test_wrong_answers_are_counted_and_markov_holds(trained, text):
    fresh, model = half_right(text, trained[2])
    wrong, losses = jax.jit(lambda m: (regression.wrong(m, fresh), regression.losses(m, fresh)))(
        model
    )
    inputs = jax.numpy.asarray(fresh.inputs)
    if text == CHAIN:
        answers, steps = np.asarray(chained.run(model, inputs))[:, -1], 4
        right = np.asarray(fresh.inputs).sum(axis=1) % 2
    else:
        answers, steps = np.asarray(regression.readout.apply(model, inputs)) >= 0.5, 1
        right = fresh.values
    assert wrong == pytest.approx(np.mean(answers != right), abs=1e-6)
    assert 0 < wrong < 1
    assert wrong <= 4 * steps * losses.mean()  # a wrong bit is off by one half or more


def test_pieces_do_not_change_what_is_counted(trained, monkeypatch):
    fresh, model = half_right(CHAIN, trained[2])
    whole = regression.losses(model, fresh), regression.wrong(model, fresh)
    monkeypatch.setattr(regression, "PIECE", 100)  # does not divide 512
    assert np.allclose(regression.losses(model, fresh), whole[0], atol=1e-5)
    assert regression.wrong(model, fresh) == pytest.approx(float(whole[1]), abs=1e-6)


@pytest.mark.slow
def test_a_chain_that_was_stopped_ends_like_one_that_was_not(tmp_path):
    plan = plan_of(CHAIN, steps=100, seeds=(0, 1))
    whole, _ = run(plan, tmp_path / "whole")
    with pytest.raises(Interrupted):
        run(plan, tmp_path / "cut", seconds=0.0)
    again, _ = run(plan, tmp_path / "cut")
    assert again.members == whole.members


def test_only_functions_of_two_values_have_wrong_answers():
    for text, expected in ((CHAIN, True), (PASS, True), ("x1 and x2,T=4", True)):
        plan = plan_of(text)
        assert regression.two_valued(regression.draw_data(plan, plan.members[0])) == expected
    plan = plan_of("degree=1,sparsity=2,T=4")
    assert not regression.two_valued(regression.draw_data(plan, plan.members[0]))


def read_by_protocol(text, record):
    protocol = Gap(steps=50, check_every=50, learning_rate=2e-3)
    asked = question_about(text, 64)
    machine = {"versions": {}, "device": "none", "seeds": [0]}
    found = protocol.read(asked, protocol.plan(asked, (0,)), record, machine)
    return {value.probe: value for value in found.values}


def test_the_record_and_the_protocol_keep_wrong_answers_of_all_runs(trained):
    member = trained[1].members[0]
    other = dataclasses.replace(member, seed=1, status="not fitted", wrong=0.5, train=0.3)
    record = dataclasses.replace(trained[1], members=(member, other))
    lines = json.loads(json.dumps(record.lines()))
    again = GapRecord.read({"history": [], "seconds": 1.0}, lines)
    assert again.members == record.members
    values = read_by_protocol(CHAIN, again)
    wrong = values["wrong answers"]
    assert (wrong.seeds, wrong.runs, wrong.mean) == ((0.0, 0.5), (0, 1), 0.25)
    assert 0 <= wrong.interval.low <= wrong.interval.high <= 1
    assert values["gap"].runs == (0,)  # of those that fit


def test_a_record_without_wrong_answers_is_readable():
    fields = {field.name: 0.5 for field in dataclasses.fields(FittedMember)}
    line = fields | {"seed": 0, "steps": 10, "status": "fitted"}
    del line["wrong"]
    record = GapRecord.read({"history": [], "seconds": 1.0}, [line])
    assert record.members[0].wrong is None
    assert "wrong answers" not in read_by_protocol(PASS, record)


def test_ways_are_not_mixed_in_a_fleet():
    protocol = Gap(steps=50, check_every=50, learning_rate=2e-3)
    asked = [Asked(question_about(text, 64), protocol, (0,)) for text in (CHAIN, PASS)]
    assert len(fleets(asked)) == 2
    plan = plan_of(CHAIN)
    other = GapMember(1, 1e-3, find_task(f"boolean:{PASS}"))
    with pytest.raises(BadInput, match="all in steps"):
        dataclasses.replace(plan, members=(*plan.members, other))
