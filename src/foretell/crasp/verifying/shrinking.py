"""A word on which two sides differ, made shorter as long as they still do."""

from __future__ import annotations

import numpy as np

from foretell.crasp.verifying.reference import Reference
from foretell.crasp.words import Words

TOKENS = 20_000_000  # tokens that may be spent
AT_ONCE = 64  # shorter words that are tried side by side


def shrink(left: Reference, right: Reference, word: tuple[int, ...]) -> tuple[int, ...]:
    """Cut after the first wrong prefix; leave out blocks, smaller and smaller, where it works."""
    word = _first_wrong(left, right, [word]) or word
    tokens = TOKENS
    block = 2 ** max(len(word).bit_length() - 1, 0)  # powers of two: pairs must get their turn
    while True:
        shorter, tokens = _sweep(left, right, word, block, tokens)
        if (shorter == word and block == 1) or tokens < 0:
            return shorter
        # After single letters have gone, letters that must go together may have become neighbours.
        block = block // 2 if block > 1 else 2
        word = shorter


def _sweep(
    left: Reference, right: Reference, word: tuple[int, ...], block: int, tokens: int
) -> tuple[tuple[int, ...], int]:
    """One walk along the word, leaving out every block that can go; and the tokens that remain."""
    step, at = max(block // 2, 1), 0  # overlapping blocks, so that no pair is missed
    while at < len(word) and tokens >= 0:
        starts = range(at, min(at + AT_ONCE * step, len(word)), step)
        tries = [word[:start] + word[start + block :] for start in starts]
        tokens -= sum(map(len, tries))
        found = _first_wrong(left, right, [shorter for shorter in tries if shorter])
        if found is None:
            at += AT_ONCE * step
        else:
            word = found
    return word, tokens


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
