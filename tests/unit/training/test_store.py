"""The run store: whole or absent, several processes at once, damage named and skipped."""

import json
import multiprocessing
from pathlib import Path

import numpy as np
import pyarrow.parquet as parquet
import pytest

from foretell.plain.errors import BadInput, StoreProblem
from foretell.training.queries import export_parquet, query
from foretell.training.record import MemberRecord, Record, Score
from foretell.training.store import Store

QUESTION = {
    "task": {"name": "parity", "longest": 12},
    "architecture": {"positional": "nope", "layers": 1, "heads": 1, "width": 8},
    "outcome": {},
}
RECORD = Record(
    (MemberRecord(0, 1e-3, "fitted", 40, 0.1), MemberRecord(1, 1e-3, "diverged", 20, 2.0)),
    tuple(Score(seed, "typical", 1, 6, size, 3, 4) for seed in (0, 1) for size in (1, 2)),
    (("typical", 1, 6, (0.5, 0.75)),),
    ({"step": 20, "loss": [0.1, None], "in_range": [1.0, 0.5]},),
    1.5,
)


def save(store, question="q0", run="r0"):
    folder = store.open_run(QUESTION, question, run)
    with store.working_on(folder):
        store.save_run(
            folder, {"protocol": "length"}, RECORD, {"w": np.ones(2)}, {"device": "here"}
        )
    return folder


def test_round_trip(tmp_path):
    store = Store(tmp_path)
    folder = save(store)
    loaded = store.load_run(folder)
    assert loaded.record == RECORD
    assert loaded.provenance == {"device": "here"}
    assert not list(folder.glob("checkpoint*"))


def test_an_unfinished_run_is_not_a_run(tmp_path):
    store = Store(tmp_path)
    folder = store.open_run(QUESTION, "q0", "r0")
    assert store.load_run(folder) is None
    assert store.runs() == ([], [])


def cut_values(folder):
    path = folder / "values.jsonl"
    path.write_text("".join(path.read_text().splitlines(keepends=True)[:-1]))


def garble_values(folder):
    (folder / "values.jsonl").write_text("{]\n" * 4)


def remove_question(folder):
    (folder.parent / "question.json").unlink()


def empty_run(folder):
    (folder / "run.json").write_text("")


def wrong_types(folder):
    (folder / "run.json").write_text("[1, 2]")


@pytest.mark.parametrize(
    "damage", [cut_values, garble_values, remove_question, empty_run, wrong_types]
)
def test_a_damaged_run_is_named_and_skipped(tmp_path, damage):
    store = Store(tmp_path)
    good = save(store, "q0")
    bad = save(store, "q1")
    damage(bad)
    runs, problems = store.runs()
    assert [run.folder for run in runs] == [good]
    assert len(problems) == 1
    assert str(bad) in str(problems[0])
    assert len(query(store, "SELECT * FROM scores")) == 4


def write_many(root, worker, barrier):
    store = Store(Path(root))
    barrier.wait()
    for number in range(10):
        save(store, f"q{number}", f"r{worker}")
        store.note_predictions(f"q{number}", {"worker": worker, "text": "x" * 3000})


def test_two_processes_lose_nothing(tmp_path):
    context = multiprocessing.get_context("spawn")
    barrier = context.Barrier(2)
    workers = [
        context.Process(target=write_many, args=(str(tmp_path), name, barrier)) for name in "ab"
    ]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join(timeout=120)
        assert worker.exitcode == 0
    runs, problems = Store(tmp_path).runs()
    assert (len(runs), problems) == (20, [])
    for number in range(10):
        lines = (tmp_path / f"q{number}" / "predictions.jsonl").read_text().splitlines()
        assert sorted(json.loads(line)["worker"] for line in lines) == ["a", "b"]


def test_one_run_is_worked_on_by_one_process(tmp_path):
    store = Store(tmp_path)
    folder = store.open_run(QUESTION, "q0", "r0")
    with store.working_on(folder):  # noqa: SIM117
        with pytest.raises(BadInput, match="another process"), store.working_on(folder):
            pass


def test_a_store_that_is_a_file_is_refused(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(StoreProblem, match="cannot write"):
        Store(tmp_path / "file").open_run(QUESTION, "q0", "r0")


def test_the_folder_comes_from_the_argument_then_the_environment(tmp_path, monkeypatch):
    monkeypatch.setenv("FORETELL_STORE", str(tmp_path))
    assert Store.at().root == tmp_path
    assert Store.at("else").root == Path("else")
    monkeypatch.delenv("FORETELL_STORE")
    assert Store.at().root == Path("foretell-runs")


def test_sql_and_parquet(tmp_path):
    store = Store(tmp_path / "runs")
    save(store)
    rows = query(store, 'SELECT seed, status, sum("right") AS hits FROM scores GROUP BY ALL')
    assert sorted((row["seed"], row["status"], row["hits"]) for row in rows) == [
        (0, "fitted", 6),
        (1, "diverged", 6),
    ]
    assert export_parquet(store, tmp_path / "out" / "scores.parquet") == 4
    assert parquet.read_table(tmp_path / "out" / "scores.parquet").num_rows == 4


@pytest.mark.parametrize(
    "sql", ["SELEC", "SELECT * FROM elsewhere", "SELECT * FROM read_csv('/etc/passwd')"]
)
def test_a_query_that_cannot_run_is_bad_input(tmp_path, sql):
    with pytest.raises(BadInput, match="does not run"):
        query(Store(tmp_path), sql)
