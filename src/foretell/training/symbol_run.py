"""Run plans of template tasks: train every member, keep what its best look showed."""

from __future__ import annotations

import copy
import threading
from collections.abc import Callable, Sequence
from functools import cached_property, partial
from typing import final

import jax
import numpy as np

from foretell.models import symbols
from foretell.templates.outcome import best_constant_loss
from foretell.training import symbol_member
from foretell.training.engine import STATUS, Run
from foretell.training.fleet import Fleet
from foretell.training.loops import MemberLoop, Tree, loop_for_device
from foretell.training.member import DIVERGED, FITTED, RUNNING, MemberState
from foretell.training.record import SymbolMemberRecord, SymbolRecord
from foretell.training.symbol_member import SymbolData
from foretell.training.symbol_plan import SymbolMember, SymbolPlan


@final
class SymbolFleet(Fleet):
    """Models that learn one template task, each from its own strings."""

    def __init__(self, plan: SymbolPlan, loop: MemberLoop | None = None) -> None:
        self.plan = plan
        self.loop = loop or loop_for_device()
        self.own = [symbol_member.draw_data(plan, member) for member in plan.members]
        self.constant = max(best_constant_loss(plan.templates), 1e-9)

    @cached_property
    def data(self) -> Tree:
        """What tells the members apart."""
        return self.loop.spread(self.own)

    @cached_property
    def _create(self) -> Callable:
        return self.loop.compile(partial(symbol_member.create, self.plan))

    @cached_property
    def _segment(self) -> Callable:
        return self.loop.compile(partial(symbol_member.segment, self.plan), donate=1, lasting=True)

    def shapes(self) -> MemberState:
        """One member's arrays as shapes, without computing anything."""
        return jax.eval_shape(partial(symbol_member.create, self.plan), self.own[0])

    def keep(self, places: Sequence[int]) -> SymbolFleet:
        """The members at these places only, sharing what is compiled."""
        smaller = copy.copy(self)
        smaller.own = [self.own[place] for place in places]
        smaller.data = self.loop.keep(self.data, places)
        return smaller

    def check(self, states: Tree, last: bool) -> tuple[Tree, list[float]]:
        """How much better than a constant on validation symbols; who is calm enough is done."""
        best = self.loop.gather(self.loop.pick(states, lambda state: state.best))
        done = [int(each.calm) >= self.plan.patience for each in best]
        better = [1 - float(each.latest) / self.constant for each in best]
        return self.mark(states, done), better


@final
class SymbolRun(Run):
    """Training; the looks were taken on the way."""

    plan: SymbolPlan
    whole: SymbolFleet

    @staticmethod
    def fleet_of(plan: SymbolPlan) -> SymbolFleet:
        """The fleet that trains the plan."""
        return SymbolFleet(plan)

    def finish(
        self, states: Tree, stop: threading.Event
    ) -> list[tuple[SymbolRecord, dict[str, np.ndarray]]]:
        """What the best look of every member showed."""
        self.stop_if_asked(stop)
        self.count_seconds()
        members = list(map(self._own, self.whole.own, self.whole.members(states)))
        said = list(map(self._recorded, self.plan.members, members))
        return self.share_out(members, said, SymbolRecord)

    def _own(self, data: SymbolData, state: MemberState) -> MemberState:
        """Without what only a neighbour in the fleet has."""
        tokens = int(data.tokens)
        outputs = 1 if self.plan.templates.is_real else tokens
        return state._replace(model=symbols.first_tokens(state.model, tokens, outputs))

    def _recorded(self, member: SymbolMember, state: MemberState) -> SymbolMemberRecord:
        best, calm = state.best, int(state.best.calm) >= self.plan.patience
        diverged = int(state.status) == DIVERGED
        return SymbolMemberRecord(
            seed=member.seed,
            learning_rate=member.learning_rate,
            status=STATUS[DIVERGED if diverged else FITTED if calm else RUNNING],
            steps=int(state.step),
            best_step=int(best.step),
            train=float(best.train),
            validation=float(best.validation),
            test=float(best.test),
            seen=float(best.seen),
            key_query=float(best.key_query),
            value_output=float(best.value_output),
        )
