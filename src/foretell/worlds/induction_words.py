"""Words for induction heads: the plain oracle, hard instances that hide an index, random words."""

from __future__ import annotations

import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Bool, Int

from foretell.plain.errors import BadInput

BLANK, MARKER = 2, 3  # beside the bits 0 and 1


def follower(words: Int[np.ndarray, "... length"], none: int) -> Int[np.ndarray, "..."]:
    """The symbol after the latest earlier place of the last one; `none` if there is no such place.

    >>> follower(np.array([[5, 1, 5, 2, 5], [1, 2, 3, 4, 5]]), none=9).tolist()
    [2, 9]
    """
    length = words.shape[-1]
    if length < 1:
        raise BadInput("an empty word has no last symbol", seen=words.shape)
    same = words[..., :-1] == words[..., -1:]
    after = np.max(same * np.arange(1, length), axis=-1, initial=0)
    found = np.take_along_axis(words, after[..., None], axis=-1)[..., 0]
    return np.where(after > 0, found, none)


def index_words(
    bits: Int[np.ndarray, "batch bit"], asked: Int[np.ndarray, " batch"]
) -> Int[np.ndarray, "batch length"]:
    """A word of 2n + 1 symbols in which the induction head is the asked bit of n.

    Bits stand at even places (from 1); before the asked one, and at the end, stands the marker;
    all other odd places are blank.

    >>> index_words(np.array([[0, 1, 1]]), np.array([1])).tolist()
    [[2, 0, 3, 1, 2, 1, 3]]
    """
    count, number = bits.shape
    words = np.full((count, 2 * number + 1), BLANK)
    words[:, 1::2] = bits
    words[np.arange(count), 2 * asked] = MARKER
    words[:, -1] = MARKER
    return words


def mixed_words(
    symbols: int, length: int, count: int, seed: int
) -> Int[np.ndarray, "batch length"]:
    """Random words; a fifth each without a match, with one at the first place, and all the same."""
    drawn = np.random.default_rng(seed)
    words = drawn.integers(0, symbols, (count, length))
    fifth, last = count // 5, words[:, -1:]
    others = np.where(words[:, :-1] == last, (last + 1) % symbols, words[:, :-1])
    words[: 2 * fifth, :-1] = others[: 2 * fifth]
    words[fifth : 2 * fifth, 0] = last[fifth : 2 * fifth, 0]
    words[2 * fifth : 3 * fifth] = last[2 * fifth : 3 * fifth]
    return words


def targets(
    word: Int[Array, " length"],
) -> tuple[Int[Array, " length"], Bool[Array, " length"]]:
    """The answer at every position, and where there is one."""
    place = jnp.arange(word.shape[0])
    same = (word[:, None] == word[None, :]) & (place[None, :] < place[:, None])
    after = jnp.max(jnp.where(same, place[None, :] + 1, 0), axis=1)
    return word[after], after > 0
