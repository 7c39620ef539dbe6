"""A deterministic, complete finite automaton as a value."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TypeVar, final

from foretell.core.alphabet import Alphabet
from foretell.languages.minimizing import canonical
from foretell.plain.errors import BadInput

State = TypeVar("State", bound=Hashable)
STATE_LIMIT = 20_000


def too_large(limit: int, unit: str = "states") -> BadInput:
    """The error for an automaton that would eat the machine."""
    return BadInput(
        "the automaton is too large",
        seen=f"more than {limit:,} {unit}",
        why="its construction is stopped before it fills the memory",
        hint="smaller repetition bounds, fewer intersections and complements",
    )


@final
@dataclass(frozen=True)
class DFA:
    """States 0, 1, …; `delta[state][letter]` is the next state, for every state and letter.

    `&`, `|`, `-` and `complement()` answer with minimal automata, and minimal automata are equal
    exactly when their languages are.

    >>> even = DFA(Alphabet("ab"), ((1, 0), (0, 1)), 0, frozenset({0}))
    >>> even.accepts("abba"), even.accepts("ab"), even.shortest_word()
    (True, False, ())
    >>> (even | even.complement()).is_empty, (even & even.complement()).is_empty
    (False, True)
    """

    alphabet: Alphabet
    delta: tuple[tuple[int, ...], ...]
    start: int
    final: frozenset[int]

    def __post_init__(self) -> None:
        rows = tuple(tuple(map(int, row)) for row in self.delta)
        object.__setattr__(self, "delta", rows)
        object.__setattr__(self, "final", frozenset(map(int, self.final)))
        if not self.alphabet.symbols:
            raise BadInput("an automaton has no letters", why="words need letters", hint="a b")
        if not rows:
            raise BadInput("an automaton has no states", why="it needs at least a start")
        for state, row in enumerate(rows):
            if len(row) != len(self.alphabet.symbols):
                raise BadInput(
                    "an automaton's transitions do not fit its alphabet",
                    seen=f"state {state} has {len(row)} transitions",
                    why=f"the alphabet has {len(self.alphabet.symbols)} letters and every state "
                    "needs one transition for each",
                    hint="add a dead state and lead the missing transitions there",
                )
            if min(row) < 0 or max(row) >= len(rows):
                for symbol, target in zip(self.alphabet.symbols, row, strict=True):
                    self._check_state(target, f"the transition of state {state} on {symbol!r}")
        self._check_state(self.start, "the start")
        for state in self.final:
            self._check_state(state, "a final state")

    def _check_state(self, state: int, role: str) -> None:
        if not 0 <= state < len(self.delta):
            raise BadInput(
                "an automaton names a state it does not have",
                seen=f"{role} is {state}",
                why=f"its states are 0 to {len(self.delta) - 1}, one for each row of delta",
                hint="number the states from 0",
            )

    @cached_property
    def _letters(self) -> dict[str, int]:
        return {symbol: index for index, symbol in enumerate(self.alphabet.symbols)}

    def letters(self, word: Sequence[str]) -> tuple[int, ...]:
        """Letter indices (0 for the first symbol) of a word; other letters are bad input."""
        outside = [symbol for symbol in word if symbol not in self._letters]
        if outside:
            raise BadInput(
                "a word has a letter outside the alphabet",
                seen=repr(outside[0]),
                why=f"the alphabet is {' '.join(self.alphabet.symbols[:30])}",
                hint="use only these letters, or add the missing one to the alphabet",
            )
        return tuple(self._letters[symbol] for symbol in word)

    def state_after(self, word: Sequence[str]) -> int:
        """The state a word leads to from the start."""
        state = self.start
        for letter in self.letters(word):
            state = self.delta[state][letter]
        return state

    def accepts(self, word: Sequence[str]) -> bool:
        """Is the word in the language?"""
        return self.state_after(word) in self.final

    @cached_property
    def live(self) -> frozenset[int]:
        """States from which some final state can be reached."""
        return reaching(self.delta, self.final)

    @property
    def is_empty(self) -> bool:
        """Does it accept no word at all?"""
        return self.start not in self.live

    def shortest_word(self) -> tuple[str, ...] | None:
        """A shortest accepted word, the first in alphabet order; none when there is none."""
        if self.is_empty:
            return None
        words: dict[int, tuple[str, ...]] = {self.start: ()}
        order = [self.start]
        for state in order:  # grows while it is walked
            if state in self.final:
                return words[state]
            for symbol, target in zip(self.alphabet.symbols, self.delta[state], strict=True):
                if target not in words and target in self.live:
                    words[target] = (*words[state], symbol)
                    order.append(target)
        raise AssertionError("a live start reaches a final state")

    def minimal(self) -> DFA:
        """The smallest automaton of the language, canonically numbered (start 0, breadth first)."""
        return self._smallest

    @cached_property
    def _smallest(self) -> DFA:
        delta, accepting = canonical(self.delta, self.start, self.final)
        if (delta, 0, accepting) == (self.delta, self.start, self.final):
            return self
        smallest = DFA(self.alphabet, delta, 0, accepting)
        smallest.__dict__["_smallest"] = smallest  # so that asking it again costs nothing
        return smallest

    def complement(self) -> DFA:
        """The words over the alphabet that this automaton refuses."""
        others = frozenset(range(len(self.delta))) - self.final
        return DFA(self.alphabet, self.delta, self.start, others).minimal()

    def __and__(self, other: DFA) -> DFA:
        return self._product(other, lambda mine, theirs: mine and theirs)

    def __or__(self, other: DFA) -> DFA:
        return self._product(other, lambda mine, theirs: mine or theirs)

    def __sub__(self, other: DFA) -> DFA:
        return self._product(other, lambda mine, theirs: mine and not theirs)

    def same_alphabet(self, other: DFA) -> None:
        """Refuse to combine automata over different letters."""
        if self.alphabet != other.alphabet:
            raise BadInput(
                "two automata have different alphabets",
                seen=f"{' '.join(self.alphabet.symbols)} and {' '.join(other.alphabet.symbols)}",
                why="their languages can only be combined over one alphabet",
                hint="build both over the same list of letters, in the same order",
            )

    def _product(self, other: DFA, both: Callable[[bool, bool], bool]) -> DFA:
        self.same_alphabet(other)

        def step(pair: tuple[int, int]) -> list[tuple[int, int]]:
            return list(zip(self.delta[pair[0]], other.delta[pair[1]], strict=True))

        def accepts(pair: tuple[int, int]) -> bool:
            return both(pair[0] in self.final, pair[1] in other.final)

        return explore(self.alphabet, (self.start, other.start), step, accepts).minimal()


def reaching(moves: Sequence[Sequence[int]], goals: Iterable[int]) -> frozenset[int]:
    """The nodes from which some goal can be reached, the goals among them.

    >>> sorted(reaching([[1], [2], [2], [0, 3]], [2]))
    [0, 1, 2, 3]
    """
    sources: list[list[int]] = [[] for _ in moves]
    for node, row in enumerate(moves):
        for target in row:
            sources[target].append(node)
    found = list(dict.fromkeys(goals))
    seen = set(found)
    for node in found:  # grows while it is walked
        for source in sources[node]:
            if source not in seen:
                seen.add(source)
                found.append(source)
    return frozenset(seen)


def explore(
    alphabet: Alphabet,
    start: State,
    step: Callable[[State], list[State]],
    accepts: Callable[[State], bool],
    limit: int = STATE_LIMIT,
) -> DFA:
    """The automaton whose states are whatever `step` reaches from `start`, at most `limit`.

    `step` answers with the next state for every letter, in alphabet order.

    >>> explore(Alphabet("ab"), "", lambda w: [(w + x)[-1:] for x in "ab"], lambda w: w == "b")
    DFA(alphabet=Alphabet(symbols=('a', 'b')), delta=((1, 2), (1, 2), (1, 2)), start=0, \
final=frozenset({2}))
    """
    number: dict[State, int] = {start: 0}
    order = [start]
    delta = []
    for state in order:  # grows while it is walked
        row = []
        for target in step(state):
            if target not in number:
                if len(order) >= limit:
                    raise too_large(limit)
                number[target] = len(order)
                order.append(target)
            row.append(number[target])
        delta.append(tuple(row))
    accepting = frozenset(index for index, state in enumerate(order) if accepts(state))
    return DFA(alphabet, tuple(delta), 0, accepting)
