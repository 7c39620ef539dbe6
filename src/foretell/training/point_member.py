"""Fleets of models that read points: graphs are drawn on the device, the error is squared."""

from __future__ import annotations

import copy
from collections.abc import Callable, Sequence
from functools import cached_property, partial
from typing import NamedTuple, final

import jax
import jax.numpy as jnp
from jaxtyping import Array, Float, Int

from foretell.models.points import PointTransformer
from foretell.numerics.keys import key_for, root_key
from foretell.tasks.graphs import GraphTask, Points
from foretell.training import member
from foretell.training.accumulating import bytes_of_row, cost_and_gradient, pieces_for
from foretell.training.evaluation import piece_size
from foretell.training.fleet import Fleet
from foretell.training.loops import MemberLoop, Tree, loop_for_device
from foretell.training.member import MemberState, guarded, optimiser
from foretell.training.packing import antithetic
from foretell.training.plan import Plan

PARTS = 3  # numbers in a row: x, y, role
CLOSE = 0.5  # answers are whole numbers: nearer than this, rounding is right


class PointData(NamedTuple):
    """What tells one member from another."""

    seed: Int[Array, "*member"]
    learning_rate: Float[Array, "*member"]


def create(plan: Plan, data: PointData) -> MemberState:
    """A fresh member, decided by its seed alone."""
    key = key_for(root_key(data.seed), "model")
    model = PointTransformer.create(plan.architecture, PARTS, key)
    zero = jnp.zeros((), jnp.int32)
    return MemberState(model, optimiser(plan).init(model), zero, zero, jnp.zeros(()))


def draw_batch(plan: Plan, step: Int[Array, ""], seed: Int[Array, ""]) -> Points:
    """The training batch of a step: sizes drawn from those of the plan."""
    key = key_for(root_key(seed), "train", step + plan.steps_before)
    largest = plan.train.high
    if plan.train.low == largest:
        return _graphs(plan).draw_graphs(key, largest, plan.batch)
    sizes = jnp.asarray(plan.training_sizes(_graphs(plan)))
    index = antithetic(key_for(key, "sizes"), plan.batch, jnp.int32(len(sizes)))
    return _graphs(plan).draw_mixed(key_for(key, "graphs"), sizes[index], largest)


def _graphs(plan: Plan) -> GraphTask:
    task = plan.members[0].task
    assert isinstance(task, GraphTask)
    return task


def loss(
    model: PointTransformer, points: Points, counted: Int[Array, ""] | None = None
) -> Float[Array, ""]:
    """Mean squared error; what could not be drawn does not count.

    Of a piece of a batch, its share of that: `counted` is how many graphs of the batch count.
    """
    known = jnp.isfinite(points.labels)
    found = model(points.rows, points.sizes)
    errors = jnp.where(known, found - jnp.where(known, points.labels, 0.0), 0.0)
    counted = jnp.sum(known) if counted is None else counted
    return jnp.sum(jnp.square(errors)) / jnp.maximum(counted, 1)


def segment(plan: Plan, data: PointData, state: MemberState) -> MemberState:
    """`plan.segment` steps of Adam, each on fresh graphs."""
    pieces = pieces_for(plan, plan.batch, bytes_of_row(plan.architecture, plan.train.high, 1, 1))

    def step(now: MemberState, _: None) -> tuple[MemberState, Float[Array, ""]]:
        points = draw_batch(plan, now.step, data.seed)
        counted = jnp.sum(jnp.isfinite(points.labels))
        cost_of = partial(loss, counted=counted)
        cost, gradient = cost_and_gradient(cost_of, now.model, points, pieces)
        updates, memory = optimiser(plan).update(gradient, now.optimiser, now.model)
        rate = member.learning_rate(plan, data.learning_rate, now.step)
        model = jax.tree.map(lambda weight, change: weight - rate * change, now.model, updates)
        return now._replace(model=model, optimiser=memory, step=now.step + 1), cost

    return guarded(lambda start: jax.lax.scan(step, start, None, length=plan.segment), state)


def accuracy(piece: int, model: PointTransformer, points: Points) -> Float[Array, ""]:
    """The share of graphs whose number is right after rounding, `piece` of them at a time."""
    count = len(points.labels)
    padded = jnp.pad(points.rows, ((0, -count % piece), (0, 0), (0, 0)))
    pieces = padded.reshape(-1, piece, *padded.shape[1:])
    found = jax.lax.map(model, pieces).ravel()[:count]
    known = jnp.isfinite(points.labels)
    right = jnp.abs(found - points.labels) < CLOSE
    return jnp.sum(right & known) / jnp.maximum(jnp.sum(known), 1)


@final
class PointFleet(Fleet):
    """Models that read points."""

    def __init__(self, plan: Plan, loop: MemberLoop | None = None) -> None:
        self.plan = plan
        self.loop = loop or loop_for_device()

    @cached_property
    def data(self) -> Tree:
        """What tells the members apart."""
        return self.loop.spread(self._member_data())

    def _member_data(self) -> list[PointData]:
        return [
            PointData(jnp.int32(each.seed), jnp.float32(each.learning_rate))
            for each in self.plan.members
        ]

    @cached_property
    def _create(self) -> Callable:
        return self.loop.compile(partial(create, self.plan))

    @cached_property
    def _segment(self) -> Callable:
        return self.loop.compile(partial(segment, self.plan), donate=1)

    @cached_property
    def _accuracy(self) -> Callable:
        trial = self.plan.trials[0]
        heads, members = self.plan.architecture.heads, len(self.plan.members)
        piece = piece_size(trial.count, heads, trial.sizes.high, members)
        return self.loop.compile(lambda state, held: accuracy(piece, state.model, held))

    @cached_property
    def held_out(self) -> Tree:
        """Graphs for the checks, drawn once."""
        size, count = self.plan.train.high, self.plan.trials[0].count

        def draw(data: PointData) -> Points:
            key = key_for(root_key(data.seed), "test", size)
            return _graphs(self.plan).draw_graphs(key, size, count)

        return self.loop.compile(draw)(self.data)

    def shapes(self) -> MemberState:
        """One member's arrays as shapes, without computing anything."""
        return jax.eval_shape(partial(create, self.plan), self._member_data()[0])

    def keep(self, places: Sequence[int]) -> PointFleet:
        """The members at these places only, sharing what is compiled."""
        smaller = copy.copy(self)
        smaller.data = self.loop.keep(self.data, places)
        smaller.held_out = self.loop.keep(self.held_out, places)
        return smaller

    def check(self, states: Tree, last: bool) -> tuple[Tree, list[float]]:
        """Share of right numbers; who has enough of them is done."""
        del last
        until = 1.0 if self.plan.until is None else self.plan.until
        found = [float(each) for each in self.loop.gather(self._accuracy(states, self.held_out))]
        return self.mark(states, [share >= until for share in found]), found
