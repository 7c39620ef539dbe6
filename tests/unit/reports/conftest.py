"""Hand-made answers: nothing is trained here."""

from __future__ import annotations

import dataclasses
from typing import Any

import pytest

from foretell.core.architecture import Architecture
from foretell.core.prediction import (
    Assumption,
    NotApplicable,
    Prediction,
    Standing,
    Strength,
)
from foretell.core.question import GeneralizesInLength, Question, SizeRange, Verdict
from foretell.core.scoreboard import Row, Scoreboard
from foretell.protocols.length import Length
from foretell.tasks.lookup import find_task
from foretell.training.record import MemberRecord, Record, Score

RANGES = (SizeRange(1, 50), SizeRange(51, 100), SizeRange(101, 150))
PROTOCOL = Length(steps=1000, check_every=500, learning_rate=1e-3)
PROVENANCE: dict[str, Any] = {
    "versions": {"foretell": "0.1.0", "jax": "0.10.2", "numpy": "2.4.0", "python": "3.11.9"},
    "device": "cpu: cpu, x86_64",
    "commit": "e1f2a3b4c5d6",
    "time": "2026-01-02T03:04:05+00:00",
    "seconds": 412.3,
}
# How far each probe's score falls with the size: at size 150, and per seed on top.
FALL = {"typical": 0.03, "members": 0.75, "non-members": 0.3, "near-non-members": 0.98}
FALL |= {"lingering-members": 0.5}


def make_question(what: str, positional: str = "nope") -> Question:
    task = find_task(what, 150)
    shape = Architecture(
        layers=2,
        heads=4,
        width=64,
        positional=positional,
        context=task.width(150),
        tied=task.labels == task.alphabet.tokens,
    )
    return Question(task, shape, GeneralizesInLength(RANGES[0], RANGES[1:]))


def make_record(question: Question, seeds: int = 4, unfitted: tuple[int, ...] = ()) -> Record:
    scores, baselines = [], []
    for probe in question.task.probes:
        for sizes in RANGES:
            guess = 0.037 if probe == "typical" else 0.2
            baselines.append((probe, sizes.low, sizes.high, (guess,)))
            for seed in range(seeds):
                for size in question.task.sizes(sizes.low, sizes.high, probe):
                    beyond = max(0, size - 50) / 100
                    lost = 40 * FALL[probe] * beyond * (1 - 0.12 * seed)
                    lost += 6 * (seed in unfitted)
                    right = max(0, 40 - round(lost))
                    scores.append(Score(seed, probe, sizes.low, sizes.high, size, right, 40))
    members = tuple(
        MemberRecord(seed, 1e-3, "not fitted" if seed in unfitted else "fitted", 1000, 0.01)
        for seed in range(seeds)
    )
    return Record(members, tuple(scores), tuple(baselines), (), 412.3)


def make_prediction(question: Question) -> Prediction | NotApplicable:
    """Stands for the theory room, whose wording may change without changing these tests."""
    said = {
        "majority": (Verdict.YES, Strength.CONDITIONAL, "a C-RASP[∅] program exists, so it does"),
        "tomita-5": (Verdict.NO, Strength.CONJECTURE, "no program exists; failure was observed"),
    }
    if question.task.name not in said:
        return NotApplicable("crasp-length", question, "nothing is declared about this task")
    verdict, strength, reason = said[question.task.name]
    return Prediction(
        predictor="crasp-length",
        question=question,
        verdict=verdict,
        strength=strength,
        reason=reason,
        assumptions=(
            Assumption(
                "training finds what the idealised inference procedure finds: a model that fits "
                "every length seen and nearly minimises the regularizer",
                Standing.ASSUMED,
            ),
            Assumption("positional encoding is nope", Standing.CHECKED),
        ),
        sources=("Huang et al., A formal framework, Corollary 18", "the same, Table 3"),
    )


def make_row(what: str, positional: str = "nope", **record: Any) -> Row:
    question = make_question(what, positional)
    made = make_record(question, **record)
    plan = PROTOCOL.plan(question, tuple(member.seed for member in made.members))
    measurement = PROTOCOL.read(question, plan, made, PROVENANCE)
    return Row(question, (make_prediction(question),), measurement)


@pytest.fixture(scope="session")
def majority() -> Row:
    """A yes that theory foresaw."""
    return make_row("majority")


@pytest.fixture(scope="session")
def failing() -> Row:
    """A language with three probes, a no, one run left out, and a theory with nothing to say."""
    row = make_row("tomita-5", unfitted=(2,))
    silent = NotApplicable("kernel", row.question, "the theory is about fixed lengths only")
    return dataclasses.replace(row, predictions=(silent, *row.predictions))


@pytest.fixture(scope="session")
def hostile() -> Row:
    """A name that is markup to HTML and to Rich."""
    return make_row("regex:(<script>|[ab]&%)*")


@pytest.fixture(scope="session")
def board(majority: Row, failing: Row, hostile: Row) -> Scoreboard:
    return Scoreboard((hostile, majority, failing))


@pytest.fixture(scope="session")
def make() -> Any:
    """The makers themselves, for tests that need something special."""
    return make_row, make_question, make_record


@pytest.fixture(scope="session")
def protocol() -> Length:
    return PROTOCOL


@pytest.fixture(scope="session")
def provenance() -> dict[str, Any]:
    return dict(PROVENANCE)
