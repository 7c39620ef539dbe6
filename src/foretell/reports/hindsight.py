"""A rule fitted on runs is no forecast of these runs: it counts only where it was on record first.

A theorem or a conjecture says the same whenever it is asked. A heuristic was made from what runs
showed, so on runs that are older than itself it would agree by construction.
"""

from __future__ import annotations

from collections.abc import Mapping

from foretell.core.prediction import NotApplicable, Prediction, Strength
from foretell.core.question import Verdict

Said = tuple[Prediction | NotApplicable, ...]
WHY = "a rule made from runs, and not on record before this one: hindsight is no forecast"


def without_hindsight(said: Said, on_record: Mapping[str, str]) -> Said:
    """The answers about a question that was measured, given what was put on record before."""
    return tuple(
        NotApplicable(each.predictor, each.question, WHY)
        if isinstance(each, Prediction)
        and each.strength is Strength.HEURISTIC
        and each.verdict is not Verdict.UNDECIDED
        and each.predictor not in on_record
        else each
        for each in said
    )
