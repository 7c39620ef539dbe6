"""The parser of regular expressions.

Syntax, loosest binding first:

    a|b               either
    a&b               both at once (intersection)
    a#b               shuffle: a word of each, their letters interleaved in any way
    ab                one after the other
    ~a                complement, of the one item that follows with its repetitions: ~a*b = (~(a*))b
    a* a+ a? a{2} a{2,} a{2,5}
    a . [ab] [^a] % (…) 'push' \\*
                      letter, any letter, classes, the empty word, group,
                      a token of several characters, an escaped letter

Blanks are skipped. Complement, `.` and `[^a]` are relative to the alphabet.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import final

from foretell.core.alphabet import Alphabet
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
)
from foretell.languages.tokens import Token, complaint, tokens
from foretell.plain.errors import BadInput

DEEPEST = 200
_BEFORE_ITEM = "a letter, '.', '[', '(', '%', '~', a quoted token"
_AFTER_ITEM = f"{_BEFORE_ITEM}, '*', '+', '?', '{{', '|', '&', '#'"


@final
@dataclass(frozen=True)
class Regex:
    """A regular expression that has been read: its text, its tree and its alphabet."""

    text: str
    tree: Node
    alphabet: Alphabet


@dataclass
class _Group:
    """What has been read since an opening parenthesis (or the beginning)."""

    column: int
    alternatives: list[Node] = field(default_factory=list)
    conjuncts: list[Node] = field(default_factory=list)
    shuffled: list[Node] = field(default_factory=list)
    parts: list[Node] = field(default_factory=list)
    complements: int = 0

    def end_parts(self) -> None:
        self.shuffled.append(_several(Concatenation, self.parts))
        self.parts = []

    def end_shuffled(self) -> None:
        self.end_parts()
        self.conjuncts.append(_several(Shuffle, self.shuffled))
        self.shuffled = []

    def end_conjuncts(self) -> None:
        self.end_shuffled()
        self.alternatives.append(_several(Intersection, self.conjuncts))
        self.conjuncts = []

    def close(self) -> Node:
        self.end_conjuncts()
        return _several(Union, self.alternatives)


def _several(
    kind: type[Concatenation] | type[Shuffle] | type[Intersection] | type[Union],
    parts: Sequence[Node],
) -> Node:
    return parts[0] if len(parts) == 1 else kind(tuple(parts))


def parse(text: str, alphabet: Alphabet | None = None) -> Regex:
    """Read a regular expression; without an alphabet, its own letters in order are the alphabet.

    >>> parse("a(b|c)*").alphabet.symbols
    ('a', 'b', 'c')
    >>> parse("a|*")
    Traceback (most recent call last):
    ...
    foretell.plain.errors.BadInput: a regular expression cannot be read
      seen: a|*
              ^ column 3
      why:  expected one of: a letter, '.', '[', '(', '%', '~', a quoted token
      try:  write % where the empty word is meant
    """
    found = tokens(text)
    if alphabet is None:
        alphabet = _infer(text, found)
    else:
        _check_letters(text, found, alphabet)
    return Regex(text, _Parser(text, found, alphabet).parse(), alphabet)


def _infer(text: str, found: list[Token]) -> Alphabet:
    letters = sorted({letter for token in found for letter in token.letters})
    if not letters:
        raise BadInput(
            "a regular expression names no letter",
            seen=repr(text[:60]),
            why="its alphabet cannot be inferred, and '.', '[^…]' and '~' depend on it",
            hint="name a letter, or give the alphabet: --alphabet ab",
        )
    return Alphabet(tuple(letters))


def _check_letters(text: str, found: list[Token], alphabet: Alphabet) -> None:
    known = set(alphabet.symbols)
    if not known:
        raise BadInput("the alphabet is empty", why="words need letters", hint="--alphabet ab")
    missing = [
        (letter, token) for token in found for letter in token.letters if letter not in known
    ]
    if missing:
        extra = tuple(dict.fromkeys(letter for letter, _ in missing))
        letter, token = missing[0]
        quoted = [symbol for symbol in alphabet.symbols if len(symbol) > 1]
        joint = "" if all(len(s) == 1 for s in alphabet.symbols + extra) else " "
        raise complaint(
            text,
            token.column,
            f"{letter!r} is not in the alphabet {' '.join(alphabet.symbols[:30])}",
            f"a token of several characters is quoted: '{quoted[0]}'"
            if quoted
            else f"the alphabet {joint.join(alphabet.symbols + extra)}",
            "a regular expression uses a letter outside the alphabet",
        )


class _Parser:
    """Recursive descent with the stack of open groups on the heap, so depth cannot crash it."""

    def __init__(self, text: str, found: list[Token], alphabet: Alphabet) -> None:
        self.text, self.alphabet = text, alphabet
        self.tokens, self.index = found, 0
        self.groups = [_Group(0)]

    def parse(self) -> Node:
        while True:
            token = self.tokens[self.index]
            self.index += 1
            group = self.groups[-1]
            if token.kind == "end":
                return self._finish(token)
            if token.kind == "(":
                self._deep_enough(len(self.groups), token)
                self.groups.append(_Group(token.column))
            elif token.kind == "~":
                group.complements += 1
            elif token.kind == "|":
                self._item_read(token)
                group.end_conjuncts()
            elif token.kind == "&":
                self._item_read(token)
                group.end_shuffled()
            elif token.kind == "#":
                self._item_read(token)
                group.end_parts()
            elif token.kind == ")":
                self._close(token)
            else:
                self._item(self._atom(token), token)

    def _finish(self, token: Token) -> Node:
        self._item_read(token)
        group = self.groups.pop()
        if self.groups:
            raise complaint(
                self.text,
                group.column,
                f"this '(' is never closed; expected one of: {_AFTER_ITEM}, ')'",
            )
        return group.close()

    def _close(self, token: Token) -> None:
        self._item_read(token)
        if len(self.groups) == 1:
            raise complaint(
                self.text,
                token.column,
                f"')' closes nothing; expected one of: {_AFTER_ITEM}, the end",
                "write \\) for the letter",
            )
        self._item(self.groups.pop().close(), token)

    def _item_read(self, token: Token) -> None:
        """An operator, a closing parenthesis or the end must follow at least one item."""
        group = self.groups[-1]
        if not group.parts or group.complements:
            raise complaint(
                self.text,
                token.column,
                f"expected one of: {_BEFORE_ITEM}",
                "write % where the empty word is meant",
            )

    def _item(self, item: Node, token: Token) -> None:
        """Attach an atom with the repetitions after it and the complements before it."""
        group = self.groups[-1]
        while self.tokens[self.index].kind == "repeat":
            repeat = self.tokens[self.index]
            item = Repeat(item, repeat.low, repeat.high)
            self._deep_enough(item.depth, repeat)
            self.index += 1
        self._deep_enough(item.depth + group.complements, token)
        for _ in range(group.complements):
            item = Complement(item)
        group.complements = 0
        group.parts.append(item)

    def _atom(self, token: Token) -> Node:
        if token.kind == "repeat":
            raise complaint(
                self.text,
                token.column,
                f"expected one of: {_BEFORE_ITEM}",
                "write % where the empty word is meant",
            )
        if token.kind == "empty":
            return EmptyWord()
        listed = set(token.letters)
        keep = {
            "any": lambda letter: True,
            "other-class": lambda letter: letter not in listed,
        }.get(token.kind, lambda letter: letter in listed)
        return OneOf(tuple(letter for letter in self.alphabet.symbols if keep(letter)))

    def _deep_enough(self, depth: int, token: Token) -> None:
        if depth > DEEPEST:
            raise complaint(
                self.text,
                token.column,
                f"the expression is nested more than {DEEPEST} deep",
                "flatten it, or give the automaton as a file",
            )
