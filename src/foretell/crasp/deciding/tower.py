"""Potentials on a strong component, level by level: what counting can tell apart.

A *potential* of a level gives every node a height, so that along every edge the height changes by
an amount that depends only on the letter and on what is already known of the edge's source (its
class). A program can follow such a height by counting. Nodes of one class and equal height under
every potential stay together; the others are told apart, which refines the classes for the next
level. What is together when nothing changes any more, no program tells apart.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import final

from foretell.crasp.deciding.elimination import Number, RowSpace, Vector

Arrow = tuple[int, int, int]  # source, letter, target
Label = tuple[int, int]  # letter, class of the source


@final
@dataclass(frozen=True)
class Potential:
    """Whole heights of nodes, and by how much each label raises them."""

    heights: dict[int, int]
    weights: dict[Label, int]

    def rise(self, classes: Mapping[int, int], step: tuple[int, int]) -> int:
        """By how much reading a letter at a node raises the height; labels not listed do not."""
        node, letter = step
        return self.weights.get((letter, classes[node]), 0)

    def upright(self, ground: int) -> Potential:
        """The same shifted so that a node is at height 0, and turned to go mostly upwards."""
        floor = self.heights[ground]
        sign = -1 if sum(self.heights.values()) < floor * len(self.heights) else 1
        return Potential(
            {node: sign * (height - floor) for node, height in self.heights.items()},
            {label: sign * weight for label, weight in self.weights.items()},
        )


@final
@dataclass(frozen=True)
class Level:
    """Classes known before, and potentials whose weights are about these classes."""

    classes: dict[int, int]
    potentials: tuple[Potential, ...]


@final
@dataclass(frozen=True)
class Tower:
    """The levels of one component, and what is told apart in the end."""

    levels: tuple[Level, ...]
    classes: dict[int, int]

    @property
    def groups(self) -> list[list[int]]:
        """Nodes that stay together, class by class."""
        found: dict[int, list[int]] = {}
        for node, name in self.classes.items():
            found.setdefault(name, []).append(node)
        return list(found.values())

    @property
    def separates(self) -> bool:
        """Is every node told from every other?"""
        return len(set(self.classes.values())) == len(self.classes)


def build_tower(members: Sequence[int], arrows: Sequence[Arrow], known: Mapping[int, int]) -> Tower:
    """Refine what is `known` of the members until everything is told apart or nothing changes."""
    if len(members) == 1:
        return Tower((), {members[0]: 0})
    classes = _renamed({node: (known[node],) for node in members})
    tree = spanning_tree(members, arrows)
    levels: list[Level] = []
    while len(set(classes.values())) < len(members):
        potentials, finer = _refine(members, arrows, classes, tree)
        if not potentials:
            break
        levels.append(Level(classes, potentials))
        classes = finer
    return Tower(tuple(levels), classes)


def spanning_tree(members: Sequence[int], arrows: Sequence[Arrow]) -> list[Arrow]:
    """Arrows of a breadth-first tree from the first member, parents before children."""
    leaving: dict[int, list[Arrow]] = {}
    for arrow in arrows:
        leaving.setdefault(arrow[0], []).append(arrow)
    seen = {members[0]}
    order = [members[0]]
    found = []
    for node in order:  # grows while it is walked
        for arrow in leaving.get(node, ()):
            if arrow[2] not in seen:
                seen.add(arrow[2])
                order.append(arrow[2])
                found.append(arrow)
    return found


def contents(root: int, tree: Sequence[Arrow], classes: Mapping[int, int]) -> dict[int, Vector]:
    """How often each label occurs on the tree path to each node."""
    found: dict[int, Vector] = {root: {}}
    for source, letter, target in tree:
        content = dict(found[source])
        label = (letter, classes[source])
        content[label] = content.get(label, 0) + 1
        found[target] = content
    return found


def cycle_row(arrow: Arrow, content: Mapping[int, Vector], classes: Mapping[int, int]) -> Vector:
    """Labels of a closed walk: tree path to the arrow's source, the arrow, tree path back."""
    source, letter, target = arrow
    row = dict(content[source])
    label = (letter, classes[source])
    row[label] = row.get(label, 0) + 1
    for column, entry in content[target].items():
        value = row.get(column, 0) - entry
        if value:
            row[column] = value
        else:
            del row[column]
    return {column: entry for column, entry in row.items() if entry}


def _refine(
    members: Sequence[int], arrows: Sequence[Arrow], classes: dict[int, int], tree: Sequence[Arrow]
) -> tuple[tuple[Potential, ...], dict[int, int]]:
    """Few potentials that tell apart all that this level can, and the classes they give."""
    content = contents(members[0], tree, classes)
    labels = {(letter, classes[source]) for source, letter, _ in arrows}
    space = RowSpace()
    rank = 0
    for arrow in arrows:
        row = cycle_row(arrow, content, classes)
        if row and space.add(row):
            rank += 1
            if rank == len(labels):  # every weight is zero
                return (), classes
    rests = {node: space.reduce(content[node]) for node in members}
    finest = _renamed(
        {node: (classes[node], tuple(sorted(rests[node].items()))) for node in members}
    )
    chosen: list[Potential] = []
    current = classes
    wanted = len(set(finest.values()))
    columns = sorted({column for rest in rests.values() for column in rest})
    while len(set(current.values())) < wanted:
        split = {
            column: {(current[node], rests[node].get(column, 0)) for node in members}
            for column in columns
        }
        best = max(columns, key=lambda column: len(split[column]))
        potential = _potential(best, rests, space)
        current = _renamed({v: (current[v], potential.heights[v]) for v in members})
        chosen.append(potential)
    return tuple(chosen), current


def _potential(column: Label, rests: Mapping[int, Vector], space: RowSpace) -> Potential:
    """The coordinate of a free column; a label's weight is what a unit of it reduces to."""
    weights: dict[Label, Number] = {column: 1}
    for pivot, entry in space.combination(column):
        weights[pivot] = -entry
    heights = {node: rest.get(column, 0) for node, rest in rests.items()}
    scale = math.lcm(*(value.denominator for value in weights.values()))
    shrink = math.gcd(*(int(value * scale) for value in weights.values()))
    return Potential(
        {node: int(value * scale) // shrink for node, value in heights.items()},
        {label: int(value * scale) // shrink for label, value in weights.items()},
    )


def _renamed(names: Mapping[int, tuple]) -> dict[int, int]:
    """Equal names become equal numbers, in the order of their first node."""
    numbers: dict[tuple, int] = {}
    return {node: numbers.setdefault(name, len(numbers)) for node, name in names.items()}
