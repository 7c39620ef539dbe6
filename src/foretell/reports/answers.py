"""The main job in three functions: predict, measure, check. Command line and Python share them."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from pathlib import Path
from typing import Any

from foretell.core.architecture import FIXED_STATE, KINDS
from foretell.core.prediction import NotApplicable, Prediction
from foretell.core.question import Question
from foretell.core.scoreboard import Row
from foretell.plain.errors import BadInput
from foretell.protocols import _running
from foretell.protocols._asking import Request, check_names, request_from_file
from foretell.reports.hindsight import begun, without_hindsight
from foretell.theory import predict as ask_theories
from foretell.training.engine import Progress
from foretell.training.provenance import describe_machine
from foretell.training.store import Store

LENGTH = "length"  # the protocol whose theories tell encodings apart,
PREDICTED = ("nope", "ape")  # these two when nobody names one


def requests(what: str, unsaid: str = "", **settings: Any) -> tuple[Request, ...]:
    """One request for each architecture (`transformer,gru`) and each positional encoding named.

    If no encoding is named, it is the protocol's own; where lengths are asked about, `unsaid` are.
    Recurrent models have none. An `architecture` may also be called `kind`. A TOML file may set
    anything; what is given beside it wins.
    """
    chosen = {name: value for name, value in settings.items() if value is not None}
    if what.endswith(".toml"):
        chosen = {**request_from_file(Path(what)), **chosen}
        what = chosen.pop("what")
    if {"architecture", "kind"} <= chosen.keys():
        both = chosen["architecture"], chosen["kind"]
        raise BadInput("architecture and kind are one setting", seen=both, hint="leave one out")
    kinds = _named(chosen.pop("architecture", chosen.pop("kind", KINDS[0])))
    check_names(chosen)
    named = chosen.pop("positional", None)
    found: list[Request] = []
    for kind in kinds:
        usual = Request(what=what, kind=kind, **chosen)
        several = unsaid and usual.protocol == LENGTH and kind not in FIXED_STATE
        if named is None and not several:
            found.append(usual)
            continue
        encodings = _named(unsaid if named is None else named)
        found += [dataclasses.replace(usual, positional=each) for each in encodings]
    return tuple(found)


def _named(given: Any) -> list[str]:
    """A list, or names separated by commas."""
    parts = given if isinstance(given, list | tuple) else str(given).split(",")
    if not parts:
        raise BadInput("an empty list asks for nothing", seen=given, hint='positional = "nope"')
    return [str(part).strip() for part in parts]


def predict(what: str, **settings: Any) -> tuple[Prediction | NotApplicable, ...]:
    """Every theory's answer, without training anything.

    >>> said = [each for each in predict("sort") if each.predictor == "crasp-length"]
    >>> [(each.question.architecture.positional, each.verdict.value) for each in said]
    [('nope', 'yes'), ('ape', 'yes')]
    """
    asked = (request.question() for request in requests(what, ",".join(PREDICTED), **settings))
    different = {question.hash: question for question in asked}  # an encoding may not matter
    return tuple(answer for question in different.values() for answer in ask_theories(question))


def measure(
    what: str,
    *,
    store: Store | str | Path | None = None,
    show: Callable[[Progress], None] = lambda progress: None,
    **settings: Any,
) -> tuple[Row, ...]:
    """Train and test, one row an encoding, without asking any theory."""
    rows = []
    for request in requests(what, **settings):
        question = request.question()
        measured = _running.measure(
            question, request.build_protocol(), request.seed_list(), _store(store), show
        )
        rows.append(Row(question, (), measured))
    return tuple(rows)


def check(
    what: str,
    *,
    store: Store | str | Path | None = None,
    show: Callable[[Progress], None] = lambda progress: None,
    **settings: Any,
) -> tuple[Row, ...]:
    """Predict, put the prediction on record, then measure and compare."""
    asked = requests(what, **settings)
    said = {}
    for request in asked:  # all predictions stand in the store before the first training starts
        question = request.question()
        said[question.hash] = put_on_record(question, _store(store))
    rows = []
    for row in measure(what, store=store, show=show, **settings):
        assert row.measurement is not None  # `measure` makes rows of what it measured
        place, before = row.question.hash, begun(row.measurement.provenance)
        on_record = _store(store).first_predictions(place, before)
        answers = without_hindsight(said[place], on_record)  # it may have been stored already
        rows.append(dataclasses.replace(row, predictions=answers))
    return tuple(rows)


def put_on_record(question: Question, store: Store) -> tuple[Prediction | NotApplicable, ...]:
    """Ask every theory, and write into the store what they say before anything is measured.

    What is on record stays as it is; a theory that came later is added.
    """
    said = ask_theories(question)
    stated = [answer for answer in said if isinstance(answer, Prediction)]
    if {answer.predictor for answer in stated} - set(store.first_predictions(question.hash)):
        line = {**describe_machine(), "predictions": [answer.as_json() for answer in stated]}
        store.note_predictions(question.hash, line)
    return said


def _store(store: Store | str | Path | None) -> Store:
    return store if isinstance(store, Store) else Store.at(store)
