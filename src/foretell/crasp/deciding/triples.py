"""Three states that run side by side for ever: triples on a cycle of the triple graph.

They are the expensive part of the pair system, so they are counted while they are listed. Where
they are too many, those that a single letter permutes are taken instead. Equations can only force
more differences to zero, so a *no* that follows from some of them follows from all.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from foretell.crasp.deciding.graphs import components

Triple = tuple[int, int, int]
SMALL = 60  # states whose triples are found all at once
MOST_TRIPLES = 300_000  # listed in full; some seconds, some hundred megabytes


def recurrent_triples(delta: np.ndarray, recurs: np.ndarray) -> list[Triple] | None:
    """All of them in order, each with its states in order; None when they are too many.

    `recurs[p, q]` says whether two states are a recurrent pair.
    """
    triples = _candidates(recurs)
    if triples is None or not len(triples):
        return triples if triples is None else []
    size = len(recurs)
    keys = (triples[:, 0] * size + triples[:, 1]) * size + triples[:, 2]  # in ascending order
    columns = []
    for letter in range(delta.shape[1]):
        after = np.sort(delta[triples, letter], axis=1)
        wanted = (after[:, 0] * size + after[:, 1]) * size + after[:, 2]
        place = np.minimum(np.searchsorted(keys, wanted), len(keys) - 1)
        columns.append(np.where(keys[place] == wanted, place, -1))
    rows = np.stack(columns, axis=1).tolist()
    nexts = [[target for target in row if target >= 0] for row in rows]
    listed = triples.tolist()
    return [
        (one, two, three)
        for part in components(nexts)[1]
        if len(part) > 1 or part[0] in nexts[part[0]]
        for one, two, three in map(listed.__getitem__, part)
    ]


def _candidates(recurs: np.ndarray) -> np.ndarray | None:
    """States p < q < r that recur pairwise, in lexicographic order."""
    above = np.triu(recurs, 1)
    if len(above) <= SMALL:
        return np.argwhere(above[:, :, None] & above[:, None, :] & above)
    found: list[np.ndarray] = [np.zeros((0, 3), np.int64)]
    listed = 0
    for one in np.flatnonzero(above.sum(axis=1) > 1):
        others = np.flatnonzero(above[one])
        two, three = np.nonzero(above[np.ix_(others, others)])
        listed += len(two)
        if listed > MOST_TRIPLES:
            return None
        found.append(np.stack([np.full(len(two), one), others[two], others[three]], axis=1))
    return np.concatenate(found)


def permuted_triples(
    delta: np.ndarray, recurs: np.ndarray, parts: Sequence[Sequence[int]]
) -> list[Triple]:
    """Some recurrent triples: states of a component that a power of one letter leaves in place.

    The first state of each is the same, which is enough to add up differences round a cycle.
    """
    found: dict[Triple, None] = {}
    for part in parts:
        for letter in range(delta.shape[1]):
            hub, *others = _permuted(delta[:, letter], part) or [0]
            near = [state for state in others if recurs[hub, state]]
            for place, two in enumerate(near):
                for three in np.flatnonzero(recurs[two, near[place + 1 :]]):
                    found[hub, two, near[place + 1 + three]] = None
                    if len(found) >= MOST_TRIPLES:
                        return list(found)
    return list(found)


def _permuted(column: np.ndarray, part: Sequence[int]) -> list[int]:
    """The states of a component to which reading one letter again and again leads back."""
    inside = set(part)
    while True:
        after = {target for state in inside if (target := int(column[state])) in inside}
        if after == inside:
            return sorted(inside)
        inside = after
