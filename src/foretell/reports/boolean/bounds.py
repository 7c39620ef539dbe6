"""What a report says about learning a function: bounds, what they rest on, what they are worth."""

from __future__ import annotations

import dataclasses
import math
from dataclasses import dataclass
from typing import Any, NamedTuple, final

import numpy as np

from foretell.boolean.asking import Answering
from foretell.boolean.bounds.function_class import FunctionClass
from foretell.boolean.bounds.pac_bayes import truncated
from foretell.boolean.bounds.risk_bound import (
    COEFFICIENTS,
    INTERPOLATION,
    NORM,
    PRIOR_TAIL,
    SHARPNESS,
    TRIVIAL,
    WRONG_NORM,
    WRONG_TAIL,
    Setting,
)
from foretell.boolean.bounds.terms import Sizes, sizes_of
from foretell.boolean.expansion import Expansion
from foretell.core.prediction import Assumption, Standing
from foretell.reports.boolean.construction import Construction
from foretell.reports.boolean.lines import Column, Figure, Line, Lines, columns_of, own_sizes

MEMBERSHIP = "class: parities of one size, coefficients positive and of l2 norm 1"
UNIT = 1e-9  # how far from 1 an l2 norm may be for being rounded
ASKED_FOR = 1 << 14  # inputs over which f² is looked at
NUMBERS_AT_ONCE = 1 << 24


class Tradeoff(NamedTuple):
    """One bound as a function of the noise."""

    name: str
    sizes: Sizes
    setting: Setting


@final
@dataclass(frozen=True)
class Bounds:
    """All bounds for one function, and what they rest on."""

    family: FunctionClass | None  # nothing if the function is in no class they speak about
    outside: tuple[str, ...]  # why it is in none
    lower_limits: bool  # degree and sparsity are at least that, so the bounds are, too
    trivial: float  # squared error of the best constant
    columns: tuple[Column, ...]
    lines: tuple[Line, ...]
    tradeoffs: tuple[Tradeoff, ...]
    assumptions: tuple[tuple[str, tuple[Assumption, ...]], ...]  # by column
    reasons: tuple[str, ...]  # why published and corrected differ

    def says_nothing(self, figure: Figure) -> bool:
        """True if answering one constant is known to do as well."""
        return not figure.value < self.trivial

    @property
    def any_says_something(self) -> bool:
        """True if a bound with a constant that the proof can take beats a constant answer."""
        last = [line.figures[-1] for line in self.lines]
        return any(each is not None and not self.says_nothing(each) for each in last)

    def as_json(self) -> dict[str, Any]:
        """Plain values."""
        return {
            "class": None if self.family is None else dataclasses.asdict(self.family),
            "outside_the_class": list(self.outside),
            "lower_limits": self.lower_limits,
            "trivial": self.trivial,
            "columns": [
                {"name": each.name, "form": each.form.value, **dataclasses.asdict(each.setting)}
                for each in self.columns
            ],
            "bounds": [self._line_as_json(line) for line in self.lines],
            "assumptions": {
                name: [{"text": each.text, "standing": each.standing.value} for each in found]
                for name, found in self.assumptions
            },
            "why_corrected": list(self.reasons),
        }

    def _line_as_json(self, line: Line) -> dict[str, Any]:
        found: dict[str, Any] = {"name": line.name, "about": line.about}
        for column, figure, samples in zip(self.columns, line.figures, line.samples, strict=True):
            found[column.name] = None
            if figure is not None:
                said = {"vacuous": self.says_nothing(figure), "samples_needed": samples}
                found[column.name] = figure._asdict() | said
        return found


def bounds_of_class(
    family: FunctionClass,
    setting: Setting,
    admissible: float,
    construction: Construction | None = None,
    expansion: Expansion | None = None,
) -> Bounds:
    """For a function of the class; without an expansion the class is what testers found."""
    columns = columns_of(setting, admissible)
    lines = Lines(columns, TRIVIAL)
    chosen = (columns[0], columns[-1])
    return Bounds(
        family=family,
        outside=(),
        lower_limits=expansion is None,
        trivial=TRIVIAL,
        columns=columns,
        lines=(*lines.of_class(family, construction), *lines.of_construction(construction)),
        tradeoffs=tuple(
            Tradeoff(each.name, sizes_of(family, each.form), each.setting) for each in chosen
        ),
        assumptions=tuple(
            (each.name, _of_class(family, each, expansion, admissible)) for each in columns
        ),
        reasons=(WRONG_NORM, WRONG_TAIL),
    )


