"""Pieces of nondeterministic automata, and the subset construction.

A set of states is a Python integer, one bit for each state: unions are single operations.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import final

from foretell.core.alphabet import Alphabet
from foretell.languages.dfa import DFA, STATE_LIMIT, explore, too_large

# Steps from one state to one letter's successors; some seconds of work.
WORK_LIMIT = 20_000_000


@final
@dataclass(frozen=True)
class Piece:
    """An automaton without empty moves.

    `arcs[state]` maps a letter to the set of next states. `first` is the same for the beginning,
    which is not itself a state; `last` are the states where a word may end. A `starred` piece is
    known to hold every repetition of its words already.
    """

    arcs: tuple[Mapping[int, int], ...]
    first: Mapping[int, int]
    last: int
    nullable: bool
    starred: bool = False


NOTHING = Piece((), {}, 0, nullable=False)
EMPTY_WORD = Piece((), {}, 0, nullable=True)


def one_of(letters: Sequence[int]) -> Piece:
    """Exactly one letter, out of these."""
    return Piece(({},), dict.fromkeys(letters, 1), 1, nullable=False) if letters else NOTHING


def unite(parts: Sequence[Piece]) -> Piece:
    """Any of the parts."""
    arcs: list[Mapping[int, int]] = []
    first: dict[int, int] = {}
    last = 0
    for part in parts:
        moved = _moved(part, len(arcs))
        arcs.extend(moved.arcs)
        _merge(first, moved.first)
        last |= moved.last
    return Piece(tuple(arcs), first, last, any(part.nullable for part in parts))


def concatenate(parts: Sequence[Piece]) -> Piece:
    """The parts one after the other."""
    arcs: list[Mapping[int, int]] = []
    first: dict[int, int] = {}
    last, nullable = 0, True
    for part in parts:
        moved = _moved(part, len(arcs))
        arcs.extend(moved.arcs)
        _link(arcs, last, moved.first)
        if nullable:
            _merge(first, moved.first)
        last = moved.last | (last if part.nullable else 0)
        nullable = nullable and part.nullable
    return Piece(tuple(arcs), first, last, nullable)


def repeat(body: Piece, low: int, high: int | None, limit: int = STATE_LIMIT) -> Piece:
    """The body `low` to `high` times, or without end when `high` is None.

    Copies stand in a row. A body that may be empty needs no round at all, so `low` becomes 0 and
    every copy may be the last: the empty rounds need no arcs that jump over copies.
    """
    if body.starred and high != 0:
        return body  # without this, nested bounds would multiply
    if body.nullable:
        low = 0
    copies = max(low, 1) if high is None else high
    if not body.arcs or copies == 0:
        return EMPTY_WORD if low == 0 else NOTHING
    if copies * len(body.arcs) > limit:
        raise too_large(limit)
    arcs: list[Mapping[int, int]] = []
    last = before = 0
    for copy in range(1, copies + 1):
        moved = _moved(body, len(arcs))
        arcs.extend(moved.arcs)
        _link(arcs, before, moved.first)
        before = moved.last
        if copy >= low:
            last |= moved.last
    if high is None:
        _link(arcs, before, moved.first)
    return Piece(tuple(arcs), body.first, last, low == 0, starred=low == 0 and high is None)


def shuffle_two(one: Piece, other: Piece, limit: int = STATE_LIMIT) -> Piece:
    """A word of each part, their letters interleaved in any way.

    A state is a pair; the last index of a side means that it has not begun. Both sides not yet
    begun is the beginning of the whole, which is not itself a state.
    """
    width, depth = len(one.arcs) + 1, len(other.arcs) + 1
    if width * depth > limit:
        raise too_large(limit)
    ones, others = (*one.arcs, one.first), (*other.arcs, other.first)

    def arcs(mine: int, theirs: int) -> dict[int, int]:
        found: dict[int, int] = {}
        for letter, subset in ones[mine].items():
            found[letter] = sum(1 << (state * depth + theirs) for state in bits(subset))
        for letter, subset in others[theirs].items():
            found[letter] = found.get(letter, 0) | subset << (mine * depth)
        return found

    pairs = [(mine, theirs) for mine in range(width) for theirs in range(depth)]
    ends = one.last | (1 << width - 1 if one.nullable else 0)
    other_ends = other.last | (1 << depth - 1 if other.nullable else 0)
    last = sum(other_ends << (mine * depth) for mine in bits(ends))
    beginning = 1 << (width * depth - 1)
    return Piece(
        tuple(arcs(*pair) for pair in pairs[:-1]),
        arcs(*pairs[-1]),
        last & ~beginning,
        one.nullable and other.nullable,
    )


def from_dfa(dfa: DFA) -> Piece:
    """The same language as a piece, without the states that lead nowhere."""
    keep = sorted(dfa.live)
    bit = {state: 1 << index for index, state in enumerate(keep)}

    def arcs(state: int) -> dict[int, int]:
        return {a: bit[target] for a, target in enumerate(dfa.delta[state]) if target in bit}

    last = sum(bit[state] for state in dfa.final)
    return Piece(
        tuple(arcs(state) for state in keep), arcs(dfa.start), last, dfa.start in dfa.final
    )


def determinize(piece: Piece, alphabet: Alphabet, limit: int = STATE_LIMIT) -> DFA:
    """The minimal automaton of the same language, by subsets of states."""
    if len(piece.arcs) > limit:
        raise too_large(limit)
    arcs = (*piece.arcs, piece.first)
    beginning = 1 << len(piece.arcs)
    final_states = piece.last | (beginning if piece.nullable else 0)
    letters = range(len(alphabet.symbols))
    work = 0

    def step(subset: int) -> list[int]:
        nonlocal work
        successors = dict.fromkeys(letters, 0)
        for state in bits(subset):
            work += len(arcs[state])
            _merge(successors, arcs[state])
        if work > WORK_LIMIT:
            raise too_large(WORK_LIMIT, "steps")
        return list(successors.values())

    return explore(
        alphabet, beginning, step, lambda subset: bool(subset & final_states), limit
    ).minimal()


def bits(subset: int) -> Iterator[int]:
    """Members of a set of states.

    >>> list(bits(0b1010))
    [1, 3]
    """
    while subset:
        lowest = subset & -subset
        yield lowest.bit_length() - 1
        subset ^= lowest


def _moved(part: Piece, by: int) -> Piece:
    """The part with its states renumbered upwards."""
    if by == 0:
        return part
    arcs = tuple({a: subset << by for a, subset in row.items()} for row in part.arcs)
    first = {a: subset << by for a, subset in part.first.items()}
    return Piece(arcs, first, part.last << by, part.nullable)


def _merge(into: dict[int, int], arcs: Mapping[int, int]) -> None:
    for letter, subset in arcs.items():
        into[letter] = into.get(letter, 0) | subset


def _link(arcs: list[Mapping[int, int]], sources: int, first: Mapping[int, int]) -> None:
    """Let every source go on as the beginning of the next part does."""
    for state in bits(sources):
        joined = dict(arcs[state])
        _merge(joined, first)
        arcs[state] = joined
