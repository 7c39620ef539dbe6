"""Why there is no C-RASP[∅] program: flows that no counting can feel.

Two states p and q of a strong component stay together when there is a combination of edges that
leads from p to q (in at q, out at p, balanced elsewhere) and yet uses every letter, in every class
of source states, as often forwards as backwards. Along such a flow no potential changes.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import final

from foretell.crasp.deciding.elimination import Number, RowSpace, Vector
from foretell.crasp.deciding.machines import Machine
from foretell.crasp.deciding.tower import (
    Arrow,
    Tower,
    build_tower,
    contents,
    cycle_row,
    spanning_tree,
)


@final
@dataclass(frozen=True)
class Flow:
    """`amount` units from one state to another, as whole numbers on edges (state, letter)."""

    source: int
    target: int
    amount: int
    edges: tuple[tuple[int, int, int], ...]


@final
@dataclass(frozen=True)
class FlowObstruction:
    """A component, its classes, flows that hold each together, and a pair that must differ."""

    states: tuple[int, ...]
    classes: tuple[tuple[int, ...], ...]
    flows: tuple[Flow, ...]
    pair: tuple[int, int]
    suffix: tuple[int, ...]
    access: tuple[int, ...]


def find_obstruction(
    machine: Machine, towers: Sequence[Tower] | None = None
) -> FlowObstruction | None:
    """An obstruction for C-RASP[∅], on the smallest component that has one; None: definable.

    `towers` of the components are those of the whole automaton, where they are known already.
    """
    home, parts = machine.strong
    least = 1 if machine.accept == "last-letter" else 0
    for name in sorted(range(len(parts)), key=lambda name: len(parts[name])):
        part = parts[name]
        if len(part) == 1:
            continue
        arrows = [
            (state, letter, target)
            for state in part
            for letter, target in enumerate(machine.delta[state])
            if home[target] == name
        ]
        tower = towers[name] if towers else build_tower(part, arrows, dict.fromkeys(part, 0))
        found = _separated(machine, tower, least)
        if found is not None:
            one, two, suffix = found
            return FlowObstruction(
                states=tuple(part),
                classes=tuple(map(tuple, tower.groups)),
                flows=tuple(_flows(part, arrows, tower)),
                pair=(one, two),
                suffix=suffix,
                access=machine.access(one),
            )
    return None


def _separated(
    machine: Machine, tower: Tower, least: int
) -> tuple[int, int, tuple[int, ...]] | None:
    """Two states that stay together although some suffix tells them apart."""
    for group in tower.groups:
        for place, one in enumerate(group):
            for two in group[place + 1 :]:
                # Equal rows cannot be told apart by a non-empty suffix; all others can.
                if least and machine.delta[one] == machine.delta[two]:
                    continue
                suffix = machine.separating(one, two, least)
                if suffix is not None:
                    return one, two, suffix
    return None


def _flows(part: Sequence[int], arrows: Sequence[Arrow], tower: Tower) -> list[Flow]:
    """For every class a flow from its first state to each of the others."""
    classes = tower.classes
    tree = spanning_tree(part, arrows)
    content = contents(part[0], tree, classes)
    # A column of its own for every arrow remembers how reduced rows were made.
    space = RowSpace(may_pivot=lambda column: isinstance(column, tuple))
    for number, arrow in enumerate(arrows):
        row = cycle_row(arrow, content, classes)
        if row:
            space.add({**row, number: 1})
    paths: dict[int, list[Arrow]] = {part[0]: []}
    for arrow in tree:
        paths[arrow[2]] = [*paths[arrow[0]], arrow]
    found = []
    for group in tower.groups:
        for state in group[1:]:
            rest = space.reduce(_difference(content[state], content[group[0]]))
            edges: dict[Arrow, Number] = {}
            _add(edges, paths[state], 1)
            _add(edges, paths[group[0]], -1)
            for number, factor in rest.items():
                arrow = arrows[number]
                _add(edges, [*paths[arrow[0]], arrow], factor)
                _add(edges, paths[arrow[2]], -factor)
            found.append(_whole_flow(group[0], state, edges))
    return found


def _difference(one: Vector, two: Vector) -> Vector:
    found = dict(one)
    for column, entry in two.items():
        found[column] = found.get(column, 0) - entry
    return {column: entry for column, entry in found.items() if entry}


def _add(edges: dict[Arrow, Number], path: Sequence[Arrow], factor: Number) -> None:
    for arrow in path:
        edges[arrow] = edges.get(arrow, 0) + factor


def _whole_flow(source: int, target: int, edges: dict[Arrow, Number]) -> Flow:
    used = {arrow: value for arrow, value in sorted(edges.items()) if value}
    amount = math.lcm(*(value.denominator for value in used.values()))
    listed = tuple(
        (state, letter, int(value * amount)) for (state, letter, _), value in used.items()
    )
    return Flow(source, target, amount, listed)
