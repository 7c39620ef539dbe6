"""From the run store to a scoreboard: every finished run read again, beside what theory says now.

Nothing is trained and nothing is written. A run that cannot be understood becomes a message that
names its folder; it never hides the others.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import Any

from foretell.core.architecture import Architecture
from foretell.core.measurement import Measurement
from foretell.core.question import GeneralizesInLength, Outcome, Question, SizeRange
from foretell.core.scoreboard import Record, Row, Scoreboard
from foretell.numerics.intervals import wilson
from foretell.plain import catalogue
from foretell.plain.canonical import content_hash
from foretell.plain.errors import BadInput, StoreProblem
from foretell.tasks.lookup import task_from_json
from foretell.theory import predict
from foretell.training.store import Store, StoredRun


def build_scoreboard(store: Store) -> tuple[Scoreboard, list[StoreProblem]]:
    """All finished runs as rows, and a message for each run that cannot be read."""
    runs, problems = store.runs()
    best: dict[str, Measurement] = {}
    for run in runs:
        try:
            found = _measurement(run)
        except (BadInput, LookupError, TypeError, ValueError, AttributeError) as error:
            problems.append(_problem(run, error))
            continue
        place = found.question.hash
        if place not in best or _worth(found) > _worth(best[place]):
            best[place] = found
    rows = [Row(found.question, predict(found.question), found) for found in best.values()]
    return Scoreboard(tuple(sorted(rows, key=_order))), problems


def scoreboard_json(scoreboard: Scoreboard, problems: Sequence[StoreProblem]) -> dict[str, Any]:
    """The form promised by `foretell scoreboard --json`."""
    return {
        "rows": [_row_json(row) for row in scoreboard.rows],
        "records": [_record_json(record) for record in scoreboard.records()],
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
        outcome_from_json(described["outcome"]),
    )


def outcome_from_json(described: Mapping[str, Any]) -> Outcome:
    """The outcome that `Outcome.as_json` describes."""
    name = str(described["name"])
    if name not in OUTCOMES:
        raise BadInput("unknown outcome", seen=name, hint=catalogue.suggest(name, OUTCOMES))
    return OUTCOMES[name](described)


def _length_outcome(described: Mapping[str, Any]) -> Outcome:
    asked = tuple(SizeRange(int(low), int(high)) for low, high in described["asked"])
    low, high = described["seen"]
    return GeneralizesInLength(SizeRange(int(low), int(high)), asked)


OUTCOMES: Mapping[str, Callable[[Mapping[str, Any]], Outcome]] = MappingProxyType(
    {GeneralizesInLength.name: _length_outcome}
)


def _measurement(run: StoredRun) -> Measurement:
    described = {name: part for name, part in run.question.items() if name != "hash"}
    if content_hash(described) != run.folder.parent.name:
        raise BadInput("its question.json was changed after the run")
    question = question_from_json(described)
    given = dict(run.settings["protocol_settings"])
    protocol = catalogue.find(str(given.pop("name")), ("protocols",)).load()(**given)
    seeds = tuple(int(seed) for seed in run.settings["seeds"])
    plan = protocol.plan(question, seeds)
    return protocol.read(question, plan, run.record, dict(run.provenance))


def _worth(found: Measurement) -> tuple[int, str]:
    """More seeds first, then the newer run; times are all UTC in one format and sort as text."""
    return len(found.provenance["seeds"]), str(found.provenance.get("time", ""))


def _order(row: Row) -> tuple[str, str, str]:
    return row.question.task.name, row.question.architecture.label, row.question.hash


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
