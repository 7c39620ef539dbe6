"""Prediction beside measurement, and how often each theory was right."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from foretell.core.measurement import Measurement
from foretell.core.prediction import NotApplicable, Prediction
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
    """A theory's record: counts of agreement over the rows it spoke about."""

    predictor: str
    strength: str
    agrees: int
    disagrees: int
    open: int

    @property
    def settled(self) -> int:
        """Comparisons that came out one way or the other."""
        return self.agrees + self.disagrees


@dataclass(frozen=True)
class Scoreboard:
    """Rows, and the record of each theory at each strength."""

    rows: tuple[Row, ...]

    def records(self) -> tuple[Record, ...]:
        """Calibration: a theory's hits and misses, by the strength it claimed."""
        tally: dict[tuple[str, str], list[Agreement]] = {}
        for row in self.rows:
            for prediction in row.stated if row.measurement else ():
                place = (prediction.predictor, prediction.strength.label)
                tally.setdefault(place, []).append(row.agreement(prediction))
        return tuple(
            Record(predictor, strength, *(found.count(kind) for kind in Agreement))
            for (predictor, strength), found in sorted(tally.items())
        )
