"""What is asked, and the hash that names it."""

from __future__ import annotations

import dataclasses
import hashlib
import os
import subprocess
import sys
from collections.abc import Callable
from typing import Any

import pytest

from foretell.core import Architecture, Question
from foretell.core.question import GeneralizesInLength, Outcome, SizeRange, Verdict
from foretell.plain.canonical import canonical_json
from foretell.plain.errors import BadInput
from foretell.tasks.algorithmic.binary_majority import BinaryMajority

Build = Callable[..., Any]

# Written by hand. If this changes, every stored run loses its name: do not update it lightly.
GOLDEN_TEXT = (
    '{"architecture":{"activation":"gelu","attention_scale":"sqrt","context":154,"heads":4,'
    '"layers":2,"norm":true,"positional":"ape","precision":"float32","tied":true,"width":64},'
    '"outcome":{"asked":[[51,100],[101,150]],"name":"length-generalizes","seen":[1,50]},'
    '"task":{"longest":150,"name":"binary-majority","sampler":"number of zeros uniform among '
    'the non-ties, positions shuffled"}}'
)
GOLDEN_HASH = "1ec212fe21f64b5a"
ASK = """
from foretell.core import Architecture, Question, SizeRange
from foretell.core.question import GeneralizesInLength
from foretell.tasks.algorithmic.binary_majority import BinaryMajority
shape = Architecture(layers=2, heads=4, width=64, positional="ape", context=154)
outcome = GeneralizesInLength(SizeRange(1, 50), (SizeRange(51, 100), SizeRange(101, 150)))
print(Question(BinaryMajority(150), shape, outcome).hash)
"""


@pytest.mark.parametrize(("low", "high"), [(2, 1), (100, 51), (-1, 5), (-5, -1), (0, -1)])
def test_a_range_that_is_reversed_or_negative_is_refused_with_one_that_is_not(
    low: int, high: int
) -> None:
    with pytest.raises(BadInput, match="size range") as caught:
        SizeRange(low, high)
    assert caught.value.seen == f"{low}-{high}"
    suggested = str(caught.value.hint).split("-")
    SizeRange(*map(int, suggested))


def test_a_range_may_be_one_size_and_may_start_at_zero() -> None:
    assert str(SizeRange(0, 0)) == "0-0"
    assert SizeRange(1, 50) < SizeRange(51, 100)


def test_a_length_question_asks_about_something() -> None:
    with pytest.raises(BadInput, match="at least one range"):
        GeneralizesInLength(SizeRange(1, 50), ())


def test_largest_is_over_seen_and_asked() -> None:
    longer = (SizeRange(51, 55), SizeRange(60, 70))
    assert GeneralizesInLength(SizeRange(1, 50), longer).largest == 70


@pytest.mark.parametrize("asked", [(2, 9), (50, 60)])
def test_a_length_question_asks_about_longer_sizes(asked: tuple[int, int]) -> None:
    with pytest.raises(BadInput, match="longer sizes"):
        GeneralizesInLength(SizeRange(1, 50), (SizeRange(*asked),))


def test_a_length_question_asks_about_a_range_once() -> None:
    with pytest.raises(BadInput, match="once"):
        GeneralizesInLength(SizeRange(1, 50), (SizeRange(51, 60), SizeRange(60, 70)))


def test_the_sentence_names_the_sizes() -> None:
    sentence = GeneralizesInLength(SizeRange(1, 50), (SizeRange(51, 99),)).sentence
    assert "1-50" in sentence and "51-99" in sentence


def test_sizes_beyond_the_task_are_refused(question: Build, bits: Any) -> None:
    with pytest.raises(BadInput, match="not built for") as caught:
        question(task=bits(149))
    assert caught.value.seen == 150
    assert "149" in str(caught.value.why)
    question(task=bits(150))


def test_a_context_shorter_than_the_longest_input_is_refused_with_the_one_needed(
    question: Build, architecture: Build
) -> None:
    with pytest.raises(BadInput, match="context is shorter") as caught:
        question(architecture=architecture(context=153))
    assert "153" in str(caught.value.seen)
    assert "154" in str(caught.value.why) and "--context 154" in str(caught.value.hint)
    question(architecture=architecture(context=154))


def test_the_hash_is_the_golden_one_in_this_and_in_other_processes() -> None:
    assert hashlib.sha256(GOLDEN_TEXT.encode()).hexdigest()[:16] == GOLDEN_HASH
    seeds = {"PYTHONHASHSEED": "7", "JAX_PLATFORMS": "cpu", "LC_ALL": "C"}
    answer = subprocess.run(
        [sys.executable, "-c", ASK],
        env={**os.environ, **seeds},
        capture_output=True,
        text=True,
        check=True,
    )
    assert answer.stdout.strip() == GOLDEN_HASH


def test_the_hash_is_of_the_canonical_text(question: Build) -> None:
    asked = question(task=BinaryMajority(150))
    assert canonical_json(asked.as_json()) == GOLDEN_TEXT
    assert asked.hash == GOLDEN_HASH


ARCHITECTURE_CHANGES = {
    "layers": 3,
    "heads": 2,
    "width": 128,
    "positional": "nope",
    "context": 155,
    "norm": False,
    "activation": "relu",
    "tied": False,
    "attention_scale": "log-length",
    "precision": "bfloat16",
    "kind": "transformer+kq",
}


def test_every_field_of_an_architecture_has_a_change_to_try() -> None:
    assert set(ARCHITECTURE_CHANGES) == {field.name for field in dataclasses.fields(Architecture)}


@pytest.mark.parametrize("field", ARCHITECTURE_CHANGES)
def test_the_hash_feels_every_field_of_the_architecture(
    question: Build, architecture: Build, field: str
) -> None:
    changed = question(architecture=architecture(**{field: ARCHITECTURE_CHANGES[field]}))
    assert changed.hash != question().hash


def test_the_hash_feels_the_task_and_the_outcome(question: Build, bits: Any) -> None:
    seen, short, long = SizeRange(1, 50), SizeRange(51, 100), SizeRange(101, 150)
    asked = [
        question(),
        question(task=bits(151)),
        question(task=bits(150, "other")),
        question(outcome=GeneralizesInLength(seen, (short,))),
        question(outcome=GeneralizesInLength(seen, (long,))),
        question(outcome=GeneralizesInLength(SizeRange(2, 50), (short, long))),
        question(outcome=GeneralizesInLength(SizeRange(1, 49), (short, long))),
        question(outcome=GeneralizesInLength(seen, (short, SizeRange(101, 149)))),
        question(outcome=GeneralizesInLength(seen, (short, SizeRange(102, 150)))),
    ]
    assert len({each.hash for each in asked}) == len(asked)


def test_the_hash_feels_the_kind_of_outcome(question: Build) -> None:
    @dataclasses.dataclass(frozen=True)
    class Other(GeneralizesInLength):
        name = "other-kind"

    outcome: Outcome = Other(SizeRange(1, 50), (SizeRange(51, 100), SizeRange(101, 150)))
    assert question(outcome=outcome).hash != question().hash


def test_equal_questions_are_equal_and_hash_equal(question: Build) -> None:
    assert question() == question() and question().hash == question().hash
    assert len({question(), question()}) == 1
    assert isinstance(question(), Question)


def test_there_are_three_answers() -> None:
    assert [answer.value for answer in Verdict] == ["yes", "no", "undecided"]
