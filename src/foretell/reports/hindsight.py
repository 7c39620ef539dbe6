"""What was made from runs is no forecast of them: it counts only where it was on record first.

A theorem says the same whenever it is asked, and so does a conjecture of somebody who had not seen
the runs. A heuristic, or a conjecture of ours that says so, was made from what runs showed, and on
runs that are older than itself it would agree by construction. What it said first is what counts:
a rule that has changed its mind since is no forecast either.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from foretell.core.prediction import NotApplicable, Prediction, Strength
from foretell.core.question import Verdict

Said = tuple[Prediction | NotApplicable, ...]
WHY = "a rule made from runs, and not on record so before this one: hindsight is no forecast"


def begun(provenance: Mapping[str, Any]) -> str:
    """When training began: what is put on record while a run goes on comes too late.

    >>> begun({"time": "2026-02-03", "sessions": [{"time": "2026-02-02"}, {"time": "2026-02-03"}]})
    '2026-02-02'
    """
    ended = str(provenance.get("time", ""))  # all there is of runs from before there were sessions
    return min([str(each["time"]) for each in provenance.get("sessions", ())], default=ended)


def without_hindsight(said: Said, on_record: Mapping[str, str]) -> Said:
    """The answers about a question that was measured, given what was put on record before."""
    return tuple(
        NotApplicable(each.predictor, each.question, WHY)
        if isinstance(each, Prediction)
        and (each.strength is Strength.HEURISTIC or each.made_from_runs)
        and each.verdict is not Verdict.UNDECIDED
        and on_record.get(each.predictor) != each.verdict.value
        else each
        for each in said
    )
