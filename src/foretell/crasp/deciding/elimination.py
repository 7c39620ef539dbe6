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
    """The span of the rows added so far, in echelon form.

    A row is freed of pivots that came after it only when it is used, and then for good: chains of
    equations would otherwise be substituted into each other again with every row that is added.
    Columns that `may_pivot` refuses are carried along only. Giving every row such a column of its
    own makes each reduced vector tell from which rows it was made.

    >>> space = RowSpace()
    >>> space.add({"x": 1, "y": 2}), space.add({"x": 2, "y": 4}), space.reduce({"x": 3, "y": 6})
    (True, False, {})
    """

    def __init__(self, may_pivot: Callable[[Hashable], bool] | None = None) -> None:
        self._may_pivot = may_pivot
        self._rows: dict[Any, Vector] = {}  # pivot to row, which is 1 there
        self._reduced: dict[Any, int] = {}  # pivot to the rank at which its row was last reduced

    @property
    def rank(self) -> int:
        """How many rows were outside the span of those before them."""
        return len(self._rows)

    def reduce(self, vector: Mapping[Any, Number]) -> Vector:
        """What is left of a vector modulo the span: nothing at pivots."""
        rest = dict(vector)
        for column in vector:
            if column in self._rows:
                _subtract(rest, rest[column], self._row(column))
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
        self._rows[pivot] = rest
        self._reduced[pivot] = self.rank
        return True

    def combination(self, column: Hashable) -> Iterator[tuple[Any, Number]]:
        """Entries of a free column, by pivot."""
        for pivot in self._rows:
            row = self._row(pivot)
            if column in row:
                yield pivot, row[column]

    def _row(self, pivot: Any) -> Vector:
        """The row of a pivot, without other pivots; these belong to rows added later."""
        rows, reduced, rank = self._rows, self._reduced, self.rank
        pending = [pivot]
        while pending:
            top = pending[-1]
            if reduced[top] < rank:
                row = rows[top]
                others = [column for column in row if column in rows and column != top]
                stale = [column for column in others if reduced[column] < rank]
                if stale:
                    pending += stale
                    continue
                for column in others:
                    _subtract(row, row[column], rows[column])
                reduced[top] = rank
            pending.pop()
        return rows[pivot]

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
        if not value:
            vector.pop(column, None)
        else:
            vector[column] = value if type(value) is int else _whole(value)


def _divide(entry: Number, head: Number) -> Number:
    if head == -1:
        return -entry
    if type(entry) is int and type(head) is int and entry % head == 0:
        return entry // head
    return _whole(Fraction(entry) / head)


def _whole(value: Number) -> Number:
    return value.numerator if isinstance(value, Fraction) and value.denominator == 1 else value
