"""One attention head on flip-flop words, computed: softmax over scores, and what it then says.

Nothing here knows the formulas of `flip_flop_head`, which are held against it.
"""

from __future__ import annotations

import numpy as np
from jaxtyping import Bool, Float, Int
from scipy.special import softmax

from foretell.worlds.flip_flops import WRITE, Word

BATCH = 5000  # words at once


def misread(words: Word, kappa: float, steepness: float) -> Float[np.ndarray, " batch"]:
    """Whether the head gives the wrong bit at the end of each word; a tie is half an error."""
    parts = [
        _agreement(Word(*(each[first : first + BATCH] for each in words)), kappa, steepness)
        for first in range(0, len(words.bits), BATCH)
    ]
    found = np.concatenate(parts)
    return (found < 0) + (found == 0) / 2


def _agreement(words: Word, kappa: float, steepness: float) -> Float[np.ndarray, " batch"]:
    """What the head says at the last pair, times the sign that is right there."""
    signs = 2.0 * words.bits - 1
    shares = shares_of(words.instructions[:, :-1] == WRITE, kappa, steepness)
    return (shares * signs[:, :-1]).sum(axis=1) * signs[:, -1]


def shares_of(
    writes: Bool[np.ndarray, "batch length"], kappa: float, steepness: float
) -> Float[np.ndarray, "batch length"]:
    """Of every pair before the read, given where writes are."""
    scores = kappa * writes + steepness * np.arange(writes.shape[1])
    shares: np.ndarray = softmax(scores, axis=1)
    return shares


def last_share(
    writes: Bool[np.ndarray, "batch length"], kappa: float, steepness: float
) -> Float[np.ndarray, " batch"]:
    """Of the last write, given where writes are before the read."""
    last = last_of(writes)
    return np.take_along_axis(shares_of(writes, kappa, steepness), last[:, None], axis=1)[:, 0]


def last_of(writes: Bool[np.ndarray, "batch length"]) -> Int[np.ndarray, " batch"]:
    """The place of the last write."""
    return writes.shape[1] - 1 - writes[:, ::-1].argmax(axis=1)


def waits(pairs: int) -> Bool[np.ndarray, "size length"]:
    """For every gap the word that is hardest: writes all along, then none until the read."""
    return np.arange(pairs - 1) <= np.arange(pairs - 1)[::-1, None]
