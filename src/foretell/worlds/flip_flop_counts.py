"""Glitches counted: rates with their intervals, by gap, and a look into one of them."""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Bool, Float, Int

from foretell.models.small_decoder import Shape, look
from foretell.numerics.intervals import wilson
from foretell.worlds.flip_flops import READ, WRITE, Word, tokens

# Which reads are wrong: by member, law of the words, word, and pair.
Wrong = Bool[np.ndarray, "member set draw length"]
Reads = Bool[np.ndarray, "set draw length"]
SHOWN = 40  # tokens of a glitch that are kept
SPELLING = ("w", "r", "i", "0", "1")


def rates(wrong: Wrong, reads: Reads) -> Float[np.ndarray, "member set"]:
    """Wrong among reads, by member and law."""
    found: np.ndarray = wrong.sum(axis=(2, 3)) / reads.sum(axis=(1, 2))
    return found


def interval(wrong: Wrong, reads: Reads, law: int) -> tuple[float, float]:
    """Wilson's, of one law, all members together."""
    return wilson(int(wrong[:, law].sum()), int(reads[law].sum()) * len(wrong))


def last_writes(instructions: Int[np.ndarray, "... length"]) -> Int[np.ndarray, "... length"]:
    """The pair that the bit stored after each pair was written at."""
    places = np.where(instructions == WRITE, np.arange(instructions.shape[-1]), 0)
    found: np.ndarray = np.maximum.accumulate(places, axis=-1)
    return found


def counted(wrong: Wrong, words: Word) -> dict[str, Any]:
    """Counts by law with their interval, and by gap, all members together."""
    instructions = np.asarray(words.instructions)
    reads, pairs = instructions == READ, instructions.shape[-1]
    laws = [
        {
            "wrong": int(wrong[:, law].sum()),
            "reads": int(reads[law].sum()) * len(wrong),
            "interval": [round(end, 8) for end in interval(wrong, reads, law)],
        }
        for law in range(len(reads))
    ]
    far = np.arange(pairs) - last_writes(instructions)
    tried = np.bincount(far[reads], minlength=pairs) * len(wrong)
    bad = np.bincount(np.broadcast_to(far, wrong.shape)[wrong], minlength=pairs)
    return {
        "laws": laws,
        "by_gap": {"wrong": bad.tolist(), "reads": tried.tolist()},
        "seeds": rates(wrong, reads).round(6).tolist(),
    }


def glitch(shape: Shape, weights: Any, wrong: Wrong, words: Word) -> dict[str, Any] | None:
    """Where heads look at one wrong read, if there is any: by layer and head, at chosen tokens."""
    if not wrong.any():
        return None
    member, law, draw, pair = (int(each) for each in np.argwhere(wrong)[0])
    word = Word(*(np.asarray(each)[law, draw] for each in words))
    mine = jax.tree.map(lambda each: np.asarray(each)[member], weights)

    @jax.jit
    def inside(mine: Any, word: Word) -> tuple[Array, Array]:
        written = tokens(word)
        return written, look(shape, jax.tree.map(jnp.asarray, mine), written).attention

    written, seen = map(np.asarray, inside(mine, word))
    here = seen[:, :, 2 * pair, : 2 * pair + 1]
    last = 2 * int(last_writes(word.instructions)[pair]) + 1
    kept = np.sort(np.argsort(here.max(axis=(0, 1)))[::-1][:SHOWN])
    kept = np.union1d(kept, [last, 2 * pair])
    return {
        "law": law,
        "tokens": [SPELLING[int(each)] for each in written[kept]],
        "places": kept.tolist(),
        "last_write": last,
        "attention": here[:, :, kept].astype(float).round(3).tolist(),
    }
