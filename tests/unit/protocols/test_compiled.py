"""The protocol for compiled networks: no training, all or nothing."""

import dataclasses

import pytest

from foretell.core.question import IsComputed, Outcome, SizeRange, Verdict
from foretell.plain.errors import BadInput
from foretell.protocols._asking import Request
from foretell.protocols._running import measure
from foretell.protocols.compiled import Compiled
from foretell.training.store import Store

SIZES = {"train": "1-6", "bins": "7-10", "samples": 100}


def ask(what, **changes):
    return Request(what=what, protocol="compiled", **{**SIZES, **changes})


slow = pytest.mark.slow


@pytest.mark.parametrize(
    "what",
    ["aa-star", pytest.param("tomita-4", marks=slow), pytest.param("binary-majority", marks=slow)],
)
def test_a_compiled_program_is_right_everywhere(what, tmp_path):
    request = ask(what, **({"bins": "7-12"} if what == "aa-star" else {}))
    question = request.question()
    found = measure(question, request.build_protocol(), (0,), Store(tmp_path))
    assert found.verdict is Verdict.YES
    assert all(value.mean == 1.0 for value in found.values)
    assert all(value.interval.low > 0.9 for value in found.values)
    shifted = [value for value in found.values if "shifted" in value.probe]
    assert bool(shifted) == (question.architecture.positional == "ape")


def test_a_wrong_program_is_found_out(tmp_path):
    request = ask("anbn", train="2-6", bins="8-10")
    protocol = request.build_protocol()
    wrong = protocol.program.replace("next[b](i) :=", "next[b](i) := true or ", 1)
    assert wrong != protocol.program
    question = request.question()
    found = measure(question, dataclasses.replace(protocol, program=wrong), (0,), Store(tmp_path))
    assert found.verdict is Verdict.NO
    assert "of" in found.reason


def test_without_a_program_there_is_nothing_to_compile():
    with pytest.raises(BadInput, match="no program to compile"):
        ask("parity").question()


def test_it_measures_only_its_own_outcome():
    request = ask("tomita-1")
    other = Request(what="tomita-1", bins="51-60").question()
    with pytest.raises(BadInput, match="built networks"):
        request.build_protocol().plan(other, (0,))


def test_the_outcome_survives_json():
    outcome = IsComputed((SizeRange(1, 5), SizeRange(6, 9)))
    assert Outcome.read(outcome.as_json()) == outcome
    assert "not trained" in outcome.sentence
    assert Compiled(program="").as_json()["name"] == "compiled"
