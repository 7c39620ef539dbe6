"""Do a theory's bounds put the questions into the order that measurements put them into?

A bound that says nothing about any one question may still say which of two is harder.
"""

from __future__ import annotations

import dataclasses
import math
from dataclasses import dataclass
from typing import Any

from foretell.core.prediction import Prediction
from foretell.core.scoreboard import Row, Scoreboard
from foretell.numerics.ranks import RankAgreement, kendall

FEWEST = 4  # questions; of three, one order in six is right by chance


@dataclass(frozen=True)
class Order:
    """One theory's bounds on one quantity against what was measured of it."""

    predictor: str
    quantity: str
    agreement: RankAgreement

    @property
    def sentence(self) -> str:
        """The comparison in words."""
        found = self.agreement
        return (
            f"{self.predictor}: its bounds on the {self.quantity} order {found.count} questions as "
            f"the measured values do with Kendall's tau {found.value:.2f} "
            f"(chance of as much: {found.chance:.2g})"
        )

    def as_json(self) -> dict[str, Any]:
        """Plain values."""
        return dataclasses.asdict(self)


def orders(scoreboard: Scoreboard) -> tuple[Order, ...]:
    """One for each theory and quantity with enough questions that are not all alike."""
    pairs: dict[tuple[str, str], list[tuple[float, float]]] = {}
    for row in scoreboard.rows:
        for prediction in row.stated:
            value = _measured(row, prediction)
            if prediction.bound is not None and value is not None:
                place = (prediction.predictor, prediction.bound.quantity)
                pairs.setdefault(place, []).append((prediction.bound.value, value))
    return tuple(
        Order(*place, kendall([bound for bound, _ in found], [value for _, value in found]))
        for place, found in sorted(pairs.items())
        if len(found) >= FEWEST and all(len(set(side)) > 1 for side in zip(*found, strict=True))
    )


def _measured(row: Row, prediction: Prediction) -> float | None:
    """The measured mean of what the bound is about; a bound may say more of it than its name."""
    if prediction.bound is None or row.measurement is None:
        return None
    named = prediction.bound.quantity
    values = [each.mean for each in row.measurement.values if named.startswith(each.probe)]
    numbers = [*values[:1], prediction.bound.value]
    return values[0] if values and all(map(math.isfinite, numbers)) else None
