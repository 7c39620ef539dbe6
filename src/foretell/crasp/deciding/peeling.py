"""Pairs of states that come after arbitrarily long side-by-side runs, where there are many pairs.

Only pairs that a recurrent pair leads to matter to the pair system. In an automaton that forgets
(the letter k places from the end, say) hardly any do, although all its states are connected. So
pairs without a predecessor are taken away, again and again, before anything is built for them.
"""

from __future__ import annotations

import numpy as np

MOST_ROUNDS = 100  # beyond, what is left is kept: it is only more than needed


def lasting_pairs(
    delta: np.ndarray, part: list[int], beat: list[int], most: int
) -> list[tuple[int, int]]:
    """Ordered pairs of states of a component with equal beat, less those that have no past.

    What is left holds every pair that a recurrent one leads to, and with a pair what follows it.
    Not more than `most` are listed, since the caller gives up when there are so many.
    """
    states = np.array(part)
    place = np.full(len(delta), -1)
    place[states] = np.arange(len(states))
    inner = place[delta[states]]  # where each letter leads inside the component, or -1
    beats = np.array(beat)
    alive = beats[:, None] == beats[None, :]
    np.fill_diagonal(alive, False)
    for _ in range(MOST_ROUNDS):
        reached = np.zeros_like(alive)
        one, two = np.nonzero(alive)
        for column in inner.T:
            left, right = column[one], column[two]
            stays = (left >= 0) & (right >= 0)
            reached[left[stays], right[stays]] = True
        peeled = alive & reached
        if peeled.sum() == alive.sum():
            break
        alive = peeled
    one, two = (index[:most] for index in np.nonzero(alive))
    return list(zip(states[one].tolist(), states[two].tolist(), strict=True))
