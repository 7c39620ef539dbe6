"""What theories say. One predictor per file; none ever sees a trained model."""

from __future__ import annotations

import functools

from foretell.core.prediction import NotApplicable, Prediction, Predictor
from foretell.core.question import Question
from foretell.plain import catalogue


def predict(question: Question) -> tuple[Prediction | NotApplicable, ...]:
    """Every theory's answer to the question, in the order of their names."""
    return tuple(predictor.predict(question) for predictor in _predictors())


@functools.cache  # a scoreboard asks hundreds of questions, and finding them reads their files
def _predictors() -> tuple[Predictor, ...]:
    return tuple(entry.load()() for entry in catalogue.entries("predictors"))
