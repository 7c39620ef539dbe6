"""What a setting may be, read off the values it has: a number, a word, a series, a table, a group.

Presets say enough: what is a whole number for every budget is a whole number. A group whose keys
differ from budget to budget is open: its entries may have any name.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, final

Kind = Literal["yes or no", "a whole number", "a number", "whole or not", "a word"]
Names = Mapping[str, tuple[str, ...]]  # what the places of a row or of a series are called


@final
@dataclass(frozen=True)
class Plain:
    """One value."""

    kind: Kind
    optional: bool = False


@final
@dataclass(frozen=True)
class Series:
    """Values of one kind; with names there are exactly so many."""

    item: Plain
    names: tuple[str, ...] = ()
    optional: bool = False


@final
@dataclass(frozen=True)
class Table:
    """Rows of values; of a record a column is a path of keys, of a list it is a place."""

    columns: tuple[Plain, ...]
    names: tuple[str, ...] = ()
    records: bool = False
    ragged: bool = False
    optional: bool = False


@final
@dataclass(frozen=True)
class Group:
    """Settings of a part."""

    parts: Mapping[str, Shape]
    open: bool = False  # whether its entries are chosen, not fixed
    further: Shape | None = None  # what an entry of a new name may be, if there may be any
    optional: bool = False


Shape = Plain | Series | Table | Group


def shape_of(values: Sequence[Any], names: Names | None = None, path: str = "") -> Shape:
    """What all these values have in common.

    >>> shape_of([0.1, 0.3])
    Plain(kind='a number', optional=False)
    >>> shape_of([[8, 16], []]).item.kind
    'a whole number'
    """
    names = names or {}
    present = [value for value in values if value is not None]
    optional = len(present) < len(values)
    if any(isinstance(value, Mapping) for value in present):
        return _group(present, names, path, optional)
    if not any(isinstance(value, list) for value in present):
        return Plain(_kind(present), optional)
    items = list(itertools.chain.from_iterable(present))
    called = names.get(path, ())
    if not any(isinstance(item, list | Mapping) for item in items):
        kinds = Plain(_kind(items), None in items)
        return Series(kinds, called, optional)
    if records := isinstance(items[0], Mapping):
        called = tuple(name for name, _ in flat(items[0]))
        items = [[value for _, value in flat(item)] for item in items]
    ragged = len({len(row) for row in items}) > 1
    columns = list(itertools.zip_longest(*items)) if ragged else list(zip(*items, strict=True))
    plain = tuple(_column(column, ragged) for column in columns)
    return Table(plain, called, records, ragged, optional)


def flat(record: Mapping[str, Any], path: str = "") -> Iterator[tuple[str, Any]]:
    """Dotted names and values of a record of records.

    >>> list(flat({"a": 1, "b": {"c": 2}}))
    [('a', 1), ('b.c', 2)]
    """
    for name, value in record.items():
        if isinstance(value, Mapping):
            yield from flat(value, f"{path}{name}.")
        else:
            yield path + name, value


def _group(values: Sequence[Any], names: Names, path: str, optional: bool) -> Group:
    keys = list(dict.fromkeys(itertools.chain.from_iterable(values)))
    inside = f"{path}." if path else ""
    parts = {
        key: shape_of([each[key] for each in values if key in each], names, inside + key)
        for key in keys
    }
    chosen = bool(path) and len({frozenset(each) for each in values}) > 1
    every = [value for each in values for value in each.values()]
    if not chosen or any(isinstance(value, Mapping) for value in every):
        return Group(parts, chosen, None, optional)
    alike = len({isinstance(value, list) for value in every}) == 1
    further = shape_of(every, names, f"{inside}*") if alike else None
    return Group(parts, chosen, further, optional)


def _column(values: Sequence[Any], ragged: bool) -> Plain:
    """A gap in a ragged table is no missing value."""
    present = [value for value in values if value is not None]
    return Plain(_kind(present), len(present) < len(values) and not ragged)


def _kind(values: Sequence[Any]) -> Kind:
    present = {type(value) for value in values if value is not None}
    if present == {bool}:
        return "yes or no"
    if present == {int}:
        return "a whole number"
    if present == {float}:
        return "a number"
    return "whole or not" if present == {int, float} else "a word"
