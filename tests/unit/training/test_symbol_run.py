"""Training on templates: data, looks, resuming, the record."""

import dataclasses
import json

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from foretell.models import symbols
from foretell.plain.errors import BadInput
from foretell.protocols.unseen_symbols import question_about
from foretell.training import symbol_member
from foretell.training.loops import OneByOne, Together
from foretell.training.record import KINDS, SymbolRecord
from foretell.training.stopping import Interrupted
from foretell.training.symbol_member import Best, better
from foretell.training.symbol_plan import SymbolMember, SymbolPlan
from foretell.training.symbol_run import SymbolFleet, SymbolRun

pytestmark = pytest.mark.slow  # minutes together on two cores


def small_plan(
    kind="mlp+gram", what="aa -> 1; ab -> -1", count=2, samples=16, steps=40, **settings
):
    question = question_about(what, samples, kind, 2, 1, 8)
    return SymbolPlan(
        architecture=question.architecture,
        templates=question.task.templates,
        members=tuple(SymbolMember(seed, 1e-2, samples, samples, steps) for seed in range(count)),
        **{"check_every": 20, "tiny": 1e-3, "held_out": 20} | settings,
    )


def run(plan, folder, **settings):
    return SymbolRun((plan,), folder, lambda progress: None, **settings).execute()[0]


def test_alphabets_are_disjoint_and_labels_are_right():
    plan = small_plan()
    data = symbol_member.draw_data(plan, plan.members[0])
    blocks = [set(np.unique(part.strings)) for part in (data.train, data.validation, data.test)]
    assert blocks[0].isdisjoint(blocks[1] | blocks[2]) and blocks[1].isdisjoint(blocks[2])
    assert set(np.unique(data.seen.strings)) <= set(plan.blocks(plan.members[0]).train)
    for part in (data.train, data.seen, data.validation, data.test):
        same = part.strings[:, 0] == part.strings[:, 1]
        np.testing.assert_array_equal(part.labels, np.where(same, 1.0, -1.0))
    assert max(max(block) for block in blocks) < plan.shape.tokens == 16 + 20 + 20
    other = symbol_member.draw_data(plan, plan.members[1])
    assert not np.array_equal(other.train.strings, data.train.strings)


def test_only_training_labels_are_noisy():
    plan = small_plan(what="noise 0.5; aa -> 1; ab -> -1")
    data = symbol_member.draw_data(plan, plan.members[0])
    assert not set(np.unique(data.train.labels)) <= {-1.0, 1.0}
    for part in (data.seen, data.validation, data.test):
        assert set(np.unique(part.labels)) <= {-1.0, 1.0}


def test_the_best_look_is_kept_and_calm_is_counted_in_a_row():
    def seen(validation, calm, test):
        zero, loss = jnp.float32(0), jnp.float32(validation)
        return Best(loss, loss, jnp.float32(test), zero, zero, jnp.int32(0), zero, zero, loss, calm)

    best = seen(0.5, 0, 1.0)
    for validation, calm, test in ((0.2, 1, 0.1), (0.3, 1, 0.9), (0.2, 0, 0.7), (0.25, 1, 0.6)):
        best = better(best, seen(validation, calm, test))
    assert float(best.test) == pytest.approx(0.1)  # an equal look later does not count
    assert float(best.latest) == pytest.approx(0.25)
    assert int(best.calm) == 1
    assert float(better(best, seen(np.nan, 0, 0.0)).test) == pytest.approx(0.1)


def test_what_is_recorded_is_what_the_best_look_showed(tmp_path):
    """The last look of a run that still improves is its best: the weights must show its losses."""
    plan = small_plan(count=1, tiny=0.0)
    record, weights = run(plan, tmp_path)
    (member,) = record.members
    assert member.best_step == member.steps == 40
    assert (
        member.test
        < 0.5
        < symbol_member.create(plan, symbol_member.draw_data(plan, plan.members[0])).best.test
    )
    fleet = SymbolFleet(plan)
    structure = jax.tree.structure(fleet.shapes().model)
    model = jax.tree.unflatten(structure, map(jnp.asarray, weights.values()))
    for part, told in ((fleet.own[0].test, member.test), (fleet.own[0].seen, member.seen)):
        found = symbols.apply(model, jnp.asarray(part.strings))[:, 0]
        assert np.mean((found - part.labels) ** 2) == pytest.approx(told, rel=1e-4)


