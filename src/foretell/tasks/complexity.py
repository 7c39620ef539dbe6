"""Orders of growth in the size T, as tasks declare them: `T`, `T log T`, `T^2`."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from fractions import Fraction
from typing import final

from foretell.plain.errors import BadInput

HINT = "1, log T, T, T log T, T^2, T^(3/2), T^3 log^2 T or 2^T"
NUMBER = r"(?:\d+(?:\.\d+)?|\(\d+/\d*[1-9]\d*\))"
ONE = re.compile(
    rf"(?P<power>T(?:\^(?P<exponent>{NUMBER}))?)?(?:(?(power) )log(?:\^(?P<logs>{NUMBER}))? T)?"
)


@final
@dataclass(frozen=True, order=True)
class Order:
    """T^power · log^logs T, or exponential in T, up to constants. Orders compare by growth.

    >>> Order.parse("T log T") > Order.parse("T"), Order.parse("T log^9 T") < Order.parse("T^1.5")
    (True, True)
    """

    exponential: bool
    power: Fraction
    logs: Fraction

    @staticmethod
    def parse(text: str) -> Order:
        """Read an order as people write it.

        >>> str(Order.parse("O(T^(3/2) log^2 T)")), Order.parse("2^T").exponential
        ('T^(3/2) log^2 T', True)
        """
        plain = " ".join(text.replace("²", "^2").replace("³", "^3").replace("·", " ").split())
        if plain.startswith("O(") and plain.endswith(")"):
            plain = plain[2:-1].strip()
        if plain == "2^T":
            return Order(True, Fraction(0), Fraction(0))
        if plain == "1":
            return Order(False, Fraction(0), Fraction(0))
        match = ONE.fullmatch(plain)
        if not plain or match is None:
            raise BadInput("this is no order of growth in T", seen=text, hint=HINT)
        power = _number(match["exponent"]) if match["power"] else Fraction(0)
        logs = _number(match["logs"]) if "log" in plain else Fraction(0)
        return Order(False, power, logs)

    def __str__(self) -> str:
        if self.exponential:
            return "2^T"
        parts = []
        if self.power:
            parts.append("T" if self.power == 1 else f"T^{_written(self.power)}")
        if self.logs:
            parts.append("log T" if self.logs == 1 else f"log^{_written(self.logs)} T")
        return " ".join(parts) or "1"

    def exceeds(self, bound: Order) -> bool:
        """Is it above `bound` times every small power of T? Factors of log T do not count.

        Bounds on what a model computes have the form T^(k + ε) for every ε > 0, so that T² log T is
        not above T².

        >>> square = Order.parse("T^2")
        >>> [Order.parse(each).exceeds(square) for each in ("T^2", "T^2 log T", "T^2.1", "2^T")]
        [False, False, True, True]
        """
        return (self.exponential, self.power) > (bound.exponential, bound.power)

    def at(self, size: float | int) -> float:
        """The value at a size from 2 on; too large a number is infinite.

        >>> Order.parse("T^2").at(10), round(Order.parse("T log T").at(8), 2)
        (100.0, 16.64)
        """
        if size < 2:
            raise BadInput("an order is taken at sizes from 2 on", seen=size)
        if self.exponential:
            return 2.0**size if size < 1000 else math.inf
        return float(size ** float(self.power) * math.log(size) ** float(self.logs))


def _number(text: str | None) -> Fraction:
    return Fraction(text.strip("()")) if text else Fraction(1)


def _written(number: Fraction) -> str:
    return str(number) if number.denominator == 1 else f"({number})"
