"""Words as the framework paper's released code makes them, for its regular languages.

They are not uniform among the words of a length: D_n nests blocks, each about three quarters of
what is left; words of two parts draw the length of each part evenly; runs are as long as there is
room. Read from `lacoco-lab/length_generalization`, commit 24c8c29, folder `formal_lang_suite`;
written anew here. Where it differs: a list may hold a word twice, and D_n turns to smaller blocks
after `PATIENCE` words that do not serve instead of 20,000, for about the same lengths.
"""

from __future__ import annotations

import functools
import tomllib
import zlib
from collections.abc import Callable
from pathlib import Path

import numpy as np
from numpy.random import Generator

from foretell.languages.regular import RegularLanguage
from foretell.languages.word_list import WordList
from foretell.plain.errors import BadInput

Law = Callable[[Generator, int, int], str]  # a word for a range of lengths, which it may miss
LARGEST_SHARE, LESS, SPREAD = 0.75, 0.02, 0.1  # of a block in what is left, and how it varies
PATIENCE = 200
MOST_TRIES = 1_000  # for each word wanted, before a law is given up
EDITIONS = {"full": (4_000, 1_000), "small": (200, 100)}  # words to train on, and of each test


def nested(depth: int) -> Law:
    """D_n: blocks inside blocks."""
    share, missed = LARGEST_SHARE, 0

    def law(draw: Generator, low: int, high: int) -> str:
        nonlocal share, missed
        word = _block(draw, depth, _part(draw, share, high), share)
        if not low <= len(word) <= high:
            missed += 1
            if missed > PATIENCE:
                share, missed = max(share - LESS, LESS), 0
        return word

    return law


def _part(draw: Generator, share: float, whole: int) -> int:
    return int(whole * share * (1 + SPREAD * draw.standard_normal()))


def _block(draw: Generator, depth: int, room: int, share: float) -> str:
    if depth == 0 or room <= 0:
        return ""
    found = ""
    while len(found) < room:
        found += f"a{_block(draw, depth - 1, _part(draw, share, room), share)}b"
    return found


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


LAWS: dict[str, Callable[[], Law]] = {  # made anew for each list: D_n changes as it goes
    "tomita-1": lambda: repeated("1"),
    "tomita-2": lambda: repeated("10"),
    "tomita-3": lambda: odd_runs,
    "tomita-4": lambda: never_three,
    "tomita-7": lambda: four_runs,
    **{f"d-{depth}": functools.partial(nested, depth) for depth in (2, 3, 4, 12)},
    "aa-star": lambda: repeated("aa"),
    "aaaa-star": lambda: repeated("aaaa"),
    "abab-star": lambda: repeated("abab"),
    "abcde": lambda: blocks("abcde"),
    "ab-d-bc": lambda: two_parts("ab", "d", "bc"),
    "012-star-02": lambda: two_parts("012", "0", "2"),
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
    if name not in LAWS:
        raise BadInput(
            "no law of words was released for that language",
            seen=name,
            why=f"there are {', '.join(LAWS)}",
        )
    draw = np.random.default_rng(zlib.crc32(name.encode()))
    found: list[str] = []
    for low, high, count in wanted:
        law, enough = LAWS[name](), len(found) + count
        for _ in range(MOST_TRIES * count):
            word = law(draw, low, high)
            if low <= len(word) <= high and language.accepts(word):
                found.append(word)
            if len(found) == enough:
                break
        else:
            raise BadInput("the law makes no such words", seen=f"{name} of {low} to {high} letters")
    return WordList.of(found, language.alphabet.symbols)


def released_lengths() -> dict[str, list[list[int]]]:
    """Of each language the lengths trained on, then those tested on."""
    path = Path(__file__).with_suffix(".toml")
    found: dict[str, list[list[int]]] = tomllib.loads(path.read_text(encoding="utf-8"))["sizes"]
    return found


def released_list(language: RegularLanguage, edition: str) -> WordList:
    """Words of all the lengths that were released for the language, in one of the editions."""
    many, fewer = EDITIONS[edition]
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
