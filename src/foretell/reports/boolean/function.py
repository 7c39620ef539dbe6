"""Everything that can be said about one Boolean function without training, as a value.

The chain: function, spectrum (or what query-only testers find), explicit transformer, its norms,
gradients and curvature, bounds for learning the function, what chain of thought changes.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeVar, final

from foretell.boolean.bounds.function_class import FunctionClass
from foretell.boolean.bounds.risk_bound import Setting
from foretell.boolean.expansion import Expansion
from foretell.boolean.function import BooleanFunction
from foretell.boolean.reading import read_function
from foretell.boolean.spectrum import MOST_SETS
from foretell.boolean.transform import MOST_BITS
from foretell.plain.errors import BadInput
from foretell.reports.boolean.bounds import (
    Bounds,
    bounds_of_class,
    bounds_of_construction,
    least_constant,
    outside_reasons,
)
from foretell.reports.boolean.chain import ChainOfThought, chain_of_thought
from foretell.reports.boolean.construction import Construction, check_scale, construct
from foretell.reports.boolean.spectrum import (
    KnownSpectrum,
    Queried,
    beyond_transform,
    known_spectrum,
    query,
)

PREFIX = "boolean:"
CONSTANT = "The function is constant: there is nothing to attend to and nothing to learn."
ONE_BIT = "With a single bit ln T is 0, and so is every attention scale of the construction."
SEEMS_CONSTANT = (
    "All values that were asked for are the same, so there is no component to go on with; that "
    "the function is constant is not certain."
)
QUERIED = "The function was only asked for values."
TOO_MANY_NAMED = f"The formula names more bits than the exact transform can take, {MOST_BITS}."
UNKNOWN = "There is no transformer to write down: the components are not known."
Part = TypeVar("Part")


@final
@dataclass(frozen=True)
class Asked:
    """What a report is computed for."""

    samples: int = 8192
    delta: float = 0.05
    constant: float = 0.01  # sub-Gaussian constant of the loss, as published
    attention_scale: float = 2.0
    ramp: str = "narrow"
    query_only: bool = False

    def __post_init__(self) -> None:
        _ = self.setting  # refuses what no bound has
        check_scale(self.attention_scale, self.ramp)

    @property
    def setting(self) -> Setting:
        """What the bounds take."""
        return Setting(samples=self.samples, constant=self.constant, delta=self.delta)


@final
@dataclass(frozen=True)
class BooleanReport:
    """The chain for one function; a link that is not there has a sentence why."""

    function: BooleanFunction
    asked: Asked
    spectrum: KnownSpectrum | None
    tested: Queried | None
    construction: Construction | None
    bounds: Bounds | None
    chain: ChainOfThought | None
    missing: tuple[tuple[str, str], ...]  # link, why it is not there

    def why_missing(self, link: str) -> str | None:
        """The sentence for a link that is not there."""
        return dict(self.missing).get(link)

    def as_json(self) -> dict[str, Any]:
        """The form of `foretell boolean FUNCTION --json`."""
        links = {
            "spectrum": self.spectrum,
            "tested": self.tested,
            "construction": self.construction,
            "bounds": self.bounds,
            "chain_of_thought": self.chain,
        }
        return {
            "function": self.function.as_json(),
            "asked": dataclasses.asdict(self.asked),
            **{name: None if part is None else part.as_json() for name, part in links.items()},
            "missing": dict(self.missing),
        }


def read(text: str) -> BooleanFunction:
    """The function that a text names, with or without the prefix `boolean:`."""
    return read_function(text.strip().removeprefix(PREFIX))


def examine(function: BooleanFunction, asked: Asked | None = None) -> BooleanReport:
    """Walk the chain as far as it goes."""
    asked = asked or Asked()
    missing: dict[str, str] = {}
    spectrum = None if asked.query_only else known_spectrum(function)
    if spectrum is None:
        missing["spectrum"] = QUERIED if asked.query_only else TOO_MANY_NAMED
    found = query(function) if asked.query_only or beyond_transform(function.bits) else None
    expansion = None if asked.query_only else function.expansion
    degree, sparsity = _size(spectrum, found)
    construction = bounds = chain = None
    if degree == 0:
        said = SEEMS_CONSTANT if spectrum is None else CONSTANT
        missing |= dict.fromkeys(("construction", "bounds", "chain_of_thought"), said)
    elif function.bits == 1:
        missing |= dict.fromkeys(("construction", "bounds", "chain_of_thought"), ONE_BIT)
    else:
        construction = _construction(expansion, spectrum, asked, missing)
        sizes = degree, sparsity
        bounds = _bounds(function, sizes, expansion, construction, asked, missing)
        chain = _chain(function.bits, degree, asked, missing)
    return BooleanReport(
        function, asked, spectrum, found, construction, bounds, chain, tuple(missing.items())
    )


def _construction(
    expansion: Expansion | None,
    spectrum: KnownSpectrum | None,
    asked: Asked,
    missing: dict[str, str],
) -> Construction | None:
    if expansion is None:
        missing["construction"] = UNKNOWN if spectrum is None else _dense(spectrum)
        return None
    return _or_why(
        missing,
        "construction",
        lambda: construct(expansion, asked.attention_scale, asked.ramp),
    )


def _bounds(
    function: BooleanFunction,
    sizes: tuple[int, int],
    expansion: Expansion | None,
    construction: Construction | None,
    asked: Asked,
    missing: dict[str, str],
) -> Bounds | None:
    """Of the function's class, of its own construction if it has no class, or of nothing."""
    admissible = least_constant(function, function.bits)
    outside = outside_reasons(expansion) if expansion else ()
    if expansion is None and not asked.query_only and "spectrum" not in missing:
        missing["bounds"] = "The bounds are for functions with at most as many components as bits."
        return None
    if not outside:
        degree, sparsity = sizes
        return _or_why(
            missing,
            "bounds",
            lambda: bounds_of_class(
                FunctionClass(degree=degree, sparsity=sparsity, bits=function.bits),
                asked.setting,
                admissible,
                construction,
                expansion,
            ),
        )
    found = None
    if expansion is not None and construction is not None:
        found = bounds_of_construction(expansion, asked.setting, admissible, construction)
    if found is None:
        missing["bounds"] = (
            "The published bounds are for sums of parities of one size with positive coefficients "
            f"of l2 norm 1 ({', '.join(outside)}), and there is no measured construction to take "
            "other ones from."
        )
    return found


