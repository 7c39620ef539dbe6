"""Many models of one shape, trained as one program.

Written for one member, mapped once, here. On an accelerator the members are one batched program
(`vmap`): small models alone leave it idle. On a CPU they run one after the other, a thread a
core, through one compiled function: batching buys nothing there and spills the caches, and a
member that has stopped costs nothing at all.
"""

from __future__ import annotations

import abc
import copy
import os
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cached_property, partial
from typing import Any, ClassVar

import jax
import jax.numpy as jnp
import numpy as np

from foretell.training import evaluation, member
from foretell.training.evaluation import TrialSizes
from foretell.training.member import FITTED, RUNNING, MemberData, MemberState
from foretell.training.networks import build_network
from foretell.training.plan import Plan, Trial

Tree = Any  # a pytree of arrays


class MemberLoop(abc.ABC):
    """How a function of one member becomes a function of all of them."""

    batched: ClassVar[bool]  # one program for all: who has stopped costs as much as who runs

    @abc.abstractmethod
    def compile(self, function: Callable[..., Tree], donate: int | None = None) -> Callable:
        """A function from lists of per-member arguments to a list of results."""

    @abc.abstractmethod
    def spread(self, trees: list[Tree]) -> Tree:
        """Hand over one tree a member."""

    @abc.abstractmethod
    def gather(self, spread: Tree) -> list[Tree]:
        """Back to one tree a member."""

    @abc.abstractmethod
    def pick(self, spread: Tree, part: Callable[[Tree], Tree]) -> Tree:
        """A part of what was spread, without moving the rest."""

    @abc.abstractmethod
    def keep(self, spread: Tree, places: Sequence[int]) -> Tree:
        """Only the members at these places."""


class OneByOne(MemberLoop):
    """Members in turn on a pool of threads: the loop for CPUs."""

    batched = False

    def __init__(self) -> None:
        allowed = getattr(os, "sched_getaffinity", None)  # not on every system
        self.pool = ThreadPoolExecutor(len(allowed(0)) if allowed else os.cpu_count())

    def compile(self, function: Callable[..., Tree], donate: int | None = None) -> Callable:
        """One compilation serves every member; without the lock each thread would make its own."""
        traced = jax.jit(function, donate_argnums=() if donate is None else (donate,))
        lock = threading.Lock()
        programs: list[Callable] = []

        def call(*arguments: Tree) -> Tree:
            with lock:
                if not programs:
                    programs.append(traced.lower(*arguments).compile())
            return jax.block_until_ready(programs[0](*arguments))

        return lambda *lists: list(self.pool.map(call, *lists))

    def spread(self, trees: list[Tree]) -> list[Tree]:
        """Already one a member."""
        return trees

    def gather(self, spread: list[Tree]) -> list[Tree]:
        """Already one a member."""
        return spread

    def pick(self, spread: list[Tree], part: Callable[[Tree], Tree]) -> list[Tree]:
        """From each member."""
        return [part(tree) for tree in spread]

    def keep(self, spread: list[Tree], places: Sequence[int]) -> list[Tree]:
        """A shorter list."""
        return [spread[place] for place in places]


class Together(MemberLoop):
    """All members as one batched program: the loop for accelerators."""

    batched = True

    def compile(self, function: Callable[..., Tree], donate: int | None = None) -> Callable:
        """Map over the leading axis."""
        mapped = jax.vmap(function)
        return jax.jit(mapped, donate_argnums=() if donate is None else (donate,))

    def spread(self, trees: list[Tree]) -> Tree:
        """Stack along a new leading member axis."""
        return jax.tree.map(lambda *leaves: jnp.stack(leaves), *trees)

    def gather(self, spread: Tree) -> list[Tree]:
        """Cut along the member axis."""
        count = jax.tree.leaves(spread)[0].shape[0]
        host = jax.device_get(spread)
        return [jax.tree.map(lambda leaf, i=i: leaf[i], host) for i in range(count)]

    def pick(self, spread: Tree, part: Callable[[Tree], Tree]) -> Tree:
        """From the stacked tree."""
        return part(spread)

    def keep(self, spread: Tree, places: Sequence[int]) -> Tree:
        """A shorter leading axis."""
        index = jnp.asarray(places)
        return jax.tree.map(lambda leaf: leaf[index], spread)


def loop_for_device() -> MemberLoop:
    """The faster loop on this machine."""
    return OneByOne() if jax.default_backend() == "cpu" else Together()


