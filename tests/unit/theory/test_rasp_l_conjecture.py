"""Yes as a conjecture with a program that runs; otherwise nothing; always with what is against."""

from __future__ import annotations

import pytest

from foretell.core import Architecture, Question, SizeRange
from foretell.core.prediction import NotApplicable, Prediction, Strength
from foretell.core.question import GeneralizesInLength, Verdict
from foretell.rasp_l.programs import PROGRAMS
from foretell.tasks.lookup import find_task
from foretell.theory._rasp_l import RaspLCertificate
from foretell.theory.rasp_l_conjecture import RaspLConjecture


def ask(name: str) -> Prediction | NotApplicable:
    task = find_task(name, 12)
    shape = Architecture(
        layers=2, heads=2, width=64, positional="ape", context=task.width(task.longest)
    )
    outcome = GeneralizesInLength(SizeRange(1, 6), (SizeRange(7, 12),))
    return RaspLConjecture().predict(Question(task, shape, outcome))


@pytest.mark.parametrize(
    ("name", "size"),
    [("majority", 4), ("binary-majority", 1), ("copy-unique", 2), ("sort", 1)],
)
def test_a_known_program_is_a_yes_and_a_certificate(name: str, size: int) -> None:
    said = ask(name)
    assert isinstance(said, Prediction)
    assert (said.verdict, said.strength) == (Verdict.YES, Strength.CONJECTURE)
    assert isinstance(said.certificate, RaspLCertificate)
    assert said.certificate.program.size == size
    assert said.certificate.check().holds
    assert "Cheng" in said.reason and any("Cheng" in source for source in said.sources)


@pytest.mark.parametrize("name", ["dyck-1", "regex:(aa)*", "tomita-4"])
def test_where_nobody_looked_there_is_nothing_to_say(name: str) -> None:
    said = ask(name)
    assert isinstance(said, NotApplicable) and "says nothing" in said.reason


@pytest.mark.parametrize("name", ["parity", "copy-repeat", "addition"])
def test_no_known_program_is_never_a_no(name: str) -> None:
    said = ask(name)
    assert isinstance(said, Prediction)
    assert said.verdict is Verdict.UNDECIDED and said.searched_only
    assert said.certificate is None and "Cheng" in said.reason


def test_a_wrong_program_is_found_out() -> None:
    found = RaspLCertificate(PROGRAMS["sort"](), find_task("copy-unique", 8)).check()
    assert not found.holds and "the oracle" in found.how
