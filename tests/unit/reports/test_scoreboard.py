from __future__ import annotations

import dataclasses
import io
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from rich.console import Console

from foretell.core.question import Question
from foretell.protocols._asking import Request
from foretell.reports.kinds import kinds_matrix
from foretell.reports.scoreboard import build_scoreboard, question_from_json, scoreboard_json
from foretell.reports.scoreboard_page import scoreboard_page
from foretell.reports.terminal import show_scoreboard
from foretell.training.capture_plan import PRE_TRAINING
from foretell.training.record import AdaptedMember, CaptureRecord
from foretell.training.store import Store


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return Store(tmp_path / "runs")


class Saver:
    """Writes made-up runs as training would."""

    def __init__(self, store: Store, make: Any, protocol: Any, provenance: dict[str, Any]) -> None:
        self.store, self.protocol, self.provenance = store, protocol, provenance
        _, self.make_question, self.make_record = make

    def save(
        self, question: Question, count: int = 4, time: str = "", steps: int = 0, **changed: Any
    ) -> Path:
        record = self.make_record(question, seeds=count)
        plan = self.protocol.plan(question, tuple(range(count)))
        asked = {**question.as_json(), "hash": question.hash}
        folder = self.store.open_run(asked, question.hash, plan.hash + time.replace(":", ""))
        settings = {
            "protocol": "length",
            "protocol_settings": self.protocol.as_json(),
            "seeds": list(range(count)),
            "plan": {**plan.as_json(), **({"steps": steps} if steps else {})},
            **changed,
        }
        provenance = {**self.provenance, "seeds": list(range(count))}
        if time:
            provenance["time"] = time
        self.store.save_run(folder, settings, record, {"w": np.zeros(1)}, provenance)
        return folder


@pytest.fixture
def saver(store: Store, make: Any, protocol: Any, provenance: dict[str, Any]) -> Saver:
    return Saver(store, make, protocol, provenance)


def test_good_damaged_and_unfinished_runs(store: Store, saver: Saver) -> None:
    saver.save(saver.make_question("tomita-5"))
    saver.save(saver.make_question("majority"))
    damaged = saver.save(saver.make_question("parity"))
    (damaged / "values.jsonl").write_text("")
    unfinished = saver.save(saver.make_question("sort"))
    (unfinished / "run.json").unlink()
    board, problems = build_scoreboard(store)
    assert [row.question.task.name for row in board.rows] == ["majority", "tomita-5"]
    verdicts = [row.measurement.verdict.value for row in board.rows if row.measurement]
    assert verdicts == ["yes", "no"]
    assert [problem.seen for problem in problems] == [damaged]
    document = json.loads(json.dumps(scoreboard_json(board, problems)))
    assert document["rows"][0]["predictions"][0]["agreement"] == "agrees"
    assert sum(record["agrees"] for record in document["records"]) >= 1
    assert document["problems"][0]["seen"] == str(damaged)


def test_a_measurement_read_back_equals_the_one_made(store: Store, saver: Saver, make: Any) -> None:
    question = saver.make_question("tomita-5")
    saver.save(question)
    made = make[0]("tomita-5").measurement
    board, _ = build_scoreboard(store)
    found = board.rows[0].measurement
    assert found is not None
    assert board.rows[0].question.hash == question.hash
    assert (found.values, found.curves, found.reason) == (made.values, made.curves, made.reason)


@pytest.mark.parametrize(
    "changed",
    [
        {"protocol_settings": {"name": "horoscope"}},
        {"protocol_settings": {"name": "length", "moon": 1}},
        {"protocol_settings": None},
        {"seeds": "many"},
    ],
)
def test_runs_that_cannot_be_understood_are_named(
    store: Store, saver: Saver, changed: dict[str, Any]
) -> None:
    folder = saver.save(saver.make_question("majority"), **changed)
    saver.save(saver.make_question("sort"))
    board, problems = build_scoreboard(store)
    assert [row.question.task.name for row in board.rows] == ["sort"]
    assert [problem.seen for problem in problems] == [folder]
    assert problems[0].why


def test_a_question_changed_after_the_run_is_refused(store: Store, saver: Saver) -> None:
    folder = saver.save(saver.make_question("majority"))
    path = folder.parent / "question.json"
    path.write_text(path.read_text().replace("majority", "sort"))
    board, problems = build_scoreboard(store)
    assert board.rows == ()
    assert "changed after the run" in str(problems[0].why)


def test_a_theory_that_changed_its_mind_is_named(store: Store, saver: Saver) -> None:
    question = saver.make_question("majority")
    saver.save(question)
    said = {"predictor": "crasp-length", "verdict": "no"}
    store.note_predictions(question.hash, {"predictions": [said]})
    board, problems = build_scoreboard(store)
    assert len(board.rows) == 1
    assert len(problems) == 1
    assert "on record: no; now: yes" in str(problems[0])


def test_longest_training_wins_then_most_seeds_then_the_first(store: Store, saver: Saver) -> None:
    question = saver.make_question("majority")
    saver.save(question, count=4, time="2026-01-01T00:00:00+00:00")
    saver.save(question, count=4, time="2026-03-01T00:00:00+00:00")
    saver.save(question, count=4, time="2026-02-01T00:00:00+00:00")
    saver.save(question, count=2, time="2026-04-01T00:00:00+00:00")
    saver.save(question, count=9, steps=10, time="2026-05-01T00:00:00+00:00")
    board, problems = build_scoreboard(store)
    assert problems == []
    (row,) = board.rows
    assert row.measurement is not None
    assert row.measurement.provenance["time"] == "2026-01-01T00:00:00+00:00"


