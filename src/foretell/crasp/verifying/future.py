"""What a run of a program can still do: which answers are settled for good, and what still matters.

Given where runs stand, `Future` looks at every later position at once, letter by letter (a value at
"some later position that holds the letter x"), and over-approximates:

* forwards, for every Boolean, whether it can still be true and whether it can still be false; for
  every comparison of counts, the linear forms in the counters it may come down to (one for each
  way its choices can go), and whether each of them is decided for good because it can only rise,
  or only fall, from where it stands;
* backwards from the answers, what they still depend on. A settled Boolean needs nothing below it;
  a decided form does not need its value, nor anything that would change it.

`keys` writes down what is needed and nothing else; its layout depends on the program alone (forms
that have become impossible keep their places), so keys of different batches compare. Two runs with
the same key give the same answers on every continuation: by induction over positions and
operations, whatever is needed has the same value in both. It is either settled, the same way, or
computed from needed things that are equal.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any, final

import numpy as np

from foretell.crasp import operations as op
from foretell.crasp.verifying.forms import Counts, Form, Term, chosen, primitive, summed
from foretell.crasp.verifying.joint import Joint
from foretell.crasp.verifying.machine import Machine, Runs


@final
@dataclass(frozen=True)
class Branch:
    """A comparison `factor * form + something <= 0` in one of the ways it may come down to."""

    form: Form
    can_hold: np.ndarray  # [run, letter]; neither: the comparison never comes down to this
    can_fail: np.ndarray


class Future:
    """The analysis of one batch of runs; `states` are the automaton's, where there is one."""

    def __init__(self, joint: Joint, machine: Machine, runs: Runs, states: np.ndarray) -> None:
        self.joint, self.machine, self.runs, self.states = joint, machine, runs, states
        self.shape = (len(runs), len(joint.core.letters))
        self.number = {place: column for column, place in enumerate(machine.counters)}
        self.window = {place: column for column, place in enumerate(machine.windows)}
        self.can_hold: dict[int, np.ndarray] = {}
        self.can_fail: dict[int, np.ndarray] = {}
        self.counts: dict[int, Counts] = {}
        self.branches: dict[int, list[Branch]] = {}
        self._growth: dict[Form, tuple[np.ndarray, np.ndarray]] = {}
        for place, operation in op.walk(joint.core):
            self._forward(place, operation)

    @property
    def weight(self) -> int:
        """How much work a run is: a sum combines each form of one count with each of the other."""
        sizes = {place: len(forms) for place, forms in self.counts.items()}
        return sum(
            math.prod(sizes.get(operand, 1) for operand in operation.operands)
            for _, operation in op.walk(self.joint.core)
        )

    # Forwards ------------------------------------------------------------------------------------

    def _forward(self, place: int, operation: op.Operation) -> None:
        match operation:
            case op.Letter(letter):
                here = np.arange(self.shape[1]) == letter
                self._set(place, here, ~here)
            case op.Truth():
                self._set(place, True, False)
            case op.Periodic(modulus, residues):
                self._set(place, len(residues) > 0, len(residues) < modulus)
            case op.Not(body):
                self._set(place, self.can_fail[body], self.can_hold[body])
            case op.And(left, right):
                hold, fail = self.can_hold, self.can_fail
                self._set(place, hold[left] & hold[right], fail[left] | fail[right])
            case op.AtMost(left, right):
                self._compare(place, summed(self.counts[left], self.counts[right], -1))
            case op.Count(_, None):
                self.counts[place] = {((self.number[place], 1),): Term(True, 0, 0)}
            case op.Count(body, offsets):
                assert offsets is not None
                self.counts[place] = {(): self._near(place, body, offsets)}
            case op.Choice(condition, then, otherwise):
                self.counts[place] = chosen(
                    (self.counts[then], self.can_hold[condition]),
                    (self.counts[otherwise], self.can_fail[condition]),
                )
            case op.Add(left, right):
                self.counts[place] = summed(self.counts[left], self.counts[right], 1)
            case op.Subtract(left, right):
                self.counts[place] = summed(self.counts[left], self.counts[right], -1)
            case op.One():
                self.counts[place] = {(): Term(True, 1, 1)}

    def _set(self, place: int, hold: Any, fail: Any) -> None:
        self.can_hold[place] = np.broadcast_to(hold, self.shape)
        self.can_fail[place] = np.broadcast_to(fail, self.shape)

    def _near(self, place: int, body: int, offsets: tuple[int, ...]) -> Term:
        """How many of the offsets can and must hold; the past is in the memory."""
        memory = self.runs.memories[:, self.window[place]]
        full = np.int64(2 ** self.machine.reach(place) - 1)
        here, past = int(0 in offsets), sum(offset > 0 for offset in offsets)
        some = self.can_hold[body].any(axis=1) | (memory != 0)
        every = ~self.can_fail[body].any(axis=1) & (memory == full)
        return Term(
            True,
            here * ~self.can_fail[body] + past * every[:, None],
            here * self.can_hold[body] + past * some[:, None],
        )

    def _compare(self, place: int, gap: Counts) -> None:
        """gap <= 0, for every form the gap may come down to."""
        found = []
        for whole, term in gap.items():
            form, factor = primitive(whole)
            least, bounded, most, limited = self._range(form, factor)
            fails = np.logical_and(bounded, least + term.low > 0)
            holds = np.logical_and(limited, most + term.high <= 0)
            can_hold, can_fail = (term.possible & np.logical_not(x) for x in (fails, holds))
            whole_batch = (np.broadcast_to(can, self.shape) for can in (can_hold, can_fail))
            found.append(Branch(form, *whole_batch))
        self.branches[place] = found
        hold = np.logical_or.reduce([branch.can_hold for branch in found])
        self._set(place, hold, np.logical_or.reduce([branch.can_fail for branch in found]))

    def _range(self, form: Form, factor: int) -> tuple[Any, Any, Any, Any]:
        """Least value of factor * form later on and whether there is one; then the most."""
        if not form:
            return 0, True, 0, True
        slowest, fastest = self._growing(form)
        value = self.value(form)[:, None]
        low, high = factor * (value + slowest), factor * (value + fastest)
        rises = (slowest.min(axis=1) >= 0)[:, None]
        falls = (fastest.max(axis=1) <= 0)[:, None]
        return (low, rises, high, falls) if factor > 0 else (high, falls, low, rises)

    def value(self, form: Form) -> np.ndarray:
        """[run]: the form where the runs stand."""
        columns = [self.runs.counters[:, counter] * factor for counter, factor in form]
        return np.add.reduce(columns)

    def _growing(self, form: Form) -> tuple[np.ndarray, np.ndarray]:
        """[run, letter]: by how much the form grows where that letter is, at least and at most."""
        if form not in self._growth:
            slowest, fastest = np.zeros(self.shape, np.int64), np.zeros(self.shape, np.int64)
            for counter, factor in form:
                body = self._body(counter)
                surely, maybe = ~self.can_fail[body], self.can_hold[body]
                slowest += factor * (surely if factor > 0 else maybe)
                fastest += factor * (maybe if factor > 0 else surely)
            self._growth[form] = slowest, fastest
        return self._growth[form]

    def _body(self, counter: int) -> int:
        return self.joint.core.operations[self.machine.counters[counter]].operands[0]

    # Backwards -----------------------------------------------------------------------------------

    @cached_property
    def needed(self) -> dict[int, np.ndarray]:
        """[run, letter]: does some later answer depend on its value where that letter is?"""
        need = {place: np.zeros(self.shape, bool) for place in self.joint.core.live}
        self._ask(need)
        for place in sorted(self.joint.core.live, reverse=True):
            if need[place].any():
                self._pass_down(place, need)
        return need

    def _ask(self, need: dict[int, np.ndarray]) -> None:
        if self.joint.automaton is not None:
            matters = self.joint.automaton.matters[self.states]
            for place in self.joint.left:
                need[place] |= matters[:, None]
        for left, right in self.joint.pairs if self.joint.automaton is None else ():
            can_differ = self.can_hold[left] & self.can_fail[right]
            can_differ |= self.can_fail[left] & self.can_hold[right]
            need[left] |= can_differ
            need[right] |= can_differ

    def _pass_down(self, place: int, need: dict[int, np.ndarray]) -> None:
        wanted = need[place]
        match self.joint.core.operations[place]:
            case op.Not(body):
                need[body] |= wanted
            case op.And(left, right):
                open_ = wanted & self.can_hold[place] & self.can_fail[place]
                need[left] |= open_
                need[right] |= open_
            case op.AtMost(left, right):
                open_ = wanted & self.can_hold[place] & self.can_fail[place]
                need[left] |= open_
                need[right] |= open_
                for branch in self.branches[place]:
                    undecided = _somewhere(open_ & branch.can_hold & branch.can_fail)
                    for counter, _ in branch.form:
                        # The form's value at a later position is made at all positions before it.
                        need[self._body(counter)] |= undecided[:, None]
            case op.Count(body, offsets) if offsets is not None:
                need[body] |= _somewhere(wanted)[:, None]
            case op.Choice(condition, then, otherwise):
                need[condition] |= wanted
                need[then] |= wanted & self.can_hold[condition]
                need[otherwise] |= wanted & self.can_fail[condition]
            case op.Add(left, right) | op.Subtract(left, right):
                need[left] |= wanted
                need[right] |= wanted

    def keys(self) -> list[bytes]:
        """What the future depends on, one for every run."""
        bits = [part for pair in self._statuses() for part in pair]
        packed = np.packbits(
            np.concatenate([np.zeros((len(self.runs), 0), bool), *bits], axis=1), axis=1
        )
        numbers = np.stack([self.states, *self._numbers()], axis=1).astype(np.int64)
        table = np.concatenate([packed, np.ascontiguousarray(numbers).view(np.uint8)], axis=1)
        width = table.shape[1]
        whole = np.ascontiguousarray(table).tobytes()
        return [whole[start : start + width] for start in range(0, len(whole), width)]

    def _statuses(self) -> Iterator[tuple[np.ndarray, np.ndarray]]:
        """What can still be: neither bit stands for "not needed"."""
        for place, operation in op.walk(self.joint.core):
            if isinstance(operation, op.And | op.AtMost):
                wanted = self.needed[place]
                yield wanted & self.can_hold[place], wanted & self.can_fail[place]
            for branch in self.branches.get(place, ()):
                open_ = self.needed[place] & self.can_hold[place] & self.can_fail[place]
                yield open_ & branch.can_hold, open_ & branch.can_fail

    def _numbers(self) -> Iterator[np.ndarray]:
        """Residues, memories and values of forms, 0 where nothing depends on them."""
        undecided: dict[Form, np.ndarray] = {}
        for place, operation in op.walk(self.joint.core):
            wanted = _somewhere(self.needed[place])
            if isinstance(operation, op.Periodic):
                yield np.where(wanted, self.runs.position % operation.modulus, 0)
            if place in self.window:
                yield wanted * self.runs.memories[:, self.window[place]]
            for branch in self.branches.get(place, ()):
                open_ = self.needed[place] & branch.can_hold & branch.can_fail
                before = undecided.get(branch.form, False)
                undecided[branch.form] = before | _somewhere(open_)
        for form, wanted in sorted(undecided.items()):
            if form:
                yield wanted * self.value(form)


def _somewhere(cells: np.ndarray) -> np.ndarray:
    """[run]: at some letter."""
    return np.asarray(cells.any(axis=1))
