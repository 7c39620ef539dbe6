"""A fleet of one, batched or not, follows the curve of a plain loop over steps."""

import jax
import numpy as np
import pytest
from tests_plan import small_plan

from foretell.training import member
from foretell.training.fleet import SequenceFleet
from foretell.training.loops import OneByOne, Together


def plain_losses(plan):
    """Step by step in Python, no fleet, no segments."""
    data = SequenceFleet(plan, OneByOne()).data[0]
    state = member.create(plan, *tokens_and_labels(plan), data)
    room = member.room_for(plan)
    step = jax.jit(
        lambda now: member.step(plan, data, now, member.draw_batch(plan, room, data, now.step))
    )
    losses = []
    for _ in range(plan.steps):
        state, loss = step(state)
        losses.append(float(loss))
    return np.array(losses), state


def tokens_and_labels(plan):
    task = plan.members[0].task
    return task.alphabet.size, len(task.labels)


@pytest.mark.parametrize(
    ("loop", "task"),
    [
        (OneByOne, "tomita-7"),
        pytest.param(Together, "binary-majority", marks=pytest.mark.slow),
    ],
)
def test_a_fleet_of_one_is_the_unbatched_loop(loop, task):
    plan = small_plan(count=1, task=task, steps=30)
    expected, last = plain_losses(plan)
    fleet = SequenceFleet(plan, loop())
    states, means = fleet.start(), []
    for _ in range(plan.steps // plan.segment):
        states = fleet.advance(states)
        means.append(fleet.standing(states)[0][1])
    assert np.allclose(means, expected.reshape(-1, plan.segment).mean(axis=1), rtol=2e-5)
    (found,) = fleet.members(states)
    for ours, theirs in zip(jax.tree.leaves(found.model), jax.tree.leaves(last.model), strict=True):
        assert np.allclose(ours, theirs, atol=2e-5)
