"""Run plans of regressions: fit every member, then measure its gap, norm and sharpness."""

from __future__ import annotations

import copy
import threading
from collections.abc import Callable, Sequence
from functools import cached_property, partial
from typing import NamedTuple, final

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float

from foretell.boolean.bounds.sub_gaussian import sub_gaussian
from foretell.numerics.curvature import hutchinson
from foretell.numerics.keys import key_for, root_key
from foretell.training import regression
from foretell.training.engine import STATUS, Run
from foretell.training.fleet import Fleet
from foretell.training.gap_plan import GapMember, GapPlan
from foretell.training.loops import MemberLoop, Tree, loop_for_device
from foretell.training.member import MemberState
from foretell.training.record import FittedMember, GapRecord
from foretell.training.regression import RegressionData, Sample

TRACED = 1_000  # training inputs behind the estimate of the Hessian's trace


class Finished(NamedTuple):
    """What is measured of one fitted member."""

    train: Float[Array, "*member"]
    fresh: Float[Array, "*member batch"]  # losses on fresh inputs
    wrong: Float[Array, "*member"]  # share of fresh inputs answered wrongly, if there is right
    squared_norm: Float[Array, "*member"]
    trace: Float[Array, "*member"]
    trace_error: Float[Array, "*member"]


@final
class RegressionFleet(Fleet):
    """Models that fit functions of bits, each on its own sample."""

    def __init__(self, plan: GapPlan, loop: MemberLoop | None = None) -> None:
        self.plan = plan
        self.loop = loop or loop_for_device()
        self.own = [regression.draw_data(plan, member) for member in plan.members]

    @cached_property
    def data(self) -> Tree:
        """What tells the members apart."""
        return self.loop.spread(self.own)

    @cached_property
    def _create(self) -> Callable:
        return self.loop.compile(partial(regression.create, self.plan))

    @cached_property
    def _segment(self) -> Callable:
        return self.loop.compile(partial(regression.segment, self.plan), donate=1, lasting=True)

    @cached_property
    def _losses(self) -> Callable:
        return self.loop.compile(
            lambda data, state: regression.losses(state.model, data.train).mean()
        )

    def shapes(self) -> MemberState:
        """One member's arrays as shapes, without computing anything."""
        return jax.eval_shape(partial(regression.create, self.plan), self.own[0])

    def keep(self, places: Sequence[int]) -> RegressionFleet:
        """The members at these places only, sharing what is compiled."""
        smaller = copy.copy(self)
        smaller.own = [self.own[place] for place in places]
        smaller.data = self.loop.keep(self.data, places)
        return smaller

    def check(self, states: Tree, last: bool) -> tuple[Tree, list[float]]:
        """Share of the variance explained; who is below the threshold is fitted from now on."""
        found = [float(loss) for loss in self.loop.gather(self._losses(self.data, states))]
        variances = [float(np.var(data.train.values)) for data in self.own]
        done = [loss < self.plan.threshold for loss in found]
        explained = [1 - loss / max(v, 1e-9) for loss, v in zip(found, variances, strict=True)]
        return self.mark(states, done), explained

    def finish(self, states: Tree) -> list[Finished]:
        """Losses, norm and trace of every member."""
        return self.loop.gather(self._finish(self.data, states))

    @cached_property
    def _finish(self) -> Callable:
        return self.loop.compile(partial(finished, self.plan))


def finished(plan: GapPlan, data: RegressionData, state: MemberState) -> Finished:
    """Measure one member."""
    model = state.model
    few = Sample(*(jnp.asarray(part)[:TRACED] for part in data.train))
    trace = hutchinson(
        regression.squared_error, model, few, key_for(root_key(data.seed), "trace"), plan.draws, 4
    )
    norm = sum(jnp.sum(jnp.square(leaf)) for leaf in jax.tree.leaves(model))
    return Finished(
        regression.losses(model, data.train).mean(),
        regression.losses(model, data.fresh),
        regression.wrong(model, data.fresh),
        jnp.asarray(norm),
        trace.value,
        trace.error,
    )


@final
class GapRun(Run):
    """Fitting, then what the bound is about."""

    plan: GapPlan
    whole: RegressionFleet

    @staticmethod
    def fleet_of(plan: GapPlan) -> RegressionFleet:
        """The fleet that fits the plan."""
        return RegressionFleet(plan)

    def finish(
        self, states: Tree, stop: threading.Event
    ) -> list[tuple[GapRecord, dict[str, np.ndarray]]]:
        """Gap, norm and sharpness of every member."""
        self.fleet, self.active = self.whole, list(range(len(self.plan.members)))
        self.report(states, "measuring the gap and the sharpness")
        measured = self.whole.finish(states)
        self.stop_if_asked(stop)
        self.count_seconds()
        members = self.whole.members(states)
        said = list(map(_fitted, self.plan.members, self.whole.own, members, measured))
        return self.share_out(members, said, GapRecord)


def _fitted(
    member: GapMember, data: RegressionData, state: MemberState, found: Finished
) -> FittedMember:
    fresh = np.asarray(found.fresh, float)
    return FittedMember(
        seed=member.seed,
        learning_rate=member.learning_rate,
        status=STATUS[int(state.status)],
        steps=int(state.step),
        train=float(found.train),
        validation=float(fresh.mean()),
        deviation=float(fresh.std() / np.sqrt(len(fresh))),
        squared_norm=float(found.squared_norm),
        trace=float(found.trace),
        trace_error=float(found.trace_error),
        sub_gaussian=float(sub_gaussian(fresh).constant),
        wrong=float(found.wrong) if regression.two_valued(data) else None,
    )
