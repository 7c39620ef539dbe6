"""Operations on automata beside the Boolean ones: quotients, reversal, shuffle, equivalence, order.

All answers are minimal automata. What can explode has a limit and stops there with bad input.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from foretell.languages.dfa import DFA, STATE_LIMIT, too_large
from foretell.languages.nfa import Piece, determinize, from_dfa, shuffle_two
from foretell.languages.regular import RegularLanguage

PAIR_LIMIT = 1_000_000


def left_quotient(dfa: DFA, word: Sequence[str]) -> DFA:
    """The words v such that `word` v is in the language: what is left after reading `word`.

    >>> from foretell.languages.regular import RegularLanguage
    >>> left_quotient(RegularLanguage.from_regex("(ab)*").dfa, "a").shortest_word()
    ('b',)
    """
    return DFA(dfa.alphabet, dfa.delta, dfa.state_after(word), dfa.final).minimal()


def right_quotient(dfa: DFA, word: Sequence[str]) -> DFA:
    """The words v such that v `word` is in the language.

    >>> from foretell.languages.regular import RegularLanguage
    >>> right_quotient(RegularLanguage.from_regex("(ab)*").dfa, "b").shortest_word()
    ('a',)
    """
    letters = dfa.letters(word)

    def ends_well(state: int) -> bool:
        for letter in letters:
            state = dfa.delta[state][letter]
        return state in dfa.final

    kept = frozenset(state for state in range(len(dfa.delta)) if ends_well(state))
    return DFA(dfa.alphabet, dfa.delta, dfa.start, kept).minimal()


def reversal(dfa: DFA, limit: int = STATE_LIMIT) -> DFA:
    """The words of the language read backwards; bad input beyond `limit` states.

    >>> from foretell.languages.regular import RegularLanguage
    >>> reversal(RegularLanguage.from_regex("ab*").dfa).shortest_word()
    ('a',)
    """
    smallest = dfa.minimal()
    arcs: list[dict[int, int]] = [{} for _ in smallest.delta]
    for state, row in enumerate(smallest.delta):
        for letter, target in enumerate(row):
            arcs[target][letter] = arcs[target].get(letter, 0) | 1 << state
    first: dict[int, int] = {}
    for state in smallest.final:
        for letter, sources in arcs[state].items():
            first[letter] = first.get(letter, 0) | sources
    nullable = smallest.start in smallest.final
    piece = Piece(tuple(arcs), first, 1 << smallest.start, nullable)
    return determinize(piece, smallest.alphabet, limit)


def shuffle(one: DFA, other: DFA, limit: int = STATE_LIMIT) -> DFA:
    """The words made of a word of each language, letters of both in any interleaving.

    >>> from foretell.languages.regular import RegularLanguage
    >>> both = shuffle(*(RegularLanguage.from_regex(r).dfa for r in ("(ab)*", "(ab)*")))
    >>> both.accepts("aabb"), both.accepts("aaabbb")
    (True, False)
    """
    one.same_alphabet(other)
    piece = shuffle_two(from_dfa(one.minimal()), from_dfa(other.minimal()), limit)
    return determinize(piece, one.alphabet, limit)


def symmetric_difference(one: DFA, other: DFA) -> DFA:
    """The words that are in exactly one of two languages."""
    return (one - other) | (other - one)


def separating_word(one: DFA, other: DFA, limit: int = PAIR_LIMIT) -> tuple[str, ...] | None:
    """A shortest word in exactly one of two languages, the first in alphabet order; none if equal.

    >>> from foretell.languages.regular import RegularLanguage
    >>> separating_word(*(RegularLanguage.from_regex(r).dfa for r in ("(ab)*", "(ab)*|abb")))
    ('a', 'b', 'b')
    """
    one.same_alphabet(other)
    start = (one.start, other.start)
    before: dict[tuple[int, int], tuple[tuple[int, int], str] | None] = {start: None}
    order = [start]
    for pair in order:  # grows while it is walked
        if (pair[0] in one.final) != (pair[1] in other.final):
            return _walked(before, pair)
        rows = zip(one.delta[pair[0]], other.delta[pair[1]], strict=True)
        for symbol, target in zip(one.alphabet.symbols, rows, strict=True):
            if target not in before:
                before[target] = (pair, symbol)
                order.append(target)
        if len(order) > limit:
            raise too_large(limit, "pairs of states")
    return None


def _walked(
    before: dict[tuple[int, int], tuple[tuple[int, int], str] | None], pair: tuple[int, int]
) -> tuple[str, ...]:
    found = []
    while (step := before[pair]) is not None:
        pair, symbol = step
        found.append(symbol)
    return tuple(reversed(found))


def equivalent(one: DFA, other: DFA) -> bool:
    """Do two automata accept the same words?"""
    return separating_word(one, other) is None


def words_in_order(dfa: DFA) -> Iterator[tuple[str, ...]]:
    """Every word of the language, shorter first, then in alphabet order; perhaps without end.

    >>> from itertools import islice
    >>> from foretell.languages.regular import RegularLanguage
    >>> ["".join(w) for w in islice(words_in_order(RegularLanguage.from_regex("a*b").dfa), 3)]
    ['b', 'ab', 'aab']
    """
    language = RegularLanguage("words in order", dfa)
    for length in _lengths(dfa):
        yield from language.words(length)


def _lengths(dfa: DFA) -> Iterator[int]:
    reached = {dfa.start} & dfa.live
    length = 0
    while reached:
        if not reached.isdisjoint(dfa.final):
            yield length
        reached = {to for state in reached for to in dfa.delta[state]} & dfa.live
        length += 1
