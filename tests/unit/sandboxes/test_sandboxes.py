"""Claims say what agrees with them before anything is measured."""

from __future__ import annotations

import math
from typing import Any

import pytest

from foretell.plain.errors import BadInput
from foretell.sandboxes import Claim, Findings, compare, load


@pytest.mark.parametrize(
    ("relation", "agreeing", "differing"),
    [
        ("=", [0.9, 1.0, 1.1], [0.89, 1.11]),
        ("<=", [-5.0, 1.1], [1.11]),
        (">=", [0.9, 5.0], [0.89]),
    ],
)
def test_a_relation_allows_its_tolerance_and_no_more(
    relation: Any, agreeing: list[float], differing: list[float]
) -> None:
    claim = Claim("x", 1.0, relation, 0.1 + 1e-12)
    assert all(claim.holds(value) for value in agreeing)
    assert not any(claim.holds(value) for value in differing)


@pytest.mark.parametrize("relation", ["=", "<=", ">="])
@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf])
def test_what_is_no_number_agrees_with_nothing(relation: Any, value: float) -> None:
    assert not Claim("x", 1.0, relation, 1e9).holds(value)


def test_an_order_holds_for_the_very_same_order() -> None:
    claim = Claim("first to last", ("a", "b", "c"), "order")
    assert claim.holds(("a", "b", "c"))
    assert not claim.holds(("b", "a", "c"))
    assert not claim.holds(1.0)
    assert not Claim("x", 1.0).holds(("a",))


@pytest.mark.parametrize(
    "wrong",
    [
        {"predicted": math.nan},
        {"predicted": math.inf},
        {"predicted": ("a", "b")},
        {"predicted": 1.0, "relation": "order"},
        {"predicted": 1.0, "relation": "<"},
        {"predicted": 1.0, "evidence": "rumour"},
    ],
)
def test_a_claim_that_cannot_be_read_is_refused(wrong: dict[str, Any]) -> None:
    # the type checker of the tests may be the first to refuse; either will do
    with pytest.raises(Exception, match=r"x|type"):
        Claim("x", **wrong)


def test_every_claim_gets_its_measurement_and_a_missing_one_is_a_mistake() -> None:
    claims = (Claim("a", 1.0, "=", 0.1), Claim("b", 2.0, "<="))
    rows = compare(claims, Findings({"b": 3.0, "a": 1.05, "not claimed": 0.0}))
    assert [(row.claim.quantity, row.measured, row.agrees) for row in rows] == [
        ("a", 1.05, True),
        ("b", 3.0, False),
    ]
    with pytest.raises(KeyError):
        compare(claims, Findings({"a": 1.0}))


def test_a_name_is_found_and_a_misspelt_one_answered_with_the_nearest() -> None:
    assert load("markov-landscape").name == "markov-landscape"
    with pytest.raises(BadInput, match="markov-landscape"):
        load("markov-landscap")
