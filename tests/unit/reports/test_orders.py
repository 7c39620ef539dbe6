"""Bounds in an order, measured values in an order: how alike are the two?"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import pytest

from foretell.reports.orders import orders


@dataclass
class Stated:
    """As much of a prediction as an order needs."""

    predictor: str
    bound: Any


@dataclass
class Some:
    """Anything with the fields given."""

    quantity: str = ""
    value: float = 0.0
    probe: str = ""
    mean: float = 0.0


def _board(bounds: list[float | None], means: list[float]) -> Any:
    class Board:
        rows = tuple(
            _row(
                Stated("theory", None if bound is None else Some("loss on fresh inputs", bound)), m
            )
            for bound, m in zip(bounds, means, strict=True)
        )

    return Board()


def _row(stated: Stated, mean: float) -> Any:
    class Row:
        class measurement:
            values = (Some(probe="gap", mean=-mean), Some(probe="loss on fresh inputs", mean=mean))

    Row.stated = (stated,)  # type: ignore[attr-defined]
    return Row()


@pytest.mark.parametrize(
    ("means", "tau"), [([1.0, 2.0, 3.0, 4.0], 1.0), ([4.0, 3.0, 2.0, 1.0], -1.0)]
)
def test_the_quantity_that_the_bound_names_is_compared(means: list[float], tau: float) -> None:
    (found,) = orders(_board([10.0, 20.0, 30.0, 40.0], means))
    assert found.agreement.value == pytest.approx(tau)
    assert "order 4 questions" in found.sentence and found.as_json()["predictor"] == "theory"


def test_too_few_questions_and_bounds_that_are_all_alike_have_no_order() -> None:
    assert orders(_board([1.0, 2.0, 3.0], [1.0, 2.0, 3.0])) == ()
    assert orders(_board([1.0] * 4, [1.0, 2.0, 3.0, 4.0])) == ()
    assert orders(_board([1.0, None, float("inf"), 2.0], [1.0, 2.0, 3.0, 4.0])) == ()
