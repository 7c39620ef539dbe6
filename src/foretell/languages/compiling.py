"""From a regular expression to its minimal automaton."""

from __future__ import annotations

from foretell.core.alphabet import Alphabet
from foretell.languages.dfa import DFA, STATE_LIMIT, too_large
from foretell.languages.nfa import (
    EMPTY_WORD,
    Piece,
    concatenate,
    determinize,
    from_dfa,
    one_of,
    repeat,
    shuffle_two,
    unite,
)
from foretell.languages.regex import Regex
from foretell.languages.syntax import (
    Complement,
    Concatenation,
    EmptyWord,
    Intersection,
    Node,
    OneOf,
    Repeat,
    Shuffle,
    Union,
    fold,
)


def compiled(regex: Regex, limit: int = STATE_LIMIT) -> DFA:
    """The minimal automaton of the expression, or bad input when it needs more than `limit`.

    >>> from foretell.languages.regex import parse
    >>> compiled(parse("(ab)*")).delta
    ((1, 2), (2, 0), (2, 2))
    """
    index = {symbol: place for place, symbol in enumerate(regex.alphabet.symbols)}

    def combine(node: Node, below: list[Piece]) -> Piece:
        if sum(len(piece.arcs) for piece in below) > limit:
            raise too_large(limit)
        return _piece(node, below, regex.alphabet, index, limit)

    return determinize(fold(regex.tree, combine), regex.alphabet, limit)


def _piece(
    node: Node, below: list[Piece], alphabet: Alphabet, index: dict[str, int], limit: int
) -> Piece:
    match node:
        case EmptyWord():
            return EMPTY_WORD
        case OneOf(letters=letters):
            return one_of([index[letter] for letter in letters])
        case Union():
            return unite(below)
        case Concatenation():
            return concatenate(below)
        case Repeat(low=low, high=high):
            return repeat(below[0], low, high, limit)
        case Shuffle():
            mixed = below[0]
            for piece in below[1:]:
                mixed = shuffle_two(mixed, piece, limit)
            return mixed
        case Complement():
            return from_dfa(determinize(below[0], alphabet, limit).complement())
        case Intersection():
            both = determinize(below[0], alphabet, limit)
            for piece in below[1:]:
                both &= determinize(piece, alphabet, limit)
            return from_dfa(both)
    raise TypeError(f"not a node of a regular expression: {node!r}")
