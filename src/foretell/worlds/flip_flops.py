"""Flip-flop words: write a bit, keep it while other bits pass by, read it back.

A word is a row of pairs of an instruction and a bit. It begins with a write and ends with a read;
in between, each pair is an ignore with a given chance, else a write or a read, equally likely. Bits
are coin flips, but for those of reads, which repeat the bit written last. One word at a time:
`vmap` for a batch.
"""

from __future__ import annotations

import itertools
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float, Int, Key

from foretell.plain.errors import BadInput
from foretell.worlds.chains import require_memory

WRITE, READ, IGNORE = 0, 1, 2
ZERO = 3  # token of the bit 0; instructions are the tokens before it
TOKENS = 5


class Word(NamedTuple):
    """Instructions and their bits, pair by pair; arrays of JAX or of NumPy."""

    instructions: Int[Any, "... length"]
    bits: Int[Any, "... length"]


def require_law(ignoring: float, pairs: int) -> tuple[float, int]:
    """A chance of an ignore, and room for the write at the start and the read at the end."""
    if not 0 <= ignoring <= 1:
        raise BadInput(
            "no such chance of an ignore", seen=ignoring, why="it must be between 0 and 1"
        )
    if pairs < 2:
        raise BadInput(
            "a flip-flop word is too short",
            seen=pairs,
            why="it begins with a write and ends with a read",
            hint="at least 2 pairs",
        )
    return ignoring, pairs


def sample(key: Key[Array, ""], ignoring: float | Float[Array, ""], pairs: int) -> Word:
    """A word of so many pairs; the chance of an ignore may be traced."""
    kinds, coins = jax.random.split(key)
    draws = jax.random.uniform(kinds, (pairs,))
    share = (1 - ignoring) / 2
    instructions = jnp.where(draws < share, WRITE, jnp.where(draws < 2 * share, READ, IGNORE))
    instructions = instructions.at[0].set(WRITE).at[-1].set(READ)
    return Word(instructions, _kept(instructions, jax.random.bits(coins, (pairs,)) & 1))


def last_write(instructions: Int[Array, " length"]) -> Int[Array, " length"]:
    """Where the bit that is stored after each pair was written.

    >>> last_write(jnp.array([WRITE, IGNORE, WRITE, READ])).tolist()
    [0, 0, 2, 2]
    """
    place = jnp.arange(instructions.shape[0])
    return jax.lax.cummax(jnp.where(instructions == WRITE, place, 0))


def gaps(instructions: Int[Array, " length"]) -> Int[Array, " length"]:
    """Pairs from the last write to each pair; 0 at a write."""
    return jnp.arange(instructions.shape[0]) - last_write(instructions)


def require_enumerable(pairs: int) -> None:
    """All words of so many pairs must fit: each is a tuple before it is a row."""
    require_memory(5 ** (pairs - 2) * (64 + 8 * pairs), f"all flip-flop words of {pairs} pairs")


def all_words(pairs: int) -> Word:
    """Every word of so many pairs, in NumPy: five things can stand at each but the ends."""
    require_enumerable(pairs)
    inner = [(WRITE, 0), (WRITE, 1), (READ, 0), (IGNORE, 0), (IGNORE, 1)]
    grid = np.array(list(itertools.product(range(5), repeat=pairs - 2))).reshape(-1, pairs - 2)
    chosen = np.array(inner)[np.concatenate([grid, grid])]
    ends = np.zeros((len(chosen), 1), int)
    instructions = np.concatenate([ends + WRITE, chosen[:, :, 0], ends + READ], axis=1)
    first = np.repeat([0, 1], len(grid))[:, None]
    bits = np.concatenate([first, chosen[:, :, 1], ends], axis=1)
    place = np.where(instructions == WRITE, np.arange(pairs), 0)
    kept = np.take_along_axis(bits, np.maximum.accumulate(place, axis=1), axis=1)
    return Word(instructions, np.where(instructions == READ, kept, bits))


def tokens(word: Word) -> Int[Array, " length"]:
    """Instructions and bits in turn, as numbers below `TOKENS`."""
    return jnp.stack([word.instructions, ZERO + word.bits], axis=1).reshape(-1)


def _kept(instructions: Int[Array, " length"], coins: Array) -> Int[Array, " length"]:
    """Reads repeat what was written last."""
    bits = coins.astype(jnp.int32)
    return jnp.where(instructions == READ, bits[last_write(instructions)], bits)
