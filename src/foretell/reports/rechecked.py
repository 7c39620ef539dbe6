"""Predictions whose certificates were checked again, and what is left of those that failed."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable

from foretell.core.prediction import Assumption, Checked, NotApplicable, Prediction, Standing
from foretell.core.question import Verdict

Said = Prediction | NotApplicable


def rechecked(said: Iterable[Said]) -> tuple[list[Said], list[Checked | None]]:
    """Each answer with what its check found; where it failed, the answer is withdrawn."""
    answers: list[Said] = []
    checks: list[Checked | None] = []
    for answer in said:
        found = None
        if isinstance(answer, Prediction) and answer.certificate is not None:
            found = answer.certificate.check()
            answer = answer if found.holds else _withdrawn(answer, found)
        answers.append(answer)
        checks.append(found)
    return answers, checks


def _withdrawn(answer: Prediction, found: Checked) -> Prediction:
    """Assumptions that a check settles name the option; they are violated now."""
    return dataclasses.replace(
        answer,
        verdict=Verdict.UNDECIDED,
        reason=f"the certificate does not hold, so nothing follows from it: {found.how}",
        assumptions=tuple(
            Assumption(item.text, Standing.VIOLATED) if "--check" in item.text else item
            for item in answer.assumptions
        ),
    )