def bounds_of_construction(
    expansion: Expansion, setting: Setting, admissible: float, construction: Construction
) -> Bounds | None:
    """For a function outside all classes: only what its own construction gives."""
    sizes = own_sizes(construction)
    if sizes is None:
        return None
    trivial = math.fsum(c * c for c in expansion.coefficients) / 4
    columns = columns_of(setting, admissible)
    ours = columns[1:]
    lines = Lines(columns, trivial).of_construction(construction)
    return Bounds(
        family=None,
        outside=outside_reasons(expansion),
        lower_limits=False,
        trivial=trivial,
        columns=ours,
        lines=tuple(
            Line(each.name, each.about, each.figures[1:], each.samples[1:]) for each in lines
        ),
        tradeoffs=tuple(Tradeoff(each.name, sizes, each.setting) for each in ours),
        assumptions=tuple(
            (each.name, (*_assumed(), _tail(each.setting, admissible))) for each in ours
        ),
        reasons=(WRONG_TAIL,),
    )


def outside_reasons(expansion: Expansion) -> tuple[str, ...]:
    """Why a function is not one that the published bounds speak about.

    >>> outside_reasons(Expansion(3, ((0, 1), (2,)), (0.6, -0.8)))
    ('its components have 1 to 2 bits', '1 coefficient is negative')
    """
    found = []
    sizes = {len(each) for each in expansion.sets}
    if len(sizes) > 1:
        found.append(f"its components have {min(sizes)} to {max(sizes)} bits")
    negative = sum(c < 0 for c in expansion.coefficients)
    if negative:
        noun = "coefficient is" if negative == 1 else "coefficients are"
        found.append(f"{negative} {noun} negative")
    if expansion.constant:
        found.append(f"it adds a constant, {expansion.constant:.3g}")
    norm = math.sqrt(math.fsum(c * c for c in expansion.coefficients))
    if abs(norm - 1) > UNIT:
        found.append(f"its coefficients have an l2 norm of {norm:.3g}")
    return tuple(found)


def least_constant(function: Answering, bits: int, seed: int = 0) -> float:
    """The least sub-Gaussian constant that the proof can take: the standard deviation of f².

    Networks of the prior answer about 0, so their loss is about f², and no sub-Gaussian constant
    is smaller than a standard deviation. Over all inputs, or many random ones.

    >>> least_constant(lambda rows: rows[:, 0], 2)
    0.5
    """
    if 2**bits <= ASKED_FOR:
        rows = np.arange(2**bits)[:, None] >> np.arange(bits) & 1
    else:
        count = max(1000, min(ASKED_FOR, NUMBERS_AT_ONCE // bits))
        rows = np.random.default_rng(seed).integers(0, 2, (count, bits), dtype=np.int8)
    return float(np.std(np.square(np.asarray(function(rows), float))))


def _of_class(
    family: FunctionClass, column: Column, expansion: Expansion | None, admissible: float
) -> tuple[Assumption, ...]:
    """The bound's own list, with what the function itself decides."""
    listed = truncated(family, column.setting, column.form).assumptions
    member = sizes = Standing.ASSUMED
    if expansion is not None:
        least = float(expansion.bits) ** -4
        member = Standing.CHECKED
        smallest = min(expansion.coefficients)
        sizes = Standing.CHECKED if smallest >= least else Standing.VIOLATED
    decided = {
        COEFFICIENTS: Assumption(COEFFICIENTS, sizes),
        PRIOR_TAIL: _tail(column.setting, admissible),
    }
    return (Assumption(MEMBERSHIP, member), *(decided.get(each.text, each) for each in listed))


def _tail(setting: Setting, admissible: float) -> Assumption:
    short = setting.constant < admissible
    return Assumption(PRIOR_TAIL, Standing.VIOLATED if short else Standing.ASSUMED)


def _assumed() -> tuple[Assumption, ...]:
    return tuple(Assumption(text, Standing.ASSUMED) for text in (NORM, SHARPNESS, INTERPOLATION))
