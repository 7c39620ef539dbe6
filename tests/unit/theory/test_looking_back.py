"""The rule about looking back speaks where it was fixed, and says what it was fixed to say."""

from __future__ import annotations

from typing import Any

import pytest

from foretell.core import Alphabet, Architecture, Question, SizeRange
from foretell.core.prediction import NotApplicable, Prediction, Standing, Strength
from foretell.core.question import GeneralizesInLength, Verdict
from foretell.languages.regular import RegularLanguage
from foretell.tasks.lookup import find_task
from foretell.tasks.tracking import TrackingTask
from foretell.theory.looking_back import FURTHEST, LookingBack

LOOKS_BACK = ".*ab."  # the last three letters tell the state


def following(text: str, asks: str = "state", **more: Any) -> TrackingTask:
    language = RegularLanguage.from_regex(text, Alphabet(("a", "b")))
    return TrackingTask(500, asks, language=language, **more)


def ask(task: Any, *asked: SizeRange, **changes: Any) -> Prediction | NotApplicable:
    shape = {"layers": 4, "heads": 4, "width": 32, "positional": "alibi", "context": 1_600}
    outcome = GeneralizesInLength(changes.pop("seen", SizeRange(1, 50)), asked or (FURTHEST,))
    return LookingBack().predict(Question(task, Architecture(**{**shape, **changes}), outcome))


@pytest.mark.parametrize(
    ("positional", "verdict"),
    [("alibi", Verdict.YES), ("nope", Verdict.NO), ("ape", Verdict.NO)],
)
def test_the_rule(positional: str, verdict: Verdict) -> None:
    said = ask(following(LOOKS_BACK), SizeRange(51, 100), FURTHEST, positional=positional)
    assert isinstance(said, Prediction)
    assert (said.verdict, said.strength) == (verdict, Strength.HEURISTIC)
    standings = [item.standing for item in said.assumptions if "4 layers" in item.text]
    assert standings == [Standing.CHECKED]


def test_another_shape_is_an_assumption() -> None:
    said = ask(following(LOOKS_BACK), width=64)
    assert isinstance(said, Prediction)
    (shape,) = [item for item in said.assumptions if "4 layers" in item.text]
    assert shape.standing is Standing.ASSUMED


def test_it_is_silent_where_it_was_not_fixed() -> None:
    cases = (
        (ask(following(LOOKS_BACK, "accept")), "states"),
        (ask(following(LOOKS_BACK, probed=("members",))), "mixed words"),
        (ask(following(LOOKS_BACK), SizeRange(451, 500)), "101-150"),
        (ask(following(LOOKS_BACK), seen=SizeRange(1, 40)), "training to 50"),
        (ask(following(LOOKS_BACK), positional="rotary"), "alibi or nope or ape"),
        (ask(following(LOOKS_BACK), kind="gru"), "transformers"),
        (ask(following("a*b*")), "no C-RASP[∅] program"),  # it needs no looking back
        (ask(following("(aa)*b*")), "no C-RASP[∅] program"),  # looking back is not enough
        (ask(find_task("majority", 500)), "states"),
    )
    for said, why in cases:
        assert isinstance(said, NotApplicable) and why in said.reason
