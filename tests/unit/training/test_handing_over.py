"""Of plans that train together, those that are done do not wait for the others."""

import dataclasses

import jax
import numpy as np
import pytest
from tests_plan import small_plan

from foretell.plain.errors import MachineProblem
from foretell.training import fleet, loops, sequence_run
from foretell.training.engine import Interrupted
from foretell.training.sequence_run import SequenceRun


def two_plans():
    first = small_plan(count=2, steps=60)
    others = tuple(dataclasses.replace(member, seed=member.seed + 7) for member in first.members)
    return first, dataclasses.replace(first, members=others)


@pytest.fixture
def nothing_waits(monkeypatch):
    monkeypatch.setattr(sequence_run, "WAIT_SECONDS", 0.0)


def run(folder, plans, deliver=None, show=lambda progress: None, handed=()):
    folder.mkdir(exist_ok=True)
    made = SequenceRun(plans, folder, show)
    made.handed, made.deliver = set(handed), deliver
    return made


@pytest.mark.parametrize("loop", [loops.OneByOne, loops.Together])
def test_a_plan_that_is_done_is_delivered_before_the_others_end(
    tmp_path, only_seeds_below_seven_fit, nothing_waits, monkeypatch, loop
):
    monkeypatch.setattr(fleet, "loop_for_device", loop)
    plans, steps, found = two_plans(), [], {}
    whole = run(tmp_path / "whole", plans).execute()

    def deliver(at, *results):
        found[at] = (steps[-1], *results)

    made = run(tmp_path / "parts", plans, deliver, lambda now: steps.append(now.step))
    (rest,) = made.execute()
    assert made.handed == {0} == found.keys()
    step, record, weights = found[0]
    assert step == 20 < steps[-1] == 60  # the others went on
    assert record.members == whole[0][0].members
    assert record.scores == whole[0][0].scores
    assert record.baselines == whole[0][0].baselines
    assert rest[0].scores == whole[1][0].scores
    for ours, theirs in ((weights, whole[0][1]), (rest[1], whole[1][1])):
        assert all((ours[name] == theirs[name]).all() for name in theirs)


def test_plans_wait_where_it_does_not_take_long(tmp_path, only_seeds_below_seven_fit):
    made = run(tmp_path, two_plans(), deliver=lambda *results: pytest.fail("it could wait"))
    assert len(made.execute()) == 2


def test_a_stop_while_testing_loses_nothing(
    tmp_path, only_seeds_below_seven_fit, nothing_waits, monkeypatch
):
    plans, found = two_plans(), []
    whole = run(tmp_path / "whole", plans).execute()

    def stop(self, flag):
        raise Interrupted(self.done)

    with monkeypatch.context() as now:
        now.setattr(SequenceRun, "stop_if_asked", stop)
        with pytest.raises(Interrupted):
            run(tmp_path / "parts", plans, lambda *results: found.append(results)).execute()
    assert not found
    steps = []
    again = run(
        tmp_path / "parts",
        plans,
        lambda *results: found.append(results),
        lambda now: steps.append(now.step),
    )
    (rest,) = again.execute()
    assert steps[0] > 20  # it went on where it was
    assert [at for at, *_ in found] == [0]
    assert [check["step"] for check in rest[0].history] == [20, 40, 60]
    np.testing.assert_equal(rest[0].scores, whole[1][0].scores)


def test_what_somebody_has_is_not_made_again(tmp_path, only_seeds_below_seven_fit, nothing_waits):
    made = run(tmp_path, two_plans(), lambda *results: pytest.fail("made again"), handed={0})
    assert len(made.execute()) == 1


def test_a_device_that_contradicts_itself_is_not_believed(tmp_path, monkeypatch):
    """A test of the samples of the last check must come out as that did."""
    plan, usual = small_plan(count=2, steps=60), fleet.SequenceFleet.check

    def check(self, states, last):
        states, scores = usual(self, states, last)
        return states, [scores[0], scores[1] + 0.5]  # what was right then is not right any more

    with monkeypatch.context() as now:
        now.setattr(fleet.SequenceFleet, "check", check)
        with pytest.raises(MachineProblem, match="cannot be trusted") as refused:
            run(tmp_path, (plan,)).execute()
    assert f"seed {plan.members[1].seed}" in str(refused.value)


def test_weights_that_training_cannot_give_are_refused(tmp_path, monkeypatch):
    plan, usual = small_plan(count=2, steps=20), fleet.SequenceFleet.members

    def members(self, states):
        found = usual(self, states)
        broken = jax.tree.map(lambda leaf: leaf * np.nan, found[0].model)
        return [found[0]._replace(model=broken), *found[1:]]

    made = run(tmp_path, (plan,))
    monkeypatch.setattr(fleet.SequenceFleet, "members", members)
    with pytest.raises(MachineProblem, match="no numbers"):
        made.execute()
