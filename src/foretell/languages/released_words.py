"""Words as the framework paper's released code makes them, for its regular languages.

They are not uniform among the words of a length: D_n nests blocks, each about three quarters of
what is left; words of two parts draw the length of each part evenly; runs are as long as there is
room. Read from `lacoco-lab/length_generalization`, commit 24c8c29, folder `formal_lang_suite`;
written anew here. Of D_n how many words are wanted decides what they look like: no word comes
twice, and blocks become a little smaller each time that 20,000 words in all have brought nothing
new, so that the shorter a list, the larger its blocks. Its lists are therefore as long as the
released ones; those of other languages, whose words do not depend on one another, are not, and may
hold a word twice. Where D_n still differs: there the words of the in-range test are made in one
list with those of training, and long lists are shuffled before the first are taken.
"""

from __future__ import annotations

import functools
import itertools
import tomllib
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
from numpy.random import Generator

from foretell.languages.regular import RegularLanguage
from foretell.languages.word_list import WordList
from foretell.plain.errors import BadInput

Law = Callable[[Generator, int, int], str]  # a word for a range of lengths, which it may miss
Maker = Callable[[Generator, int, int, int], list[str]]  # so many words of a range, or fewer
LARGEST_SHARE, LESS, SPREAD = 0.75, 0.02, 0.1  # of a block in what is left, and how it varies
PATIENCE = 20_000  # words that do not serve before blocks become smaller
MOST_TRIES = 1_000  # for each word wanted, before a law is given up
EDITIONS = ("full", "small")
COUNTS = {"full": (4_000, 1_000), "small": (200, 100)}  # words to train on, and of each test
AT_ONCE = 2**16  # normal numbers


def one_by_one(law: Law) -> Maker:
    """Words that do not depend on one another."""

    def make(draw: Generator, low: int, high: int, count: int) -> list[str]:
        words = (law(draw, low, high) for _ in range(MOST_TRIES * count))
        return list(itertools.islice((word for word in words if low <= len(word) <= high), count))

    return make


def nested(depth: int) -> Maker:
    """D_n: blocks inside blocks, the largest first; no word twice."""

    def make(draw: Generator, low: int, high: int, count: int) -> list[str]:
        normal = (
            each for _ in itertools.count() for each in draw.standard_normal(AT_ONCE).tolist()
        )
        found: dict[str, None] = {}
        share, missed = LARGEST_SHARE, 0
        while len(found) < count and share > 0:
            word = _block(normal, depth, share, _part(normal, share, high), high) or ""
            if len(word) >= low and word not in found:
                found[word] = None
            elif (missed := missed + 1) > PATIENCE:
                share, missed = share - LESS, 0
        return list(found)

    return make


def _part(normal: Iterator[float], share: float, whole: int) -> int:
    return int(whole * share * (1 + SPREAD * next(normal)))


