"""The constructor refuses every overclaim."""

from __future__ import annotations

import itertools
import json
import math
from collections.abc import Callable
from typing import Any

import pytest

from foretell.core.prediction import (
    Assumption,
    Bound,
    Certificate,
    NotApplicable,
    Prediction,
    Standing,
    Strength,
)
from foretell.core.question import Verdict
from foretell.plain.errors import BadInput

Build = Callable[..., Prediction]
DECIDED = (Verdict.YES, Verdict.NO)
PROMISED = {
    "predictor",
    "architecture",
    "outcome",
    "verdict",
    "strength",
    "reason",
    "bound",
    "assumptions",
    "certificate",
    "sources",
}


def standing(*standings: Standing) -> tuple[Assumption, ...]:
    return tuple(Assumption(f"assumption {n}", each) for n, each in enumerate(standings))


@pytest.mark.parametrize("verdict", Verdict)
def test_a_theorem_needs_a_certificate(prediction: Build, verdict: Verdict) -> None:
    with pytest.raises(BadInput, match="needs a certificate"):
        prediction(verdict=verdict, strength=Strength.THEOREM, assumptions=())


@pytest.mark.parametrize("verdict", Verdict)
@pytest.mark.parametrize("around", [(), (Standing.CHECKED,)])
def test_a_theorem_has_no_assumed_assumption(
    prediction: Build, witness: Certificate, verdict: Verdict, around: tuple[Standing, ...]
) -> None:
    with pytest.raises(BadInput, match="no unchecked assumption"):
        prediction(
            verdict=verdict,
            strength=Strength.THEOREM,
            certificate=witness,
            assumptions=standing(*around, Standing.ASSUMED, *around),
        )


@pytest.mark.parametrize("verdict", DECIDED)
def test_a_theorem_with_a_certificate_and_checked_assumptions_stands(
    prediction: Build, witness: Certificate, verdict: Verdict
) -> None:
    stated = prediction(
        verdict=verdict,
        strength=Strength.THEOREM,
        certificate=witness,
        assumptions=standing(Standing.CHECKED, Standing.CHECKED),
    )
    assert stated.certificate is not None and stated.certificate.check().holds


@pytest.mark.parametrize(("verdict", "strength"), list(itertools.product(DECIDED, Strength)))
def test_searching_and_finding_nothing_is_only_ever_undecided(
    prediction: Build, witness: Certificate, verdict: Verdict, strength: Strength
) -> None:
    with pytest.raises(BadInput, match="finding nothing"):
        prediction(
            verdict=verdict,
            strength=strength,
            searched_only=True,
            certificate=witness,
            assumptions=(),
        )
    prediction(
        verdict=Verdict.UNDECIDED,
        strength=strength,
        searched_only=True,
        certificate=witness,
        assumptions=(),
    )


@pytest.mark.parametrize(("verdict", "strength"), list(itertools.product(DECIDED, Strength)))
def test_a_violated_assumption_leaves_only_undecided(
    prediction: Build, witness: Certificate, verdict: Verdict, strength: Strength
) -> None:
    violated = standing(Standing.CHECKED, Standing.VIOLATED)
    with pytest.raises(BadInput, match="violated"):
        prediction(verdict=verdict, strength=strength, certificate=witness, assumptions=violated)
    prediction(
        verdict=Verdict.UNDECIDED, strength=strength, certificate=witness, assumptions=violated
    )


@pytest.mark.parametrize("missing", [{"reason": ""}, {"sources": ()}])
@pytest.mark.parametrize("verdict", Verdict)
def test_reason_and_sources_are_given(
    prediction: Build, missing: dict[str, Any], verdict: Verdict
) -> None:
    with pytest.raises(BadInput, match="reason and its sources"):
        prediction(verdict=verdict, **missing)


def test_the_refusal_names_the_theory_the_claim_and_what_to_do(prediction: Build) -> None:
    with pytest.raises(BadInput) as caught:
        prediction(strength=Strength.THEOREM, assumptions=())
    assert "some-theory" in str(caught.value.seen) and "theorem" in str(caught.value.seen)
    assert "yes" in str(caught.value.seen)
    assert caught.value.hint


def test_strengths_compare() -> None:
    order = [Strength.HEURISTIC, Strength.CONJECTURE, Strength.CONDITIONAL, Strength.THEOREM]
    assert sorted(Strength) == order
    assert [each.label for each in order] == ["heuristic", "conjecture", "conditional", "theorem"]


@pytest.mark.parametrize(
    ("value", "trivial", "vacuous"),
    [
        (0.1, 1.0, False),
        (1.0, 1.0, True),
        (1.5, 1.0, True),
        (math.nan, 1.0, True),
        (0.5, math.nan, True),
        (math.inf, 1.0, True),
        (math.inf, math.inf, True),
        (0.5, math.inf, False),
        (-math.inf, 0.0, False),
        (math.nextafter(1.0, 0.0), 1.0, False),
    ],
)
def test_a_bound_says_whether_it_is_vacuous(value: float, trivial: float, vacuous: bool) -> None:
    bound = Bound("gap", value, trivial)
    assert bound.vacuous is vacuous
    assert bound.as_json()["vacuous"] is vacuous


def test_json_has_exactly_the_promised_keys(prediction: Build, witness: Certificate) -> None:
    full = prediction(bound=Bound("gap", 0.25, 1.0), certificate=witness).as_json()
    assert set(full) == PROMISED
    assert json.loads(json.dumps(full, allow_nan=False)) == full
    assert full["strength"] == "conditional" and full["verdict"] == "yes"
    assert full["bound"] == {"quantity": "gap", "value": 0.25, "vacuous": False}
    assert full["certificate"] == {"kind": "witness"}
    assert full["assumptions"] == [{"text": "an idealised learner", "standing": "assumed"}]
    bare = prediction().as_json()
    assert set(bare) == PROMISED and bare["bound"] is None and bare["certificate"] is None


# Known faults: each test states what should hold. Take the mark away with the fault.


def test_a_theorem_by_number_needs_a_certificate_too(prediction: Build) -> None:
    with pytest.raises(BadInput):
        prediction(strength=3, assumptions=())


def test_a_bound_that_is_no_number_is_still_json(prediction: Build) -> None:
    json.dumps(prediction(bound=Bound("gap", math.nan, 1.0)).as_json(), allow_nan=False)


def test_not_applicable_has_a_reason(prediction: Build) -> None:
    with pytest.raises(BadInput):
        NotApplicable("some-theory", prediction().question, "")


@pytest.mark.parametrize("blank", [{"reason": " "}, {"sources": ("",)}])
def test_a_blank_reason_or_source_is_none(prediction: Build, blank: dict[str, Any]) -> None:
    with pytest.raises(BadInput):
        prediction(**blank)
