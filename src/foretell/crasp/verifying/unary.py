"""One letter: there is one word of every length, and everything about it repeats in the end.

Every operation of a program is, read along a a a …, a sequence f(1), f(2), … with a *period* m and
a *start* s such that f(n + m) = f(n) + step(n mod m) for all n >= s: Booleans have steps 0, counts
of what repeats grow by the same amount every period, and comparing two such sequences repeats as
soon as every residue has made up its mind. So a sequence is its first s + m - 1 values and m steps,
and two programs agree everywhere if they agree on that many words (Lemma 37 of Huang et al., with
periodic and local relations).
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, final

import numpy as np

from foretell.crasp import operations as op
from foretell.crasp.interpreter import INT64, largest_count
from foretell.crasp.verifying.automata import AutomatonReference
from foretell.crasp.verifying.joint import Decision, DoesNotApplyError, Joint

METHOD = "unary"
LONGEST = 1_000_000  # values of one sequence
WORK = 200_000_000  # values of all sequences together


@final
@dataclass(frozen=True)
class Sequence:
    """`values[n - 1]` is f(n), n < start + period; `steps[n % period]` is f(n + period) - f(n)."""

    start: int
    values: np.ndarray
    steps: np.ndarray

    @property
    def period(self) -> int:
        """After how many places it repeats, up to the steps."""
        return len(self.steps)

    def stretched(self, start: int, period: int) -> Sequence:
        """The same sequence written with a later start and a multiple of the period."""
        if (start, period) == (self.start, self.period):
            return self
        size = start + period - 1
        if size > LONGEST:
            raise DoesNotApplyError(f"the answers only repeat after more than {LONGEST:,} letters")
        known = len(self.values)
        steps = np.tile(self.steps, period // self.period) * (period // self.period)
        if size <= known:
            return Sequence(start, self.values[:size], steps)
        place = np.arange(known + 1, size + 1)
        rounds = -((known - place) // self.period)
        base = place - rounds * self.period
        new = self.values[base - 1]
        if new.dtype != bool:  # Booleans only repeat
            new = new + rounds * self.steps[base % self.period]
        return Sequence(start, np.concatenate([self.values, new]), steps)


def decide(joint: Joint) -> Decision:
    """Compare the sequences of answers over their starts and one period."""
    if len(joint.core.letters) != 1:
        return Decision(METHOD, "does not apply", "the alphabet has more than one letter")
    try:
        differ = _difference(joint)
    except DoesNotApplyError as stop:
        return Decision(METHOD, "does not apply", str(stop))
    found = np.flatnonzero(differ.values)
    if len(found):
        word = (0,) * (int(found[0]) + 1)
        return Decision(METHOD, "differ", "the sequences of answers differ", word, True)
    until = differ.start + differ.period - 1
    reason = (
        f"from length {differ.start} on the answers repeat every {differ.period}, "
        f"and they agree up to length {until}"
    )
    return Decision(METHOD, "agree", reason)


def _difference(joint: Joint) -> Sequence:
    """The Boolean sequence: do the sides disagree at this length?"""
    places = _sequences(joint)
    found = _boolean(1, np.array([False]), 1)
    if joint.automaton is None:
        parts = [_with(np.not_equal, places[one], places[two]) for one, two in joint.pairs]
    else:
        columns, defined = _automaton_sequences(joint.automaton)
        pairs = zip(joint.left, columns, strict=True)
        parts = [_with(np.not_equal, places[place], column) for place, column in pairs]
        parts = [_with(np.logical_and, part, defined) for part in parts]
    for part in parts:
        found = _with(np.logical_or, found, part)
    return found


def _sequences(joint: Joint) -> dict[int, Sequence]:
    core = joint.core
    # All sequences stay below this bound, their differences below twice of it.
    dtype: Any = object if 4 * largest_count(core, 2 * LONGEST) > INT64 else np.int64
    found: dict[int, Sequence] = {}
    spent = 0
    for place, operation in op.walk(core):
        found[place] = _sequence(operation, found, dtype)
        spent += len(found[place].values)
        if spent > WORK:
            raise DoesNotApplyError("the program is too large to be followed exactly")
    return found


def _sequence(operation: op.Operation, known: dict[int, Sequence], dtype: Any) -> Sequence:
    match operation:
        case op.Letter() | op.Truth():
            return _boolean(1, np.array([True]), 1)
        case op.One():
            return Sequence(1, np.array([1], dtype), np.zeros(1, dtype))
        case op.Periodic(modulus, residues):
            place = np.arange(1, modulus + 1) % modulus
            return _boolean(1, np.isin(place, np.array(residues, int)), modulus)
        case op.Not(body):
            return _boolean(known[body].start, ~known[body].values, known[body].period)
        case op.And(left, right):
            return _with(np.logical_and, known[left], known[right])
        case op.AtMost(left, right):
            return _at_most(*_aligned(known[left], known[right]))
        case op.Count(body, None):
            return _total(known[body], dtype)
        case op.Count(body, offsets):
            assert offsets is not None
            return _near(known[body], offsets, dtype)
        case op.Choice(condition, then, otherwise):
            return _choice(*_aligned(known[condition], known[then], known[otherwise]))
        case op.Add(left, right):
            one, two = _aligned(known[left], known[right])
            return Sequence(one.start, one.values + two.values, one.steps + two.steps)
        case op.Subtract(left, right):
            one, two = _aligned(known[left], known[right])
            return Sequence(one.start, one.values - two.values, one.steps - two.steps)
    raise TypeError(f"not an operation of Definition 8: {operation}")


def _boolean(start: int, values: np.ndarray, period: int) -> Sequence:
    return Sequence(start, values, np.zeros(period, np.int64))


def _aligned(*parts: Sequence) -> tuple[Sequence, ...]:
    start = max(part.start for part in parts)
    period = math.lcm(*(part.period for part in parts))
    return tuple(part.stretched(start, period) for part in parts)


def _with(join: Callable[[Any, Any], Any], left: Sequence, right: Sequence) -> Sequence:
    """A Boolean of two Booleans."""
    one, two = _aligned(left, right)
    return _boolean(one.start, join(one.values, two.values), one.period)


def _total(body: Sequence, dtype: Any) -> Sequence:
    last = body.values[body.start - 1 :]
    values = np.cumsum(body.values, dtype=np.int64).astype(dtype)
    return Sequence(body.start, values, np.full(body.period, int(last.sum()), dtype))


def _near(body: Sequence, offsets: tuple[int, ...], dtype: Any) -> Sequence:
    """Shifted copies; before the word begins nothing holds."""
    longer = body.stretched(body.start + max(offsets, default=0), body.period)
    found = np.zeros(len(longer.values), np.int64)
    for offset in offsets:
        found[offset:] += longer.values[: len(found) - offset]
    return Sequence(longer.start, found.astype(dtype), np.zeros(body.period, dtype))


def _choice(condition: Sequence, then: Sequence, otherwise: Sequence) -> Sequence:
    values = np.where(condition.values, then.values, otherwise.values)
    last = np.arange(condition.start, condition.start + condition.period)
    by_residue = np.zeros(condition.period, bool)
    by_residue[last % condition.period] = condition.values[condition.start - 1 :]
    return Sequence(condition.start, values, np.where(by_residue, then.steps, otherwise.steps))


def _at_most(left: Sequence, right: Sequence) -> Sequence:
    """Repeats once every residue's gap has, for good, the sign that its step says."""
    start, period = left.start, left.period
    gap, steps = right.values - left.values, right.steps - left.steps
    first = gap[start - 1 :]  # at start, start + 1, …
    step = steps[np.arange(start, start + period) % period]
    final = np.where(step == 0, first >= 0, step > 0)
    # Rounds until the gap is at least 0 (rising), or below 0 (falling).
    rising, falling = -(first // np.where(step > 0, step, 1)), first // np.where(step < 0, -step, 1)
    rounds = np.where(step > 0, rising, np.where(step < 0, falling + 1, 0))
    settled = (first >= 0) == final
    wait = int(np.where(settled, 0, rounds).max()) * period
    whole = Sequence(start, gap, steps).stretched(start + wait, period)
    return _boolean(start + wait, (whole.values >= 0).astype(bool), period)


def _automaton_sequences(side: AutomatonReference) -> tuple[list[Sequence], Sequence]:
    """The automaton's answers at every length, and where they are defined."""
    seen: dict[int, int] = {}
    order: list[int] = []
    state = int(side.delta[side.dfa.start, 0])
    while state not in seen:
        seen[state] = len(order)
        order.append(state)
        state = int(side.delta[state, 0])
    start, period = seen[state] + 1, len(order) - seen[state]
    values, defined = side.table.values[order], side.table.defined[order]
    columns = [_boolean(start, values[:, column], period) for column in range(values.shape[1])]
    return columns, _boolean(start, defined, period)
