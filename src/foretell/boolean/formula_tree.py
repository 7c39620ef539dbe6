"""The syntax tree of a formula over bits: values, evaluated on columns and printed back."""

from __future__ import annotations

import abc
import functools
from collections.abc import Callable
from dataclasses import dataclass
from typing import final

import numpy as np
from jaxtyping import Bool

from foretell.plain.errors import BadInput

# From the loosest to the tightest; `not`, bits and calls bind tighter than all of them.
PRECEDENCE = ("<->", "->", "or", "xor", "and")
_ATOM = len(PRECEDENCE) + 1

Column = Bool[np.ndarray, " batch"]


@dataclass(frozen=True)
class Node(abc.ABC):
    """One node of a formula."""

    @property
    @abc.abstractmethod
    def parts(self) -> tuple[Node, ...]:
        """The nodes directly below."""

    @property
    @abc.abstractmethod
    def strength(self) -> int:
        """How tightly its printed form holds together."""

    @abc.abstractmethod
    def value(self, columns: Callable[[int], Column], batch: int) -> Column:
        """Its truth on `batch` inputs, given the column of each bit."""

    @abc.abstractmethod
    def __str__(self) -> str: ...

    def mentioned(self) -> frozenset[int]:
        """The bits that occur, numbered from 0."""
        return frozenset().union(*(part.mentioned() for part in self.parts))

    def within(self, least: int) -> str:
        """Printed, in parentheses unless it holds at least that tightly."""
        return str(self) if self.strength >= least else f"({self})"


@final
@dataclass(frozen=True)
class Constant(Node):
    """`0` or `1`."""

    truth: bool
    parts = ()
    strength = _ATOM

    def value(self, columns: Callable[[int], Column], batch: int) -> Column:
        """The same everywhere."""
        return np.full(batch, self.truth)

    def __str__(self) -> str:
        return str(int(self.truth))


@final
@dataclass(frozen=True)
class Bit(Node):
    """`x1`, `x2`, …: here the index counts from 0."""

    index: int
    parts = ()
    strength = _ATOM

    def value(self, columns: Callable[[int], Column], batch: int) -> Column:
        """Its column."""
        return columns(self.index)

    def mentioned(self) -> frozenset[int]:
        """Itself."""
        return frozenset({self.index})

    def __str__(self) -> str:
        return f"x{self.index + 1}"


@final
@dataclass(frozen=True)
class Not(Node):
    """`not x1`."""

    inner: Node
    strength = _ATOM - 1

    @property
    def parts(self) -> tuple[Node, ...]:
        """What is negated."""
        return (self.inner,)

    def value(self, columns: Callable[[int], Column], batch: int) -> Column:
        """The opposite."""
        return ~self.inner.value(columns, batch)

    def __str__(self) -> str:
        return f"not {self.inner.within(self.strength)}"


@final
@dataclass(frozen=True)
class Chain(Node):
    """Two or more parts joined by one operation: `x1 and x2 and x3`.

    `->` joins exactly two; `a -> b -> c` is `a -> (b -> c)`. The others group from the left.
    """

    operation: str
    parts: tuple[Node, ...] = ()

    def __post_init__(self) -> None:
        least, most = (2, 2) if self.operation == "->" else (2, len(self.parts))
        if self.operation not in _OPERATIONS or not least <= len(self.parts) <= most:
            raise BadInput(
                "parts of a formula cannot be joined like that",
                seen=f"{len(self.parts)} parts by {self.operation!r}",
            )

    @property
    def strength(self) -> int:
        """The place of its operation in the order of precedence."""
        return PRECEDENCE.index(self.operation)

    def value(self, columns: Callable[[int], Column], batch: int) -> Column:
        """The operation on the values of all parts."""
        return functools.reduce(
            _OPERATIONS[self.operation], (part.value(columns, batch) for part in self.parts)
        )

    def __str__(self) -> str:
        # The right side of an implication may be another one without parentheses.
        last = self.strength + (self.operation != "->")
        inner = [part.within(self.strength + 1) for part in self.parts[:-1]]
        return f" {self.operation} ".join([*inner, self.parts[-1].within(last)])


@final
@dataclass(frozen=True)
class Majority(Node):
    """`maj(x1, x2, x3)`: more than half of an odd number of parts."""

    parts: tuple[Node, ...] = ()
    strength = _ATOM

    def __post_init__(self) -> None:
        if len(self.parts) % 2 == 0:
            raise BadInput("a majority needs an odd number of parts", seen=len(self.parts))

    def value(self, columns: Callable[[int], Column], batch: int) -> Column:
        """Whether more than half hold."""
        votes = np.zeros(batch, np.int32)
        for part in self.parts:
            votes += part.value(columns, batch)
        return 2 * votes > len(self.parts)

    def __str__(self) -> str:
        return f"maj({', '.join(map(str, self.parts))})"


_OPERATIONS: dict[str, Callable[[Column, Column], Column]] = {
    "<->": np.equal,
    "->": lambda left, right: ~left | right,
    "or": np.logical_or,
    "xor": np.logical_xor,
    "and": np.logical_and,
}
