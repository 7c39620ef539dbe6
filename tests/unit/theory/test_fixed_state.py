"""Cells follow every automaton, gates in [0, 1] the star-free ones, signs also parity."""

from __future__ import annotations

import dataclasses
import itertools
import json
from typing import Any

import numpy as np
import pytest

from foretell.constructions.automaton_cell import automaton_cell
from foretell.core import Architecture, Question, SizeRange
from foretell.core.alphabet import Alphabet
from foretell.core.prediction import NotApplicable, Prediction, Standing, Strength
from foretell.core.question import GeneralizesInLength, Verdict
from foretell.languages.dfa import DFA
from foretell.languages.regular import RegularLanguage
from foretell.plain.canonical import canonical_json
from foretell.plain.errors import BadInput
from foretell.tasks.lookup import find_task
from foretell.theory import predict
from foretell.theory._recurrences import _walk, _words, circle_beyond, telling_signs
from foretell.theory.fixed_state import FixedState, automaton_of

YES, NO = Verdict.YES, Verdict.NO


def question(task: str, kind: str, **changes: Any) -> Question:
    built = find_task(task, 20)
    shape: dict[str, Any] = {"layers": 1, "heads": 1, "width": 16, "positional": "nope"}
    shape |= {"kind": kind, "context": built.width(20), **changes}
    outcome = GeneralizesInLength(SizeRange(4, 10), (SizeRange(11, 20),))
    return Question(built, Architecture(**shape), outcome)


def ask(task: str, kind: str, **changes: Any) -> Prediction | NotApplicable:
    return FixedState().predict(question(task, kind, **changes))


@pytest.mark.parametrize(
    ("task", "kind", "verdict"),
    [
        ("parity", "elman", YES),
        ("parity", "gru", YES),
        ("parity", "lstm", YES),
        ("parity", "ssm", NO),
        ("parity", "ssm-signed", YES),
        ("regex:(aaa)*", "gru", YES),
        ("regex:(aaa)*", "ssm", NO),
        ("regex:(aaa)*", "ssm-signed", NO),
        ("tomita-2", "ssm", YES),
        ("tomita-2", "ssm-signed", YES),
        ("parity-language", "ssm", NO),
        ("parity-language", "ssm-signed", YES),
    ],
)
def test_the_published_table(task: str, kind: str, verdict: Verdict) -> None:
    said = ask(task, kind)
    assert isinstance(said, Prediction)
    assert (said.verdict, said.strength) == (verdict, Strength.CONDITIONAL)
    assert Standing.ASSUMED in {each.standing for each in said.assumptions}
    canonical_json(said.as_json())
    if said.certificate is not None:
        assert said.certificate.check().holds
        assert json.loads(json.dumps(said.certificate.as_json()))


def test_it_is_silent_about_attention_and_what_is_not_regular() -> None:
    for kind in ("transformer", "hybrid"):
        said = ask("parity", kind, layers=2)
        assert isinstance(said, NotApplicable)
        assert kind in said.reason
    assert isinstance(ask("copy-repeat", "gru"), NotApplicable)


def test_it_is_silent_where_the_next_letter_is_already_read() -> None:
    for kind in ("elman", "ssm"):
        assert isinstance(ask("state-before:regex:(a|b)*b(a|b)", kind), NotApplicable)
        assert not isinstance(ask("state:regex:a*b*", kind), NotApplicable)


def test_theories_of_transformers_are_silent_about_other_kinds() -> None:
    silent = {"crasp-length", "communication"}
    for kind in ("gru", "hybrid"):
        said = predict(question("copy-repeat", kind, layers=2))
        found = {each.predictor: each for each in said if each.predictor in silent}
        assert all(isinstance(each, NotApplicable) for each in found.values())
        assert all(kind in each.reason for each in found.values())


def test_periods_of_signed_gates_double_with_each_layer() -> None:
    four = RegularLanguage.from_regex("(aaaa)*").dfa.minimal()
    one, two = circle_beyond(four, 2), circle_beyond(four, 4)
    assert one is not False
    assert one is not None
    assert one.check().holds
    assert two is False
    assert telling_signs(four) is None
    said = ask("regex:(aaaa)*", "ssm-signed", layers=2)
    assert isinstance(said, NotApplicable)
    assert "nothing is proved" in said.reason


def test_a_certificate_that_was_changed_does_not_hold() -> None:
    circle = ask("parity", "ssm").certificate
    assert circle.check().holds
    for change in ({"most": 2}, {"states": (0, 0)}, {"word": ("0",)}):
        assert not dataclasses.replace(circle, **change).check().holds
    signs = ask("parity", "ssm-signed").certificate
    assert not dataclasses.replace(signs, signs=((1, 1),)).check().holds


def test_the_declared_automaton_is_the_oracle() -> None:
    task = find_task("parity")
    dfa = automaton_of(task)
    for word in itertools.chain(*(itertools.product("01", repeat=n) for n in range(1, 7))):
        assert dfa.accepts(word) == (task.answer(word) == ("1",))


def test_a_cell_follows_any_automaton_step_by_step() -> None:
    rng = np.random.default_rng(0)
    for states, letters in ((1, 1), (3, 2), (6, 3)):
        delta = tuple(map(tuple, rng.integers(states, size=(states, letters)).tolist()))
        dfa = DFA(Alphabet("abc"[:letters]), delta, states - 1, frozenset({0}))
        words = rng.integers(letters, size=(4, 120))
        found = automaton_cell(dfa).states(words)
        for word, own in zip(words, found, strict=True):
            state = dfa.start
            for letter, reached in zip(word, own, strict=True):
                state = dfa.delta[state][letter]
                assert state == reached


def test_an_automaton_can_be_too_large() -> None:
    delta = tuple(((state + 1) % 5_000,) for state in range(5_000))
    with pytest.raises(BadInput, match="too large"):
        automaton_cell(DFA(Alphabet("a"), delta, 0, frozenset({0})))


def test_certificates_try_every_move_of_an_automaton_with_a_sink():
    dfa = RegularLanguage.from_regex("abababab").dfa
    words = _words(dfa)
    before = np.concatenate([np.full((len(words), 1), dfa.start), _walk(dfa, words)[:, :-1]], 1)
    tried = set(zip(before.ravel().tolist(), words.ravel().tolist(), strict=True))
    assert len(tried) == len(dfa.delta) * len(dfa.alphabet.symbols)


def test_only_units_that_tell_states_apart_are_counted_and_must_fit():
    said = ask("parity", "ssm-signed")
    assert len(said.certificate.signs) == 1
