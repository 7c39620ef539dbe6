"""One stage of a measurement of capture: a run of one fleet that begins with given weights."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NamedTuple, final

import jax
import jax.numpy as jnp

from foretell.tasks.graphs import GraphTask
from foretell.training.accumulating import bytes_of_row, pieces_for
from foretell.training.asking_symbols import shares_by_symbol
from foretell.training.capture_plan import Stage
from foretell.training.constant_answers import constant_shares
from foretell.training.engine import STATUS, Progress, Run
from foretell.training.fleet import Fleet, SequenceFleet
from foretell.training.loops import Tree
from foretell.training.member import MemberState, optimiser
from foretell.training.plan import Plan, join
from foretell.training.point_member import PointFleet
from foretell.training.record import AdaptedMember

Models = dict[tuple[str, int], Any]  # by arm and seed


class Shown(NamedTuple):
    """What a stage showed, and the weights it ended with."""

    members: tuple[AdaptedMember, ...]
    checks: tuple[dict[str, Any], ...]
    models: Models


@final
class StageRun(Run):
    """The run of one stage: given weights, a look before the first step, then as any other."""

    def __init__(
        self,
        parts: Sequence[Plan],
        folder: Path,
        show: Callable[[Progress], None],
        seconds: float | None,
        models: Sequence[Any],
    ) -> None:
        super().__init__(parts, folder, show, seconds)
        self.models = models

    @staticmethod
    def join(parts: Sequence[Plan]) -> Plan:
        """One plan with the members of all arms."""
        return join(parts)

    @staticmethod
    def fleet_of(plan: Plan) -> Fleet:
        """Sequences, or points of graphs."""
        return fleet_for(plan)

    def _start(self) -> Tree:
        """The given weights with a fresh optimiser."""
        begin = optimiser(self.plan).init
        states = [
            MemberState(model, begin(model), jnp.int32(0), jnp.int32(0), jnp.float32(0))
            for model in self.models
        ]
        # Copies: what is handed over is used up, and arms begin with the same weights.
        return self.fleet.loop.spread([jax.tree.map(jnp.array, state) for state in states])

    def _begin(self, states: Tree) -> Tree:
        """Who is right already needs no samples at all."""
        return states if self.history else self.check(states)

    def finish(self, states: Tree, stop: threading.Event) -> list[tuple[Any, dict[str, Any]]]:
        """The final states; what the checks showed is in the history."""
        del stop
        self.count_seconds()
        return [(self.whole.members(states), {})]


def fleet_for(plan: Plan) -> Fleet:
    """The fleet that the plan's task needs."""
    own = PointFleet if isinstance(plan.members[0].task, GraphTask) else SequenceFleet
    return own(plan)


def require_memory(parts: Sequence[Plan]) -> None:
    """Refuse a size that cannot be trained here before hours are spent on smaller ones."""
    plan = join(parts)
    task, size = plan.members[0].task, plan.train.high
    shape = (size, 1, 1)
    if not isinstance(task, GraphTask):
        shape = (task.width(size), task.scored(size), len(task.labels))
    pieces_for(plan, plan.batch, bytes_of_row(plan.architecture, *shape))


def read_stage(
    stage: Stage, places: Sequence[tuple[str, int]], run: StageRun, states: Sequence[MemberState]
) -> Shown:
    """What the checks of a stage say of each member."""
    first, last = run.history[0]["in_range"], run.history[-1]["in_range"]
    constant = constant_shares(run.whole)
    by_symbol = shares_by_symbol(run.whole, [state.model for state in states])
    members = tuple(
        AdaptedMember(
            arm=arm,
            size=stage.sizes.high,
            seed=seed,
            status=STATUS[int(state.status)],
            samples=int(state.step) * run.plan.batch,
            before=first[place],
            after=last[place],
            constant=constant[place],
            by_symbol=by_symbol[place],
        )
        for place, ((arm, seed), state) in enumerate(zip(places, states, strict=True))
    )
    names = [f"{arm}, seed {seed}" for arm, seed in places]
    checks = tuple(
        {"size": stage.sizes.high, **check, "members": names if not at else []}
        for at, check in enumerate(run.history)
    )
    models = {place: state.model for place, state in zip(places, states, strict=True)}
    return Shown(members, checks, models)
