"""From transitions as a file lists them to an automaton: complete, deterministic, or refused.

Files name states as they like, leave transitions out, and list two for one letter. This is the one
place that says what is wrong with that, and how to ask for it nevertheless.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import final

from foretell.core.alphabet import Alphabet
from foretell.languages.dfa import DFA, STATE_LIMIT, too_large
from foretell.languages.nfa import Piece, determinize
from foretell.plain.errors import BadInput

Name = Hashable
ADD_SINK = "sink=True (--sink): missing transitions then lead to a state that refuses everything"
ADD_SUBSETS = (
    "determinize=True (foretell decide --determinize): the subset construction makes it so"
)
ADD_TRIM = (
    "trim=True (foretell decide --trim): states that the start does not reach are then left out"
)


@final
@dataclass(frozen=True)
class Arc:
    """One transition of a file; no `symbol` means that it reads nothing."""

    source: Name
    symbol: str | None
    target: Name
    where: str


@final
@dataclass(frozen=True)
class Reading:
    """How forgiving to be: each flag allows what would be refused without it."""

    sink: bool = False
    determinize: bool = False
    trim: bool = False
    limit: int = STATE_LIMIT


def automaton(
    alphabet: Alphabet,
    states: Sequence[Name],
    arcs: Iterable[Arc],
    start: Name,
    final_states: Sequence[Name],
    reading: Reading,
) -> DFA:
    """The automaton of a file, numbered in the order of `states`.

    >>> once = [Arc("p", "a", "q", "line 1")]
    >>> automaton(Alphabet("a"), ["p", "q"], once, "p", ["q"], Reading(sink=True)).delta
    ((1,), (2,), (2,))
    """
    if len(states) > reading.limit:
        raise too_large(reading.limit)
    number = {name: index for index, name in enumerate(states)}
    table, empty_moves, double = _table(alphabet, number, arcs)
    finals = {number[name] for name in final_states}
    if (empty_moves or double) and not reading.determinize:
        raise _nondeterministic(empty_moves, double)
    _check_reachable(table, empty_moves, number, start, finals, reading)
    if empty_moves or double:
        return determinize(
            _piece(table, empty_moves, number[start], finals), alphabet, reading.limit
        )
    return _completed(alphabet, states, table, number[start], finals, reading)


_Table = list[dict[int, dict[int, str]]]
_Moves = list[tuple[int, int, str]]


def _table(
    alphabet: Alphabet, number: Mapping[Name, int], arcs: Iterable[Arc]
) -> tuple[_Table, _Moves, str | None]:
    """`table[state][letter]` maps targets to where they are listed; empty moves; a double entry."""
    letters = {symbol: index for index, symbol in enumerate(alphabet.symbols)}
    table: _Table = [{} for _ in number]
    empty_moves: _Moves = []
    double: str | None = None
    for arc in arcs:
        source, target = number[arc.source], number[arc.target]
        if arc.symbol is None:
            empty_moves.append((source, target, arc.where))
            continue
        if arc.symbol not in letters:
            raise BadInput(
                "an automaton uses a letter outside the alphabet",
                seen=f"{arc.where}: {arc.symbol!r}",
                why=f"the alphabet is {' '.join(alphabet.symbols[:30])}",
                hint="add the letter to the alphabet",
            )
        targets = table[source].setdefault(letters[arc.symbol], {})
        if target in targets:
            raise BadInput(
                "an automaton lists a transition twice",
                seen=f"{targets[target]} and {arc.where}: from {arc.source} by {arc.symbol!r} "
                f"to {arc.target}",
                why="one of them is probably meant to be another",
                hint="remove one of them",
            )
        if targets:
            double = f"{next(iter(targets.values()))} and {arc.where}: from {arc.source} by " + (
                f"{arc.symbol!r} to two states"
            )
        targets[target] = arc.where
    return table, empty_moves, double


def _nondeterministic(empty_moves: _Moves, double: str | None) -> BadInput:
    seen = double if double else f"{empty_moves[0][2]}: a transition that reads no letter"
    return BadInput(
        "an automaton is not deterministic",
        seen=seen,
        why="in a deterministic automaton every state has one transition for each letter",
        hint=ADD_SUBSETS,
    )


def _check_reachable(
    table: _Table,
    empty_moves: _Moves,
    number: Mapping[Name, int],
    start: Name,
    finals: set[int],
    reading: Reading,
) -> None:
    onward = [{target for row in rows.values() for target in row} for rows in table]
    for source, target, _ in empty_moves:
        onward[source].add(target)
    order = [number[start]]
    reached = set(order)
    for state in order:  # grows while it is walked
        new = onward[state] - reached
        reached |= new
        order.extend(new)
    lost = [str(name) for name, index in number.items() if index in finals - reached]
    if lost and not reading.trim:
        raise BadInput(
            "an automaton has accepting states that no word reaches",
            seen=", ".join(lost[:10]),
            why=f"no path leads there from the start {start}: transitions are missing, or the "
            "start is another state",
            hint=ADD_TRIM,
        )


def _completed(
    alphabet: Alphabet,
    states: Sequence[Name],
    table: _Table,
    start: int,
    finals: set[int],
    reading: Reading,
) -> DFA:
    letters = range(len(alphabet.symbols))
    missing = [(s, a) for s, row in enumerate(table) for a in letters if a not in row]
    if missing and not reading.sink:
        state, letter = missing[0]
        more = f", and {len(missing) - 1} more" if len(missing) > 1 else ""
        raise BadInput(
            "an automaton has missing transitions",
            seen=f"none from {states[state]} by {alphabet.symbols[letter]!r}{more}",
            why="a complete automaton has one transition for every state and letter",
            hint=ADD_SINK,
        )
    sink = len(table)
    rows = [tuple(next(iter(row.get(a, {sink: ""}))) for a in letters) for row in table]
    if missing:
        rows.append(tuple(sink for _ in letters))
    return DFA(alphabet, tuple(rows), start, frozenset(finals))


def _piece(table: _Table, empty_moves: _Moves, start: int, finals: set[int]) -> Piece:
    """The automaton without its empty moves: a state can do what its closure can do."""
    moves: list[list[int]] = [[] for _ in table]
    for source, target, _ in empty_moves:
        moves[source].append(target)

    def closure(state: int) -> list[int]:
        found = [state]
        for each in found:  # grows while it is walked
            found.extend(target for target in moves[each] if target not in found)
        return found

    closures = [closure(state) for state in range(len(table))]

    def arcs(state: int) -> dict[int, int]:
        found: dict[int, int] = {}
        for each in closures[state]:
            for letter, targets in table[each].items():
                for target in targets:
                    found[letter] = found.get(letter, 0) | 1 << target
        return found

    ends = [not finals.isdisjoint(reached) for reached in closures]
    last = sum(1 << state for state, good in enumerate(ends) if good)
    return Piece(tuple(map(arcs, range(len(table)))), arcs(start), last, ends[start])
