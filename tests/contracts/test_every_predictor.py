"""Every predictor answers every question honestly: the folder walk finds new ones by itself."""

from __future__ import annotations

import functools
import itertools
import json
from typing import Any

import pytest

from foretell.core import Architecture, Prediction, Predictor, Question, SizeRange, Task
from foretell.core.prediction import NotApplicable, Standing, Strength
from foretell.core.question import GeneralizesInLength, Verdict
from foretell.core.scoreboard import Row
from foretell.plain import catalogue
from foretell.plain.canonical import canonical_json
from foretell.tasks.lookup import find_task
from foretell.theory import predict

PREDICTORS = catalogue.entries("predictors")
TASKS = [entry.name for kind in ("tasks", "languages") for entry in catalogue.entries(kind)]
POSITIONALS = ("nope", "ape", "rotary")
LONGEST = 12  # no theory here looks at sizes, and programs over few symbols check faster
PROMISED = {
    "predictor",
    "architecture",
    "outcome",
    "verdict",
    "strength",
    "reason",
    "bound",
    "assumptions",
    "certificate",
    "sources",
}

# The oracle, copied by hand from the literature: is there a C-RASP[∅] program, is there a
# C-RASP[periodic, local] program? (Huang et al., Tables 1 and 3; "none" is "none found".)
PUBLISHED = {
    "tomita-1": ("yes", "yes"),
    "tomita-2": ("yes", "yes"),
    "tomita-3": ("no", "no"),
    "tomita-4": ("no", "yes"),
    "tomita-5": ("no", "no"),
    "tomita-6": ("no", "no"),
    "tomita-7": ("yes", "yes"),
    "d-2": ("yes", "yes"),
    "d-3": ("yes", "yes"),
    "d-4": ("yes", "yes"),
    "d-12": ("yes", "yes"),
    "parity-language": ("no", "no"),
    "aa-star": ("no", "yes"),
    "aaaa-star": ("no", "yes"),
    "abab-star": ("no", "yes"),
    "abcde": ("yes", "yes"),
    "ab-d-bc": ("yes", "yes"),
    "012-star-02": ("no", "no"),
    "dyck-1": ("yes", "yes"),
    "anbn": ("yes", "yes"),
    "anbncn": ("yes", "yes"),
    "binary-majority": ("yes", "yes"),
    "binary-majority-interleave": ("none", "yes"),
    "majority": ("yes", "yes"),
    "sort": ("yes", "yes"),
    "copy-unique": ("no", "yes"),
    "copy-repeat": ("no", "no"),
    "parity": ("no", "no"),
    "addition": ("no", "no"),
}
SAYS = {
    "yes": (Verdict.YES, Strength.CONDITIONAL),
    "no": (Verdict.NO, Strength.CONJECTURE),
    "none": (Verdict.UNDECIDED, Strength.HEURISTIC),
}
COLUMN = {"nope": 0, "ape": 1}


@functools.cache
def task_named(name: str) -> Task:
    return find_task(name, LONGEST)


def ask(task: str, positional: str, **changes: Any) -> Question:
    built = task_named(task)
    shape = {"layers": 2, "heads": 2, "width": 64, "positional": positional, **changes}
    outcome = GeneralizesInLength(SizeRange(1, 6), (SizeRange(7, LONGEST),))
    return Question(built, Architecture(context=built.width(LONGEST), **shape), outcome)


@functools.cache
def answer(predictor: str, task: str, positional: str) -> Prediction | NotApplicable:
    return catalogue.find(predictor, ("predictors",)).load()().predict(ask(task, positional))


@pytest.fixture(params=PREDICTORS, ids=lambda entry: entry.name)
def entry(request: pytest.FixtureRequest) -> catalogue.Entry:
    return request.param


def test_there_is_a_predictor() -> None:
    assert "crasp-length" in {entry.name for entry in PREDICTORS}


def test_it_loads_under_its_own_name_and_is_documented(entry: catalogue.Entry) -> None:
    predictor = entry.load()()
    assert isinstance(predictor, Predictor)
    assert predictor.name == entry.name
    assert tuple(name for name, _ in entry.sections) == catalogue.SECTIONS
    assert all(text for _, text in entry.sections)


