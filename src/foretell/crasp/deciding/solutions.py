"""Definable, but too large to write out: differences of heights that solve the pair system."""

from __future__ import annotations

import math

from foretell.crasp.deciding.certificates import SolutionCertificate
from foretell.crasp.deciding.elimination import Number, RowSpace
from foretell.crasp.deciding.pairs import PairSystem


def solution_certificate(system: PairSystem, fragment: str, note: str) -> SolutionCertificate:
    """Level by level, solutions that are not zero on what comes apart at that level."""
    cycles = [name for name, period in enumerate(system.periods) if period]
    levels = []
    for level, below in zip(system.levels, [*system.levels[1:], frozenset()], strict=True):
        found = []
        for solution in _solutions(system, level, level - below):
            values = [solution.get(name, 0) for name in system.unknown_of_slot]
            found.append(
                tuple(tuple(values[system.first[name] : system.first[name + 1]]) for name in cycles)
            )
        levels.append(tuple(found))
    return SolutionCertificate(
        system.machine.dfa,
        system.machine.accept,
        fragment,
        modulus=system.modulus,
        cycles=tuple(
            (
                system.periods[name],
                tuple((*system.pairs[pair], system.clock[pair]) for pair in system.members[name]),
            )
            for name in cycles
        ),
        levels=tuple(levels),
        note=note,
    )


def _solutions(
    system: PairSystem, level: frozenset[int], apart: frozenset[int]
) -> list[dict[int, int]]:
    """Few whole solutions of a level's equations, such that nothing in `apart` is zero in all."""
    space = RowSpace()
    for relation in system.relations:
        if relation.row and relation.needs <= level:
            space.add(relation.row)
    rests = {name: space.reduce({name: 1}) for name in level}
    missing = set(apart)
    found = []
    while missing:
        free = min(min(rests[name]) for name in missing)
        values: dict[int, Number] = {
            name: rest[free] for name, rest in rests.items() if free in rest
        }
        scale = math.lcm(*(value.denominator for value in values.values()))
        found.append({name: int(value * scale) for name, value in values.items()})
        missing -= set(values)
    return found
