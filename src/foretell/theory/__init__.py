"""What theories say. One predictor per file; none ever sees a trained model."""

from __future__ import annotations

from foretell.core.prediction import NotApplicable, Prediction
from foretell.core.question import Question
from foretell.plain import catalogue


def predict(question: Question) -> tuple[Prediction | NotApplicable, ...]:
    """Every theory's answer to the question, in the order of their names."""
    return tuple(entry.load()().predict(question) for entry in catalogue.entries("predictors"))
