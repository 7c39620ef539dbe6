"""Which values a transformer has to make: conjunctions flattened, counts whole where they can be.

Two things are decided here, before anything is built. A conjunction of conjunctions is one
conjunction, so it costs one unit in one layer however deep it was nested. And a count that can only
take a few values (windows, constants, choices between such) can be held as the whole number
itself, as a sum of Booleans, which is compared with a gap of 1 instead of 1 / (i + 1).
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum

from foretell.crasp import operations as op
from foretell.crasp.operations import Core

MOST_LITERALS = 64  # of one conjunction; a longer one is cut, so that plans stay linear in size


class Kind(StrEnum):
    """How a value is held."""

    BOOLEAN = "boolean"
    WHOLE = "whole"  # a count as itself
    SHARE = "share"  # a count c as c / (i + 1)


Literal = tuple[int, bool]  # an operation, or its negation
Need = tuple[int, Kind]


@dataclass(frozen=True)
class Needs:
    """`literals[k]`: parts whose conjunction the Boolean k is; `wanted`: what to make."""

    literals: tuple[tuple[Literal, ...], ...]
    bounded: tuple[bool, ...]
    wanted: frozenset[Need]

    def kind_of_comparison(self, operation: op.AtMost) -> Kind:
        """Whole numbers where both sides can be."""
        both = self.bounded[operation.left] and self.bounded[operation.right]
        return Kind.WHOLE if both else Kind.SHARE


def needs_of(core: Core, answers: Iterable[int]) -> Needs:
    """What has to be made for these Booleans to be known."""
    needs = Needs(flatten(core), bounded_counts(core), frozenset())
    wanted: set[Need] = {(place, Kind.BOOLEAN) for place in answers}
    for place in range(len(core.operations) - 1, -1, -1):
        for kind in Kind:
            if (place, kind) in wanted:
                wanted |= set(_below(core, needs, place, kind))
    return Needs(needs.literals, needs.bounded, frozenset(wanted))


def flatten(core: Core) -> tuple[tuple[Literal, ...], ...]:
    """Of every Boolean, the literals whose conjunction it is; itself if it is not one."""
    found: list[tuple[Literal, ...]] = []
    for place, operation in enumerate(core.operations):
        match operation:
            case op.Not(body) if len(found[body]) == 1:
                inner, positive = found[body][0]
                # a double negation opens up the conjunction below it: that is how `or` is chained
                found.append(((inner, False),) if positive else found[inner])
            case op.Not(body):
                found.append(((body, False),))
            case op.And(left, right):
                merged = tuple(dict.fromkeys((*found[left], *found[right])))
                parts = ((left, True), (right, True))
                found.append(merged if len(merged) <= MOST_LITERALS else parts)
            case _:
                found.append(((place, True),))
    return tuple(found)


def bounded_counts(core: Core) -> tuple[bool, ...]:
    """Which counts cannot grow with the length."""
    found: list[bool] = []
    for operation in core.operations:
        match operation:
            case op.One():
                found.append(True)
            case op.Count(_, offsets):
                found.append(offsets is not None)
            case op.Choice(_, left, right) | op.Add(left, right) | op.Subtract(left, right):
                found.append(found[left] and found[right])
            case _:
                found.append(False)
    return tuple(found)


def _below(core: Core, needs: Needs, place: int, kind: Kind) -> list[Need]:
    """What this value is made of."""
    operation = core.operations[place]
    literals = needs.literals[place]
    if kind is Kind.BOOLEAN and literals != ((place, True),):
        return [(part, Kind.BOOLEAN) for part, _ in literals]
    match operation:
        case op.AtMost(left, right):
            chosen = needs.kind_of_comparison(operation)
            return [(left, chosen), (right, chosen)]
        case op.Count(body, _):
            return [(body, Kind.BOOLEAN)]
        case op.Choice(condition, then, otherwise):
            return [(condition, Kind.BOOLEAN), (then, kind), (otherwise, kind)]
        case op.Add(left, right) | op.Subtract(left, right):
            return [(left, kind), (right, kind)]
        case _:
            return []
