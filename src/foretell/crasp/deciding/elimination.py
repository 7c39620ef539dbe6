"""Exact linear algebra over the rationals, for sparse vectors with any hashable columns.

Whole numbers stay Python integers as long as pivots are ±1, which they nearly always are here;
fractions appear only when they must.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Mapping
from fractions import Fraction
from typing import Any

Number = int | Fraction
Vector = dict[Any, Number]  # column to entry; entries are never zero


class RowSpace:
    """The span of the rows added so far, kept in reduced echelon form.

    Columns that `may_pivot` refuses are carried along only. Giving every row such a column of its
    own makes each reduced vector tell from which rows it was made.

    >>> space = RowSpace()
    >>> space.add({"x": 1, "y": 2}), space.add({"x": 2, "y": 4}), space.reduce({"x": 3, "y": 6})
    (True, False, {})
    """

    def __init__(self, may_pivot: Callable[[Hashable], bool] | None = None) -> None:
        self._may_pivot = may_pivot
        self._rows: dict[Any, Vector] = {}  # pivot to row; the row is 1 there, 0 at other pivots
        self._users: dict[Any, set[Any]] = {}  # free column to the pivots whose rows use it

    def reduce(self, vector: Mapping[Any, Number]) -> Vector:
        """What is left of a vector modulo the span: nothing at pivots."""
        rest = dict(vector)
        for column in [column for column in rest if column in self._rows]:
            _subtract(rest, rest[column], self._rows[column])
        return rest

    def add(self, vector: Mapping[Any, Number]) -> bool:
        """Add a row; was it outside the span?"""
        rest = self.reduce(vector)
        pivot = self._choose(rest)
        if pivot is None:
            return False
        head = rest[pivot]
        if head != 1:
            rest = {column: _divide(entry, head) for column, entry in rest.items()}
        for user in self._users.pop(pivot, ()):
            row = self._rows[user]
            _subtract(row, row[pivot], rest)
            for column in rest:
                self._note(column, user, column in row)
        self._rows[pivot] = rest
        for column in rest:
            self._note(column, pivot, True)
        return True

    def combination(self, column: Hashable) -> Iterator[tuple[Any, Number]]:
        """Entries of a free column, by pivot."""
        for pivot in self._users.get(column, ()):
            yield pivot, self._rows[pivot][column]

    def _note(self, column: Any, pivot: Any, used: bool) -> None:
        if column == pivot or column in self._rows:
            return
        if used:
            self._users.setdefault(column, set()).add(pivot)
        elif column in self._users:
            self._users[column].discard(pivot)

    def _choose(self, rest: Vector) -> Any:
        """The first column with ±1, else the first: a pivot of 1 keeps whole numbers whole."""
        first = None
        for column, entry in rest.items():
            if self._may_pivot is not None and not self._may_pivot(column):
                continue
            if entry == 1 or entry == -1:
                return column
            if first is None:
                first = column
        return first


def _subtract(vector: Vector, factor: Number, row: Vector) -> None:
    for column, entry in row.items():
        value = vector.get(column, 0) - factor * entry
        if value:
            vector[column] = _whole(value)
        else:
            vector.pop(column, None)


def _divide(entry: Number, head: Number) -> Number:
    return -entry if head == -1 else _whole(Fraction(entry) / head)


def _whole(value: Number) -> Number:
    return value.numerator if isinstance(value, Fraction) and value.denominator == 1 else value