def test_fewer_seeds_than_a_verdict_needs_never_stand_before_enough(
    store: Store, saver: Saver
) -> None:
    question = saver.make_question("majority")
    saver.save(question, count=4, steps=100)
    saver.save(question, count=1, steps=200, time="2026-03-01T00:00:00+00:00")
    board, _ = build_scoreboard(store)
    measured = board.rows[0].measurement
    assert measured is not None and measured.provenance["seeds"] == [0, 1, 2, 3]


def test_a_line_of_the_record_that_cannot_be_read_is_none(store: Store, saver: Saver) -> None:
    question = saver.make_question("majority")
    saver.save(question)
    record = store.root / question.hash / "predictions.jsonl"
    record.write_bytes(b'\xff\n[1]\n{"predictions": [1]}\n')
    assert store.first_predictions(question.hash) == {}
    assert len(build_scoreboard(store)[0].rows) == 1


def test_theories_are_asked_task_by_task(
    store: Store, saver: Saver, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What is decided about a language is remembered for a while, so its rows follow each other."""
    for what in ("tomita-5", "majority", "parity", "sort", "tomita-3", "tomita-1"):
        saver.save(saver.make_question(what))
    asked: list[str] = []
    monkeypatch.setattr(
        "foretell.reports.scoreboard.predict", lambda asks: asked.append(asks.task.name) or ()
    )
    board, _ = build_scoreboard(store)
    assert asked == [row.question.task.name for row in board.rows] == sorted(asked)


def test_an_empty_store(store: Store) -> None:
    board, problems = build_scoreboard(store)
    assert (board.rows, problems) == ((), [])


@pytest.mark.parametrize("what", ["majority", "tomita-5", "regex:(ab)*"])
def test_questions_come_back_from_json(what: str, make: Any) -> None:
    question = make[1](what)
    assert question_from_json(json.loads(json.dumps(question.as_json()))).hash == question.hash


def test_kinds_of_model_stand_side_by_side(store: Store, saver: Saver, make: Any) -> None:
    _, make_question, _ = make
    question = make_question("parity")
    assert kinds_matrix(build_scoreboard(store)[0]) is None
    saver.save(question)
    assert kinds_matrix(build_scoreboard(store)[0]) is None  # one kind has nothing beside it
    other = dataclasses.replace(question.architecture, kind="ssm", heads=1)
    saver.save(dataclasses.replace(question, architecture=other))
    board, problems = build_scoreboard(store)
    matrix = kinds_matrix(board)
    assert matrix is not None and not problems
    assert set(matrix.kinds) == {"transformer", "ssm"} and len(matrix.tasks) == 1
    signs = {kind: cell[0][0] for kind, cell in zip(matrix.kinds, matrix.cells[0], strict=True)}
    assert signs["ssm"] == "✗"  # gates in [0, 1] cannot go around
    page = scoreboard_page(board)
    assert "Kinds of model" in page and "ssm 2L 64d" in page
    console = Console(file=io.StringIO(), width=120)
    show_scoreboard(console, board)
    assert "KINDS OF MODEL" in console.file.getvalue()


@pytest.mark.parametrize(
    ("verdicts", "stands"),
    [
        ({"alone": "no", "half": "yes"}, "yes"),
        ({"alone": "no", "mixed": "undecided"}, "undecided"),
        ({"alone": "no", "half": "no"}, "no"),
    ],
)
def test_of_several_ways_one_is_enough(store: Store, verdicts: dict[str, str], stands: str) -> None:
    """Older runs stand against newer ones in the same way, not against other ways."""
    for day, (inputs, verdict) in enumerate(verdicts.items(), 1):
        request = Request(what="sorting", protocol="capture", inputs=inputs, seeds=3)
        question, protocol = request.question(), request.build_protocol()
        plan = protocol.plan(question, (0, 1, 2))
        told = [
            AdaptedMember(PRE_TRAINING, plan.start.high, seed, "fitted", 64, 0.1, 1.0)
            for seed in plan.seeds
        ]
        for stage in plan.stages[1:]:
            for arm in stage.sources:
                for seed in plan.seeds:
                    # one run in three that is given up leaves it open
                    missed = verdict == "no" or (verdict == "undecided" and not seed)
                    status = "not fitted" if missed else "fitted"
                    samples = plan.cap if missed else 100
                    place = (arm, stage.sizes.high, seed)
                    told.append(AdaptedMember(*place, status, samples, 0.2, 0.9))
        asked = {**question.as_json(), "hash": question.hash}
        folder = store.open_run(asked, question.hash, plan.hash)
        settings = {
            "protocol": "capture",
            "protocol_settings": protocol.as_json(),
            "seeds": [0, 1, 2],
            "plan": plan.as_json(),
        }
        provenance = {"versions": {}, "device": "none", "time": f"2026-01-0{day}", "seconds": 1.0}
        record = CaptureRecord(tuple(told), (), 1.0)
        store.save_run(folder, settings, record, {"w": np.zeros(1)}, provenance)
    board, problems = build_scoreboard(store)
    (row,) = board.rows
    assert not problems and row.measurement and row.measurement.verdict.value == stands
