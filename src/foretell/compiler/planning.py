"""From operations to steps: every value becomes a form, and what no form can say becomes a step.

Two conventions make the steps small. Every Boolean is 0 at SOS, so no layer has to clean SOS
up. And the value of every form at SOS is known here: only `one` and `sos` are not 0 there.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from foretell.compiler.forms import ONE, SOS, TRUE, ZERO, Form, Interval, interval, single
from foretell.compiler.needs import Kind, Need, Needs, needs_of
from foretell.compiler.network import Gap, Gather, Place, Step, Unit, letter_direction
from foretell.crasp import operations as op
from foretell.crasp.core_form import operation_names
from foretell.crasp.operations import Core

ALWAYS = single(TRUE)
BASE = {Kind.SHARE: single(ONE), Kind.WHOLE: ALWAYS}  # the count 1


@dataclass(frozen=True)
class Definition:
    """A direction and the steps that write to it."""

    direction: str
    steps: tuple[Step, ...]

    @property
    def reads(self) -> Iterator[str]:
        """Directions it depends on."""
        return (name for step in self.steps for name in step.reads)


@dataclass(frozen=True)
class Plan:
    """Definitions in which each reads only earlier ones, and a form for every answering Boolean."""

    letters: tuple[str, ...]
    places: tuple[Place, ...]
    definitions: tuple[Definition, ...]
    booleans: dict[int, Form]
    sizes: dict[str, int]  # how large each direction gets at most


def plan_steps(core: Core, answers: Iterable[int]) -> Plan:
    """Steps that compute these Booleans."""
    wanted = tuple(answers)
    planner = _Planner(core, needs_of(core, wanted), operation_names(core))
    return planner.plan(wanted)


@dataclass
class _Planner:
    core: Core
    needs: Needs
    names: tuple[str, ...]
    forms: dict[Need, Form] = field(default_factory=dict)
    definitions: list[Definition] = field(default_factory=list)
    places: dict[str, Place] = field(default_factory=dict)
    bounds: dict[str, Interval] = field(default_factory=dict)
    known: dict[object, Form] = field(default_factory=dict)  # the same value is made only once

    def plan(self, answers: tuple[int, ...]) -> Plan:
        self.bounds |= {SOS: (0, 1), TRUE: (1, 1), ONE: (0, 1)}
        self.bounds |= {letter_direction(letter): (0, 1) for letter in self.core.letters}
        self.definitions.append(Definition(ONE, (Gather(ONE, single(SOS)),)))
        for place in range(len(self.core.operations)):
            for kind in Kind:
                if (place, kind) in self.needs.wanted:
                    made = (
                        self._boolean(place) if kind is Kind.BOOLEAN else self._count(place, kind)
                    )
                    self.forms[place, kind] = made
        booleans = {place: self.forms[place, Kind.BOOLEAN] for place in answers}
        sizes = {name: max(-low, high) for name, (low, high) in self.bounds.items()}
        places, definitions = tuple(self.places.values()), tuple(self.definitions)
        return Plan(self.core.letters, places, definitions, booleans, sizes)

    def _define(self, direction: str, bounds: Interval, *steps: Step) -> Form:
        self.definitions.append(Definition(direction, steps))
        self.bounds[direction] = bounds
        return single(direction)

    # Booleans

    def _boolean(self, place: int) -> Form:
        operation = self.core.operations[place]
        literals = self.needs.literals[place]
        if literals != ((place, True),):
            return self._conjunction(literals, self.names[place])
        match operation:
            case op.Letter(letter):
                return single(letter_direction(self.core.letters[letter]))
            case op.Periodic(modulus, residues):
                return self._periodic(modulus, residues, self.names[place])
            case op.AtMost(left, right):
                kind = self.needs.kind_of_comparison(operation)
                difference = self.forms[right, kind] - self.forms[left, kind]
                return self._not_negative(difference, kind, self.names[place])
            case _:
                return ALWAYS

    def _conjunction(self, literals: tuple[tuple[int, bool], ...], name: str) -> Form:
        """ReLU(sum − (k − 1)) is 1 exactly when all k are."""
        forms = [self.forms[part, Kind.BOOLEAN] for part, _ in literals]
        signed = (
            form if positive else ALWAYS - form
            for form, (_, positive) in zip(forms, literals, strict=True)
        )
        parts = tuple(dict.fromkeys(form for form in signed if form != ALWAYS))
        if any(ALWAYS - part in parts or part == ZERO for part in parts):
            return ZERO
        if len(parts) < 2:
            return parts[0] if parts else ALWAYS
        key = ("and", frozenset(parts))
        if key not in self.known:
            unit = Unit(f"op {name}", Form.total(parts), 1 - len(parts))
            self.known[key] = self._define(unit.direction, (0, 1), unit)
        return self.known[key]

    def _periodic(self, modulus: int, residues: tuple[int, ...], name: str) -> Form:
        """The flag of the position, and not SOS, which has a position too."""
        smaller = smallest_period(modulus, residues)
        kept = tuple(sorted({residue % smaller for residue in residues}))
        if len(kept) == smaller or not kept:
            return ALWAYS if kept else ZERO
        raw = " ".join(["place", str(smaller), *map(str, kept)])
        if raw not in self.places:
            self.places[raw] = Place(raw, smaller, kept)
            self.bounds[raw] = (0, 1)
            unit = Unit(f"op {name}", single(raw) + ALWAYS, -1)
            self.known["place", raw] = self._define(unit.direction, (0, 1), unit)
        return self.known["place", raw]

    def _not_negative(self, difference: Form, kind: Kind, name: str) -> Form:
        """Is a count at least 0? Half a step is added, so that neither side is at the threshold."""
        base = BASE[kind]
        (unit_name,) = base.directions
        rest, constant = difference.without(unit_name), difference.weight(unit_name)
        if rest != ZERO:  # a common factor of the counts only costs precision
            constant //= rest.divisor
            rest = Form(tuple((term, weight // rest.divisor) for term, weight in rest.terms))
        reduced = rest + base * constant
        if interval(reduced, self.bounds)[0] >= 0:
            return ALWAYS
        low, high = interval(reduced + base, self.bounds)
        if high <= 0:
            return ZERO
        if kind is Kind.WHOLE and low >= 0 and high <= 1:
            return reduced + base  # −1 or 0: itself a Boolean, shifted
        key = ("at most", kind, reduced)
        if key not in self.known:
            at_sos = 2 * constant + 1 if kind is Kind.SHARE else 0
            form = reduced * 2 + base - single(SOS) * max(at_sos + 1, 0)
            gap = Gap.COUNT if kind is Kind.SHARE else Gap.WHOLE
            unit = Unit(f"op {name}", form, gap=gap)
            self.known[key] = self._define(unit.direction, (0, 1), unit)
        return self.known[key]

    # Counts

    def _count(self, place: int, kind: Kind) -> Form:
        operation = self.core.operations[place]
        match operation:
            case op.Count(body, None):
                return self._mean(self.forms[body, Kind.BOOLEAN], self.names[place])
            case op.Count(body, offsets):
                assert offsets is not None
                form, name = self.forms[body, Kind.BOOLEAN], self.names[body]
                parts = (self._at(form, offset, name) for offset in offsets)
                labels = (f"{offset} {name}" for offset in offsets)
                return Form.total(map(self._one_if, parts, labels, [kind] * len(offsets)))
            case op.Choice(condition, then, otherwise):
                chosen = self.forms[condition, Kind.BOOLEAN]
                branches = self.forms[then, kind], self.forms[otherwise, kind]
                return self._choice(chosen, *branches, self._pick_name(place, kind))
            case op.Add(left, right):
                return self.forms[left, kind] + self.forms[right, kind]
            case op.Subtract(left, right):
                return self.forms[left, kind] - self.forms[right, kind]
            case _:
                return BASE[kind]

    def _mean(self, form: Form, name: str) -> Form:
        """c positions out of i + 1 visible ones: uniform attention finds c / (i + 1)."""
        if form == ZERO:
            return ZERO
        if ("mean", form) not in self.known:
            direction = f"count {name}"
            self.known["mean", form] = self._define(direction, (0, 1), Gather(direction, form))
        return self.known["mean", form]

    def _at(self, form: Form, offset: int, name: str) -> Form:
        """Was it true `offset` positions ago?

        A head prefers that position, and a unit tests whether at least half of what it brings is
        true. The head reads `form − offset · sos`: where i < offset there is no such position, all
        that is visible is weighed equally, and without the second term (as in the published
        proof) a word that begins with many true positions would seem to say yes.
        """
        if offset == 0 or form == ZERO:
            return form
        if ("at", form, offset) not in self.known:
            raw = f"back {offset} {name}"
            self._define(raw, (-offset, 1), Gather(raw, form - single(SOS) * offset, offset))
            unit = Unit(f"at {offset} {name}", single(raw) * 2, -1, gap=Gap.LOOK_BACK)
            self.known["at", form, offset] = self._define(unit.direction, (0, 1), unit)
        return self.known["at", form, offset]

    def _one_if(self, condition: Form, name: str, kind: Kind) -> Form:
        """The count 1 where the condition holds, else 0."""
        if kind is Kind.WHOLE:
            return condition
        return self._choice(condition, BASE[kind], ZERO, f"count {name}")

    def _choice(self, condition: Form, then: Form, otherwise: Form, direction: str) -> Form:
        """One count or the other; they may be negative.

        Of each, ReLU(C + M P − M) − ReLU(−C + M P − M), where M is larger than |C| ever is: C where
        P is 1, else 0. (Half the units would do for `otherwise + (P ? then − otherwise : 0)`, but
        in a chain of choices, say a maximum, rounding errors would then double at every link.)
        """
        if condition == ALWAYS or then == otherwise:
            return then
        if condition == ZERO:
            return otherwise
        difference = then - otherwise
        if difference.directions == (TRUE,):
            return otherwise + condition * difference.weight(TRUE)
        key = ("choice", condition, then, otherwise)
        if key not in self.known:
            branches = ((condition, then), (ALWAYS - condition, otherwise))
            ends = [interval(count, self.bounds) for _, count in branches]
            low, high = min(0, *(end[0] for end in ends)), max(0, *(end[1] for end in ends))
            most = power_of_two(max(-low, high) + 1)
            units = [
                Unit(direction, count * sign + chosen * most, -most, sign)
                for (chosen, count), end in zip(branches, ends, strict=True)
                for sign, present in ((1, end[1] > 0), (-1, end[0] < 0))
                if present
            ]
            self.known[key] = self._define(direction, (low, high), *units)
        return self.known[key]

    def _pick_name(self, place: int, kind: Kind) -> str:
        return (
            f"pick {self.names[place]}" if kind is Kind.SHARE else f"pick whole {self.names[place]}"
        )


def smallest_period(modulus: int, residues: tuple[int, ...]) -> int:
    """The smallest number the test can be said with.

    >>> smallest_period(4, (1, 3)), smallest_period(6, (1, 2))
    (2, 6)
    """
    found = set(residues)
    return next(
        period
        for period in range(1, modulus + 1)
        if modulus % period == 0 and {(residue + period) % modulus for residue in found} == found
    )


def power_of_two(least: int) -> int:
    """The smallest one that is not less.

    >>> power_of_two(1), power_of_two(5)
    (1, 8)
    """
    return 1 << (least - 1).bit_length()
