"""The core: the operations of Definition 8, as a list in which each uses only earlier ones.

A Boolean is true or false at every position, a count a whole number. Operands are places in the
list. The same operation never stands there twice (`Builder` sees to it), so a macro used ten times
costs once.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, fields
from functools import cache, cached_property
from typing import Any

from foretell.plain.errors import BadInput

MOST = 200_000  # operations of one program


@dataclass(frozen=True)
class Operation:
    """One operation of Definition 8; fields that are annotated `Place` are operands."""

    @property
    def operands(self) -> tuple[int, ...]:
        """Places of the operations this one reads."""
        kind: Any = type(self)
        return tuple([getattr(self, name) for name in _operand_names(kind)])


Place = int


@cache
def _operand_names(kind: Any) -> tuple[str, ...]:
    return tuple(item.name for item in fields(kind) if item.type == "Place")


@dataclass(frozen=True)
class Letter(Operation):
    """Boolean: the letter here is the one with this number."""

    letter: int


@dataclass(frozen=True)
class Truth(Operation):
    """Boolean: true everywhere."""


@dataclass(frozen=True)
class Periodic(Operation):
    """Boolean: the position, counted from 1, has one of these residues."""

    modulus: int
    residues: tuple[int, ...]


@dataclass(frozen=True)
class Not(Operation):
    """Boolean negation."""

    body: Place


@dataclass(frozen=True)
class And(Operation):
    """Boolean conjunction."""

    left: Place
    right: Place


@dataclass(frozen=True)
class AtMost(Operation):
    """Boolean: left <= right."""

    left: Place
    right: Place


@dataclass(frozen=True)
class Count(Operation):
    """Count: positions j <= i where the body holds; with offsets, only those with i - j in them."""

    body: Place
    offsets: tuple[int, ...] | None = None


@dataclass(frozen=True)
class Choice(Operation):
    """Count: one or the other, by a Boolean."""

    condition: Place
    then: Place
    otherwise: Place


@dataclass(frozen=True)
class Add(Operation):
    """Count: sum."""

    left: Place
    right: Place


@dataclass(frozen=True)
class Subtract(Operation):
    """Count: difference."""

    left: Place
    right: Place


@dataclass(frozen=True)
class One(Operation):
    """Count: 1 everywhere."""


BOOLEAN = (Letter, Truth, Periodic, Not, And, AtMost)
COUNTING = (Count, Choice, Add, Subtract, One)


@dataclass(frozen=True)
class Core:
    """A program in core form: operations, names for some of them, and what it answers.

    `accept` is the place of the accepting Boolean, or None; `next` maps symbols to Booleans. The
    last two fields are the answers for the empty word, which has no last position.
    """

    letters: tuple[str, ...]
    operations: tuple[Operation, ...]
    names: tuple[tuple[str, int], ...]
    accept: int | None = None
    next: tuple[tuple[str, int], ...] = ()
    accepts_empty: bool = False
    next_of_empty: frozenset[str] = frozenset()

    def is_boolean(self, place: int) -> bool:
        """Is the operation at that place Boolean-valued?"""
        return isinstance(self.operations[place], BOOLEAN)

    @cached_property
    def outputs(self) -> tuple[int, ...]:
        """Places of everything the program answers with."""
        own = () if self.accept is None else (self.accept,)
        return (*own, *(place for _, place in self.next))

    @cached_property
    def live(self) -> frozenset[int]:
        """Places that some output depends on."""
        found = set(self.outputs)
        for place in range(len(self.operations) - 1, -1, -1):
            if place in found:
                found.update(self.operations[place].operands)
        return frozenset(found)

    @property
    def fragment(self) -> str:
        """C-RASP[∅], [periodic], [local] or [periodic, local]: what the live operations use.

        A periodic test that is always or never true is none, and distance 0 is no look-back.
        """
        live = [self.operations[place] for place in self.live]
        periodic = any(
            isinstance(item, Periodic) and 0 < len(item.residues) < item.modulus for item in live
        )
        local = any(
            isinstance(item, Count) and item.offsets is not None and max(item.offsets) > 0
            for item in live
        )
        used = ["periodic"] * periodic + ["local"] * local
        return f"C-RASP[{', '.join(used) or '∅'}]"

    def pruned(self) -> Core:
        """The same program without what no output needs."""
        if len(self.live) == len(self.operations):
            return self
        order = sorted(self.live)
        moved = {old: new for new, old in enumerate(order)}
        return Core(
            self.letters,
            tuple(move(self.operations[old], moved) for old in order),
            tuple((name, moved[old]) for name, old in self.names if old in moved),
            None if self.accept is None else moved[self.accept],
            tuple((symbol, moved[old]) for symbol, old in self.next),
            self.accepts_empty,
            self.next_of_empty,
        )


def move(operation: Operation, moved: Mapping[int, int]) -> Operation:
    """The operation with its operands at their new places."""
    values: dict[str, Any] = {
        item.name: moved[getattr(operation, item.name)]
        if item.type == "Place"
        else getattr(operation, item.name)
        for item in fields(operation)
    }
    return type(operation)(**values)


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


def walk(core: Core) -> Iterator[tuple[int, Operation]]:
    """Live operations in order."""
    return ((place, core.operations[place]) for place in sorted(core.live))
