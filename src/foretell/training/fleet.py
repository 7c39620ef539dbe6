"""Many models of one shape, trained as one program: written for one member, mapped once, here."""

from __future__ import annotations

import abc
import copy
import dataclasses
from collections.abc import Callable, Sequence
from functools import cached_property, partial
from typing import Any, final

import jax
import jax.numpy as jnp
import numpy as np

from foretell.training import evaluation, member
from foretell.training.evaluation import TrialSizes
from foretell.training.loops import MemberLoop, Tree, loop_for_device
from foretell.training.member import FITTED, RUNNING, MemberData, MemberState
from foretell.training.networks import build_network
from foretell.training.plan import Plan, Trial

WIDE = 512


class Fleet(abc.ABC):
    """A plan with its compiled functions. States go in and come out; nothing is kept.

    `keep` gives a fleet of fewer members with the same functions: where all members are one
    batched program, one that has stopped would cost as much as one that runs.
    """

    loop: MemberLoop

    @property
    @abc.abstractmethod
    def data(self) -> Tree:
        """What tells the members apart."""

    @property
    @abc.abstractmethod
    def _create(self) -> Callable: ...

    @property
    @abc.abstractmethod
    def _segment(self) -> Callable: ...

    @abc.abstractmethod
    def shapes(self) -> MemberState:
        """One member's arrays as shapes, without computing anything."""

    @abc.abstractmethod
    def keep(self, places: Sequence[int]) -> Fleet:
        """The members at these places only, sharing what is compiled."""

    @abc.abstractmethod
    def check(self, states: Tree, last: bool) -> tuple[Tree, list[float]]:
        """How every member does in training; those that are done are fitted from now on."""

    def start(self) -> Tree:
        """Fresh members, decided by their seeds."""
        return self._create(self.data)

    def advance(self, states: Tree) -> Tree:
        """One segment of steps. The given states are used up."""
        return self._segment(self.data, states)

    def mark(self, states: Tree, done: Sequence[bool]) -> Tree:
        """Those that are done, and still run, are fitted."""
        return self._mark(states, self.loop.spread([jnp.bool_(each) for each in done]))

    @cached_property
    def _mark(self) -> Callable:
        def mark(state: MemberState, done: Any) -> MemberState:
            now = jnp.where(done & (state.status == RUNNING), FITTED, state.status)
            return state._replace(status=now)

        return self.loop.compile(mark, donate=0)

    def standing(self, states: Tree) -> list[tuple[int, float]]:
        """Status and loss of every member; cheap, the weights stay where they are."""
        found = self.loop.gather(self.loop.pick(states, lambda state: (state.status, state.loss)))
        return [(int(status), float(loss)) for status, loss in found]

    def members(self, states: Tree) -> list[MemberState]:
        """One state a member, on the host side of the mapping."""
        return self.loop.gather(states)


