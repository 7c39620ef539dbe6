"""The groups inside a monoid, and whether they are solvable.

The maximal groups are the H-classes of idempotents. A group is a group of permutations of the
states that its idempotent leads to, so a group at an idempotent of rank four or less is solvable.
"""

from __future__ import annotations

import numpy as np

from foretell.languages.algebra.green import Green
from foretell.languages.algebra.maps import Ids, Maps, smallest_type
from foretell.languages.algebra.monoid import (
    ELEMENT_LIMIT,
    Monoid,
    generate,
    monoid_too_large,
)

LEAST_UNSOLVABLE_RANK = 5
LEAST_UNSOLVABLE_ORDER = 60  # the alternating group on five points


def group_at(monoid: Monoid, idempotent: int) -> Ids:
    """The elements of the maximal group at an idempotent.

    >>> from foretell.languages.algebra.monoid import monoid_of
    >>> from foretell.languages.regular import RegularLanguage
    >>> group_at(monoid_of(RegularLanguage.from_regex("(aaa)*").dfa), 0).tolist()
    [0, 1, 2]
    """
    row = monoid.maps[idempotent]
    near = np.flatnonzero(monoid.rank == monoid.rank[idempotent])
    maps = monoid.maps[near]
    inside = (maps[:, row] == maps).all(axis=1) & (row[maps] == maps).all(axis=1)
    return near[inside]


def permutations(monoid: Monoid, group: Ids, idempotent: int) -> Maps:
    """The elements of a group as permutations of the points its idempotent leads to."""
    points = np.unique(monoid.maps[idempotent])
    return np.searchsorted(points, monoid.maps[group][:, points]).astype(smallest_type(len(points)))


def unsolvable_group(monoid: Monoid) -> tuple[int, list[int]] | None:
    """An idempotent and elements that generate a group there that is not solvable; none if none.

    The monoid may be the piece of rank five and more (`generate(…, least_rank=5)`).
    """
    idempotents = np.flatnonzero(monoid.idempotent & (monoid.rank >= LEAST_UNSOLVABLE_RANK))
    if not len(idempotents):
        return None
    chosen = idempotents[np.unique(Green(monoid).j[idempotents], return_index=True)[1]]
    for idempotent in map(int, chosen):
        group = group_at(monoid, idempotent)
        if len(group) < LEAST_UNSOLVABLE_ORDER and monoid.complete:
            continue
        acting = permutations(monoid, group, idempotent)
        places = few_generators(acting)
        if not is_solvable(acting[places]):
            return idempotent, [int(group[place]) for place in places]
    return None


def is_solvable(generators: Maps, limit: int = ELEMENT_LIMIT) -> bool:
    """Does the derived series of the group of these permutations end in one element?

    >>> five, swap, four = [1, 2, 3, 4, 0], [1, 0, 2, 3, 4], [1, 2, 3, 0, 4]
    >>> is_solvable(np.array([five, swap])), is_solvable(np.array([four, swap]))
    (False, True)
    """
    order = _order(generators, limit)
    while order >= LEAST_UNSOLVABLE_ORDER and order % 2 == 0:  # odd order: Feit and Thompson
        generators = derived(generators)
        smaller = _order(generators, limit)
        if smaller == order:
            return False
        order = smaller
    return True


def _order(generators: Maps, limit: int) -> int:
    if not len(generators):
        return 1
    group = generate(generators, limit)
    if not group.complete:
        raise monoid_too_large(limit)
    return len(group)


def few_generators(group: Maps) -> list[int]:
    """Places of some permutations that generate all of them; each at least doubles the group."""
    chosen: list[int] = []
    missing = np.flatnonzero((group != np.arange(group.shape[1])).any(axis=1))
    while len(missing):
        chosen.append(int(missing[0]))
        reached = generate(group[chosen], 2 * len(group))
        missing = missing[reached.find(group[missing]) < 0]
        if not reached.complete:  # of an unfinished piece: more than it holds is generated
            break
    return chosen


def derived(generators: Maps) -> Maps:
    """Generators of the commutator subgroup: commutators, closed under conjugation.

    >>> derived(np.array([[1, 2, 0], [1, 0, 2]], np.uint8)).tolist()
    [[2, 0, 1]]
    """
    inverses = np.argsort(generators, axis=1).astype(generators.dtype)
    both = list(zip(generators, inverses, strict=True))
    found = generators[:0]
    waiting = [d[c[b[a]]] for c, a in both for d, b in both]
    while waiting:
        row = waiting.pop()
        if (row == np.arange(len(row))).all():
            continue
        if len(found) and generate(found).find(row[None])[0] >= 0:
            continue
        found = np.concatenate([found, row[None]])
        waiting.extend(forward[row[backward]] for forward, backward in both)
    return found
