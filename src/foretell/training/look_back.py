"""What a table of the last few tokens scores: what passing a test asks for at the least.

Where a table passes, a network that passes has not shown that it does more than look back a few
tokens. A table answers with the commonest target after the longest ending that it has seen in
range. It sees far fewer examples than a network: looking back gives these scores at the least. In
range a table is tested on what it was made of.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from jaxtyping import Bool, Int

from foretell.core.task import Example

BACKS = (1, 2, 4, 8, 16, 32)  # each twice the one before: an ending is made of two shorter ones
BEFORE, UNKNOWN = 0, -1  # the names of what lies before the first token, and of unseen endings
ASKED = 500  # examples of a test: a share within 2 points where it is near the bar
DENSE = 2**22  # numbers to look up by place, beyond that by search


class Endings(NamedTuple):
    """The endings of one length that were seen, each by its key, and what is guessed after it."""

    keys: Int[np.ndarray, " ending"]
    guesses: Int[np.ndarray, " ending"]  # UNKNOWN where no target came after it


class LookBack:
    """Tables of the last 1, 2, 4, … tokens, made of examples."""

    def __init__(self, seen: Example) -> None:
        tokens, targets, mask = _plain(seen)
        labels = int(targets.max(initial=0)) + 1
        names, self.tables = tokens + 1, list[Endings]()
        self.first = count = int(names.max()) + 1
        for back in BACKS:
            keys, place = np.unique(_keys(names, back, count), return_inverse=True)
            place = place.reshape(tokens.shape)
            answers, counts = np.unique(place[mask] * labels + targets[mask], return_counts=True)
            rising = answers[np.lexsort((-answers, counts))]  # the commonest is written last
            guesses = np.full(len(keys), UNKNOWN)
            guesses[rising // labels] = rising % labels
            self.tables.append(Endings(keys, guesses))
            names, count = place + 1, len(keys) + 1

    def shares(self, asked: Example, count: int) -> tuple[float, ...]:
        """What each table scores on examples of which so many count."""
        some = slice(min(count, ASKED))
        asked = Example(*(part[some] for part in asked))
        return tuple(self.right(asked).mean(axis=1).tolist())

    def right(self, asked: Example) -> Bool[np.ndarray, "back batch"]:
        """Which examples each table gets right at every scored position."""
        tokens, targets, mask = _plain(asked)
        names, count = np.where(tokens + 1 < self.first, tokens + 1, UNKNOWN), self.first
        guessed, found = np.full(tokens.shape, UNKNOWN), []
        for back, table in zip(BACKS, self.tables, strict=True):
            place = _find(table.keys, _keys(names, back, count), count**2)
            guess = np.where(place < 0, UNKNOWN, table.guesses[place])
            guessed = np.where(guess < 0, guessed, guess)  # a shorter ending may be known
            names, count = np.where(place < 0, UNKNOWN, place + 1), len(table.keys) + 1
            found.append(((guessed == targets) | ~mask).all(axis=1))
        return np.array(found)


def _plain(
    example: Example,
) -> tuple[
    Int[np.ndarray, "batch length"],
    Int[np.ndarray, "batch length"],
    Bool[np.ndarray, "batch length"],
]:
    tokens, targets = np.asarray(example.tokens, np.int64), np.asarray(example.targets, np.int64)
    return tokens, targets, np.asarray(example.mask)


def _keys(
    names: Int[np.ndarray, "batch length"], back: int, count: int
) -> Int[np.ndarray, "batch length"]:
    """Endings of that length by the names of their halves, which are below a count."""
    if back == 1:
        return names
    earlier = np.full_like(names, BEFORE)
    earlier[:, back // 2 :] = names[:, : -(back // 2)]
    return np.where((earlier < 0) | (names < 0), UNKNOWN, earlier * count + names)


def _find(
    among: Int[np.ndarray, " ending"], keys: Int[np.ndarray, "batch length"], end: int
) -> Int[np.ndarray, "batch length"]:
    """The place of each key among sorted ones that are below an end; UNKNOWN where it is none."""
    if end <= DENSE:
        places = np.full(end + 1, UNKNOWN)  # the last one is that of the unknown key
        places[among] = np.arange(len(among))
        found: Int[np.ndarray, "batch length"] = places[keys]
        return found
    found = np.full(keys.shape, UNKNOWN)
    asked = keys >= 0
    place = np.minimum(np.searchsorted(among, keys[asked]), len(among) - 1)
    found[asked] = np.where(among[place] == keys[asked], place, UNKNOWN)
    return found
