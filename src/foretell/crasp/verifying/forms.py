"""Counts as linear forms in the counters, one for each way their choices can go.

A counter is a count over everything; what a window or a constant adds is kept as bounds. Bounds and
where a form is possible may be numbers or arrays: this file does not care.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, final

import numpy as np

from foretell.crasp import operations as op
from foretell.crasp.operations import Core
from foretell.crasp.verifying.joint import DoesNotApplyError

MOST_FORMS = 32  # linear forms that one count may come down to
Form = tuple[tuple[int, int], ...]  # (counter, coefficient), in the order of the counters


@final
@dataclass(frozen=True)
class Term:
    """One linear form a count may be: where it is possible, and the bounds of what is added."""

    possible: Any
    low: Any
    high: Any

    def joined(self, other: Term) -> Term:
        """One or the other."""
        one, two = self.possible, other.possible
        both = np.logical_and(one, two)
        lows = np.where(one, self.low, other.low)
        highs = np.where(one, self.high, other.high)
        return Term(
            np.logical_or(one, two),
            np.where(both, np.minimum(self.low, other.low), lows),
            np.where(both, np.maximum(self.high, other.high), highs),
        )


Counts = dict[Form, Term]


def chosen(*branches: tuple[Counts, Any]) -> Counts:
    """One of several counts; with each of them, where it can be the one."""
    found: Counts = {}
    for counts, when in branches:
        for form, term in counts.items():
            limited = Term(np.logical_and(term.possible, when), term.low, term.high)
            found[form] = found[form].joined(limited) if form in found else limited
    return _few(found)


def summed(left: Counts, right: Counts, sign: int) -> Counts:
    """left + right, or left - right."""
    found: Counts = {}
    for one, first in left.items():
        for two, second in right.items():
            possible = np.logical_and(first.possible, second.possible)
            ends = (second.low, second.high) if sign > 0 else (-second.high, -second.low)
            term = Term(possible, first.low + ends[0], first.high + ends[1])
            form = _add(one, two, sign)
            found[form] = found[form].joined(term) if form in found else term
    return _few(found)


def primitive(form: Form) -> tuple[Form, int]:
    """The form divided by its content, first coefficient positive, and what it was divided by.

    >>> primitive(((0, -4), (2, 6)))
    (((0, 2), (2, -3)), -2)
    """
    if not form:
        return form, 1
    factor = math.gcd(*(coefficient for _, coefficient in form))
    factor = factor if form[0][1] > 0 else -factor
    return tuple((counter, coefficient // factor) for counter, coefficient in form), factor


def comparisons(core: Core, counters: Mapping[int, int]) -> dict[int, Counts]:
    """For every live comparison, what `left - right` may come down to; counters are numbered."""
    counts: dict[int, Counts] = {}
    found: dict[int, Counts] = {}
    for place, operation in op.walk(core):
        match operation:
            case op.AtMost(left, right):
                found[place] = summed(counts[left], counts[right], -1)
            case op.Count(_, None):
                counts[place] = {((counters[place], 1),): Term(True, 0, 0)}
            case op.Count(_, offsets):
                counts[place] = {(): Term(True, 0, len(offsets or ()))}
            case op.Choice(_, then, otherwise):
                counts[place] = chosen((counts[then], True), (counts[otherwise], True))
            case op.Add(left, right):
                counts[place] = summed(counts[left], counts[right], 1)
            case op.Subtract(left, right):
                counts[place] = summed(counts[left], counts[right], -1)
            case op.One():
                counts[place] = {(): Term(True, 1, 1)}
    return found


def _add(left: Form, right: Form, sign: int) -> Form:
    whole = dict(left)
    for counter, coefficient in right:
        whole[counter] = whole.get(counter, 0) + sign * coefficient
    return tuple(sorted((counter, factor) for counter, factor in whole.items() if factor))


def _few(counts: Counts) -> Counts:
    if len(counts) > MOST_FORMS:
        raise DoesNotApplyError(f"a count can come down to more than {MOST_FORMS} linear forms")
    return counts
