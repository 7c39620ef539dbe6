"""The core of the language: values at every position, and how one is made from others.

Operators build values instead of computing; whatever they build is checked when it becomes a
`Program`. A function given to `tok_map`, `seq_map` or `select` is called once, with values.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, NoReturn, final

from foretell.plain.errors import BadInput

REDUCTIONS = ("mean", "max", "min")


@final
@dataclass(frozen=True, eq=False)
class Value:
    """What an operation gives, at every position or for every pair of positions.

    `==` builds a comparison; whether two programs are the same is asked of `Program`.
    """

    word: str
    parts: tuple[Value, ...] = ()
    data: tuple[Any, ...] = ()

    def __add__(self, other: object) -> Value:
        return _joined("+", self, other)

    def __radd__(self, other: object) -> Value:
        return _joined("+", other, self)

    def __sub__(self, other: object) -> Value:
        return _joined("-", self, other)

    def __rsub__(self, other: object) -> Value:
        return _joined("-", other, self)

    def __neg__(self) -> Value:
        return _joined("-", 0, self)

    def __mul__(self, other: object) -> Value:
        return _joined("*", self, other)

    def __rmul__(self, other: object) -> Value:
        return _joined("*", other, self)

    def __floordiv__(self, other: object) -> Value:
        return _joined("//", self, other)

    def __rfloordiv__(self, other: object) -> Value:
        return _joined("//", other, self)

    def __mod__(self, other: object) -> Value:
        return _joined("%", self, other)

    def __rmod__(self, other: object) -> Value:
        return _joined("%", other, self)

    def __eq__(self, other: object) -> Value:  # type: ignore[override]
        return _joined("==", self, other)

    def __ne__(self, other: object) -> Value:  # type: ignore[override]
        return _joined("!=", self, other)

    def __lt__(self, other: object) -> Value:
        return _joined("<", self, other)

    def __le__(self, other: object) -> Value:
        return _joined("<=", self, other)

    def __gt__(self, other: object) -> Value:
        return _joined(">", self, other)

    def __ge__(self, other: object) -> Value:
        return _joined(">=", self, other)

    def __and__(self, other: object) -> Value:
        return _joined("and", self, other)

    def __rand__(self, other: object) -> Value:
        return _joined("and", other, self)

    def __or__(self, other: object) -> Value:
        return _joined("or", self, other)

    def __ror__(self, other: object) -> Value:
        return _joined("or", other, self)

    def __invert__(self) -> Value:
        return Value("not", (self,))

    def __bool__(self) -> NoReturn:
        raise BadInput(
            "a RASP-L value is not true or false while a program is being written",
            seen=f"a value made by {self.word!r} where Python asks for a truth",
            why="it has a value at every position, and only once the program runs",
            hint="& | ~ instead of and, or, not; where(…) instead of if",
        )

    __hash__ = object.__hash__


tokens = Value("tokens")
indices = Value("indices")  # 0, 1, 2, …
full = Value("select", (Value("truth", (), (True,)),))  # all positions up to here


def as_value(thing: object) -> Value:
    """The value itself, or a fixed number or truth as one."""
    if isinstance(thing, Value):
        return thing
    if isinstance(thing, bool):
        return Value("truth", (), (thing,))
    if isinstance(thing, int):
        return Value("number", (), (thing,))
    raise BadInput(
        "not a RASP-L value",
        seen=f"{thing!r}",
        why="values are tokens, indices, whole numbers, truths, and what is made from them",
    )


def where(condition: Value | bool, then: Value | int, otherwise: Value | int) -> Value:
    """One value or another, position by position."""
    return Value("where", tuple(map(as_value, (condition, then, otherwise))))


def largest(left: Value | int, right: Value | int) -> Value:
    """The larger of two values at each position."""
    return _joined("max", left, right)


def smallest(left: Value | int, right: Value | int) -> Value:
    """The smaller of two values at each position."""
    return _joined("min", left, right)


def lookup(value: Value, table: Mapping[int, int], otherwise: int) -> Value:
    """What the table has for each token; any function of finitely many tokens is one."""
    return Value("lookup", (value,), (tuple(sorted(table.items())), otherwise))


def tok_map(value: Value, function: Callable[[Value], Any]) -> Value:
    """A function of one sequence, element by element.

    >>> tok_map(tokens, lambda token: token % 2 == 0).word
    '=='
    """
    return as_value(function(value))


def seq_map(left: Value, right: Value, function: Callable[[Value, Value], Any]) -> Value:
    """A function of two sequences, element by element."""
    return as_value(function(left, right))


def select(
    keys: Value | int | bool,
    queries: Value | int | bool,
    predicate: Callable[[Value, Value], Any],
) -> Value:
    """Which earlier positions, or the same one, a position looks at.

    `predicate(key, query)` gets the key of the position looked at and the query of the one that
    looks; later positions are never selected.
    """
    key, query = Value("key", (as_value(keys),)), Value("query", (as_value(queries),))
    return Value("select", (as_value(predicate(key, query)),))


def sel_width(selector: Value) -> Value:
    """How many positions are selected."""
    return Value("width", (selector,))


def aggregate(selector: Value, values: Value | int, how: str = "mean", default: int = 0) -> Value:
    """Mean (rounded down), largest or smallest of the values selected; the default where none is.

    Rounding down keeps every value a whole number, and the mean at least k whenever it says so.
    """
    if how not in REDUCTIONS:
        raise BadInput("no such aggregation", seen=how, hint=" or ".join(REDUCTIONS))
    if as_value(default).word != "number":
        raise BadInput("a default is a fixed whole number", seen=default)
    return Value("aggregate", (selector, as_value(values)), (how, default))


def kqv(
    keys: Value | int | bool,
    queries: Value | int | bool,
    values: Value | int,
    predicate: Callable[[Value, Value], Any],
    how: str = "mean",
    default: int = 0,
) -> Value:
    """Select and aggregate: one attention head."""
    return aggregate(select(keys, queries, predicate), values, how, default)


def _joined(sign: str, left: object, right: object) -> Value:
    return Value(sign, (as_value(left), as_value(right)))
