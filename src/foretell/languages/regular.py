"""A regular language as a value: membership, counting, enumeration, its non-members."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import final

from foretell.core.alphabet import EOS, RESERVED, Alphabet
from foretell.core.language import Language
from foretell.languages.compiling import compiled
from foretell.languages.dfa import DFA, STATE_LIMIT
from foretell.languages.dfa_json import dfa_as_json
from foretell.languages.edits import one_edit_away
from foretell.languages.nfa import bits
from foretell.languages.regex import parse
from foretell.plain.errors import BadInput


@final
@dataclass(frozen=True)
class RegularLanguage(Language):
    """A regular language with a name, its minimal automaton, and its expression where it has one.

    `from_regex` and `from_dfa` are the doors for what people bring and refuse a language without
    words. The bare constructor does not, because the non-members of a language can be none.

    >>> pairs = RegularLanguage.from_regex("(ab)*")
    >>> pairs.accepts("abab"), pairs.count(4), pairs.lengths(1, 5), sorted(pairs.legal_next("ab"))
    (True, 1, (2, 4), ['<eos>', 'a'])
    """

    name: str
    dfa: DFA
    regex: str | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "dfa", self.dfa.minimal())

    @classmethod
    def from_regex(
        cls, text: str, alphabet: Alphabet | None = None, name: str | None = None
    ) -> RegularLanguage:
        """The language of an expression; its own letters are the alphabet when none is given."""
        dfa = compiled(parse(text, alphabet))
        return cls(name or f"regex:{text}", _with_words(dfa, text), text)

    @classmethod
    def from_dfa(cls, dfa: DFA, name: str | None = None) -> RegularLanguage:
        """The language of an automaton, named after its content when no name is given."""
        smallest = _with_words(dfa, "an automaton whose final states cannot be reached").minimal()
        content = json.dumps(dfa_as_json(smallest)).encode()
        return cls(name or f"dfa:{hashlib.blake2s(content, digest_size=4).hexdigest()}", smallest)

    @property
    def alphabet(self) -> Alphabet:
        """The letters words are made of."""
        return self.dfa.alphabet

    @property
    def is_empty(self) -> bool:
        """Does it have no word at all?"""
        return self.dfa.is_empty

    def accepts(self, word: Sequence[str]) -> bool:
        """Is the word in the language?"""
        return self.dfa.accepts(word)

    def legal_next(self, prefix: Sequence[str]) -> frozenset[str]:
        """Letters (and `<eos>`) with which the prefix can go on; none for a dead prefix."""
        return self.legal_sets[self.dfa.state_after(prefix)]

    @cached_property
    def legal_sets(self) -> tuple[frozenset[str], ...]:
        """The legal next symbols in every state of the automaton."""
        return tuple(
            frozenset(
                [
                    *(s for s, to in zip(self.alphabet.symbols, row, strict=True) if to in live),
                    *([RESERVED[EOS]] if state in self.dfa.final else []),
                ]
            )
            for live in [self.dfa.live]
            for state, row in enumerate(self.dfa.delta)
        )

    def count(self, length: int) -> int:
        """Exact number of members of that length."""
        arrivals = {self.dfa.start: 1} if length >= 0 else {}
        for _ in range(length):
            onward: dict[int, int] = {}
            for state, ways in arrivals.items():
                for target in self.dfa.delta[state]:
                    if target in self.dfa.live:
                        onward[target] = onward.get(target, 0) + ways
            arrivals = onward
        return sum(ways for state, ways in arrivals.items() if state in self.dfa.final)

    def lengths(self, low: int, high: int) -> tuple[int, ...]:
        """The lengths from `low` to `high`, both included, that have members."""
        found = []
        reached = frozenset({self.dfa.start})
        onward: dict[frozenset[int], frozenset[int]] = {}  # they repeat before long
        for length in range(high + 1):
            if length >= low and not reached.isdisjoint(self.dfa.final):
                found.append(length)
            if reached not in onward:
                targets = frozenset(to for state in reached for to in self.dfa.delta[state])
                onward[reached] = targets & self.dfa.live
            reached = onward[reached]
            if not reached:
                break
        return tuple(found)

    def nearest_lengths(self, low: int, high: int) -> tuple[int, ...]:
        """The closest length below `low` and the closest above `high` that have members.

        >>> RegularLanguage.from_regex("(aaaa)*").nearest_lengths(5, 7)
        (4, 8)
        """
        below = self.lengths(0, low - 1)[-1:]
        # A longer word could be shortened by a loop, which is no longer than there are states.
        above = self.lengths(high + 1, high + len(self.dfa.delta))[:1]
        return below + above

    def words(self, length: int) -> Iterator[tuple[str, ...]]:
        """Every member of that length, in the order of the alphabet.

        >>> ["".join(word) for word in RegularLanguage.from_regex("a*b|b*").words(2)]
        ['ab', 'bb']
        """
        if length < 0:
            return
        useful = self._useful(length)
        letters = tuple(enumerate(self.alphabet.symbols))
        pending: list[tuple[int, tuple[str, ...]]] = [(self.dfa.start, ())]
        while pending:
            state, word = pending.pop()
            if not useful[length - len(word)] >> state & 1:
                continue
            if len(word) == length:
                yield word
                continue
            row = self.dfa.delta[state]
            pending.extend((row[index], (*word, symbol)) for index, symbol in reversed(letters))

    def _useful(self, length: int) -> list[int]:
        """For every number of letters still to come, the set of states from which it works out."""
        sources = [0] * len(self.dfa.delta)
        for state, row in enumerate(self.dfa.delta):
            for target in row:
                sources[target] |= 1 << state
        useful = [sum(1 << state for state in self.dfa.final)]
        for _ in range(length):
            before = 0
            for target in bits(useful[-1]):
                before |= sources[target]
            useful.append(before)
        return useful

    def non_members(self) -> RegularLanguage:
        """The words over the alphabet outside the language; possibly none (`is_empty`)."""
        return RegularLanguage(f"non-members of {self.name}", self.dfa.complement())

    def near_non_members(self, limit: int = STATE_LIMIT) -> RegularLanguage:
        """Non-members exactly one substitution, insertion or deletion away from a member.

        Possibly none (`is_empty`): every neighbour of a member can be a member. Bad input when
        the automaton would need more than `limit` states.

        >>> near = RegularLanguage.from_regex("(ab)*").near_non_members()
        >>> near.accepts("aba"), near.accepts("abab"), near.accepts("bbb")
        (True, False, False)
        """
        around = one_edit_away(self.dfa, limit) - self.dfa
        return RegularLanguage(f"near non-members of {self.name}", around)


def _with_words(dfa: DFA, seen: str) -> DFA:
    if dfa.is_empty:
        raise BadInput(
            "a language has no words",
            seen=seen,
            why="nothing can be sampled, counted or learned from it",
            hint="check intersections, complements and final states",
        )
    return dfa
