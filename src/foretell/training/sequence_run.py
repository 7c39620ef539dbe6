"""Run plans of models that read sequences: train, then test every probe on every range."""

from __future__ import annotations

import itertools
import threading
from collections.abc import Sequence
from typing import final

import numpy as np

from foretell.core.task import Example
from foretell.training.checkpoint import named_arrays
from foretell.training.engine import STATUS, Run
from foretell.training.evaluation import guess_from_current_token
from foretell.training.fleet import SequenceFleet
from foretell.training.loops import Tree
from foretell.training.member import MemberState, own_rows
from foretell.training.plan import Plan, join
from foretell.training.record import Baseline, MemberRecord, Record, Score, by_size


@final
class SequenceRun(Run):
    """Training on sequences, or a network that a plan brings along; then the tests."""

    plan: Plan
    whole: SequenceFleet

    @staticmethod
    def join(parts: Sequence[Plan]) -> Plan:
        """One plan with the members and tests of all."""
        return join(parts)

    @staticmethod
    def fleet_of(plan: Plan) -> SequenceFleet:
        """The fleet that trains the plan."""
        return SequenceFleet(plan)

    def _train(self, stop: threading.Event) -> Tree:
        return self.whole.built() if self.plan.network else super()._train(stop)

    def finish(
        self, states: Tree, stop: threading.Event
    ) -> list[tuple[Record, dict[str, np.ndarray]]]:
        """Scores by probe, range and size."""
        scores, baselines = self._test(states, stop)
        self.count_seconds()
        members = self.whole.members(states)
        found, first = [], 0
        for part in self.parts:
            own = slice(first, first + len(part.members))
            found.append(
                (
                    self._record(part, own, members[own], scores[own], baselines[first]),
                    self._weights(part, members[own]),
                )
            )
            first = own.stop
        return found

    def _record(
        self,
        part: Plan,
        own: slice,
        states: list[MemberState],
        scores: list[list[Score]],
        baselines: list[Baseline],
    ) -> Record:
        asked = {
            (label, t.sizes.low, t.sizes.high)
            for t in part.trials
            for label in (t.label, t.last_label)
        }
        members = tuple(
            MemberRecord(
                each.seed,
                each.learning_rate,
                STATUS[int(state.status)],
                int(state.step),
                float(state.loss) if np.isfinite(state.loss) else None,
            )
            for each, state in zip(part.members, states, strict=True)
        )
        return Record(
            members,
            tuple(s for each in scores for s in each if (s.probe, s.low, s.high) in asked),
            tuple(found for found in baselines if found[:3] in asked),
            tuple(
                {
                    "step": check["step"],
                    "loss": check["loss"][own],
                    "in_range": check["in_range"][own],
                }
                for check in self.history
                if any(check["step"] <= int(state.step) for state in states)
            ),
            self.seconds,
        )

    def _weights(self, part: Plan, states: list[MemberState]) -> dict[str, np.ndarray]:
        if part.network:
            return named_arrays(states[0].model)
        return {
            f"seed-{each.seed}.{name}": array
            for each, state in zip(part.members, states, strict=True)
            for name, array in named_arrays(own_rows(state.model, each.task)).items()
        }

    def _test(
        self, states: Tree, stop: threading.Event
    ) -> tuple[list[list[Score]], list[list[Baseline]]]:
        """Scores and baselines of every member, trial by trial."""
        self.fleet, self.active = self.whole, list(range(len(self.plan.members)))
        count = len(self.plan.members)
        scores: list[list[Score]] = [[] for _ in range(count)]
        baselines: list[list[Baseline]] = [[] for _ in range(count)]
        seen = self._examples(self.whole.in_range)
        for index, trial in enumerate(self.plan.trials):
            samples = self.whole.in_range if index == 0 else self.whole.samples(trial)
            rights = self.whole.score(states, trial, samples)
            drawn = self.whole.loop.gather(samples)
            place = (trial.label, trial.sizes.low, trial.sizes.high)
            for at, each in enumerate(self.plan.members):
                if not each.task.sizes(trial.sizes.low, trial.sizes.high, trial.probe):
                    continue
                sizes = np.asarray(drawn[at].sizes)[: trial.count]
                scores[at] += by_size(each.seed, place, sizes, np.asarray(rights[at].everywhere))
                if each.task.last_apart:
                    apart = (trial.last_label, *place[1:])
                    scores[at] += by_size(each.seed, apart, sizes, np.asarray(rights[at].last))
                if at in self._firsts:
                    guessed = guess_from_current_token(seen[at], drawn[at].example)
                    baselines[at].append((*place, float(guessed.mean())))
            self.report(states, f"testing {trial.label} {trial.sizes}")
            self.stop_if_asked(stop)
        return scores, baselines

    @property
    def _firsts(self) -> set[int]:
        """The first member of each part: baselines belong to the task, one sample is enough."""
        ends = itertools.accumulate((len(part.members) for part in self.parts), initial=0)
        return set(ends)

    def _examples(self, samples: Tree) -> list[Example]:
        return [drawn.example for drawn in self.whole.loop.gather(samples)]
