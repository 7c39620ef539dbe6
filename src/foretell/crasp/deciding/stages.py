"""The stages of a configuration graph: which steps stay, which go on, which are fatal.

A stage is a strong component from which something can still be accepted. Not a stage of its own is
what is *safe*, where every further letter is accepted. A step is *doomed* when it leads where
nothing is accepted any more.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import final

from foretell.crasp.deciding.configurations import Configurations
from foretell.crasp.deciding.features import Step
from foretell.languages.dfa import reaching


@final
@dataclass(frozen=True)
class Stage:
    """A component with all its steps; `exits` lead on, `doomed` steps to where all is lost."""

    component: int
    nodes: tuple[int, ...]
    steps: frozenset[Step]
    exits: frozenset[Step]
    doomed: frozenset[Step]


@final
@dataclass(frozen=True)
class StageGraph:
    """Everything about the graph that the writing of a program asks for."""

    found: Configurations

    @cached_property
    def accepted(self) -> frozenset[Step]:
        """Steps after which the word is accepted."""
        wanted = self.found.machine.wanted
        return frozenset(
            (node, letter)
            for node, (block, *_) in enumerate(self.found.nodes)
            for letter in wanted[block]
        )

    @cached_property
    def safe(self) -> frozenset[int]:
        """Nodes from which every further letter is accepted, for ever."""
        machine = self.found.machine
        blocks = {
            block
            for block, row in enumerate(machine.moves)
            if len(machine.wanted[block]) == len(machine.groups) and set(row) == {block}
        }
        return frozenset(k for k, node in enumerate(self.found.nodes) if node.block in blocks)

    @cached_property
    def useful(self) -> frozenset[int]:
        """Nodes from which some step can still be accepted."""
        return reaching(self.found.moves, (node for node, _ in self.accepted))

    @cached_property
    def stages(self) -> tuple[Stage, ...]:
        """In an order in which words go through them."""
        _, parts = self.found.strong
        return tuple(
            self._stage(name)
            for name in reversed(range(len(parts)))
            if parts[name][0] in self.useful and parts[name][0] not in self.safe
        )

    def _stage(self, name: int) -> Stage:
        home, parts = self.found.strong
        moves = self.found.moves
        steps = frozenset((v, letter) for v in parts[name] for letter in range(len(moves[v])))
        doomed = frozenset(
            (v, letter) for v, letter in steps if moves[v][letter] not in self.useful
        )
        exits = frozenset((v, letter) for v, letter in steps if home[moves[v][letter]] != name)
        return Stage(name, tuple(parts[name]), steps, exits - doomed, doomed)

    def only_from(self, stage: Stage, letters: frozenset[int]) -> bool:
        """Where no doomed step was taken, do these letters occur only once this stage was entered?

        It is not enough that they occur in this stage and later ones: a later stage may be reached
        on a way that passes this one by.
        """
        if self.safe:
            return False
        around = self._around(stage)
        return all(
            (node, letter) in other.doomed
            for other in self.stages
            if other.component in around
            for node in other.nodes
            for letter in letters
        )

    def _around(self, stage: Stage) -> set[int]:
        """Components that can be reached without entering the stage."""
        home, parts = self.found.strong
        order = [home[0]] if home[0] != stage.component else []
        seen = {*order, stage.component}
        for name in order:  # grows while it is walked
            for target in {home[t] for node in parts[name] for t in self.found.moves[node]}:
                if target not in seen:
                    seen.add(target)
                    order.append(target)
        return seen - {stage.component}