@final
class SequenceFleet(Fleet):
    """Models that read sequences drawn on the device, and answer with labels."""

    def __init__(self, plan: Plan, loop: MemberLoop | None = None) -> None:
        self.plan = plan
        self.loop = loop or loop_for_device()
        tasks = tuple(each.task for each in plan.members)
        self.tokens = max(task.alphabet.size for task in tasks)
        self.labels = max(len(task.labels) for task in tasks)
        tables = type(tasks[0]).stack(tasks)
        self._scorers: dict[tuple[int, int, int], Callable] = {}
        self._drawers: dict[tuple[str, int, int], Callable] = {}
        self.tables = [jax.tree.map(lambda leaf, i=i: leaf[i], tables) for i in range(len(tasks))]

    @cached_property
    def data(self) -> Tree:
        """What tells the members apart."""
        return self.loop.spread(self._member_data())

    def _member_data(self) -> list[MemberData]:
        members = []
        plan = self.plan
        drawn = self._padded([plan.training_sizes(each.task) for each in plan.members])
        for each, tables, sizes in zip(plan.members, self.tables, drawn, strict=True):
            seed, rate = jnp.int32(each.seed), jnp.float32(each.learning_rate)
            labels = jnp.int32(len(each.task.labels))
            members.append(MemberData(seed, rate, *sizes, labels, tables))
        return members

    def _padded(self, sizes: Sequence[tuple[int, ...]]) -> list[TrialSizes]:
        """Sizes of every member in one shape: that of all tests, if it is long enough."""
        ranges = (self.plan.train, *(trial.sizes for trial in self.plan.trials))
        longest = max(each.high - each.low + 1 for each in ranges)
        longest = max(longest, *map(len, sizes))
        return [
            TrialSizes(jnp.asarray([*own, *[1] * (longest - len(own))]), jnp.int32(len(own)))
            for own in sizes
        ]

    @cached_property
    def _create(self) -> Callable:
        return self.loop.compile(partial(member.create, self.plan, self.tokens, self.labels))

    @cached_property
    def _segment(self) -> Callable:
        # else it may end after a few steps; and products of wide models are cuBLAS's own
        lasting = self.plan.until is None and self.plan.architecture.width < WIDE
        return self.loop.compile(partial(member.segment, self.plan), donate=1, lasting=lasting)

    def shapes(self) -> MemberState:
        """One member's arrays as shapes, without computing anything."""
        create = partial(member.create, self.plan, self.tokens, self.labels)
        return jax.eval_shape(create, self._member_data()[0])

    def built(self) -> Tree:
        """The plan's own network as every member: they differ in what they are tested on."""
        model = build_network(self.plan)
        state = MemberState(model, (), jnp.int32(0), jnp.int32(FITTED), jnp.float32(jnp.nan))
        return self.loop.spread([state] * len(self.plan.members))

    def samples(self, trial: Trial) -> Tree:
        """The fixed samples of a trial for every member."""
        task = self.plan.members[0].task
        width = task.width(self._largest(trial))
        piece = self._piece(trial)
        kind = (trial.probe, -(-trial.count // piece) * piece, width)  # whole pieces
        if kind not in self._drawers:
            draw = partial(evaluation.draw_trial, self.plan, *kind)
            self._drawers[kind] = self.loop.compile(draw)
        low, high = jnp.int32(trial.sizes.low), jnp.int32(trial.sizes.high)
        place = evaluation.Place(low, high, jnp.bool_(trial.shifted))
        asked = (trial.sizes.low, trial.sizes.high, trial.probe)
        legal = [each.task.sizes(*asked) for each in self.plan.members]
        sizes = self.loop.spread(self._padded(legal))
        seeds = self.loop.spread([jnp.int32(each.seed) for each in self.plan.members])
        places = self.loop.spread([place] * len(self.plan.members))
        drawn = self._drawers[kind](places, seeds, sizes, self.loop.spread(self.tables))
        own = task.width(self._scored_size(trial))
        return self.loop.pick(drawn, lambda samples: evaluation.cut(samples, own))

    def _largest(self, trial: Trial) -> int:
        """The size to draw at: one program draws all tests, and none as long as the first alone."""
        tests = self.plan.trials[trial != self.plan.trials[0] :]
        return max(each.sizes.high for each in tests)

    def _scored_size(self, trial: Trial) -> int:
        """The size to score at: its own. Where all members are one program, tests less than half as
        long as the longest begin a new one, and so on: compiling costs more than some padding."""
        size = trial.sizes.high
        if not self.loop.batched:
            return size
        tests = self.plan.trials[trial != self.plan.trials[0] :]  # as they are drawn
        sizes = sorted({each.sizes.high for each in tests}, reverse=True)
        shared = sizes[0]
        for each in sizes[: sizes.index(size) + 1]:
            if 2 * each <= shared:
                shared = each
        return shared

    def _piece(self, trial: Trial) -> int:
        """Examples in one forward pass."""
        task, size = self.plan.members[0].task, self._scored_size(trial)
        logits = task.scored(size) * self.labels
        heads, members = self.plan.architecture.heads, len(self.plan.members)
        return evaluation.piece_size(trial.count, heads, task.width(size), members, logits)

    def models(self, states: Tree) -> Tree:
        """The models alone, where they are."""
        return self.loop.pick(states, lambda state: state.model)

    def score(self, models: Tree, trial: Trial, samples: Tree) -> list[evaluation.Right]:
        """Which samples each model gets right. One compilation a width, whatever the probe."""
        task, size = self.plan.members[0].task, self._scored_size(trial)
        piece = self._piece(trial)
        place = (size, piece, trial.count)
        if place not in self._scorers:
            self._scorers[place] = self.loop.compile(
                lambda data, model, drawn: evaluation.score(
                    data.label_count, model, drawn, task.scored(size), piece
                )
            )
        right = self.loop.gather(self._scorers[place](self.data, models, samples))
        return [jax.tree.map(lambda own: np.asarray(own)[: trial.count], each) for each in right]

    def among(self, places: Sequence[int]) -> SequenceFleet:
        """The members at these places only, to be tested: nothing is trained among so few."""
        fewer = self.keep(places)
        members = tuple(self.plan.members[place] for place in places)
        fewer.plan = dataclasses.replace(self.plan, members=members)
        fewer.tables = [self.tables[place] for place in places]
        return fewer

    def keep(self, places: Sequence[int]) -> SequenceFleet:
        """The members at these places only, sharing what is compiled."""
        smaller = copy.copy(self)
        smaller.data = self.loop.keep(self.data, places)
        smaller.in_range = self.loop.keep(self.in_range, places)
        return smaller

    @cached_property
    def in_range(self) -> Tree:
        """The samples of the in-range test, drawn once."""
        return self.samples(self.plan.trials[0])

    def check(self, states: Tree, last: bool) -> tuple[Tree, list[float]]:
        """In-range score of every member; those that are all right are fitted from now on."""
        right = self.score(self.models(states), self.plan.trials[0], self.in_range)
        if self.plan.until is not None:
            shares = [float(each.share.mean()) for each in right]
            return self.mark(states, [share >= self.plan.until for share in shares]), shares
        scores = [float(each.everywhere.mean()) for each in right]
        counts = last or not self.plan.to_the_end
        return self.mark(states, [counts and score == 1.0 for score in scores]), scores
