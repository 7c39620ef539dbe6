"""Linear forms over named directions of the residual stream.

Much of a program costs a transformer nothing: `not P` is `true - P`, a sum of counts is the sum of
two directions. Such values are never written anywhere; they are carried as forms, and whoever
reads them (a head, a unit, the unembedding) takes the form as its weights. All weights are whole.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

SOS, TRUE, ONE = "sos", "true", "one"


@dataclass(frozen=True)
class Form:
    """A sum of directions with whole weights, none of them zero; equal forms are equal values.

    >>> a, true = Form.of({"letter a": 1}), Form.of({"true": 1})
    >>> print(true - a + a * 3, true - true)
    2 letter a + true 0
    """

    terms: tuple[tuple[str, int], ...] = ()

    @classmethod
    def of(cls, weights: Mapping[str, int]) -> Form:
        """From weights by direction."""
        return cls(tuple(sorted((name, weight) for name, weight in weights.items() if weight)))

    @classmethod
    def total(cls, parts: Iterable[Form]) -> Form:
        """The sum of several."""
        weights: dict[str, int] = {}
        for part in parts:
            for name, weight in part.terms:
                weights[name] = weights.get(name, 0) + weight
        return cls.of(weights)

    def __add__(self, other: Form) -> Form:
        return Form.total((self, other))

    def __sub__(self, other: Form) -> Form:
        return Form.total((self, other * -1))

    def __mul__(self, factor: int) -> Form:
        return Form(tuple((name, weight * factor) for name, weight in self.terms if factor))

    def __str__(self) -> str:
        parts = [name if weight == 1 else f"{weight} {name}" for name, weight in self.terms]
        return " + ".join(parts) or "0"

    @property
    def directions(self) -> tuple[str, ...]:
        """What it reads."""
        return tuple(name for name, _ in self.terms)

    def weight(self, direction: str) -> int:
        """Of one direction."""
        return dict(self.terms).get(direction, 0)

    def without(self, direction: str) -> Form:
        """The other terms."""
        return Form(tuple(term for term in self.terms if term[0] != direction))

    @property
    def divisor(self) -> int:
        """Greatest common divisor of the weights; 0 of the empty form."""
        return math.gcd(*(weight for _, weight in self.terms))


ZERO = Form()


def single(direction: str) -> Form:
    """One direction by itself."""
    return Form(((direction, 1),))


Interval = tuple[int, int]


def interval(form: Form, bounds: Mapping[str, Interval]) -> Interval:
    """Between which two numbers the form stays when its directions stay within theirs."""
    low = high = 0
    for name, weight in form.terms:
        ends = (weight * bounds[name][0], weight * bounds[name][1])
        low, high = low + min(ends), high + max(ends)
    return low, high
