"""The syntax tree: what a program says, sugar included. Immutable, hashable, printable.

Positions are not named here: an expression stands at the current position, and the body of a count
at the counted one. So `x(i) := P(i)` and `x(k) := P(k)` are the same tree.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple

_CONNECTIVES = ("and", "or", "xor", "not", "implies", "iff", "true", "false", "mod", "in")
_BINDERS = ("any", "all", "sum", "max", "min", "abs", "exists_past")
_STATEMENTS = ("alphabet", "let", "parameter", "empty")
# What models read around a word (`core.alphabet`, not imported: it would load JAX).
FRAME = ("<pad>", "<sos>", "<eos>")
RESERVED = frozenset(_CONNECTIVES + _BINDERS + _STATEMENTS)  # words that cannot name a definition
Whole = int | str  # a number, or the name of a parameter


class Place(NamedTuple):
    """Where a piece of the source stands, for messages; lines and columns count from 1."""

    line: int
    column: int
    end_line: int
    end_column: int


@dataclass(frozen=True, kw_only=True)
class Node:
    """Anything in the tree. The place does not count: equal trees may come from different texts."""

    place: Place | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True)
class Letter(Node):
    """Q_a: the letter here is a. Inside a macro the name may be one of its parameters."""

    name: str


@dataclass(frozen=True)
class Truth(Node):
    """True or false."""

    value: bool


@dataclass(frozen=True)
class Residue(Node):
    """The position modulo `modulus` is one of the residues."""

    modulus: Whole
    residues: tuple[Whole, ...]


@dataclass(frozen=True)
class Not(Node):
    """Negation."""

    body: Expression


@dataclass(frozen=True)
class Junction(Node):
    """Two or more Booleans joined by `and`, `or`, `xor`; exactly two by `implies`, `iff`."""

    word: str
    parts: tuple[Expression, ...]


@dataclass(frozen=True)
class Comparison(Node):
    """Two counts compared by one of <= < >= > == !=."""

    sign: str
    left: Expression
    right: Expression


@dataclass(frozen=True)
class ExistsPast(Node):
    """The body holds here or at some earlier position."""

    body: Expression


@dataclass(frozen=True)
class Window(Node):
    """Which positions a count looks at, by their distance i - j.

    `offsets` lists the distances of a local relation; without it, every distance from `start` on.
    """

    offsets: tuple[int, ...] | None = None
    start: int = 0


@dataclass(frozen=True)
class Count(Node):
    """How many positions of the window satisfy the body."""

    window: Window
    body: Expression


@dataclass(frozen=True)
class Number(Node):
    """A whole number, or the name of a parameter."""

    value: Whole


@dataclass(frozen=True)
class Sum(Node):
    """Terms, each added (True) or subtracted (False)."""

    terms: tuple[tuple[bool, Expression], ...]


@dataclass(frozen=True)
class Product(Node):
    """A count taken a fixed number of times."""

    factor: Whole
    body: Expression


@dataclass(frozen=True)
class Choice(Node):
    """One count or another, by a condition."""

    condition: Expression
    then: Expression
    otherwise: Expression


@dataclass(frozen=True)
class Function(Node):
    """`max` or `min` of counts, `abs` of one."""

    word: str
    parts: tuple[Expression, ...]


@dataclass(frozen=True)
class LetterRange(Node):
    """Which letters a quantifier runs over: all, those listed, or those in relation to another.

    `sign` is one of `all`, `in`, `!=`, `<`, `<=`, `>`, `>=`; order is that of the alphabet.
    """

    sign: str = "all"
    names: tuple[str, ...] = ()


@dataclass(frozen=True)
class Each(Node):
    """`any`, `all`, `sum`, `max` or `min` of the body over letters."""

    word: str
    variable: str
    range: LetterRange
    body: Expression


@dataclass(frozen=True)
class Reference(Node):
    """Another definition here; with letters in brackets, a macro or a `next` predicate."""

    name: str
    letters: tuple[str, ...] = ()


Expression = (
    Letter
    | Truth
    | Residue
    | Not
    | Junction
    | Comparison
    | ExistsPast
    | Count
    | Number
    | Sum
    | Product
    | Choice
    | Function
    | Each
    | Reference
)


@dataclass(frozen=True)
class Parameter(Node):
    """`parameter n = 3`: a number that can be set from outside."""

    name: str
    value: int


@dataclass(frozen=True)
class Definition(Node):
    """`name(i) := …`; `next[a](i) := …` has a letter."""

    name: str
    body: Expression
    letters: tuple[str, ...] = ()


@dataclass(frozen=True)
class Macro(Node):
    """`let name[x, y](i) := …`: a definition for every choice of letters."""

    name: str
    parameters: tuple[str, ...]
    body: Expression


@dataclass(frozen=True)
class Empty(Node):
    """What happens on the empty word: `empty accept`, `empty reject`, `empty next a b`.

    A program may say both: whether the empty word is accepted, and which symbols follow it.
    """

    word: str
    letters: tuple[str, ...] = ()


Statement = Parameter | Definition | Macro | Empty
