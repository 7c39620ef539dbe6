"""Circuit classes: a golden table of verdicts, laws over all of them, and what they stand on."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from foretell.constructions.flat_error import all_inputs
from foretell.plain.errors import BadInput
from foretell.protocols._asking import Budget
from foretell.sandboxes import compare
from foretell.sandboxes.representation.circuit_classes import (
    CircuitClasses,
    enumerated,
    what_is_left,
)
from foretell.worlds import circuit_rules
from foretell.worlds.circuit_rules import (
    CAVEAT,
    DEPTHS,
    PRECISIONS,
    STEPS,
    TASKS,
    circuit_verdict,
)
from foretell.worlds.parity_reductions import REDUCTIONS

SANDBOX = CircuitClasses()
SHORT = {"constant": "1", "logarithmic": "log", "none": "0", "linear": "n", "polynomial": "poly"}
LONG = {short: long for long, short in SHORT.items()}
# depth, precision and steps above; written by hand from the theorems as the rules cite them
GOLDEN = """
                         1/1/0  1/log/0   log/log/0  1/log/log  1/log/n  1/log/poly
and-or                   yes    yes       yes        yes        yes      yes
parity                   no     yes       yes        yes        yes      yes
majority                 no     yes       yes        yes        yes      yes
dyck                     no     yes       yes        yes        yes      yes
s5-word                  no     TC0=NC1   yes        TC0=NC1    yes      yes
iterated-permutation     no     TC0=L     yes        TC0=L      yes      yes
undirected-connectivity  no     TC0=L     yes        TC0=L      ?        yes
directed-connectivity    no     TC0=NL    yes        TC0=NL     ?        yes
circuit-value            no     TC0=P     TC1=P      TC0=P      yes      yes
"""


def golden() -> list[tuple[str, str, str]]:
    models, *rows = (line.split() for line in GOLDEN.strip().splitlines())
    return [
        (task, model, answer)
        for task, *answers in rows
        for model, answer in zip(models, answers, strict=True)
    ]


def short(answer: str) -> str:
    plain = {"representable": "yes", "not representable": "no", "unknown": "?"}
    return plain.get(answer) or answer.removeprefix("not representable unless ").replace(" ", "")


@pytest.mark.parametrize(("task", "model", "answer"), golden())
def test_golden_verdicts(task: str, model: str, answer: str) -> None:
    verdict = circuit_verdict(task, *(LONG[part] for part in model.split("/")))
    assert short(verdict.answer) == answer
    assert verdict.chain and all(verdict.chain) and verdict.caveat == CAVEAT


def test_there_are_forty_and_more() -> None:
    assert len(golden()) >= 40
    assert {task for task, _, _ in golden()} == set(TASKS)


def test_a_verdict_with_a_condition_names_limit_and_hardness() -> None:
    limit, hard = circuit_verdict("directed-connectivity", "constant", "logarithmic").chain
    assert "TC0" in limit and "complete for NL" in hard
    limit, hard = circuit_verdict("dyck", "constant", "constant").chain
    assert "AC0" in limit and "parity" in hard


def test_less_never_helps() -> None:
    for task, depth, precision in itertools.product(TASKS, DEPTHS, PRECISIONS):
        answers = [circuit_verdict(task, depth, precision, steps).answer for steps in STEPS]
        able = [answer == "representable" for answer in answers]
        assert able == sorted(able)


def test_a_contradicting_rule_is_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    assert circuit_rules.contradictions() == 0
    wrong = circuit_rules.Power("constant", "constant", "none", ("parity",), "wishful")
    monkeypatch.setattr(circuit_rules, "POWERS", (*circuit_rules.POWERS, wrong))
    assert circuit_rules.contradictions() > 0


@pytest.mark.parametrize("task", REDUCTIONS)
def test_parity_is_answered_by_the_other_task(task: str) -> None:
    words = all_inputs(6)
    np.testing.assert_array_equal(REDUCTIONS[task](words), words.sum(axis=1) % 2 == 1)


def test_sensitivities_and_groups() -> None:
    assert enumerated(3) == {"and-or": 0.75, "majority": 1.5, "parity": 3.0}
    assert [what_is_left(points) for points in (3, 4, 5)] == [1, 1, 60]


@pytest.mark.parametrize(
    ("asked", "message"),
    [
        (("sorting", "constant", "constant", "none"), "unknown task"),
        (("parity", "deep", "constant", "none"), "unknown depth"),
        (("parity", "constant", "0 bits", "none"), "unknown precision"),
        (("parity", "constant", "constant", "many"), "unknown number of steps"),
    ],
)
def test_what_is_not_in_the_tables_is_refused(asked: tuple[str, ...], message: str) -> None:
    with pytest.raises(BadInput, match=message):
        circuit_verdict(*asked)


def test_every_claim_holds() -> None:
    settings = SANDBOX.settings(Budget.CPU)
    rows = compare(SANDBOX.claims(settings), SANDBOX.measure(settings, lambda progress: None))
    assert [row.claim.quantity for row in rows if not row.agrees] == []
    with pytest.raises(BadInput, match="tie"):
        SANDBOX.claims({**settings, "sensitivity": [4]})
