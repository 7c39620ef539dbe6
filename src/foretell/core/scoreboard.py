"""Prediction beside measurement, and how often each theory was right."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from foretell.core.measurement import Measurement
from foretell.core.prediction import NotApplicable, Prediction, Strength
from foretell.core.question import Question, Verdict
from foretell.plain.errors import BadInput


class Agreement(StrEnum):
    """How a prediction compares with a measurement."""

    AGREES = "agrees"
    DISAGREES = "disagrees"
    OPEN = "open"  # one of the two is undecided

    @staticmethod
    def between(prediction: Verdict, measurement: Verdict) -> Agreement:
        """Undecided on either side leaves the comparison open; it never counts as a hit."""
        verdicts = Verdict(prediction), Verdict(measurement)
        if Verdict.UNDECIDED in verdicts:
            return Agreement.OPEN
        return Agreement.AGREES if verdicts[0] is verdicts[1] else Agreement.DISAGREES


@dataclass(frozen=True)
class Row:
    """One question, everything predicted about it, and what was measured."""

    question: Question
    predictions: tuple[Prediction | NotApplicable, ...]
    measurement: Measurement | None

    def __post_init__(self) -> None:
        parts = [prediction.question for prediction in self.predictions]
        if self.measurement is not None:
            parts.append(self.measurement.question)
        if any(part is not self.question and part.hash != self.question.hash for part in parts):
            raise BadInput("a scoreboard row mixes answers to different questions")

    def agreement(self, prediction: Prediction) -> Agreement:
        """This prediction against the row's measurement."""
        measured = self.measurement.verdict if self.measurement else Verdict.UNDECIDED
        return Agreement.between(prediction.verdict, measured)

    @property
    def stated(self) -> tuple[Prediction, ...]:
        """The predictions of the theories that apply, strongest first."""
        stated = [item for item in self.predictions if isinstance(item, Prediction)]
        return tuple(sorted(stated, key=lambda item: -item.strength))


@dataclass(frozen=True)
class Record:
    """How often a theory was right when it said this at this strength."""

    predictor: str
    strength: str
    said: Verdict
    agrees: int
    disagrees: int
    open: int

    @property
    def settled(self) -> int:
        """Comparisons that came out one way or the other."""
        return self.agrees + self.disagrees


@dataclass(frozen=True)
class Scoreboard:
    """Rows, and the record of each theory at each strength, apart for yes and no."""

    rows: tuple[Row, ...]

    def records(self) -> tuple[Record, ...]:
        """Calibration by what was claimed: a theory's yes may be worth less than its no."""
        verdicts, tally = list(Verdict), dict[tuple[str, int, int], list[Agreement]]()
        for row in self.rows:
            for claim in row.stated if row.measurement else ():
                place = claim.predictor, -claim.strength, verdicts.index(claim.verdict)
                tally.setdefault(place, []).append(row.agreement(claim))
        return tuple(
            Record(name, Strength(-weight).label, verdicts[said], *map(found.count, Agreement))
            for (name, weight, said), found in sorted(tally.items())
        )
