"""Run core programs on many words at once: every operation is an array over all positions.

A count is a prefix sum, a local count a sum of shifted copies; nothing loops over positions. The
same function serves NumPy (`OnWords`, here: exact, words of any lengths side by side) and JAX
(`on_device`: padded batches inside a compiled sampler); they differ in the primitives of `Backend`.
"""

from __future__ import annotations

import abc
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np

from foretell.crasp import operations as op
from foretell.crasp.operations import Core
from foretell.crasp.words import Words

INT32, INT64 = 2**31 - 1, 2**62


class Backend(abc.ABC):
    """What an operation needs to know about words."""

    @abc.abstractmethod
    def letter(self, number: int) -> Any:
        """Where does that letter stand?"""

    @abc.abstractmethod
    def constant(self, value: bool) -> Any:
        """The same Boolean everywhere."""

    @abc.abstractmethod
    def residue(self, modulus: int, residues: tuple[int, ...]) -> Any:
        """Where does the position have one of the residues?"""

    @abc.abstractmethod
    def total(self, body: Any) -> Any:
        """How often the body has been true, up to and including here."""

    @abc.abstractmethod
    def near(self, body: Any, offsets: tuple[int, ...]) -> Any:
        """At how many of these distances back the body is true."""

    @abc.abstractmethod
    def choose(self, condition: Any, then: Any, otherwise: Any) -> Any:
        """Pick by the condition."""


def evaluate(core: Core, backend: Backend, wanted: Iterable[int] | None = None) -> dict[int, Any]:
    """Values of the wanted operations (all outputs by default); others are freed when used up."""
    goal = frozenset(core.outputs if wanted is None else wanted)
    last_use = _last_uses(core, goal)
    values: dict[int, Any] = {}
    for place in sorted(last_use):
        operation = core.operations[place]
        values[place] = _apply(operation, values, backend)
        for operand in set(operation.operands):
            if last_use[operand] == place and operand not in goal:
                del values[operand]
    return values


def _last_uses(core: Core, goal: frozenset[int]) -> dict[int, int]:
    """For every operation that is needed, the place that reads it last."""
    last = {place: place for place in goal}
    for place in range(len(core.operations) - 1, -1, -1):
        if place in last:
            for operand in core.operations[place].operands:
                last[operand] = max(last.get(operand, 0), place)
    return last


def _apply(operation: op.Operation, values: dict[int, Any], backend: Backend) -> Any:
    match operation:
        case op.Letter(letter):
            return backend.letter(letter)
        case op.Truth():
            return backend.constant(True)
        case op.Periodic(modulus, residues):
            return backend.residue(modulus, residues)
        case op.Not(body):
            return ~values[body]
        case op.And(left, right):
            return values[left] & values[right]
        case op.AtMost(left, right):
            found = values[left] <= values[right]
            return backend.constant(found) if isinstance(found, bool) else found
        case op.Count(body, None):
            return backend.total(values[body])
        case op.Count(body, offsets):
            assert offsets is not None
            return backend.near(values[body], offsets)
        case op.Choice(condition, then, otherwise):
            return backend.choose(values[condition], values[then], values[otherwise])
        case op.Add(left, right):
            return values[left] + values[right]
        case op.Subtract(left, right):
            return values[left] - values[right]
        case op.One():
            return 1  # a plain number broadcasts, and costs nothing
    raise TypeError(f"not an operation of Definition 8: {operation}")


@dataclass(frozen=True)
class OnWords(Backend):
    """NumPy: one flat array over all words. `dtype` holds every count exactly."""

    words: Words
    dtype: Any

    @classmethod
    def create(cls, core: Core, words: Words) -> OnWords:
        """Choose the smallest integers that cannot overflow; Python's own if none does."""
        lengths = words.ends - words.starts
        bound = largest_count(core, int(lengths.max(initial=0)))
        running = len(words.letters)  # prefix sums run over all words before they are split
        chosen = object if bound > INT64 else np.int64
        return cls(words, np.int32 if max(bound, running) <= INT32 else chosen)

    def letter(self, number: int) -> np.ndarray:
        """Compare with the letters."""
        return self.words.letters == number

    def constant(self, value: bool) -> np.ndarray:
        """Full of it."""
        return np.full(len(self.words.letters), value)

    def residue(self, modulus: int, residues: tuple[int, ...]) -> np.ndarray:
        """Look the residues up."""
        table = np.zeros(modulus, bool)
        table[list(residues)] = True
        return table[self.words.positions % modulus]

    def total(self, body: np.ndarray) -> np.ndarray:
        """Prefix sums over everything, minus what came before each word."""
        words = self.words
        sums = np.cumsum(body, dtype=np.int64 if self.dtype is object else self.dtype)
        if len(words) > 1:
            before = np.concatenate([sums[:1] * 0, sums[words.ends[:-1] - 1]])
            sums -= np.repeat(before, words.ends - words.starts)
        return sums.astype(object) if self.dtype is object else sums

    def near(self, body: np.ndarray, offsets: tuple[int, ...]) -> np.ndarray:
        """Add shifted copies; what would come from the word before is masked."""
        found = np.zeros(len(body), np.int64 if self.dtype is object else self.dtype)
        for offset in offsets:
            if offset == 0:
                found += body
            elif offset < len(body):
                found[offset:] += body[:-offset] & (self.words.positions[offset:] > offset)
        return found.astype(object) if self.dtype is object else found

    def choose(self, condition: np.ndarray, then: Any, otherwise: Any) -> np.ndarray:
        """Element by element."""
        return np.where(condition, self._whole(then), self._whole(otherwise))

    def _whole(self, value: Any) -> Any:
        return value if isinstance(value, np.ndarray) else np.array(value, self.dtype)


def largest_count(core: Core, length: int) -> int:
    """No count of the program, at any position of a word this long, is larger in magnitude."""
    bounds: list[int] = []
    for operation in core.operations:
        match operation:
            case op.Count(_, offsets):
                bounds.append(length if offsets is None else min(length, len(offsets)))
            case op.Choice(_, then, otherwise):
                bounds.append(max(bounds[then], bounds[otherwise]))
            case op.Add(left, right) | op.Subtract(left, right):
                bounds.append(bounds[left] + bounds[right])
            case _:
                bounds.append(1)
    return max(bounds, default=0)
