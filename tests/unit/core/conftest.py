"""The smallest values the core accepts, for tests that break one thing at a time."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pytest

from foretell.core import Alphabet, Architecture, Certificate, Measurement, Prediction, Task
from foretell.core.measurement import Interval, Value
from foretell.core.prediction import Assumption, Checked, Standing, Strength
from foretell.core.question import GeneralizesInLength, Question, SizeRange, Verdict
from foretell.core.task import Fact


@dataclass(frozen=True)
class Bits(Task):
    """A task of the core alone: nothing from the rooms above."""

    longest: int = 150
    name: str = "bits"
    alphabet = Alphabet(("0", "1"))
    facts = (Fact("crasp", "yes", "this test"),)

    def answer(self, word: tuple[str, ...]) -> tuple[str, ...]:
        return word[:1]

    def lay_out(self, word: tuple[str, ...]) -> tuple[list[int], list[int], list[bool]]:
        raise NotImplementedError

    def read_word(self, tokens: list[int]) -> tuple[str, ...]:
        raise NotImplementedError

    def width(self, size: int) -> int:
        return size + 4

    def scored(self, size: int) -> int:
        return 2

    def draw(self, tables: Any, key: Any, size: Any, width: int, probe: str) -> Any:
        raise NotImplementedError


@dataclass(frozen=True)
class Witness(Certificate):
    """Evidence anyone believes."""

    summary = "a witness"

    def check(self) -> Checked:
        return Checked(True, "by looking")

    def as_json(self) -> dict[str, object]:
        return {"kind": "witness"}


@pytest.fixture
def bits() -> type[Bits]:
    return Bits


@pytest.fixture
def witness() -> Witness:
    return Witness()


@pytest.fixture
def architecture() -> Callable[..., Architecture]:
    def build(**changes: Any) -> Architecture:
        plain = {"layers": 2, "heads": 4, "width": 64, "positional": "ape", "context": 154}
        return Architecture(**{**plain, **changes})

    return build


@pytest.fixture
def question(architecture: Callable[..., Architecture]) -> Callable[..., Question]:
    def build(**changes: Any) -> Question:
        outcome = GeneralizesInLength(SizeRange(1, 50), (SizeRange(51, 100), SizeRange(101, 150)))
        plain = {"task": Bits(), "architecture": architecture(), "outcome": outcome}
        return Question(**{**plain, **changes})

    return build


@pytest.fixture
def prediction(question: Callable[..., Question]) -> Callable[..., Prediction]:
    def build(**changes: Any) -> Prediction:
        plain: dict[str, Any] = {
            "predictor": "some-theory",
            "question": question(),
            "verdict": Verdict.YES,
            "strength": Strength.CONDITIONAL,
            "reason": "because",
            "assumptions": (Assumption("an idealised learner", Standing.ASSUMED),),
            "sources": ("a paper",),
        }
        return Prediction(**{**plain, **changes})

    return build


@pytest.fixture
def measurement(question: Callable[..., Question]) -> Callable[..., Measurement]:
    def build(**changes: Any) -> Measurement:
        value = Value(
            "typical", SizeRange(51, 100), (1.0, 0.9), 0.95, Interval(0.8, 1.0), (0, 1), 0.5
        )
        plain: dict[str, Any] = {
            "protocol": "length",
            "question": question(),
            "verdict": Verdict.YES,
            "reason": "it was right",
            "rule": "yes: when right",
            "values": (value,),
            "curves": (),
            "notes": (),
            "provenance": {"versions": {}, "device": "cpu", "seeds": [0, 1]},
        }
        return Measurement(**{**plain, **changes})

    return build
