"""All words, by increasing length, so that the first difference found is a shortest one."""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

import numpy as np

from foretell.crasp.verifying.reference import Reference
from foretell.crasp.words import Words

LONGEST_UNARY = 20_000  # with one letter a word has all shorter ones as prefixes


@final
@dataclass(frozen=True)
class Exhausted:
    """Every word up to that length was compared; `word` is the first on which they differ."""

    length: int
    word: tuple[int, ...] | None = None


def exhaust(left: Reference, right: Reference, budget: int) -> Exhausted:
    """Compare on all words up to the length at which their tree has `budget` prefixes."""
    if left.empty().differs(right.empty()).any():
        return Exhausted(0, ())
    unary = len(left.letters) == 1
    if unary and left.every_prefix and right.every_prefix:
        return _one_word(left, right, min(budget, LONGEST_UNARY))
    budget //= max(left.weight, right.weight)
    longest = affordable(len(left.letters), budget, left.slow or right.slow or unary)
    one, two = left.tree(), right.tree()
    for length in range(1, longest + 1):
        wrong = np.flatnonzero(one.grow().differs(two.grow()))
        if len(wrong):
            return Exhausted(length, word_number(int(wrong[0]), len(left.letters), length))
    return Exhausted(longest)


def affordable(letters: int, budget: int, written_out: bool = False) -> int:
    """The largest length within the budget: prefixes in the tree, or letters of all words.

    >>> affordable(2, 4_000_000), affordable(2, 4_000_000, written_out=True)
    (20, 16)
    """
    length, spent = 0, 0
    while True:
        spent += letters ** (length + 1) * (length + 1 if written_out else 1)
        if spent > budget:
            return length
        length += 1


def word_number(number: int, letters: int, length: int) -> tuple[int, ...]:
    """The word at that place in lexicographic order."""
    return Words.all_of_length(letters, length, number, 1).word(0)


def _one_word(left: Reference, right: Reference, length: int) -> Exhausted:
    words = Words.of([[0] * length])
    wrong = np.flatnonzero(left.everywhere(words).differs(right.everywhere(words)))
    if len(wrong):
        size = int(wrong[0]) + 1
        return Exhausted(size, (0,) * size)
    return Exhausted(length)