def _block(normal: Iterator[float], depth: int, share: float, room: int, most: int) -> str | None:
    """Blocks until there is no room; nothing if they take more letters than there may be."""
    if room <= 0 or depth == 0:
        return ""
    if depth == 1:  # all of its blocks are empty
        found = "ab" * ((room + 1) // 2)
        return found if len(found) <= most else None
    found = ""
    while len(found) < room:
        inner = _block(normal, depth - 1, share, _part(normal, share, room), most - len(found) - 2)
        if inner is None:
            return None
        found += f"a{inner}b"
    return found if len(found) <= most else None


def two_parts(before: str, between: str, after: str) -> Law:
    """Letters, one letter, letters: both parts of any length that leaves room."""

    def law(draw: Generator, low: int, high: int) -> str:
        del low
        first = int(draw.integers(0, max(high - 1, 1)))
        second = int(draw.integers(0, max(high - first - 1, 1)))
        return _letters(draw, before, first) + between + _letters(draw, after, second)

    return law


def _letters(draw: Generator, among: str, count: int) -> str:
    return "".join(np.array(list(among))[draw.integers(len(among), size=count)])


def blocks(letters: str) -> Law:
    """One run of each letter, in order; an early run takes what it likes of the room."""

    def law(draw: Generator, low: int, high: int) -> str:
        room, found = high - low + 1, ""
        for letter in letters:
            more = int(draw.integers(room)) + 1 if room > 0 else 0
            found += letter * (low // len(letters) + more)
            room -= more
        return found

    return law


def repeated(part: str) -> Law:
    """The one word of a length: the part again and again."""

    def law(draw: Generator, low: int, high: int) -> str:
        return part * (int(draw.integers(low, high + 1)) // len(part))

    return law


def odd_runs(draw: Generator, low: int, high: int) -> str:
    """Tomita-3: runs of any length, an even one of 0s after an odd number of 1s."""
    length, found, ones = int(draw.integers(low, high + 1)), "", 0
    while len(found) < length:
        room = length - len(found) + 1
        letter = "01"[draw.integers(2)]
        even = letter == "0" and ones % 2 == 1
        count = 2 * int(draw.integers((room + 1) // 2)) if even else int(draw.integers(room))
        if letter == "1" and count:
            ones = count + (ones if found.endswith("1") else 0)
        found += letter * count
    return found


def never_three(draw: Generator, low: int, high: int) -> str:
    """Tomita-4: coins, but a third 0 in a row is tossed again."""
    length, found = int(draw.integers(low, high + 1)), ""
    while len(found) < length:
        found += "1" if found.endswith("00") else "01"[draw.integers(2)]
    return found


def four_runs(draw: Generator, low: int, high: int) -> str:
    """Tomita-7: 0s, 1s, 0s, 1s, each run of any length that is left."""
    del low
    found = ""
    for letter in "0101":
        found += letter * int(draw.integers(high - len(found) + 1))
    return found


MAKERS: dict[str, Maker] = {
    "tomita-1": one_by_one(repeated("1")),
    "tomita-2": one_by_one(repeated("10")),
    "tomita-3": one_by_one(odd_runs),
    "tomita-4": one_by_one(never_three),
    "tomita-7": one_by_one(four_runs),
    **{f"d-{depth}": nested(depth) for depth in (2, 3, 4, 12)},
    "aa-star": one_by_one(repeated("aa")),
    "aaaa-star": one_by_one(repeated("aaaa")),
    "abab-star": one_by_one(repeated("abab")),
    "abcde": one_by_one(blocks("abcde")),
    "ab-d-bc": one_by_one(two_parts("ab", "d", "bc")),
    "012-star-02": one_by_one(two_parts("012", "0", "2")),
}


@functools.cache
def released_words(language: RegularLanguage, wanted: tuple[tuple[int, int, int], ...]) -> WordList:
    """Words from a shortest to a longest length, so many, for each of several ranges.

    The same each time; what is no member is left out.

    >>> pairs = RegularLanguage.from_regex("(aa)*", name="aa-star")
    >>> listed = released_words(pairs, ((2, 50, 9),))
    >>> max(listed.lengths(0, 1_000)) <= 50, len(listed.words)
    (True, 9)
    """
    name = language.name
    if name not in MAKERS:
        raise BadInput(
            "no law of words was released for that language",
            seen=name,
            why=f"there are {', '.join(MAKERS)}",
        )
    draw = np.random.default_rng(zlib.crc32(name.encode()))
    found: list[str] = []
    for low, high, count in wanted:
        words = [word for word in MAKERS[name](draw, low, high, count) if language.accepts(word)]
        if len(words) < count:
            raise BadInput(
                "the law does not make so many such words",
                seen=f"{count} of {low} to {high} letters of {name}",
                why=f"it makes {len(words)}",
            )
        found += words
    return WordList.of(found, language.alphabet.symbols)


@functools.cache
def _released() -> dict[str, dict[str, Any]]:
    return tomllib.loads(Path(__file__).with_suffix(".toml").read_text(encoding="utf-8"))


def released_lengths() -> dict[str, list[list[int]]]:
    """Of each language the lengths trained on, then those tested on."""
    found: dict[str, list[list[int]]] = _released()["sizes"]
    return found


def released_list(language: RegularLanguage, edition: str) -> WordList:
    """Words of all the lengths that were released for the language, in one of the editions."""
    counts = _released()["counts"] if edition == "full" else {}
    many, fewer = counts.get(language.name, COUNTS[edition])
    ranges = released_lengths()[language.name]
    wanted = ((low, high, fewer if place else many) for place, (low, high) in enumerate(ranges))
    return released_words(language, tuple(wanted))


def made_again(language: RegularLanguage, content: str) -> WordList:
    """The list with that content hash: a store keeps the hash and not the words."""
    for edition in EDITIONS if language.name in released_lengths() else ():
        found = released_list(language, edition)
        if found.hash == content:
            return found
    raise BadInput(
        "a list of words cannot be made again",
        seen=f"{language.name}, {content}",
        why="it is none of the released lists that this version makes",
    )