class Fleet:
    """A plan with its compiled functions. States go in and come out; nothing is kept.

    `keep` gives a fleet of fewer members with the same functions: where all members are one
    batched program, one that has stopped would cost as much as one that runs.
    """

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
        for each, tables, sizes in zip(
            self.plan.members, self.tables, self._sizes(self.plan.train, None), strict=True
        ):
            seed, rate = jnp.int32(each.seed), jnp.float32(each.learning_rate)
            labels = jnp.int32(len(each.task.labels))
            members.append(MemberData(seed, rate, *sizes, labels, tables))
        return members

    def _sizes(self, wanted: Any, probe: str | None) -> list[TrialSizes]:
        legal = [each.task.sizes(wanted.low, wanted.high, probe) for each in self.plan.members]
        ranges = (self.plan.train, *(trial.sizes for trial in self.plan.trials))
        longest = max(each.high - each.low + 1 for each in ranges)  # one shape for all of them
        return [
            TrialSizes(jnp.asarray([*own, *[1] * (longest - len(own))]), jnp.int32(len(own)))
            for own in legal
        ]

    @cached_property
    def _create(self) -> Callable:
        return self.loop.compile(partial(member.create, self.plan, self.tokens, self.labels))

    @cached_property
    def _segment(self) -> Callable:
        return self.loop.compile(partial(member.segment, self.plan), donate=1)

    def shapes(self) -> MemberState:
        """One member's arrays as shapes, without computing anything."""
        create = partial(member.create, self.plan, self.tokens, self.labels)
        return jax.eval_shape(create, self._member_data()[0])

    def start(self) -> Tree:
        """Fresh members, decided by their seeds."""
        return self._create(self.data)

    def built(self) -> Tree:
        """The plan's own network as every member: they differ in what they are tested on."""
        model = build_network(self.plan)
        state = MemberState(model, (), jnp.int32(0), jnp.int32(FITTED), jnp.float32(jnp.nan))
        return self.loop.spread([state] * len(self.plan.members))

    def advance(self, states: Tree) -> Tree:
        """One segment of steps. The given states are used up."""
        return self._segment(self.data, states)

    def samples(self, trial: Trial) -> Tree:
        """The fixed samples of a trial for every member."""
        task = self.plan.members[0].task
        width = task.width(self._largest(trial))
        kind = (trial.probe, evaluation.samples_drawn(self.plan, trial, width), width)
        if kind not in self._drawers:
            draw = partial(evaluation.draw_trial, self.plan, *kind)
            self._drawers[kind] = self.loop.compile(draw)
        low, high = jnp.int32(trial.sizes.low), jnp.int32(trial.sizes.high)
        place = evaluation.Place(low, high, jnp.bool_(trial.shifted))
        sizes = self.loop.spread(self._sizes(trial.sizes, trial.probe))
        seeds = self.loop.spread([jnp.int32(each.seed) for each in self.plan.members])
        places = self.loop.spread([place] * len(self.plan.members))
        drawn = self._drawers[kind](places, seeds, sizes, self.loop.spread(self.tables))
        own = task.width(self._scored_size(trial))
        return self.loop.pick(drawn, lambda samples: evaluation.cut(samples, own))

    def _largest(self, trial: Trial) -> int:
        """The largest size of all tests, so that one program draws them; the first has its own."""
        tests = self.plan.trials[trial != self.plan.trials[0] :]
        return max(each.sizes.high for each in tests)

    def _scored_size(self, trial: Trial) -> int:
        """The size to score at: where all members are one program, compiling costs more than
        padding, and all longer tests share one; otherwise each has its own."""
        return self._largest(trial) if self.loop.batched else trial.sizes.high

    def score(self, states: Tree, trial: Trial, samples: Tree) -> list[evaluation.Right]:
        """Which samples each member gets right. One compilation a width, whatever the probe."""
        task, size = self.plan.members[0].task, self._scored_size(trial)
        piece = evaluation.piece_size(self.plan, trial, task.width(self._largest(trial)))
        place = (size, piece, trial.count)
        if place not in self._scorers:
            self._scorers[place] = self.loop.compile(
                lambda data, state, drawn: evaluation.score(
                    data.label_count, state.model, drawn, task.scored(size), piece
                )
            )
        right = self.loop.gather(self._scorers[place](self.data, states, samples))
        return [jax.tree.map(lambda own: np.asarray(own)[: trial.count], each) for each in right]

    def keep(self, places: Sequence[int]) -> Fleet:
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
        right = self.score(states, self.plan.trials[0], self.in_range)
        scores = [float(each.everywhere.mean()) for each in right]
        counts = last or not self.plan.to_the_end
        perfect = self.loop.spread([jnp.bool_(counts and score == 1.0) for score in scores])
        return self._mark(states, perfect), scores

    @cached_property
    def _mark(self) -> Callable:
        def mark(state: MemberState, perfect: Any) -> MemberState:
            done = jnp.where(perfect & (state.status == RUNNING), FITTED, state.status)
            return state._replace(status=done)

        return self.loop.compile(mark, donate=0)

    def standing(self, states: Tree) -> list[tuple[int, float]]:
        """Status and loss of every member; cheap, the weights stay where they are."""
        found = self.loop.gather(self.loop.pick(states, lambda state: (state.status, state.loss)))
        return [(int(status), float(loss)) for status, loss in found]

    def members(self, states: Tree) -> list[MemberState]:
        """One state a member, on the host side of the mapping."""
        return self.loop.gather(states)
