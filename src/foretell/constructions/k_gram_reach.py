"""How far back attention by position alone can see, and which orders are then out of reach.

A layer of H heads, each at a fixed lag, gives a position what it had and what H other positions
had: at most H + 1 times as many symbols. A k-gram compares k + 1 neighbouring symbols.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence

from foretell.plain.errors import BadInput

MOST_CHOICES = 10**6


def symbols_in_reach(heads: Sequence[int]) -> int:
    """At most so many symbols are known at a position below the last layer.

    `heads` of all layers, the last one (which matches) included but not counted.

    >>> symbols_in_reach([1, 1]), symbols_in_reach([1, 1, 1]), symbols_in_reach([3, 1])
    (2, 4, 4)
    """
    if len(heads) < 2 or min(heads) < 1:
        raise BadInput(
            "no such stack of layers",
            seen=list(heads),
            why="it has at least two layers, each with at least one head",
        )
    return math.prod(count + 1 for count in heads[:-1])


def built_up_to(heads: Sequence[int]) -> int:
    """The largest order that lags reach: the current symbol and that many before it."""
    return symbols_in_reach(heads) - 1


def impossible_from(heads: Sequence[int]) -> int:
    """From this order on it cannot be done without norms and MLPs.

    A theorem under a condition: attention in the lower layers depends on positions only.

    >>> impossible_from([1, 1]), impossible_from([1, 1, 1])
    (4, 6)
    """
    return symbols_in_reach(heads) + 2


def searched_order(heads: Sequence[int]) -> int:
    """The largest order reached by any choice of lags, by trying them all.

    >>> searched_order([2, 1, 1])
    5
    """
    most = symbols_in_reach(heads)
    tried = math.prod(math.comb(most, count) for count in heads[:-1])
    if tried > MOST_CHOICES:
        raise BadInput("too many lags to try", seen=f"{tried} choices", hint="fewer heads")
    choices = [itertools.combinations(range(1, most + 1), count) for count in heads[:-1]]
    return max(_known_in_a_row(lags) for lags in itertools.product(*choices))


def _known_in_a_row(lags: Sequence[Sequence[int]]) -> int:
    known = {0}
    for steps in lags:
        known = {had + step for had in known for step in (0, *steps)}
    return next(back for back in itertools.count() if back + 1 not in known)