def test_it_answers_every_question_or_says_why_not(entry: catalogue.Entry) -> None:
    for task, positional in itertools.product(TASKS, POSITIONALS):
        said = answer(entry.name, task, positional)
        assert isinstance(said, Prediction | NotApplicable), (task, positional)
        assert said.predictor == entry.name, (task, positional)
        assert said.question == ask(task, positional)
        assert said.reason.strip(), (task, positional)


def test_its_predictions_are_json_with_the_promised_keys(entry: catalogue.Entry) -> None:
    for task, positional in itertools.product(TASKS, POSITIONALS):
        said = answer(entry.name, task, positional)
        if isinstance(said, Prediction):
            described = said.as_json()
            assert set(described) == PROMISED, (task, positional)
            assert json.loads(canonical_json(described)) == described, (task, positional)
            assert all(source.strip() for source in said.sources), (task, positional)
            assert all(each.text.strip() for each in said.assumptions), (task, positional)


def test_it_is_a_function_of_the_question(entry: catalogue.Entry) -> None:
    for task, positional in itertools.product(("parity", "tomita-4"), POSITIONALS):
        again = entry.load()().predict(ask(task, positional))
        assert again == answer(entry.name, task, positional)


def test_its_certificates_hold(entry: catalogue.Entry) -> None:
    """For every task the strictest fragment stands for all."""
    for task in TASKS:
        answers = (answer(entry.name, task, positional) for positional in POSITIONALS)
        made = (said.certificate for said in answers if isinstance(said, Prediction))
        certificate = next((each for each in made if each is not None), None)
        if certificate is not None:
            checked = certificate.check()
            assert checked.holds, (task, checked.how)


def test_all_theories_together_make_a_row() -> None:
    asked = ask("majority", "nope")
    said = predict(asked)
    assert [each.predictor for each in said] == [entry.name for entry in PREDICTORS]
    Row(asked, said, None)


# What this predictor in particular must say.


def test_the_oracle_knows_every_task() -> None:
    assert set(PUBLISHED) <= set(TASKS)


@pytest.mark.parametrize("positional", COLUMN)
@pytest.mark.parametrize("task", PUBLISHED)
def test_crasp_length_says_what_is_published(task: str, positional: str) -> None:
    said = answer("crasp-length", task, positional)
    assert isinstance(said, Prediction)
    column = PUBLISHED[task][COLUMN[positional]]
    assert (said.verdict, said.strength) == SAYS[column]
    assert said.searched_only == (column == "none")
    assert Standing.ASSUMED in {each.standing for each in said.assumptions}
    assert any("Huang" in source for source in said.sources)


@pytest.mark.parametrize("task", PUBLISHED)
def test_crasp_length_has_nothing_to_say_about_rotary(task: str) -> None:
    said = answer("crasp-length", task, "rotary")
    assert isinstance(said, NotApplicable)
    assert "rotary" in said.reason


@pytest.mark.parametrize(("positional", "verdict"), [("nope", Verdict.NO), ("ape", Verdict.YES)])
def test_crasp_length_decides_a_language_nobody_declared(positional: str, verdict: Verdict) -> None:
    task = find_task("regex:(aa)*")
    shape = Architecture(
        layers=1, heads=1, width=16, positional=positional, context=task.width(150)
    )
    outcome = GeneralizesInLength(SizeRange(1, 50), (SizeRange(101, 150),))
    said = catalogue.find("crasp-length").load()().predict(Question(task, shape, outcome))
    assert isinstance(said, Prediction)
    assert said.verdict is verdict
    assert said.certificate is not None
    assert said.certificate.check().holds


def test_crasp_length_states_where_each_assumption_stands() -> None:
    def standings(**changes: Any) -> dict[str, Standing]:
        said = catalogue.find("crasp-length").load()().predict(ask("majority", "nope", **changes))
        return {each.text: each.standing for each in said.assumptions}

    def the(word: str, found: dict[str, Standing]) -> Standing:
        (match,) = [standing for text, standing in found.items() if word in text]
        return match

    usual = standings()
    ideal = standings(norm=False, attention_scale="log-length", activation="relu")
    assert the("positional encoding", usual) is Standing.CHECKED
    assert the("idealised transformer", usual) is the("declared", usual) is Standing.ASSUMED
    # what this architecture has beyond the idealisation is named; precision is never checked
    assert the("with layer norm, gelu units", usual) is Standing.ASSUMED
    assert not [text for text in ideal if "carries over to this one, with" in text]
