"""Why a language is outside a class: words anyone can put into the automaton again.

Every class of the report is given by laws. A witness names the law and the words that break it;
`check` evaluates both sides on the automaton's states, with no search and no monoid.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import final

import numpy as np

from foretell.languages.algebra.groups import is_solvable
from foretell.languages.algebra.maps import Map, inverse, omega, smallest_type, then, word_map
from foretell.languages.dfa import DFA

Word = tuple[str, ...]
Sides = tuple[Map, Map]


@final
@dataclass(frozen=True)
class Witness:
    """A law and words that break it.

    For a law of two sides, `before` and `after` are a context: `before`, one side, `after` is in
    the language for exactly one of the sides. Laws about membership need no context.
    """

    law: str
    words: Mapping[str, Word]
    before: Word = ()
    after: Word = ()

    def __post_init__(self) -> None:
        object.__setattr__(self, "words", MappingProxyType(dict(self.words)))

    def check(self, dfa: DFA) -> bool:
        """Do these words break the law in this automaton?"""
        smallest = dfa.minimal()
        if self.law in MEMBERSHIP:
            return MEMBERSHIP[self.law](smallest, self.words)
        maps = {name: word_map(smallest, word) for name, word in self.words.items()}
        if self.law == EVEN and len(self.words["x"]) != len(self.words["y"]):
            return False
        left, right = LAWS[self.law](**maps)
        begin = smallest.state_after(self.before)
        end = word_map(smallest, self.after)
        return (int(end[left[begin]]) in smallest.final) != (
            int(end[right[begin]]) in smallest.final
        )

    def as_json(self) -> dict[str, object]:
        """The witness as a value that `json.dumps` can write."""
        found: dict[str, object] = {
            "law": self.law,
            "words": {name: list(word) for name, word in self.words.items()},
        }
        if self.law in LAWS:
            found["context"] = [list(self.before), list(self.after)]
        return found


def _knast(x: Map, y: Map, s: Map, t: Map, u: Map, v: Map) -> Sides:
    e, f = omega(x), omega(y)
    before, after = omega(then(e, s, f, t)), omega(then(e, u, f, v))
    return then(before, e, s, f, v, after), then(before, after)


def _even(x: Map, y: Map) -> Sides:
    turn = then(inverse(x), y)  # x to the power omega - 1 is the inverse of x in its group
    return then(omega(turn), turn), omega(turn)


STAR_FREE = "x^ω x = x^ω"
R_TRIVIAL = "(xy)^ω x = (xy)^ω"
L_TRIVIAL = "y (xy)^ω = (xy)^ω"
DA = "(xy)^ω x (xy)^ω = (xy)^ω"
LOCALLY_IDEMPOTENT = "x^ω s x^ω s x^ω = x^ω s x^ω"
LOCALLY_COMMUTATIVE = "x^ω s x^ω t x^ω = x^ω t x^ω s x^ω"
THRESHOLD = "x^ω s y^ω t x^ω u y^ω = x^ω u y^ω t x^ω s y^ω"
KNAST = "(esft)^ω esfv (eufv)^ω = (esft)^ω (eufv)^ω, e = x^ω, f = y^ω"
EVEN = "z^ω z = z^ω, z = x^(ω-1) y, |x| = |y|"
FINITE = "only finitely many words before loop^n after are in the language"
COFINITE = "only finitely many words before loop^n after are outside the language"
SUFFIXES = "left core^n right and other core^n end in the language for all n: so is left core^n end"
SUBSEQUENCES = "with a word, its subsequences are in the language"
SOLVABLE = "the words other than x generate a solvable group at x^ω"

LAWS: Mapping[str, Callable[..., Sides]] = MappingProxyType(
    {
        STAR_FREE: lambda x: (then(omega(x), x), omega(x)),
        R_TRIVIAL: lambda x, y: (then(omega(then(x, y)), x), omega(then(x, y))),
        L_TRIVIAL: lambda x, y: (then(y, omega(then(x, y))), omega(then(x, y))),
        DA: lambda x, y: (
            then(omega(then(x, y)), x, omega(then(x, y))),
            omega(then(x, y)),
        ),
        LOCALLY_IDEMPOTENT: lambda x, s: (
            then(omega(x), s, omega(x), s, omega(x)),
            then(omega(x), s, omega(x)),
        ),
        LOCALLY_COMMUTATIVE: lambda x, s, t: (
            then(omega(x), s, omega(x), t, omega(x)),
            then(omega(x), t, omega(x), s, omega(x)),
        ),
        THRESHOLD: lambda x, y, s, t, u: (
            then(omega(x), s, omega(y), t, omega(x), u, omega(y)),
            then(omega(x), u, omega(y), t, omega(x), s, omega(y)),
        ),
        KNAST: _knast,
        EVEN: _even,
    }
)


def _pumped(dfa: DFA, words: Mapping[str, Word]) -> bool:
    state = dfa.state_after(words["before"])
    back = dfa.state_after((*words["before"], *words["loop"]))
    inside = dfa.accepts((*words["before"], *words["after"]))
    return bool(words["loop"]) and state == back and inside


def _suffixes(dfa: DFA, words: Mapping[str, Word]) -> bool:
    core = words["core"]
    left, other = dfa.state_after(words["left"]), dfa.state_after(words["other"])
    turning = word_map(dfa, core)
    stays = int(turning[left]) == left and int(turning[other]) == other
    inside = dfa.accepts((*words["left"], *words["right"]))
    inside = inside and dfa.accepts((*words["other"], *words["end"]))
    return bool(core) and stays and inside and not dfa.accepts((*words["left"], *words["end"]))


def _subsequences(dfa: DFA, words: Mapping[str, Word]) -> bool:
    rest = iter(words["word"])
    part = all(letter in rest for letter in words["subsequence"])
    return part and dfa.accepts(words["word"]) and not dfa.accepts(words["subsequence"])


def _unsolvable(dfa: DFA, words: Mapping[str, Word]) -> bool:
    anchor = omega(word_map(dfa, words["x"]))
    points = np.unique(anchor)
    rows = []
    for name, word in words.items():
        if name != "x":
            row = then(anchor, word_map(dfa, word), anchor)[points]
            if not np.array_equal(np.sort(row), points):
                return False
            rows.append(np.searchsorted(points, row).astype(smallest_type(len(points))))
    return bool(rows) and not is_solvable(np.array(rows))


MEMBERSHIP: Mapping[str, Callable[[DFA, Mapping[str, Word]], bool]] = MappingProxyType(
    {
        FINITE: _pumped,
        COFINITE: lambda dfa, words: _pumped(dfa.complement(), words),
        SUFFIXES: _suffixes,
        SUBSEQUENCES: _subsequences,
        SOLVABLE: _unsolvable,
    }
)


class Contexts:
    """Finds the words around two different maps that show the difference."""

    def __init__(self, dfa: DFA) -> None:
        self.dfa = dfa.minimal()
        self.symbols = self.dfa.alphabet.symbols

    def witness(self, law: str, words: Mapping[str, Sequence[int]]) -> Witness:
        """The witness that the law fails for these words (letter indices)."""
        spelled = {name: self.spell(word) for name, word in words.items()}
        if law not in LAWS:
            return Witness(law, spelled)
        maps = {name: word_map(self.dfa, word) for name, word in spelled.items()}
        left, right = LAWS[law](**maps)
        state = int(np.flatnonzero(left != right)[0])
        after = self.telling(int(left[state]), int(right[state]))
        return Witness(law, spelled, self.access(state), after)

    def spell(self, word: Sequence[int]) -> Word:
        """Letter indices as symbols."""
        return tuple(self.symbols[letter] for letter in word)

    def access(self, state: int) -> Word:
        """A shortest word from the start to a state."""
        return self._search(self.dfa.start, lambda node: node == state, self.dfa.delta.__getitem__)

    def telling(self, one: int, other: int) -> Word:
        """A shortest word that is accepted from exactly one of two states."""
        delta, final_states = self.dfa.delta, self.dfa.final
        return self._search(
            (one, other),
            lambda pair: (pair[0] in final_states) != (pair[1] in final_states),
            lambda pair: tuple(zip(delta[pair[0]], delta[pair[1]], strict=True)),
        )

    def accepted_from(self, state: int, avoiding: int | None = None) -> Word:
        """A shortest word accepted from a state, and refused from the other one if given."""
        delta, final_states = self.dfa.delta, self.dfa.final
        if avoiding is None:
            return self._search(state, final_states.__contains__, delta.__getitem__)
        return self._search(
            (state, avoiding),
            lambda pair: pair[0] in final_states and pair[1] not in final_states,
            lambda pair: tuple(zip(delta[pair[0]], delta[pair[1]], strict=True)),
        )

    def _search(self, start: Hashable, found: Callable, step: Callable) -> Word:
        words: dict[Hashable, Word] = {start: ()}
        order = [start]
        for node in order:  # grows while it is walked
            if found(node):
                return words[node]
            for symbol, target in zip(self.symbols, step(node), strict=True):
                if target not in words:
                    words[target] = (*words[node], symbol)
                    order.append(target)
        raise LookupError("no word does that")
