"""From the run store to a scoreboard: every finished run read again, beside what theory says now.

Nothing is trained and nothing is written. A run that cannot be understood becomes a message that
names its folder; it never hides the others.
"""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Mapping, Sequence
from typing import Any

from foretell.core.architecture import Architecture
from foretell.core.measurement import Measurement
from foretell.core.prediction import Prediction
from foretell.core.protocol import Protocol
from foretell.core.question import Outcome, Question, Verdict
from foretell.core.scoreboard import Record, Row, Scoreboard
from foretell.numerics.intervals import wilson
from foretell.plain import catalogue
from foretell.plain.canonical import content_hash
from foretell.plain.errors import BadInput, StoreProblem
from foretell.reports.hindsight import Said, begun, without_hindsight
from foretell.reports.misses import misses
from foretell.reports.orders import orders
from foretell.tasks.lookup import task_from_json
from foretell.theory import predict
from foretell.training.store import Store, StoredRun

FEWEST = 3  # seeds that every rule of decision asks for
RANK = (Verdict.YES, Verdict.UNDECIDED, Verdict.NO)  # of ways of which one is enough


def build_scoreboard(store: Store) -> tuple[Scoreboard, list[StoreProblem]]:
    """All finished runs as rows, and a message for each that cannot be read or was foretold anew.

    Of several runs of one question, those with seeds enough for a verdict go first; of them the one
    with the longest training stands, then the one with the most seeds, then the oldest: running
    again until it agrees does not help. Where a protocol
    has several ways, of which one is enough, that is so of each way, and yes goes before undecided
    before no.
    """
    problems: list[StoreProblem] = []
    best: dict[tuple[str, str], tuple[tuple[bool, int, int], Measurement]] = {}
    for run in store.each_run():
        if isinstance(run, StoreProblem):
            problems.append(run)
            continue
        try:
            found, way = _measurement(run)
            seeds = len(run.settings["seeds"])
            worth = (seeds >= FEWEST, int(run.settings["plan"]["steps"]), seeds)
        except (BadInput, LookupError, TypeError, ValueError, AttributeError) as error:
            problems.append(_problem(run, error))
            continue
        place = (found.question.hash, way)
        known = best.get(place)
        if known is None or (worth, _time(known[1])) > (known[0], _time(found)):
            best[place] = (worth, found)
    standing: dict[str, Measurement] = {}
    for _, found in sorted(best.values(), key=lambda each: _time(each[1])):
        known_so = standing.get(found.question.hash)
        if known_so is None or RANK.index(found.verdict) < RANK.index(known_so.verdict):
            standing[found.question.hash] = found
    # Task by task, so that what theories decide about a language is asked for while remembered.
    ordered = sorted(standing.values(), key=_order)
    rows = []
    for found in ordered:
        asked = found.question
        said = predict(asked)
        on_record = store.first_predictions(asked.hash, before=begun(found.provenance))
        rows.append(Row(asked, without_hindsight(said, on_record), found))
        problems += _changed_predictions(store, asked, said)
    return Scoreboard(tuple(rows)), problems


def _time(found: Measurement) -> str:
    """Times are all UTC in one format and sort as text."""
    return str(found.provenance.get("time", ""))


def _changed_predictions(store: Store, asked: Question, said: Said) -> list[StoreProblem]:
    """A theory that says something else now than before the run is named: hindsight is no hit."""
    first = store.first_predictions(asked.hash)
    return [
        StoreProblem(
            "a theory changed its prediction after it was put on record",
            seen=f"{now.predictor} on {asked.task.name}",
            why=f"on record: {first[now.predictor]}; now: {now.verdict.value}",
            hint="the scoreboard shows today's, or none if it is a rule made from runs",
        )
        for now in said
        if isinstance(now, Prediction)
        and first.get(now.predictor, now.verdict.value) != now.verdict.value
    ]


def scoreboard_json(scoreboard: Scoreboard, problems: Sequence[StoreProblem]) -> dict[str, Any]:
    """The form promised by `foretell scoreboard --json`."""
    return {
        "rows": [_row_json(row) for row in scoreboard.rows],
        "records": [_record_json(record) for record in scoreboard.records()],
        "misses": [miss.as_json() for miss in misses(scoreboard)],
        "orders": [order.as_json() for order in orders(scoreboard)],
        "problems": [problem.as_json() for problem in problems],
    }


def _row_json(row: Row) -> dict[str, Any]:
    return {
        "question": row.question.hash,
        "task": row.question.task.name,
        "architecture": row.question.architecture.as_json(),
        "outcome": row.question.outcome.as_json(),
        "predictions": [
            {**item.as_json(), "agreement": row.agreement(item).value} for item in row.stated
        ],
        "measurement": row.measurement.as_json() if row.measurement else None,
    }


def _record_json(record: Record) -> dict[str, Any]:
    known = dataclasses.asdict(record)
    if not record.settled:
        return {**known, "hit_rate": None, "interval": None}
    interval = wilson(record.agrees, record.settled)
    return {**known, "hit_rate": record.agrees / record.settled, "interval": list(interval)}


def question_from_json(described: Mapping[str, Any]) -> Question:
    """The question that `Question.as_json` describes."""
    return Question(
        task_from_json(described["task"]),
        Architecture(**described["architecture"]),
        Outcome.read(described["outcome"]),
    )


def _measurement(run: StoredRun) -> tuple[Measurement, str]:
    """What a run says, and in which way of its protocol it was made."""
    described = {name: part for name, part in run.question.items() if name != "hash"}
    if content_hash(described) != run.folder.parent.name:
        raise BadInput("its question.json was changed after the run")
    question = question_from_json(described)
    given = dict(run.settings["protocol_settings"])
    protocol = _protocol(str(given.pop("name")))(**given)
    seeds = tuple(int(seed) for seed in run.settings["seeds"])
    plan = protocol.plan(question, seeds)
    return protocol.read(question, plan, run.record, dict(run.provenance)), protocol.way


@functools.cache  # finding a class reads every file of the folder
def _protocol(name: str) -> type[Protocol[Any, Any]]:
    found: type[Protocol[Any, Any]] = catalogue.find(name, ("protocols",)).load()
    return found


def _order(found: Measurement) -> tuple[str, str, str]:
    question = found.question
    return question.task.name, question.architecture.label, question.hash


def _problem(run: StoredRun, error: Exception) -> StoreProblem:
    why = error.what if isinstance(error, BadInput) else f"{type(error).__name__}: {error}"
    if isinstance(error, BadInput) and error.seen is not None:
        why += f": {error.seen}"
    return StoreProblem(
        "a run in the store cannot be understood",
        seen=run.folder,
        why=why.splitlines()[0],
        hint="it may come from another version of foretell; all other runs are intact",
    )
