"""The syntax tree of a regular expression: immutable, hashable, folded without recursion."""

from __future__ import annotations

import abc
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TypeVar, final

from foretell.core.alphabet import Alphabet

Value = TypeVar("Value")
SPECIAL = frozenset("|&#~*+?().[]{}%'\\^$")


@dataclass(frozen=True)
class Node(abc.ABC):
    """One node. `depth` is kept so that a parser can refuse trees too deep to walk."""

    depth: int = field(init=False, repr=False, compare=False, default=1)

    def __post_init__(self) -> None:
        below = max((child.depth for child in self.children), default=0)
        object.__setattr__(self, "depth", below + 1)

    @property
    @abc.abstractmethod
    def children(self) -> tuple[Node, ...]:
        """The nodes directly below."""


class Leaf(Node):
    """A node without children."""

    @property
    def children(self) -> tuple[Node, ...]:
        """None."""
        return ()


@final
@dataclass(frozen=True)
class EmptyWord(Leaf):
    """`%`: the word of length 0 and nothing else."""


@final
@dataclass(frozen=True)
class OneOf(Leaf):
    """`a`, `.`, `[ab]`, `[^a]`: one letter out of these, in the alphabet's order.

    Without letters it is the empty language, for example `[^ab]` over the alphabet a b.
    """

    letters: tuple[str, ...]


class Several(Node):
    """A node over two or more parts."""

    parts: tuple[Node, ...]

    @property
    def children(self) -> tuple[Node, ...]:
        """The parts in order."""
        return self.parts


@final
@dataclass(frozen=True)
class Concatenation(Several):
    """`abc`: one part after the other."""

    parts: tuple[Node, ...]


@final
@dataclass(frozen=True)
class Union(Several):
    """`a|b`: any of the parts."""

    parts: tuple[Node, ...]


@final
@dataclass(frozen=True)
class Intersection(Several):
    """`a&b`: all of the parts at once."""

    parts: tuple[Node, ...]


@final
@dataclass(frozen=True)
class Shuffle(Several):
    """`a#b`: a word of each part, their letters interleaved in any way."""

    parts: tuple[Node, ...]


@final
@dataclass(frozen=True)
class Complement(Node):
    """`~a`: every word over the alphabet except those of the body."""

    body: Node

    @property
    def children(self) -> tuple[Node, ...]:
        """The body."""
        return (self.body,)


@final
@dataclass(frozen=True)
class Repeat(Node):
    """`a*`, `a+`, `a?`, `a{2,5}`: the body `low` to `high` times; no `high` means no end."""

    body: Node
    low: int
    high: int | None

    @property
    def children(self) -> tuple[Node, ...]:
        """The body."""
        return (self.body,)


def fold(tree: Node, combine: Callable[[Node, list[Value]], Value]) -> Value:
    """Value of the tree from the values of its leaves upwards.

    An explicit stack, so that deep trees never meet Python's recursion limit.

    >>> fold(Complement(Union((OneOf(("a",)), EmptyWord()))), lambda node, below: 1 + sum(below))
    4
    """
    values: list[Value] = []
    pending: list[tuple[Node, bool]] = [(tree, False)]
    while pending:
        node, below_done = pending.pop()
        if below_done:
            first = len(values) - len(node.children)
            below = values[first:]
            del values[first:]
            values.append(combine(node, below))
        else:
            pending.append((node, True))
            pending.extend((child, False) for child in reversed(node.children))
    return values[0]


def write(tree: Node, alphabet: Alphabet) -> str:
    """The tree as text that parses back to the same tree.

    >>> a, b = OneOf(("a",)), OneOf(("b",))
    >>> write(Concatenation((Complement(Repeat(a, 0, None)), Union((a, b)))), Alphabet("ab"))
    '~a*(a|b)'
    """
    return fold(tree, lambda node, below: _write_node(node, below, alphabet))[0]


# Binding strength, loosest first; a part is put in parentheses when it binds no tighter.
_UNION, _INTERSECTION, _SHUFFLE, _CONCATENATION, _COMPLEMENT, _REPEAT, _ATOM = range(7)


def _write_node(node: Node, below: list[tuple[str, int]], alphabet: Alphabet) -> tuple[str, int]:
    def inside(strength: int) -> list[str]:
        return [text if own > strength else f"({text})" for text, own in below]

    match node:
        case EmptyWord():
            return "%", _ATOM
        case OneOf():
            return _write_letters(node.letters, alphabet), _ATOM
        case Union():
            return "|".join(inside(_UNION)), _UNION
        case Intersection():
            return "&".join(inside(_INTERSECTION)), _INTERSECTION
        case Shuffle():
            return "#".join(inside(_SHUFFLE)), _SHUFFLE
        case Concatenation():
            return "".join(inside(_CONCATENATION)), _CONCATENATION
        case Complement():
            return "~" + inside(_COMPLEMENT - 1)[0], _COMPLEMENT
        case Repeat(low=low, high=high):
            return inside(_REPEAT - 1)[0] + _write_bounds(low, high), _REPEAT
    raise TypeError(f"not a node of a regular expression: {node!r}")


def _write_bounds(low: int, high: int | None) -> str:
    short = {(0, None): "*", (1, None): "+", (0, 1): "?"}
    if (low, high) in short:
        return short[low, high]
    return f"{{{low}}}" if low == high else f"{{{low},{'' if high is None else high}}}"


def _write_letters(letters: tuple[str, ...], alphabet: Alphabet) -> str:
    if len(letters) == 1:
        return quoted(letters[0])
    if not letters:
        return f"[^{''.join(quoted(symbol) for symbol in alphabet.symbols)}]"
    return f"[{''.join(quoted(symbol) for symbol in letters)}]"


def quoted(symbol: str) -> str:
    """A symbol as it is written inside a regular expression.

    >>> quoted("a"), quoted("*"), quoted("push")
    ('a', '\\\\*', "'push'")
    """
    if len(symbol) > 1:
        return "'" + symbol.replace("\\", "\\\\").replace("'", "\\'") + "'"
    return f"\\{symbol}" if symbol in SPECIAL or symbol == "-" else symbol
