"""A slow, obvious matcher: the oracle that automata are tested against."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product

import numpy as np

from foretell.languages.syntax import (
    Complement,
    Concatenation,
    EmptyWord,
    Intersection,
    Node,
    OneOf,
    Repeat,
    Shuffle,
    Union,
    fold,
)


def matches(tree: Node, word: Sequence[str]) -> bool:
    """Is the word in the language of the tree? The word must be over the tree's alphabet.

    Each node gets the relation "the letters from here to there match", a Boolean matrix over the
    gaps between letters: concatenation is the product of relations, complement the other
    spans. A shuffle tries every way to give its letters to the parts. No automaton is involved.

    >>> ab = Repeat(Concatenation((OneOf(("a",)), OneOf(("b",)))), 0, None)
    >>> matches(ab, "abab"), matches(ab, "aba"), matches(Complement(ab), "aba")
    (True, False, True)
    """
    return bool(fold(tree, lambda node, below: _spans(node, below, word))[0, len(word)])


def _spans(node: Node, below: list[np.ndarray], word: Sequence[str]) -> np.ndarray:
    gaps = len(word) + 1
    match node:
        case EmptyWord():
            return np.eye(gaps, dtype=bool)
        case OneOf(letters=letters):
            spans = np.zeros((gaps, gaps), bool)
            for place, letter in enumerate(word):
                spans[place, place + 1] = letter in letters
            return spans
        case Concatenation():
            spans = below[0]
            for right in below[1:]:
                spans = spans @ right
            return spans
        case Union():
            return np.logical_or.reduce(below)
        case Intersection():
            return np.logical_and.reduce(below)
        case Shuffle(parts=parts):
            spans = np.zeros((gaps, gaps), bool)
            for begin in range(gaps):
                for end in range(begin, gaps):
                    spans[begin, end] = _shuffled(parts, word[begin:end])
            return spans
        case Complement():
            return np.triu(np.ones((gaps, gaps), bool)) & ~below[0]
        case Repeat(low=low, high=high):
            # Beyond as many optional rounds as there are letters, only empty rounds are left.
            optional = len(word) if high is None else min(high - low, len(word))
            once_or_not = below[0] | np.eye(gaps, dtype=bool)
            return _power(below[0], low) @ _power(once_or_not, optional)
    raise TypeError(f"not a node of a regular expression: {node!r}")


def _shuffled(parts: Sequence[Node], word: Sequence[str]) -> bool:
    """Can the letters be given to the parts so that every part matches what it got?"""
    owners = product(range(len(parts)), repeat=len(word))
    return any(
        all(
            matches(part, [letter for letter, owner in zip(word, to, strict=True) if owner == who])
            for who, part in enumerate(parts)
        )
        for to in owners
    )


def _power(spans: np.ndarray, times: int) -> np.ndarray:
    power = np.eye(len(spans), dtype=bool)
    for _ in range(times):
        power = power @ spans
    return power
