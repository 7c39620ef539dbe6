"""Sandboxes: small worlds in which a formula and a trained model can be laid side by side.

One file a topic, under `learning` or `representation`; `claims` are computed from formulas before
anything runs, `measure` never sees them, `compare` lines them up. Their data are laws over
sequences, not tasks with one right answer; what they are made of is in `foretell.worlds`.
"""

from __future__ import annotations

import abc
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, Literal, final

from foretell.plain.catalogue import find, suggest
from foretell.plain.errors import BadInput
from foretell.protocols._asking import Budget
from foretell.worlds.descent import Show as Show

Relation = Literal["=", "<=", ">=", "order"]
Evidence = Literal["theorem", "derived", "numeric", "empirical", "conjecture"]
RELATIONS = ("=", "<=", ">=", "order")
EVIDENCE = ("theorem", "derived", "numeric", "empirical", "conjecture")
Value = float | tuple[str, ...]


@final
@dataclass(frozen=True)
class Claim:
    """What theory says of one quantity before it is measured, and how far off still agrees.

    `order` claims a ranking: `predicted` and what is measured are names, first to last.
    """

    quantity: str
    predicted: Value
    relation: Relation = "="
    tolerance: float = 0.0
    evidence: Evidence = "theorem"

    def __post_init__(self) -> None:
        if self.relation not in RELATIONS or self.evidence not in EVIDENCE:
            raise ValueError(f"{self.quantity}: {self.relation}, {self.evidence}")
        if isinstance(self.predicted, tuple) != (self.relation == "order"):
            raise ValueError(f"{self.quantity}: an order, and only an order, is a tuple of names")
        if isinstance(self.predicted, float) and not math.isfinite(self.predicted):
            raise ValueError(f"{self.quantity}: the prediction is {self.predicted}")

    def holds(self, measured: Value) -> bool:
        """Does the measurement agree?

        >>> Claim("loss", 0.5, "<=", 0.01).holds(0.505)
        True
        """
        if isinstance(self.predicted, tuple) or isinstance(measured, tuple):
            return self.predicted == measured
        if not math.isfinite(measured):
            return False
        above = measured - self.predicted
        return {
            "=": abs(above) <= self.tolerance,
            "<=": above <= self.tolerance,
            ">=": -above <= self.tolerance,
        }[self.relation]


@final
@dataclass(frozen=True)
class Findings:
    """What was measured: a value for every quantity claimed, and what its figure is drawn from.

    `curves` is plain enough for JSON, so that the figure can be drawn again from the store.
    """

    values: Mapping[str, Value]
    curves: Mapping[str, Any] = field(default_factory=dict)


@final
@dataclass(frozen=True)
class Comparison:
    """One row: theory's number beside ours."""

    claim: Claim
    measured: Value

    @property
    def agrees(self) -> bool:
        """Within the tolerance that was fixed beforehand."""
        return self.claim.holds(self.measured)


class Sandbox(abc.ABC):
    """One topic: its data, its model, its formulas, its run."""

    essential: ClassVar[bool] = True  # part of the table that `--budget cpu` makes

    @property
    @abc.abstractmethod
    def name(self) -> str:
        """Its name in the catalogue."""

    @property
    @abc.abstractmethod
    def title(self) -> str:
        """Heading of its section in the gallery."""

    @property
    @abc.abstractmethod
    def lesson(self) -> str:
        """What the figure shows, in a sentence or two, to stand under it."""

    @property
    @abc.abstractmethod
    def caveat(self) -> str:
        """What this sandbox does not show."""

    @abc.abstractmethod
    def settings(self, budget: Budget) -> dict[str, Any]:
        """All that decides a run, plain enough for JSON."""

    def require(self, settings: Mapping[str, Any]) -> None:
        """Refuse settings that do not go together; what each may be alone is in settings.toml."""
        del settings

    @abc.abstractmethod
    def claims(self, settings: Mapping[str, Any]) -> tuple[Claim, ...]:
        """From formulas only, before anything is trained."""

    @abc.abstractmethod
    def measure(self, settings: Mapping[str, Any], show: Show) -> Findings:
        """Train, enumerate or construct, and read off every quantity claimed."""


def compare(claims: Sequence[Claim], findings: Findings) -> tuple[Comparison, ...]:
    """Each claim beside its measurement; a claim without one is a mistake of ours."""
    return tuple(Comparison(claim, findings.values[claim.quantity]) for claim in claims)


def require_among(what: str, given: Sequence[str], known: Sequence[str]) -> None:
    """Names that there are, and each once."""
    for name in given:
        if name not in known:
            raise BadInput(
                f"unknown {what}",
                seen=name,
                why=f"there are {', '.join(known)}",
                hint=suggest(name, known),
            )
    if len(set(given)) < len(given):
        raise BadInput(f"a {what} is named twice", seen=", ".join(given))


def require_growing(what: str, values: Sequence[float], least: int = 2) -> None:
    """So many different values, the smallest first."""
    if len(values) < least or sorted(set(values)) != list(values):
        raise BadInput(
            f"{what} must grow", seen=list(values), why=f"at least {least}, smallest first"
        )


def load(name: str) -> Sandbox:
    """The sandbox of that name."""
    made: Sandbox = find(name, ("sandboxes",)).load()()
    return made