def _chain(bits: int, degree: int, asked: Asked, missing: dict[str, str]) -> ChainOfThought | None:
    if degree < 2:
        missing["chain_of_thought"] = "Components of a single bit need no steps in between."
        return None
    return chain_of_thought(bits, degree, asked.setting, asked.attention_scale, asked.ramp)


def _size(spectrum: KnownSpectrum | None, found: Queried | None) -> tuple[int, int]:
    """Degree and sparsity, or what testers say they are at least."""
    if spectrum is not None:
        return spectrum.degree, spectrum.sparsity
    assert found is not None
    degree, width = found.degree.found, found.width.found
    # a component has a bit, and who has a degree has a component, even if one tester missed it
    return max(degree, min(width, 1)), max(width, min(degree, 1))


def _dense(spectrum: KnownSpectrum) -> str:
    return (
        f"There is no transformer to write down: {spectrum.sparsity:,} components are more than "
        f"the {MOST_SETS:,} that are written out."
    )


def _or_why(missing: dict[str, str], link: str, make: Callable[[], Part]) -> Part | None:
    """A link, or nothing and one sentence why."""
    try:
        return make()
    except BadInput as refused:
        missing[link] = sentence(refused)
        return None


def sentence(refused: BadInput) -> str:
    """A refusal in words.

    >>> sentence(BadInput("more components than positions", seen="4 of 3", why="one each"))
    'More components than positions (4 of 3): one each.'
    """
    seen = "" if refused.seen is None else f" ({refused.seen})"
    why = "" if refused.why is None else f": {refused.why}"
    hint = "" if refused.hint is None else f". Try {refused.hint}"
    return f"{refused.what[:1].upper()}{refused.what[1:]}{seen}{why}{hint}."
