"""A word on which two sides differ, made shorter as long as they still do."""

from __future__ import annotations

import numpy as np

from foretell.crasp.verifying.reference import PIECE, Reference
from foretell.crasp.words import Words

TOKENS = 20_000_000  # tokens that may be spent


def shrink(left: Reference, right: Reference, word: tuple[int, ...]) -> tuple[int, ...]:
    """Cut after the first wrong prefix, leave out blocks, halve the blocks, again and again."""
    spent = 0
    word = _first_wrong(left, right, [word]) or word
    block = max(len(word) // 2, 1)
    while spent < TOKENS:
        tries = [word[:at] + word[at + block :] for at in range(0, len(word), block)]
        tries = [shorter for shorter in tries if shorter]
        found = None
        step = max(1, PIECE // max(len(word), 1))
        for first in range(0, len(tries), step):
            piece = tries[first : first + step]
            spent += sum(map(len, piece))
            found = _first_wrong(left, right, piece)
            if found is not None or spent > TOKENS:
                break
        if found is not None:
            word = found
            block = min(block, max(len(word) // 2, 1))
        elif block == 1:
            break
        else:
            block = max(block // 2, 1)
    return word


def _first_wrong(
    left: Reference, right: Reference, tries: list[tuple[int, ...]]
) -> tuple[int, ...] | None:
    """The shortest wrong prefix of any of the words."""
    if not tries:
        return None
    words = Words.of(tries)
    wrong = np.flatnonzero(left.everywhere(words).differs(right.everywhere(words)))
    if not len(wrong):
        return None
    last = int(wrong[np.argmin(words.positions[wrong])])
    start = last - int(words.positions[last]) + 1
    return tuple(words.letters[start : last + 1].tolist())
