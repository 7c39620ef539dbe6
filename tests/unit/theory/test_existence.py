"""Whether a program exists, decided from the automaton, and what the prediction then rests on."""

from __future__ import annotations

import pytest

from foretell.core import Architecture, SizeRange
from foretell.core.prediction import NotApplicable, Prediction, Standing, Strength
from foretell.core.question import GeneralizesInLength, Question, Verdict
from foretell.crasp.deciding.decide import decide
from foretell.tasks.lookup import find_task
from foretell.theory import _existence
from foretell.theory.crasp_length import CraspLength


def predict(what: str, positional: str = "nope") -> Prediction | NotApplicable:
    shape = Architecture(layers=1, heads=1, width=16, positional=positional, context=303)
    outcome = GeneralizesInLength(SizeRange(1, 50), (SizeRange(101, 150),))
    return CraspLength().predict(Question(find_task(what), shape, outcome))


def texts(said: Prediction, standing: Standing) -> str:
    return " ".join(item.text for item in said.assumptions if item.standing is standing)


def test_a_no_rests_on_our_proof_and_on_observation_not_on_a_program() -> None:
    said = predict("regex:(aa)*")
    assert isinstance(said, Prediction) and said.verdict is Verdict.NO
    assert "proof of our own" in texts(said, Standing.ASSUMED)
    told = " ".join(item.text for item in said.assumptions)
    assert "enough for the program" not in told and "idealised" not in told
    assert not any("Corollary 18" in source for source in said.sources)


def test_a_yes_with_a_program_does_not_rest_on_our_proof() -> None:
    said = predict("regex:(ab)*c?")
    assert isinstance(said, Prediction) and said.verdict is Verdict.YES
    assert "proof of our own" not in texts(said, Standing.ASSUMED)
    assert "enough for the program" in texts(said, Standing.ASSUMED)
    assert any("Corollary 18" in source for source in said.sources)


def test_a_yes_without_a_program_rests_on_our_proof(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_existence, "_decision", lambda dfa, *_: decide(dfa, most_configurations=3))
    said = predict("regex:(abab|c)*", "ape")
    assert isinstance(said, Prediction) and said.verdict is Verdict.YES
    assert "proof of our own" in texts(said, Standing.ASSUMED)


def test_beyond_a_limit_the_theory_is_silent(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("foretell.crasp.deciding.pairs.MOST_PAIRS", 1)
    said = predict("regex:b*(ab*ab*ab*)*", "ape")
    assert isinstance(said, NotApplicable)
    assert "beyond a limit" in said.reason and "not known" in said.reason


def test_near_distances_are_a_conjecture_about_local_programs() -> None:
    said = predict("tomita-4", "local")  # in C-RASP[local], not in [∅]
    assert isinstance(said, Prediction) and said.verdict is Verdict.YES
    assert said.strength is Strength.CONJECTURE
    assert "holds for local" in texts(said, Standing.ASSUMED)
    assert "no further than 15 places" in texts(said, Standing.ASSUMED)
    assert said.made_from_runs and "conjecture of ours" in said.reason
    assert not any("Corollary" in source or "Theorem" in source for source in said.sources)
    without = predict("regex:(aa)*", "local")  # needs periods
    assert isinstance(without, Prediction) and without.verdict is Verdict.NO
    assert without.made_from_runs and "observation" not in without.reason
    proved = predict("tomita-4", "ape")
    assert isinstance(proved, Prediction) and not proved.made_from_runs


def test_what_is_declared_of_a_fragment_is_known_of_those_around_it() -> None:
    within, beyond = predict("binary-majority", "local"), predict("parity", "local")
    assert isinstance(within, Prediction) and within.verdict is Verdict.YES  # has one without any
    assert within.certificate is not None
    assert isinstance(beyond, Prediction) and beyond.verdict is Verdict.NO  # has none with both
    between = predict("copy-unique", "local")  # declared with both; its program needs local ones
    assert isinstance(between, Prediction) and between.verdict is Verdict.YES
    assert between.certificate is not None and "we wrote" in texts(between, Standing.ASSUMED)


def test_a_program_says_which_fragments_it_lies_in() -> None:
    for name, positional in (("contains-ab", "local"), ("induction-all", "ape")):
        said = predict(name, positional)
        assert isinstance(said, Prediction) and said.verdict is Verdict.YES
        assert "defined by such a program" in texts(said, Standing.CHECKED)
    assert isinstance(predict("induction-all", "nope"), NotApplicable)
