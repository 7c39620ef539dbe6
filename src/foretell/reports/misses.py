"""Where a theory was wrong: every prediction that its measurement contradicts."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, final

from foretell.core.prediction import Prediction
from foretell.core.scoreboard import Agreement, Row, Scoreboard


@final
@dataclass(frozen=True)
class Miss:
    """One wrong prediction, and the row that shows it."""

    row: Row
    prediction: Prediction

    def as_json(self) -> dict[str, Any]:
        """Plain values; the question leads to the row."""
        assert self.row.measurement is not None  # or nothing could be missed
        return {
            "question": self.row.question.hash,
            "task": self.row.question.task.name,
            "architecture": self.row.question.architecture.label,
            "predictor": self.prediction.predictor,
            "strength": self.prediction.strength.label,
            "predicted": self.prediction.verdict.value,
            "measured": self.row.measurement.verdict.value,
        }


def misses(scoreboard: Scoreboard) -> tuple[Miss, ...]:
    """Theory by theory, what claimed most first."""
    found = [
        Miss(row, prediction)
        for row in scoreboard.rows
        for prediction in row.stated
        if row.agreement(prediction) is Agreement.DISAGREES
    ]
    return tuple(sorted(found, key=_theory))


def _theory(miss: Miss) -> tuple[str, int]:
    return miss.prediction.predictor, -miss.prediction.strength
