"""Building core programs operation by operation; sugar is spelled out here, and only here."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from foretell.crasp.operations import (
    Add,
    And,
    AtMost,
    Choice,
    Count,
    Letter,
    Not,
    One,
    Operation,
    Periodic,
    Subtract,
    Truth,
)
from foretell.plain.errors import BadInput

MOST = 200_000  # operations of one program


@dataclass
class Builder:
    """Collects operations, each once; every method returns a place. Sugar is spelled out here."""

    letters: tuple[str, ...]
    operations: list[Operation] = field(default_factory=list)
    _places: dict[Operation, int] = field(default_factory=dict)

    def put(self, operation: Operation) -> int:
        """The place of that operation, added if it is new."""
        place = self._places.setdefault(operation, len(self.operations))
        if place == len(self.operations):
            if place >= MOST:
                raise BadInput(
                    f"the program has more than {MOST:,} operations",
                    why="macros, sums over letters and large windows multiply",
                    hint="a smaller alphabet or fewer parameters",
                )
            self.operations.append(operation)
        return place

    def letter(self, symbol: str) -> int:
        """Q_symbol."""
        return self.put(Letter(self.letters.index(symbol)))

    def truth(self, value: bool = True) -> int:
        """True or false."""
        true = self.put(Truth())
        return true if value else self.negate(true)

    def periodic(self, modulus: int, residues: tuple[int, ...]) -> int:
        """Position modulo something is among the residues."""
        return self.put(Periodic(modulus, tuple(sorted({r % modulus for r in residues}))))

    def negate(self, body: int) -> int:
        """Not; two of them cancel."""
        found = self.operations[body]
        return found.body if isinstance(found, Not) else self.put(Not(body))

    def both(self, *parts: int) -> int:
        """And of all."""
        return self._fold(parts, lambda left, right: self.put(And(left, right)), self.truth)

    def either(self, *parts: int) -> int:
        """Or of all: not all are false."""
        if len(parts) == 1:
            return parts[0]
        return self.negate(self.both(*map(self.negate, parts)))

    def differ(self, left: int, right: int) -> int:
        """Exclusive or."""
        return self.both(self.either(left, right), self.negate(self.both(left, right)))

    def at_most(self, left: int, right: int) -> int:
        """left <= right."""
        return self.put(AtMost(left, right))

    def equal(self, left: int, right: int) -> int:
        """Both at most the other."""
        return self.both(self.at_most(left, right), self.at_most(right, left))

    def count(self, body: int, offsets: tuple[int, ...] | None = None, start: int = 0) -> int:
        """Positions at the offsets, or at every distance from `start` on."""
        if offsets is not None:
            return self.put(Count(body, offsets))
        whole = self.put(Count(body))
        if start == 0:
            return whole
        if start == 1:  # Proposition 39: no local relation is needed for j < i
            return self.subtract(whole, self.choose(body, self.number(1), self.number(0)))
        return self.subtract(whole, self.put(Count(body, tuple(range(start)))))

    def exists(self, body: int) -> int:
        """Here or earlier."""
        return self.at_most(self.number(1), self.count(body))

    def choose(self, condition: int, then: int, otherwise: int) -> int:
        """Conditional."""
        return self.put(Choice(condition, then, otherwise))

    def add(self, *parts: int) -> int:
        """Sum of all."""
        return self._fold(parts, lambda a, b: self.put(Add(a, b)), lambda: self.number(0))

    def subtract(self, left: int, right: int) -> int:
        """Difference."""
        return self.put(Subtract(left, right))

    def number(self, value: int) -> int:
        """A constant, by doubling: its size is the number of its digits."""
        one = self.put(One())
        return self.times(value, one) if value else self.subtract(one, one)

    def times(self, factor: int, body: int) -> int:
        """A multiple, by doubling."""
        if factor < 0:
            return self.subtract(self.number(0), self.times(-factor, body))
        if factor == 0:
            return self.number(0)
        found = body
        for digit in bin(factor)[3:]:
            found = self.put(Add(found, found))
            if digit == "1":
                found = self.put(Add(found, body))
        return found

    def largest(self, *parts: int) -> int:
        """Maximum."""
        return self._tournament(parts, lambda a, b: self.choose(self.at_most(a, b), b, a))

    def smallest(self, *parts: int) -> int:
        """Minimum."""
        return self._tournament(parts, lambda a, b: self.choose(self.at_most(a, b), a, b))

    def magnitude(self, body: int) -> int:
        """Absolute value."""
        zero = self.number(0)
        return self.choose(self.at_most(zero, body), body, self.subtract(zero, body))

    @staticmethod
    def _tournament(parts: tuple[int, ...], join: Callable[[int, int], int]) -> int:
        """In pairs, then pairs of those: every round costs layers once compiled, so few rounds."""
        while len(parts) > 1:
            pairs = zip(parts[::2], parts[1::2], strict=False)
            rest = parts[-1:] if len(parts) % 2 else ()
            parts = (*(join(left, right) for left, right in pairs), *rest)
        return parts[0]

    @staticmethod
    def _fold(parts: tuple[int, ...], join: Any, nothing: Any) -> int:
        if not parts:
            return nothing()
        found = parts[0]
        for part in parts[1:]:
            found = join(found, part)
        return found
