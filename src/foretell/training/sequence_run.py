"""Run plans of models that read sequences: train, then test every probe on every range."""

from __future__ import annotations

import dataclasses
import itertools
import threading
from collections.abc import Container, Sequence
from functools import cached_property
from typing import final

import jax
import numpy as np

from foretell.plain.errors import MachineProblem
from foretell.training.checkpoint import named_arrays
from foretell.training.engine import LEAVING, STATUS, Run
from foretell.training.fleet import SequenceFleet
from foretell.training.look_back import LookBack
from foretell.training.loops import Tree
from foretell.training.member import DIVERGED, RUNNING, MemberState, own_rows
from foretell.training.plan import Plan, join
from foretell.training.record import Baseline, MemberRecord, Record, Score, by_size
from foretell.training.stopping import Interrupted

# Plans that are done are tested and handed over at a check if the others would keep them waiting
# for longer, and if they are not too few: on an accelerator everybody is tested.
WAIT_SECONDS = 60.0
# A model that has stopped gets the same samples right when it is tested as at its last check. All
# models kept so far did, to the last one (tests/house/test_kept_runs.py). Once, on an H200 shared
# under MPS, one had 77 % of what it had had right, and 17 beside it blew up in one segment
# (results/performance/contradiction-h200.json). Other kernels may round otherwise: not exactly.
SAME, FLIPS = 0.01, 2  # share of the samples, or so many


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

    def _hand_over(self, states: Tree, stop: threading.Event) -> None:
        """Test and deliver plans whose members have all stopped, where others go on for long."""
        if self.deliver is None or self.last is None or self.last.seconds_left < WAIT_SECONDS:
            return
        standing = zip(self.active, self.fleet.standing(states), strict=True)
        running = {place for place, (status, _) in standing if status == RUNNING}
        ready = [at for at in self._waiting if running.isdisjoint(self._places[at])]
        few = LEAVING * sum(len(self._places[at]) for at in ready) < len(self.plan.members)
        if not ready or (few and self.whole.loop.batched):
            return
        try:
            found = self._results(ready, self._everyone(states), None, stop)
        except Interrupted:
            self._save(states)
            raise
        for at, (record, weights) in zip(ready, found, strict=True):
            self.deliver(at, record, weights)
            self.handed.add(at)

    def finish(
        self, states: Tree, stop: threading.Event
    ) -> list[tuple[Record, dict[str, np.ndarray]]]:
        """Scores by probe, range and size, of every plan that was not handed over."""
        self.fleet, self.active = self.whole, list(range(len(self.plan.members)))
        self.report(states, "testing")
        everybody = self.whole.loop.batched or not self.handed
        models = self.whole.models(states) if everybody else None
        return self._results(self._waiting, self.whole.members(states), models, stop)

    @property
    def _waiting(self) -> list[int]:
        """Plans that nobody has the results of, by place."""
        return [at for at in range(len(self.parts)) if at not in self.handed]

    @cached_property
    def _places(self) -> list[range]:
        """The members of each plan, by place in the fleet."""
        ends = itertools.accumulate((len(part.members) for part in self.parts), initial=0)
        return [range(*pair) for pair in itertools.pairwise(ends)]

    def _results(
        self,
        wanted: Sequence[int],
        members: Sequence[MemberState],
        models: Tree | None,
        stop: threading.Event,
    ) -> list[tuple[Record, dict[str, np.ndarray]]]:
        """Record and weights of these plans, their members tested together.

        `models` are those of all members, where they are, if nobody is left out. Where all members
        are one program, nobody ever is: one program tests whoever is ready, now and later, and
        another would take longer to compile than testing the others does.
        """
        places = [place for at in wanted for place in self._places[at]]
        if self.whole.loop.batched:
            places = list(range(len(self.plan.members)))
        firsts = {self._places[at][0] for at in wanted}  # baselines belong to the task
        if models is None:
            models = self.whole.loop.spread([members[place].model for place in places])
        scores, baselines = self._test(places, wanted, firsts, models, stop)
        self.count_seconds()
        found = []
        for at in wanted:
            part, own = self.parts[at], self._places[at]
            states = [members[place] for place in own]
            tested = [scores[place] for place in own]
            self._require_sane(own, states, tested)
            record = self._record(part, own, states, tested, baselines[own[0]])
            found.append((record, self._weights(part, states)))
        return found

    def _require_sane(
        self, own: range, states: list[MemberState], tested: list[list[Score]]
    ) -> None:
        """Refuse weights that training cannot give, and a test that contradicts the last check."""
        if not self.history or self.plan.until is not None:
            return
        first = self.plan.trials[0]
        asked = (first.label, first.sizes.low, first.sizes.high)
        for place, state, scores in zip(own, states, tested, strict=True):
            # A model that blows up goes back to where its segment began.
            if not all(np.isfinite(leaf).all() for leaf in jax.tree.leaves(state.model)):
                raise self._distrust(place, "weights that are no numbers")
            same = [score for score in scores if score[1:4] == asked]
            tried = sum(score.tried for score in same)
            right = sum(score.right for score in same)
            before = self.history[-1]["in_range"][place] * tried
            if int(state.status) != DIVERGED and abs(right - before) > max(FLIPS, SAME * tried):
                told = f"{before:,.0f} of {tried:,} samples right at its last check, {right:,} now"
                raise self._distrust(place, told)

    def _distrust(self, place: int, seen: str) -> MachineProblem:
        each = self.plan.members[place]
        return MachineProblem(
            "this device cannot be trusted with this run",
            seen=f"{each.task.name}, seed {each.seed}: {seen}",
            why="the same weights give the same answers wherever memory and arithmetic are sound",
            hint=f"with nothing else on the device, the same command; if it stays so, delete "
            f"{self.folder} to train from the start",
        )

    def _record(
        self,
        part: Plan,
        own: range,
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
                    "loss": check["loss"][own.start : own.stop],
                    "in_range": check["in_range"][own.start : own.stop],
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
        self,
        places: Sequence[int],
        wanted: Sequence[int],
        firsts: Container[int],
        models: Tree,
        stop: threading.Event,
    ) -> tuple[dict[int, list[Score]], dict[int, list[Baseline]]]:
        """Test the members at these places, trial by trial: scores of those in wanted plans, and
        baselines of the first ones."""
        told = {place for at in wanted for place in self._places[at]}
        everybody = len(places) == len(self.plan.members)
        fleet = self.whole if everybody else self.whole.among(places)
        scores: dict[int, list[Score]] = {place: [] for place in places}
        baselines: dict[int, list[Baseline]] = {place: [] for place in places}
        seen = {
            place: LookBack(drawn.example)
            for place, drawn in zip(places, fleet.loop.gather(fleet.in_range), strict=True)
            if place in firsts
        }
        for index, trial in enumerate(self.plan.trials):
            samples = fleet.in_range if index == 0 else fleet.samples(trial)
            rights = fleet.score(models, trial, samples)
            drawn = fleet.loop.gather(samples)
            asked = (trial.label, trial.sizes.low, trial.sizes.high)
            for at, place in enumerate(places):
                each = self.plan.members[place]
                if place not in told or not each.task.sizes(
                    trial.sizes.low, trial.sizes.high, trial.probe
                ):
                    continue
                sizes = np.asarray(drawn[at].sizes)[: trial.count]
                right = rights[at]
                scores[place] += by_size(each.seed, asked, sizes, np.asarray(right.everywhere))
                if each.task.last_apart:
                    apart = (trial.last_label, *asked[1:])
                    scores[place] += by_size(each.seed, apart, sizes, np.asarray(right.last))
                if place in firsts:
                    shares = seen[place].shares(drawn[at].example, trial.count)
                    baselines[place].append((*asked, shares))
            if self.last is not None:
                phase = f"testing {trial.label} {trial.sizes}"
                self.show(dataclasses.replace(self.last, phase=phase))
            self.stop_if_asked(stop)
        return scores, baselines
