"""A batch in pieces: the same step, and cut only where it must be."""

from __future__ import annotations

import dataclasses
from functools import partial
from unittest.mock import patch

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from foretell.core.architecture import Architecture
from foretell.core.question import SizeRange
from foretell.models.points import PointTransformer
from foretell.numerics.keys import root_key
from foretell.plain.errors import BadInput
from foretell.tasks.graphs import Points
from foretell.tasks.lookup import find_task
from foretell.training import accumulating, capture_stage, member, point_member
from foretell.training.accumulating import bytes_of_row, cost_and_gradient, pieces_for
from foretell.training.fleet import SequenceFleet
from foretell.training.plan import Member, Plan, Trial

QUICKLY = {"xla_backend_optimization_level": 0, "xla_llvm_disable_expensive_passes": True}
SHAPE = Architecture(layers=1, heads=2, width=16, positional="ape", context=30)
TASK = find_task("sorting", 12)
PLAN = Plan(
    architecture=SHAPE,
    members=(Member(0, 1e-3, TASK),),
    train=SizeRange(2, 12),
    trials=(Trial(TASK.probes[0], SizeRange(12, 12), 4),),
    steps=1,
    check_every=1,
    batch=16,
    position_penalty=0.1,
    segment=1,
)


def test_a_step_in_pieces_is_the_step():
    """Two examples to a row, unequally long, with a penalty that belongs to no row."""
    fleet = SequenceFleet(PLAN)
    (data,) = fleet.loop.gather(fleet.data)

    def ways(data):
        state = member.create(PLAN, fleet.tokens, fleet.labels, data)
        rows = member.draw_batch(PLAN, member.room_for(PLAN), data, state.step)
        assert rows.starts is not None and rows.tokens.shape[0] == 8
        whole = member.step(PLAN, data, state, rows)
        with patch.object(member, "pieces_for", lambda *_: 4):
            return whole, member.step(PLAN, data, state, rows)

    (one, cost), (other, added) = jax.jit(ways, compiler_options=QUICKLY)(data)
    np.testing.assert_allclose(added, cost, rtol=1e-6)
    for own, same in zip(*(jax.tree.leaves(each.optimiser) for each in (one, other)), strict=True):
        np.testing.assert_allclose(same, own, atol=1e-6)  # Adam's moments: the gradient itself


def test_graphs_that_could_not_be_drawn_count_in_no_piece():
    labels = jnp.array([1.0, jnp.nan, 2.0, 3.0, jnp.nan, jnp.nan])  # the last piece has none
    points = Points(jax.random.normal(root_key(1), (6, 5, 3)), labels)
    cost = partial(point_member.loss, counted=jnp.sum(jnp.isfinite(labels)))

    def ways(key):
        model = PointTransformer.create(SHAPE, 3, key)
        whole = jax.value_and_grad(point_member.loss)(model, points)
        return whole, cost_and_gradient(cost, model, points, 3)

    for own, same in zip(
        *map(jax.tree.leaves, jax.jit(ways, compiler_options=QUICKLY)(root_key(0))), strict=True
    ):
        np.testing.assert_allclose(same, own, atol=1e-6)


@pytest.mark.parametrize(
    ("fitting", "pieces"), [(1_000, 1), (8, 1), (7, 2), (4, 2), (3, 4), (1, 8), (0.6, 8)]
)
def test_as_few_equal_pieces_as_fit(fitting, pieces):
    row = 1_000_000
    with patch.object(accumulating, "device_memory", lambda: int(2 * fitting * row)):
        assert pieces_for(PLAN, 8, row) == pieces


def test_members_share_the_memory():
    many = dataclasses.replace(PLAN, members=tuple(Member(n, 1e-3, TASK) for n in range(4)))
    with (
        patch.object(accumulating, "device_memory", lambda: 16_000),
        patch.object(accumulating, "at_once", lambda members: members),
    ):
        assert pieces_for(PLAN, 8, 1_000) == 1
        assert pieces_for(many, 8, 1_000) == 4


def test_one_row_that_does_not_fit_is_refused():
    with (
        patch.object(accumulating, "device_memory", lambda: 2**30),
        pytest.raises(BadInput, match="fits into memory") as refused,
    ):
        pieces_for(PLAN, 8, 2**31)
    assert "2 GiB of 1" in str(refused.value)


def test_capture_refuses_before_it_trains():
    capture_stage.require_memory((PLAN, PLAN))
    with (
        patch.object(accumulating, "device_memory", lambda: 10_000),
        pytest.raises(BadInput, match="sizes up to 12"),
    ):
        capture_stage.require_memory((PLAN, PLAN))


def test_usual_sizes_are_one_piece_everywhere():
    """What is trained by default, on a machine with 4 GiB for each of two members."""
    usual = Architecture(layers=2, heads=4, width=64, positional="rotary", context=200)
    with patch.object(accumulating, "device_memory", lambda: 2**33):
        assert pieces_for(PLAN, 128, bytes_of_row(usual, 130, 65, 140)) == 1


def test_the_estimate_grows_with_the_length_only_where_scores_are_not_kept():
    shape = Architecture(layers=2, heads=4, width=64, positional="rotary", context=9_000)
    at = {length: bytes_of_row(shape, length, 1, 68) for length in (256, 512, 2_048, 4_096)}
    assert at[512] > 3 * at[256]
    assert at[4_096] < 2 * at[2_048]
