"""The core: the operations of Definition 8, as a list in which each uses only earlier ones.

A Boolean is true or false at every position, a count a whole number. Operands are places in the
list. The same operation never stands there twice (`Builder` sees to it), so a macro used ten times
costs once.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, fields
from functools import cache, cached_property
from typing import Any


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

    @property
    def varies(self) -> bool:
        """Does it depend on the position? All residues, or none, is a constant."""
        return 0 < len(self.residues) < self.modulus


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

    @property
    def looks_back(self) -> bool:
        """Is it a window that reaches beyond this position?"""
        return self.offsets is not None and max(self.offsets) > 0


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
    def relations(self) -> tuple[str, ...]:
        """Which positional relations the live operations use: `periodic`, `local`."""
        live = [self.operations[place] for place in self.live]
        periodic = any(isinstance(item, Periodic) and item.varies for item in live)
        local = any(isinstance(item, Count) and item.looks_back for item in live)
        return ("periodic",) * periodic + ("local",) * local

    @property
    def fragment(self) -> str:
        """C-RASP[∅], [periodic], [local] or [periodic, local]."""
        return f"C-RASP[{', '.join(self.relations) or '∅'}]"

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


def walk(core: Core) -> Iterator[tuple[int, Operation]]:
    """Live operations in order."""
    return ((place, core.operations[place]) for place in sorted(core.live))
