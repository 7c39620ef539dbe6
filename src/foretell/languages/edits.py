"""Words one edit away from a language."""

from __future__ import annotations

from collections.abc import Iterable

from foretell.languages.dfa import DFA, STATE_LIMIT
from foretell.languages.nfa import Piece, bits, determinize


def one_edit_away(dfa: DFA, limit: int = STATE_LIMIT) -> DFA:
    """The words made from a member by one substitution, insertion or deletion.

    State `q` of the automaton becomes two: the member is in `q` and still untouched (number q),
    or in `q` with the edit done (number q + size). A substitution may put back the letter that
    was there, so members can be among the words.

    >>> from foretell.languages.compiling import compiled
    >>> from foretell.languages.regex import parse
    >>> one_edit_away(compiled(parse("ab"))).accepts("aab")
    True
    """
    size = len(dfa.delta)

    def edited(states: Iterable[int]) -> int:
        return sum({1 << (state + size) for state in states if state in dfa.live})

    def untouched_arcs(state: int) -> dict[int, int]:
        arcs = {}
        for letter, after in enumerate(dfa.delta[state]):
            # This letter is extra, or stands for another one, or another one is gone after it.
            reached = edited((state, *dfa.delta[state], *dfa.delta[after]))
            arcs[letter] = reached | (1 << after if after in dfa.live else 0)
        return arcs

    def edited_arcs(state: int) -> dict[int, int]:
        return {letter: edited([after]) for letter, after in enumerate(dfa.delta[state])}

    states = range(size)
    arcs = [*map(untouched_arcs, states), *map(edited_arcs, states)]
    first = dict(arcs[dfa.start])
    deleted = edited(dfa.delta[dfa.start])  # the member's first letter is the one that is gone
    for state in bits(deleted):
        for letter, after in arcs[state].items():
            first[letter] |= after
    last = edited(dfa.final)
    piece = Piece(tuple(arcs), first, last, nullable=bool(deleted & last))
    return determinize(piece, dfa.alphabet, limit)
