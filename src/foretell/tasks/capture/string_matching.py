"""Find a short pattern in a text and say the letter after it.

What: A text in which a pattern occurs exactly once, then the pattern; the answer is the letter
    that follows the pattern in the text, wherever that is.
Definition: text SEP pattern, answered at the last position. The pattern (3 of 4 letters unless
    told) is uniform among those in which no beginning is also an end, so occurrences never overlap;
    it is written at a uniform place where one letter still follows, and the text is uniform among
    those with no other occurrence. Size is the length of the text, at least 8.
Example:
    >>> StringMatching().answer(tuple("ddabcada") + ("<sep>",) + tuple("abc"))
    ('a',)

Known limits: The generator and its numbers are ours, the paper's are unknown: of the 64 patterns of
    3 letters, the 16 that begin and end alike are left out. A short pattern is nearly a lookup by
    the last letters, so this is close to induction.
Sources: task named in arXiv 2603.11161 version 2; resampling exactly what is wrong keeps the
    distribution uniform: Guo, Jerrum, Liu, Uniform sampling through the Lovász local lemma
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass, field
from functools import cached_property

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from jaxtyping import Array, Bool, Int, Int32, Key

from foretell.core.alphabet import SEP
from foretell.core.task import Fact
from foretell.plain.errors import BadInput
from foretell.tasks.capture._distinct import draw_letters
from foretell.tasks.capture._last_position import LastPositionTask, as_ids
from foretell.tasks.capture._settings import whole_number

MOST_PATTERNS = 1 << 16
CROWDING = 0.5  # new occurrences that drawing one of them again makes, on average, at most


@dataclass(frozen=True)
class StringMatching(LastPositionTask):
    """The letter after the pattern."""

    letters: int = field(default=4, kw_only=True)
    pattern: int = field(default=3, kw_only=True)
    title = "string-matching"
    smallest = 8
    sampler = "pattern without overlaps, place and letters uniform, no second occurrence"
    facts = (
        Fact("heuristic-complexity", "T", "Knuth, Morris, Pratt, Fast pattern matching in strings"),
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        whole_number("the number of letters", self.letters, 2, 26)
        whole_number("the length of the pattern", self.pattern, 2, self.smallest - 1)
        kinds = self.letters**self.pattern
        if kinds > MOST_PATTERNS or 2 * self.pattern - 1 > CROWDING * kinds:
            raise BadInput(
                "patterns of that length over these letters are too many, or too frequent",
                seen=f"{kinds:,} patterns of {self.pattern} of {self.letters} letters",
                why="texts with exactly one occurrence must be common, and the patterns listed",
                hint="letters=4,pattern=3",
            )

    @property
    def symbols(self) -> tuple[str, ...]:
        """The letters."""
        return tuple("abcdefghijklmnopqrstuvwxyz"[: self.letters])

    @cached_property
    def patterns(self) -> Int32[np.ndarray, "draw letter"]:
        """Those in which no beginning is also an end."""
        words = itertools.product(range(self.letters), repeat=self.pattern)
        lengths = range(1, self.pattern)
        return np.array([w for w in words if all(w[:n] != w[-n:] for n in lengths)], np.int32)

    def word_length(self, size: int) -> int:
        """Text, separator, pattern."""
        return size + 1 + self.pattern

    def answer(self, word: tuple[str, ...]) -> tuple[str, ...]:
        """Try every place."""
        text, wanted = word[: -self.pattern - 1], word[-self.pattern :]
        starts = range(len(text) - self.pattern + 1)
        places = [start for start in starts if text[start : start + self.pattern] == wanted]
        if len(places) != 1 or places[0] + self.pattern >= len(text):
            raise BadInput(
                "the pattern must occur once in the text, with a letter after it",
                seen=" ".join(word[:30]),
                why=f"it occurs {len(places)} times",
            )
        return (text[places[0] + self.pattern],)

    def draw_word(
        self, key: Key[Array, ""], size: Int[Array, ""], width: int
    ) -> tuple[Int[Array, " length"], Int[Array, ""], Int[Array, ""]]:
        """Plant the pattern, then draw every other occurrence again until there is none."""
        for_pattern, for_start, for_text = jax.random.split(key, 3)
        chosen = jax.random.randint(for_pattern, (), 0, len(self.patterns))
        pattern = jnp.asarray(self.patterns)[chosen]
        start = jax.random.randint(for_start, (), 0, size - self.pattern)
        text = self._clean_text(for_text, pattern, start, size, width)
        place = jnp.arange(width)
        asked = pattern[jnp.clip(place - size - 1, 0, self.pattern - 1)]
        tokens = as_ids(jnp.where(place < size, text, asked))
        tokens = jnp.where(place == size, SEP, tokens)
        return tokens, size + 1 + self.pattern, as_ids(text[start + self.pattern])

    def _clean_text(
        self,
        key: Key[Array, ""],
        pattern: Int[Array, " letter"],
        start: Int[Array, ""],
        size: Int[Array, ""],
        width: int,
    ) -> Int[Array, " length"]:
        place = jnp.arange(width)
        planted = pattern[jnp.clip(place - start, 0, self.pattern - 1)]
        is_planted = (place >= start) & (place < start + self.pattern)

        def too_many(text: Int[Array, " length"]) -> Bool[Array, " length"]:
            matches = [jnp.roll(text, -n) == pattern[n] for n in range(self.pattern)]
            inside = (place + self.pattern <= size) & (place != start)
            return jnp.stack(matches).all(axis=0) & inside

        def draw_again(
            state: tuple[Key[Array, ""], Int[Array, " length"]],
        ) -> tuple[Key[Array, ""], Int[Array, " length"]]:
            key, text = state
            key, now = jax.random.split(key)
            wrong = too_many(text)
            covered = jnp.stack([jnp.roll(wrong, n) for n in range(self.pattern)]).any(axis=0)
            return key, jnp.where(covered, draw_letters(now, width, self.letters), text)

        key, now = jax.random.split(key)
        text = jnp.where(is_planted, planted, draw_letters(now, width, self.letters))
        return lax.while_loop(lambda state: too_many(state[1]).any(), draw_again, (key, text))[1]
