"""What theory says: a verdict, how strong it is, and why anyone should believe it."""

from __future__ import annotations

import abc
import math
from dataclasses import dataclass
from enum import IntEnum, StrEnum

from foretell.core.question import Question, Verdict
from foretell.plain.errors import BadInput


class Strength(IntEnum):
    """How much stands behind a verdict, weakest first so that strengths compare."""

    HEURISTIC = 0  # a rule that has worked
    CONJECTURE = 1  # a stated belief with evidence, not proved
    CONDITIONAL = 2  # a theorem about an idealisation: its assumptions are not all checked here
    THEOREM = 3  # proved for this very question, with a certificate

    @property
    def label(self) -> str:
        """Lower-case name."""
        return self.name.lower()


class Standing(StrEnum):
    """Where an assumption stands for this question."""

    CHECKED = "checked"
    ASSUMED = "assumed"
    VIOLATED = "violated"


@dataclass(frozen=True)
class Assumption:
    """Something the theory needs."""

    text: str
    standing: Standing


@dataclass(frozen=True)
class Bound:
    """A number a quantity cannot exceed; one that says nothing must say so."""

    quantity: str
    value: float
    trivial: float  # the value at which the bound holds for everything

    @property
    def vacuous(self) -> bool:
        """True when every model satisfies the bound."""
        return not self.value < self.trivial  # a NaN bound is vacuous too

    def as_json(self) -> dict[str, object]:
        """Plain values; a bound that is no number is written as null."""
        value = self.value if math.isfinite(self.value) else None
        return {"quantity": self.quantity, "value": value, "vacuous": self.vacuous}


@dataclass(frozen=True)
class Checked:
    """What re-checking a certificate found."""

    holds: bool
    how: str


class Certificate(abc.ABC):
    """Evidence that can be re-checked without the predictor that made it."""

    @property
    @abc.abstractmethod
    def summary(self) -> str:
        """What the evidence is, in a few words."""

    @abc.abstractmethod
    def check(self) -> Checked:
        """Verify the evidence from scratch; no search, no trust in its maker."""

    @abc.abstractmethod
    def as_json(self) -> dict[str, object]:
        """Everything needed to check it elsewhere."""


@dataclass(frozen=True, kw_only=True)
class Prediction:
    """One theory's answer to one question. The constructor refuses overclaiming."""

    predictor: str
    question: Question
    verdict: Verdict
    strength: Strength
    reason: str
    assumptions: tuple[Assumption, ...]
    sources: tuple[str, ...]
    bound: Bound | None = None
    certificate: Certificate | None = None
    searched_only: bool = False  # the evidence is that a search found nothing
    made_from_runs: bool = False  # so it is no forecast of those runs, whatever its strength

    def __post_init__(self) -> None:
        object.__setattr__(self, "verdict", Verdict(self.verdict))
        object.__setattr__(self, "strength", Strength(self.strength))
        if problem := self._overclaim():
            raise BadInput(
                "a prediction claims more than it has",
                seen=f"{self.predictor}: {self.verdict} ({self.strength.label})",
                why=problem,
                hint="state a weaker verdict or strength",
            )

    def _overclaim(self) -> str | None:
        standings = {assumption.standing for assumption in self.assumptions}
        if isinstance(self.sources, str) or not all(source.strip() for source in self.sources):
            return "sources are a tuple of texts that say something"
        if not self.reason.strip() or not self.sources:
            return "a prediction gives its reason and its sources"
        if Standing.VIOLATED in standings and self.verdict is not Verdict.UNDECIDED:
            return "an assumption is violated, which leaves only `undecided`"
        if self.searched_only and self.verdict is not Verdict.UNDECIDED:
            return "searching and finding nothing is only ever `undecided`"
        if self.strength is Strength.THEOREM:
            if self.certificate is None:
                return "a theorem needs a certificate"
            if Standing.ASSUMED in standings:
                return "a theorem has no unchecked assumption; this is `conditional`"
        return None

    def as_json(self) -> dict[str, object]:
        """The form promised by `foretell predict --json`."""
        return {
            "predictor": self.predictor,
            "architecture": self.question.architecture.as_json(),
            "outcome": self.question.outcome.as_json(),
            "verdict": self.verdict.value,
            "strength": self.strength.label,
            "reason": self.reason,
            "bound": self.bound.as_json() if self.bound else None,
            "assumptions": [
                {"text": item.text, "standing": item.standing.value} for item in self.assumptions
            ],
            "certificate": self.certificate.as_json() if self.certificate else None,
            "sources": list(self.sources),
        }


@dataclass(frozen=True)
class NotApplicable:
    """A theory that has nothing to say about a question, and why."""

    predictor: str
    question: Question
    reason: str

    def __post_init__(self) -> None:
        if not self.reason.strip():
            raise BadInput("a theory that does not apply says why", seen=self.predictor)


class Predictor(abc.ABC):
    """A body of theory that answers questions. Never sees a trained model."""

    @property
    @abc.abstractmethod
    def name(self) -> str:
        """Catalogue name."""

    @abc.abstractmethod
    def predict(self, question: Question) -> Prediction | NotApplicable:
        """The theory's answer, or why it has none."""
