"""The answer to "do they agree on every word?", with how it was found and how far it goes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal, final

from foretell.crasp.verifying.joint import Decision
from foretell.crasp.verifying.reference import Answer


@final
@dataclass(frozen=True)
class Counterexample:
    """A word, and what each side says about it."""

    word: tuple[str, ...]
    left: Answer
    right: Answer

    def as_json(self) -> dict[str, Any]:
        """The same for scripts."""
        return {"word": list(self.word), "left": _plain(self.left), "right": _plain(self.right)}


@final
@dataclass(frozen=True)
class Verification:
    """`proved` is about every word; `checked` only about the words that were tried.

    `exhaustive_up_to` is the length up to which every word was tried (-1: none). `shortest` says
    that no shorter counterexample exists.
    """

    status: Literal["proved", "checked", "refuted"]
    kind: str
    method: str
    reason: str
    exhaustive_up_to: int
    random_words: int
    longest_random: int
    decisions: tuple[Decision, ...]
    seconds: float
    counterexample: Counterexample | None = None
    shortest: bool = False
    live_only: bool = False  # next symbols were compared after prefixes of members only

    def as_json(self) -> dict[str, Any]:
        """The same for scripts."""
        shown = self.counterexample
        return {
            "status": self.status,
            "kind": self.kind,
            "method": self.method,
            "reason": self.reason,
            "exhaustive_up_to": self.exhaustive_up_to,
            "random_words": self.random_words,
            "longest_random": self.longest_random,
            "counterexample": None if shown is None else shown.as_json(),
            "shortest": self.shortest,
            "live_only": self.live_only,
            "decisions": [
                {"method": item.method, "outcome": item.outcome, "reason": item.reason}
                for item in self.decisions
            ],
            "seconds": round(self.seconds, 3),
            "summary": self.summary(),
        }

    @property
    def _agree(self) -> str:
        return "they agree" if self.kind == "accept" else "they allow the same next symbols"

    @property
    def _claim(self) -> str:
        """What is proved, no more: a language says nothing after a prefix that is lost."""
        if self.kind == "accept":
            return "they agree on every word"
        if self.live_only:
            return f"{self._agree} after every prefix of a word of the language"
        return f"{self._agree} after every word"

    def summary(self) -> str:
        """One sentence."""
        if self.status == "proved":
            return f"Proved: {self._claim} ({self.method}: {self.reason})."
        if self.status == "checked":
            tried = []
            if self.exhaustive_up_to >= 0:
                tried.append(f"every word up to length {self.exhaustive_up_to}")
            if self.random_words:
                drawn = f"{self.random_words:,} random words up to length {self.longest_random:,}"
                tried.append(drawn)
            return f"Checked, not proved: {self._agree} on {' and '.join(tried)}."
        assert self.counterexample is not None
        word = show_word(self.counterexample.word)
        left, right = _said(self.counterexample.left), _said(self.counterexample.right)
        none = ", and on no shorter word" if self.shortest and self.counterexample.word else ""
        return f"Refuted: they differ on {word}{none}; the first says {left}, the second {right}."


def show_word(word: tuple[str, ...]) -> str:
    """A word as people write it; long ones are cut."""
    if not word:
        return "the empty word"
    joined = ("" if all(len(symbol) == 1 for symbol in word) else " ").join(word[:200])
    return joined + (f"… ({len(word):,} letters)" if len(word) > 200 else "")


def _said(answer: Answer) -> str:
    if isinstance(answer, tuple):
        return "{" + ", ".join(answer) + "}"
    return {True: "yes", False: "no", None: "nothing"}[answer]


def _plain(answer: Answer) -> Any:
    return list(answer) if isinstance(answer, tuple) else answer
