"""Two programs that count only letters and residues: linear conditions, decided inside a box.

If what is counted over everything is a Boolean of the letter and the position modulo m alone, the
answers depend on how many positions have each letter and residue (the vector y), on the last few
letters, and on the length modulo m. Fix the last two; then whoever differs at y differs at every y
that gives all comparisons the same truth values. These y are the integral points of a polyhedron
{A y <= b, y >= 0}, so a difference, if there is one, also occurs at a small y:

Write an integral point as a convex combination of vertices plus at most d multiples of integral
extreme rays (Carathéodory), and take whole multiples of the rays away; what is left is integral,
in the polyhedron, and at most a vertex plus d rays. Rays are minors of A of order d - 1, vertices
quotients of determinants (Cramer), so no entry exceeds (s k + d) D, where D bounds all minors of A
up to order d - 1, k all entries of b, and s <= d the number of different rows of A that are not
y >= 0. (Schrijver, Theory of Linear and Integer Programming, Theorem 17.1.) Agreement on all y up
to there, for all endings and residues, is agreement on every word.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import final

import numpy as np

from foretell.crasp import operations as op
from foretell.crasp.interpreter import INT64, OnWords, evaluate, largest_count
from foretell.crasp.verifying.exhaustive import word_number
from foretell.crasp.verifying.forms import comparisons, primitive
from foretell.crasp.verifying.joint import Decision, DoesNotApplyError, Joint
from foretell.crasp.verifying.machine import Machine, Runs
from foretell.crasp.verifying.minors import largest_minor
from foretell.crasp.words import Words

METHOD = "depth-one"
POINTS = 5_000_000  # vectors times endings times residues
LONGEST = 10**9  # no vector of that many points is longer
PIECE = 2**16


def decide(joint: Joint, points: int = POINTS) -> Decision:
    """Compare on all vectors of the box."""
    if joint.automaton is not None:
        return Decision(METHOD, "does not apply", "the other side is not a program")
    if joint.same:
        return Decision(METHOD, "agree", "both answers are the same operations")
    try:
        plan = _plan(joint)
        if plan.points > points:
            raise DoesNotApplyError(
                f"the box has about 10^{len(str(plan.points)) - 1} points ({plan.dimensions} "
                f"counts, each up to {plan.side:,}), more than {points:,}"
            )
        word = _short(plan) or _search(plan)
    except DoesNotApplyError as stop:
        return Decision(METHOD, "does not apply", str(stop))
    if word is not None:
        return Decision(METHOD, "differ", "a vector of counts on which they differ", word)
    reason = (
        f"they agree on all {plan.points:,} vectors of {plan.dimensions} counts up to "
        f"{plan.side:,}, with all endings, and a difference would show there"
    )
    return Decision(METHOD, "agree", reason)


@final
@dataclass(frozen=True)
class _Plan:
    """The box. Letters that count alike at a residue are one group; the first stands for all."""

    joint: Joint
    machine: Machine
    period: int
    ending: int  # letters after the vector; the answer looks back no farther
    final_letters: tuple[int, ...]  # enough of them: letters nobody tells apart are one
    truth: np.ndarray  # [counter, letter, residue]: is it counted there?
    groups: tuple[tuple[int, ...], ...]  # for every residue the letters that stand for groups
    side: int  # largest entry of a vector
    dimensions: int

    @property
    def free(self) -> int:
        """Counts that can be chosen; all residues have equally many positions, up to one."""
        if self.period == 1:
            return len(self.groups[0])
        return 1 + sum(len(group) - 1 for group in self.groups)

    @property
    def points(self) -> int:
        """How many cases there are."""
        endings = len(self.final_letters) ** self.ending
        return (self.side + 1) ** self.free * endings * self.period


def _plan(joint: Joint) -> _Plan:
    machine = Machine(joint.core)
    _require_depth_one(joint, machine)
    period, ending = _period(joint), _look_back(joint) + 1
    if not machine.fits(LONGEST) or 16 * largest_count(joint.core, LONGEST) > INT64:
        raise DoesNotApplyError("a window is wider than 61 positions, or a factor too large")
    truth = _truth(joint, machine, period)
    rows, bound = _rows(joint, machine, truth, ending)
    groups = tuple(_groups(rows[:, :, residue], period) for residue in range(period))
    columns = np.concatenate([rows[:, list(group), r] for r, group in enumerate(groups)], axis=1)
    if period > 1:
        columns = np.concatenate([_balance(groups), _padded(columns)])
        bound = max(bound, 1)
    system = {_direction(row) for row in columns.tolist() if any(row)}
    size = columns.shape[1]
    tight = min(size, len(system))
    side = (tight * bound + size) * largest_minor(sorted(system), size - 1) if size else 0
    mentioned = {o.letter for _, o in op.walk(joint.core) if isinstance(o, op.Letter)}
    others = [x for x in range(len(joint.core.letters)) if x not in mentioned]
    finals = (*sorted(mentioned), *others[:1])
    return _Plan(joint, machine, period, ending, finals, truth, groups, side, size)


def _require_depth_one(joint: Joint, machine: Machine) -> None:
    operations = joint.core.operations
    counts: list[bool] = []  # does it depend on a count, over everything or a window?
    for operation in operations:
        below = any(counts[operand] for operand in operation.operands)
        counts.append(below or isinstance(operation, op.Count))
    for place in machine.counters:
        if counts[operations[place].operands[0]]:
            raise DoesNotApplyError("something that is counted depends on another count")


def _period(joint: Joint) -> int:
    found = math.lcm(*(o.modulus for _, o in op.walk(joint.core) if isinstance(o, op.Periodic)))
    if found > 1000:
        raise DoesNotApplyError(f"the period {found:,} is too long")
    return found


def _look_back(joint: Joint) -> int:
    """How many positions before the last one an answer can look at directly."""
    reach: list[int] = []
    for operation in joint.core.operations:
        below = max((reach[operand] for operand in operation.operands), default=0)
        near = operation.offsets if isinstance(operation, op.Count) else None
        reach.append(below + max(near or (), default=0))
    return max(reach[place] for place in joint.core.outputs)


def _truth(joint: Joint, machine: Machine, period: int) -> np.ndarray:
    core = joint.core
    size = len(core.letters)
    bodies = [core.operations[place].operands[0] for place in machine.counters]
    words = Words.of([[letter] * period for letter in range(size)])
    values = evaluate(core, OnWords.create(core, words), bodies)
    found = np.zeros((len(bodies), size, period), bool)
    for row, body in enumerate(bodies):
        table = values[body].reshape(size, period)
        found[row] = np.roll(table, 1, axis=1)  # position m has residue 0
    return found


def _rows(joint: Joint, machine: Machine, truth: np.ndarray, ending: int) -> tuple[np.ndarray, int]:
    """Different forms over letters and residues, and a bound of the right-hand sides."""
    number = {place: column for column, place in enumerate(machine.counters)}
    rows, bound = [np.zeros(truth.shape[1:], np.int64)], 0
    for gap in comparisons(joint.core, number).values():
        for form, term in gap.items():
            row = sum((f * truth[c].astype(np.int64) for c, f in form), rows[0])
            content = int(np.gcd.reduce(row, axis=None)) or 1
            most = max(abs(int(term.low)), abs(int(term.high)))
            most += ending * sum(abs(factor) for _, factor in form)  # what the ending adds
            bound = max(bound, -(-most // content) + 1)
            rows.append(row // content)
    return np.unique(np.stack(rows), axis=0), bound


def _groups(rows: np.ndarray, period: int) -> tuple[int, ...]:
    """The first letter of every group that the forms do not tell apart at this residue."""
    first: dict[tuple[int, ...], int] = {}
    for letter, column in enumerate(rows.T.tolist()):
        first.setdefault(tuple(column), letter)
    # Without a period nothing depends on how many letters there are that no form counts.
    return tuple(letter for column, letter in first.items() if period > 1 or any(column))


def _padded(columns: np.ndarray) -> np.ndarray:
    """A last column for the number of whole periods, which no form mentions."""
    return np.concatenate([columns, np.zeros((len(columns), 1), np.int64)], axis=1)


def _balance(groups: tuple[tuple[int, ...], ...]) -> np.ndarray:
    """For every residue: its counts add up to the number of whole periods, or one more."""
    found = np.zeros((len(groups), sum(map(len, groups)) + 1), np.int64)
    start = 0
    for residue, group in enumerate(groups):
        found[residue, start : start + len(group)] = 1
        start += len(group)
    found[:, -1] = -1
    return found


def _direction(row: list[int]) -> tuple[int, ...]:
    form, _ = primitive(tuple((place, value) for place, value in enumerate(row) if value))
    entries = dict(form)
    return tuple(entries.get(place, 0) for place in range(len(row)))


def _short(plan: _Plan) -> tuple[int, ...] | None:
    """Words too short to have an ending and a vector, all of them."""
    runs, size = plan.machine.start(), len(plan.joint.core.letters)
    if size**plan.ending > 2**20:
        raise DoesNotApplyError("the windows are too wide")
    for length in range(1, plan.ending):
        below, letters = plan.machine.branch(runs)
        runs, values = plan.machine.step(below, letters)
        wrong = np.flatnonzero(plan.joint.differs(values, np.zeros(len(runs), np.int64)))
        if len(wrong):
            return word_number(int(wrong[0]), size, length)
    return None


def _search(plan: _Plan) -> tuple[int, ...] | None:
    for extra in range(plan.period):
        for counts in _vectors(plan, extra):
            counters = np.einsum("klr,nlr->nk", plan.truth.astype(np.int64), counts)
            empty = np.zeros((len(counts), len(plan.machine.windows)), np.int64)
            for ending in itertools.product(plan.final_letters, repeat=plan.ending):
                # What the windows saw before the ending is unknown, and out of the answer's sight.
                runs = Runs(counters, empty, extra)
                for letter in ending:
                    runs, values = plan.machine.step(runs, np.full(len(counts), letter))
                wrong = np.flatnonzero(plan.joint.differs(values, np.zeros(len(counts), int)))
                if len(wrong):
                    return (*_arranged(counts[wrong[0]], extra), *ending)
    return None


def _vectors(plan: _Plan, extra: int) -> Iterator[np.ndarray]:
    """[vector, letter, residue] for lengths of whole periods plus `extra`, some at a time."""
    base = plan.side + 1
    size = len(plan.joint.core.letters)
    total = base**plan.free
    for first in range(0, total, PIECE):
        numbers = np.arange(first, min(first + PIECE, total))
        digits = [(numbers // base**place) % base for place in range(plan.free)]
        counts = np.zeros((len(numbers), size, plan.period), np.int64)
        if plan.period == 1:
            for letter, digit in zip(plan.groups[0], digits, strict=True):
                counts[:, letter, 0] = digit
            yield counts
            continue
        periods, rest = digits[0], iter(digits[1:])
        for residue, group in enumerate(plan.groups):
            left = periods + (1 <= residue <= extra)
            for letter in group[1:]:
                counts[:, letter, residue] = next(rest)
                left = left - counts[:, letter, residue]
            counts[:, group[0], residue] = left
        yield counts[(counts >= 0).all(axis=(1, 2))]


def _arranged(counts: np.ndarray, extra: int) -> tuple[int, ...]:
    """A word with these counts."""
    period = counts.shape[1]
    stocks = [np.repeat(np.arange(len(counts)), counts[:, r]).tolist() for r in range(period)]
    if period == 1:
        return tuple(stocks[0])
    length = sum(map(len, stocks))
    return tuple(stocks[position % period].pop() for position in range(1, length + 1))
