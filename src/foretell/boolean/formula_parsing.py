"""From the text of a formula to its tree, by recursive descent, with errors that point.

equivalence = implication ("<->" implication)*
implication = or ("->" implication)?
or          = xor ("or" xor)*        also |
xor         = and ("xor" and)*       also ^
and         = not ("and" not)*       also &
not         = "not" not | atom       also ~ and !
atom        = "x1" | "x2" | … | "0" | "1" | "(" equivalence ")"
            | "maj" "(" equivalence ("," equivalence)* ")"
"""

from __future__ import annotations

import re
from typing import NamedTuple

from foretell.boolean.formula_tree import (
    PRECEDENCE,
    Bit,
    Chain,
    Constant,
    Majority,
    Node,
    Not,
)
from foretell.plain.catalogue import suggest
from foretell.plain.errors import BadInput

DEEPEST = 40  # parentheses, negations and implications inside each other
HIGHEST_BIT = 10_000
_SHOWN = 60
_SIGNS = {"^": "xor", "&": "and", "|": "or", "~": "not", "!": "not"}
_WORDS = ("and", "or", "xor", "not", "maj")
_PIECE = re.compile(r"\s*(<->|->|[()^&|~!,]|[A-Za-z_][A-Za-z_0-9]*|\d+|$)", re.ASCII)
_ATOMS = "a bit (x1, x2, …), 0, 1, 'not', 'maj', '('"


class Token(NamedTuple):
    """A piece of the text: `bit`, `constant`, `end`, or an operation, word or sign as itself."""

    kind: str
    column: int
    number: int = 0


def complaint(text: str, column: int, why: str, hint: str | None = None) -> BadInput:
    """The error that shows the formula with a caret under the offending column."""
    first = max(0, column - _SHOWN // 2)
    shown = re.sub(r"\s", " ", text[first : first + _SHOWN])
    before, after = "…" if first else "", "…" if first + _SHOWN < len(text) else ""
    caret = " " * (len("  seen: ") + len(before) + column - first) + "^"
    return BadInput(
        "a formula cannot be read",
        seen=f"{before}{shown}{after}\n{caret} column {column + 1}",
        why=why,
        hint=hint,
    )


def tokens(text: str) -> list[Token]:
    """All pieces, closed by one of kind `end`.

    >>> [token.kind for token in tokens("~x1 ^ (1 -> x20)")]
    ['not', 'bit', 'xor', '(', 'constant', '->', 'bit', ')', 'end']
    """
    found: list[Token] = []
    place = 0
    while not found or found[-1].kind != "end":
        piece = _PIECE.match(text, place)
        if piece is None:
            column = len(text) - len(text[place:].lstrip())
            raise complaint(
                text,
                column,
                f"{text[column]!r} has no meaning here; expected one of: {_ATOMS}, an operation",
                "the operations are not, and, xor, or, ->, <-> (also ~ ! & ^ |)",
            )
        found.append(_token(text, piece[1], piece.start(1)))
        place = piece.end()
    return found


def _token(text: str, piece: str, column: int) -> Token:
    if not piece:
        return Token("end", len(text.rstrip()))
    lower = piece.lower()
    if lower in _WORDS or lower in PRECEDENCE or piece in "(),":
        return Token(lower, column)
    if piece in _SIGNS:
        return Token(_SIGNS[piece], column)
    if piece in ("0", "1"):
        return Token("constant", column, int(piece))
    numbered = re.fullmatch(r"[xX]0*(\d{1,9})", piece)
    if numbered and 1 <= int(numbered[1]) <= HIGHEST_BIT:
        return Token("bit", column, int(numbered[1]) - 1)
    if re.fullmatch(r"[xX]\d+", piece):
        why = f"bits are numbered from x1 to x{HIGHEST_BIT}"
        raise complaint(text, column, why, "x1 is the first bit")
    if piece.isdigit():
        raise complaint(
            text, column, f"expected one of: {_ATOMS}", f"x{piece[:9]} if you mean that bit"
        )
    raise complaint(
        text,
        column,
        f"{piece[:30]!r} is not a word of formulas; expected one of: {_ATOMS}",
        suggest(piece, (*_WORDS, "x1", "parity", "tiling")),
    )


def parse(text: str) -> Node:
    """The tree of a formula.

    >>> parse("x1 xor x2 and not x3")
    Chain(operation='xor', parts=(Bit(index=0), \
Chain(operation='and', parts=(Bit(index=1), Not(inner=Bit(index=2))))))
    """
    parser = _Parser(text)
    found = parser.formula(0)
    parser.take("end", "an operation, the end")
    return found


class _Parser:
    """Reads tokens from the left; every method returns the node it has read."""

    def __init__(self, text: str) -> None:
        self.text, self.tokens, self.place = text, tokens(text), 0

    @property
    def kind(self) -> str:
        return self.tokens[self.place].kind

    def take(self, kind: str, expected: str, opened: int | None = None) -> Token:
        token = self.tokens[self.place]
        if token.kind != kind:
            raise self.refused(expected, opened)
        self.place += 1
        return token

    def refused(self, expected: str, opened: int | None = None) -> BadInput:
        column = self.tokens[self.place].column
        why = "the formula ends too early" if self.kind == "end" else "this does not fit here"
        if opened is not None:
            why += f" (the '(' at column {opened + 1} is still open)"
        hint = None if self.text.strip() else "x1 xor x2 and not x3"
        return complaint(self.text, column, f"{why}; expected one of: {expected}", hint)

    def formula(self, depth: int, least: int = 0) -> Node:
        """All that is joined by operations from that place in the order of precedence on.

        One method for all of them, and not one each, keeps nested parentheses off the stack.
        """
        found = self.negation(depth)
        while self.kind in PRECEDENCE and PRECEDENCE.index(self.kind) >= least:
            operation, strength = self.kind, PRECEDENCE.index(self.kind)
            parts = [found]
            while self.kind == operation:
                self.place += 1
                if operation == "->":  # from the right: the other side takes all that follow
                    parts.append(self.formula(depth + 1, strength))
                else:
                    parts.append(self.formula(depth, strength + 1))
            found = Chain(operation, tuple(parts))
        return found

    def negation(self, depth: int) -> Node:
        self.check_depth(depth)
        if self.kind != "not":
            return self.atom(depth)
        self.place += 1
        return Not(self.negation(depth + 1))

    def atom(self, depth: int) -> Node:
        token = self.tokens[self.place]
        if token.kind == "maj":
            return self.majority(depth)
        if token.kind not in ("bit", "constant", "("):
            raise self.refused(_ATOMS)
        self.place += 1
        if token.kind == "bit":
            return Bit(token.number)
        if token.kind == "constant":
            return Constant(bool(token.number))
        inner = self.formula(depth + 1)
        self.take(")", "an operation, ')'", token.column)
        return inner

    def majority(self, depth: int) -> Node:
        start = self.tokens[self.place].column
        self.place += 1
        opened = self.take("(", "'(' after maj").column
        parts = [self.formula(depth + 1)]
        while self.kind == ",":
            self.place += 1
            parts.append(self.formula(depth + 1))
        self.take(")", "an operation, ',', ')'", opened)
        if len(parts) % 2 == 0:
            why = f"a majority needs an odd number of parts, and this has {len(parts)}"
            raise complaint(self.text, start, why)
        return Majority(tuple(parts))

    def check_depth(self, depth: int) -> None:
        if depth > DEEPEST:
            column = self.tokens[self.place].column
            why = f"parts may be at most {DEEPEST} deep inside each other"
            raise complaint(self.text, column, why, "write chains without parentheses")
