"""How large can a minor of a matrix of whole numbers be?"""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence

EXACTLY = 20_000  # minors that are worked out one by one


def largest_minor(rows: Sequence[Sequence[int]], order: int) -> int:
    """At least the absolute value of every minor up to that order (1 for the order 0).

    Exact where there are few minors, Hadamard's bound otherwise.

    >>> largest_minor([(1, -1, 0), (0, 1, 1), (1, 0, 2)], 2), largest_minor([(5, 3)], 0)
    (2, 1)
    """
    order = min(order, len(rows), len(rows[0]) if rows else 0)
    width = len(rows[0]) if rows else 0
    work = sum(math.comb(len(rows), k) * math.comb(width, k) for k in range(1, order + 1))
    if work > EXACTLY:
        return _hadamard(rows, order)
    found = 1
    for size in range(1, order + 1):
        for some in itertools.combinations(rows, size):
            for columns in itertools.combinations(range(width), size):
                part = [[row[column] for column in columns] for row in some]
                found = max(found, abs(determinant(part)))
    return found


def determinant(matrix: list[list[int]]) -> int:
    """By Bareiss' elimination, which stays within whole numbers.

    >>> determinant([[0, 2, 1], [1, 1, 1], [3, 0, 1]])
    1
    """
    rows = [list(row) for row in matrix]
    sign, before = 1, 1
    for step in range(len(rows) - 1):
        pivot = next((r for r in range(step, len(rows)) if rows[r][step]), None)
        if pivot is None:
            return 0
        if pivot != step:
            rows[step], rows[pivot], sign = rows[pivot], rows[step], -sign
        for row in rows[step + 1 :]:
            for column in range(step + 1, len(rows)):
                cross = row[column] * rows[step][step] - row[step] * rows[step][column]
                row[column] = cross // before
        before = rows[step][step]
    return sign * rows[-1][-1]


def _hadamard(rows: Sequence[Sequence[int]], order: int) -> int:
    """The product of the longest rows; none is shorter than 1, so fewer rows give no more."""
    squares = sorted((sum(entry * entry for entry in row) for row in rows), reverse=True)
    return math.isqrt(math.prod(max(square, 1) for square in squares[:order])) + 1
