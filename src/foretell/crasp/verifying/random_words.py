"""Long random words of many kinds, compared at every prefix at once.

Uniform letters alone find little: they are balanced, and leave most languages within a few letters.
So there are also words with skewed frequencies, with long runs, with equally long blocks, with one
short word again and again, words pumped out of short ones on which the program says yes, and
whatever the other side knows how to draw (walks that stay inside an automaton's language, and such
walks with a few letters changed).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import final

import numpy as np

from foretell.crasp.verifying.exhaustive import affordable, word_number
from foretell.crasp.verifying.reference import PIECE, Reference
from foretell.crasp.words import Words

LENGTHS = (30, 100, 1000, 10_000)
Family = Callable[[np.random.Generator, int, int, int], list[np.ndarray]]


@final
@dataclass(frozen=True)
class Tried:
    """How many words were compared somewhere, the longest of them, and one that differs."""

    words: int
    longest: int
    word: tuple[int, ...] | None = None


def try_random(left: Reference, right: Reference, tokens: int, longest: int, seed: int) -> Tried:
    """Compare on random words, short ones first; about so many tokens altogether."""
    count, reached = 0, 0
    for batch in _batches(left, right, tokens, longest, seed):
        words = Words(np.concatenate(batch), np.cumsum([len(word) for word in batch]))
        one, two = left.everywhere(words), right.everywhere(words)
        ends = words.ends - 1
        compared = np.add.reduceat(one.defined & two.defined, words.starts) > 0
        lengths = ends - words.starts + 1
        count += int(compared.sum())
        reached = max(reached, int((lengths * compared).max(initial=0)))
        wrong = np.flatnonzero(one.differs(two))
        if len(wrong):
            first = wrong[np.argmin(words.positions[wrong])]
            size = int(words.positions[first])
            start = int(first) - size + 1
            return Tried(count, reached, tuple(words.letters[start : first + 1].tolist()))
    return Tried(count, reached)


def _batches(
    left: Reference, right: Reference, tokens: int, longest: int, seed: int
) -> Iterator[list[np.ndarray]]:
    families = _families(left, right)
    sizes = sorted({min(length, longest) for length in (*LENGTHS, longest)})
    share = max(tokens // (len(families) * len(sizes)), 1)
    for size in sizes:
        for name, family in families.items():
            # One stream for each name, so that a new kind of word does not move the others.
            path = [seed, size, *name.encode()]
            generator = np.random.default_rng(np.random.SeedSequence(path))
            for length, count in _lengths(generator, size, share):
                words = family(generator, count, length, len(left.letters))
                found = [word for word in words if len(word)]
                for first in range(0, len(found), max(1, PIECE // size)):
                    yield found[first : first + max(1, PIECE // size)]


def _lengths(generator: np.random.Generator, size: int, share: int) -> Iterator[tuple[int, int]]:
    """The full size once, and a few lengths just below it: parity must not hide anything."""
    count = max(share // size, 1)
    if count < 4:
        yield size, count
        return
    for less in (0, 1, int(generator.integers(2, 4)), int(generator.integers(0, size // 2 + 1))):
        yield max(size - less, 1), count // 4


def _families(left: Reference, right: Reference) -> dict[str, Family]:
    found: dict[str, Family] = {
        "uniform": lambda *wanted: list(_uniform(*wanted)),
        "skewed": lambda *wanted: list(_skewed(*wanted)),
        "runs": lambda *wanted: list(_runs(*wanted)),
        "repeated": lambda *wanted: list(_repeated(*wanted)),
        "blocks": _blocks,
    }
    seeds = _short_members(left)
    if seeds:
        found["pumped"] = lambda g, count, length, letters: [
            _pumped(g, seeds, length) for _ in range(count)
        ]
    for name, side in (("drawn by the first", left), ("drawn by the second", right)):
        if side.draw(np.random.default_rng(0), 2, 10):
            found[name] = _drawn(side)
    return found


def _drawn(side: Reference) -> Family:
    return lambda generator, count, length, _: side.draw(generator, count, length)


def _uniform(generator: np.random.Generator, count: int, length: int, letters: int) -> np.ndarray:
    return generator.integers(0, letters, (count, length), dtype=np.int32)


def _skewed(generator: np.random.Generator, count: int, length: int, letters: int) -> np.ndarray:
    """Every word has its own frequencies, most of them far from even."""
    bounds = np.cumsum(generator.dirichlet(np.full(letters, 0.3), count), axis=1)
    draws = generator.random((count, length))
    found = (draws[:, :, None] > bounds[:, None, :-1]).sum(axis=2, dtype=np.int32)
    return np.minimum(found, letters - 1)


def _runs(generator: np.random.Generator, count: int, length: int, letters: int) -> np.ndarray:
    """The letter changes only now and then, more rarely in some words than in others."""
    rate = 10 ** -generator.uniform(0.3, np.log10(length + 2), (count, 1))
    change = generator.random((count, length)) < rate
    since = np.maximum.accumulate(np.where(change, np.arange(length), 0), axis=1)
    fresh = _uniform(generator, count, length, letters)
    return np.take_along_axis(fresh, since, axis=1)


def _blocks(
    generator: np.random.Generator, count: int, length: int, letters: int
) -> list[np.ndarray]:
    """a a a b b b c c c …: blocks of one length, or nearly."""
    found: list[np.ndarray] = []
    for _ in range(count):
        blocks = int(generator.integers(1, 2 * letters + 1))
        sizes = np.maximum(length // blocks + generator.integers(-1, 2, blocks), 0)
        order = np.arange(blocks) % letters
        if generator.random() < 0.5:
            order = generator.integers(0, letters, blocks)
        found.append(np.repeat(order, sizes).astype(np.int32)[:length])
    return found


def _repeated(generator: np.random.Generator, count: int, length: int, letters: int) -> np.ndarray:
    """A short word again and again, in every other word with one letter changed."""
    period = int(generator.integers(1, 9))
    short = _uniform(generator, count, period, letters)
    found = np.tile(short, (1, -(-length // period)))[:, :length].copy()
    rows = np.arange(0, count, 2)
    places = generator.integers(0, length, len(rows))
    found[rows, places] = generator.integers(0, letters, len(rows))
    return found


def _short_members(side: Reference) -> list[tuple[int, ...]]:
    """Some short words to which the answer is yes, or after which something may follow."""
    letters, tree = len(side.letters), side.tree()
    found: list[tuple[int, ...]] = []
    for length in range(1, min(8, affordable(letters, 3000)) + 1):
        answers = tree.grow()
        rows = np.flatnonzero(answers.values.any(axis=1) & answers.defined)
        found += [word_number(row, letters, length) for row in rows[:200].tolist()]
    return found


def _pumped(
    generator: np.random.Generator, seeds: list[tuple[int, ...]], length: int
) -> np.ndarray:
    """x y y … y z, now and then with a letter left out."""
    one, two, three = (seeds[int(n)] for n in generator.integers(0, len(seeds), 3))
    times = max((length - len(one) - len(three)) // len(two), 1)
    found = np.array((one + two * times + three)[:length], np.int32)
    return np.delete(found, generator.integers(len(found))) if generator.random() < 0.3 else found