def test_a_run_stops_early_once_validation_is_tiny(tmp_path):
    plan = small_plan(count=1, steps=2_000, check_every=20, tiny=0.4, patience=2)
    record, _ = run(plan, tmp_path)
    (member,) = record.members
    assert member.status == "fitted" and member.steps < 2_000
    assert member.validation <= 0.4


@pytest.mark.slow
def test_symbolic_labels_report_wrong_answers(tmp_path):
    plan = small_plan("transformer+vo", "aS -> a", count=1)
    record, _ = run(plan, tmp_path)
    (member,) = record.members
    assert member.test * 20 == pytest.approx(round(member.test * 20))  # a share of 20 strings
    assert 0 <= member.test <= 1 and member.value_output > 0 == member.key_query


@pytest.mark.slow
def test_both_loops_train_alike():
    plan = small_plan()
    ends = []
    for loop in (OneByOne(), Together()):
        fleet = SymbolFleet(plan, loop)
        ends.append(fleet.members(fleet.advance(fleet.start())))
    for one, other in zip(*ends, strict=True):
        np.testing.assert_allclose(one.best.test, other.best.test, rtol=1e-3, atol=1e-4)
        assert int(one.step) == int(other.step) == 10


def test_batches_of_an_epoch_are_all_strings_once():
    plan = small_plan(count=1, samples=16, batch=4)
    assert plan.in_batches and not small_plan(samples=16).in_batches
    data = symbol_member.draw_data(plan, plan.members[0])
    seen = []
    state = symbol_member.create(plan, data)
    with pytest.MonkeyPatch.context() as patch:
        cost = symbol_member.cost

        def noted(model, sample, tokens):
            seen.append(np.asarray(sample.strings))
            return cost(model, sample, tokens)

        patch.setattr(symbol_member, "cost", noted)
        for _ in range(4):
            state, _ = symbol_member.step(plan, data, state)
    rows = sorted(map(tuple, np.concatenate(seen)))
    assert rows == sorted(map(tuple, np.asarray(data.train.strings)))


def test_a_run_that_was_stopped_ends_as_if_it_were_not(tmp_path):
    plan = small_plan()
    for name in ("whole", "cut"):
        (tmp_path / name).mkdir()
    whole, _ = run(plan, tmp_path / "whole")
    with pytest.raises(Interrupted):
        run(plan, tmp_path / "cut", seconds=0.0)
    resumed, _ = run(plan, tmp_path / "cut")
    assert resumed.members == whole.members
    assert len(resumed.history) == len(whole.history) == 2


def test_plans_join_and_records_read_back(tmp_path):
    first = small_plan(count=1)
    second = dataclasses.replace(first, members=(SymbolMember(7, 1e-2, 8, 8, 40),))
    joined = SymbolRun((first, second), tmp_path, lambda progress: None).execute()
    (tmp_path / "alone").mkdir()
    alone, _ = run(second, tmp_path / "alone")
    record = joined[1][0]
    assert record.members[0].test == pytest.approx(alone.members[0].test, rel=1e-5)
    lines = json.loads(json.dumps(record.lines()))
    summary = json.loads(json.dumps(record.summary()))
    assert KINDS["symbols"] is SymbolRecord
    assert SymbolRecord.read(summary, lines).members == record.members
    with pytest.raises(BadInput, match="differ only in their members"):
        SymbolRun.join((first, small_plan(held_out=30)))


def test_plans_that_make_no_sense_are_refused():
    few, many = small_plan(samples=8), small_plan(samples=16)
    with pytest.raises(BadInput, match="train apart"):
        dataclasses.replace(few, members=few.members + many.members, batch=8)
    for wrong in ({"steps": 45}, {"samples": 0}, {"tiny": -1.0}, {"patience": 0}, {"count": 0}):
        with pytest.raises(BadInput):
            small_plan(**wrong)
