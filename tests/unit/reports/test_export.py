from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from pyarrow import parquet

from foretell.core.question import SizeRange
from foretell.plain.errors import BadInput, StoreProblem
from foretell.reports.export import export_task
from foretell.tasks.lookup import find_task

SIZES = SizeRange(3, 12)
CASES = [
    ("majority", None),
    ("sort", None),
    ("addition", None),
    ("dyck-1", None),
    ("tomita-5", "members"),
    ("tomita-5", "near-non-members"),
]


def read_lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


@pytest.mark.parametrize(("what", "probe"), CASES)
def test_every_row_is_what_the_oracle_says(what: str, probe: str | None, tmp_path: Path) -> None:
    task = find_task(what, 12)
    path = tmp_path / "data.jsonl"
    assert export_task(task, SIZES, 40, path, "jsonl", probe=probe) == 40
    rows = read_lines(path)
    assert len(rows) == 40
    for row in rows:
        tokens = list(task.alphabet.encode(row["input"]))
        word = task.read_word(tokens)
        expected, targets, mask = task.lay_out(word)
        assert (tokens, row["mask"]) == (expected, mask)
        labels = [task.labels[t] if m else "" for t, m in zip(targets, mask, strict=True)]
        assert row["target"] == labels
        assert row["size"] in task.sizes(3, 12, probe)
        if probe is None and what != "dyck-1":
            assert row["label"] == " ".join(task.answer(word))
    if what == "tomita-5":
        assert {row["label"] for row in rows} == {"member" if probe == "members" else probe}
    assert len({row["size"] for row in rows}) > 1


@pytest.mark.parametrize("what", ["boolean:parity,T=5", "boolean:degree=2,sparsity=3,T=6"])
def test_values_are_written_as_numbers(what: str, tmp_path: Path) -> None:
    task, path = find_task(what), tmp_path / "data.jsonl"
    export_task(task, SizeRange(1, task.longest), 20, path, "jsonl")
    for row in read_lines(path):
        (said,) = [target for target in row["target"] if target]
        word = task.read_word(list(task.alphabet.encode(row["input"])))
        assert row["label"] == said
        assert float(said) == pytest.approx(float(task.answer(word)[0]), rel=1e-4, abs=1e-6)


def test_both_formats_hold_the_same_rows(tmp_path: Path) -> None:
    task = find_task("sort", 12)
    export_task(task, SIZES, 1_005, tmp_path / "a.jsonl", "jsonl", seed=3)
    export_task(task, SIZES, 1_005, tmp_path / "a.parquet", "parquet", seed=3)
    rows = read_lines(tmp_path / "a.jsonl")
    assert len(rows) == 1_005
    assert parquet.read_table(tmp_path / "a.parquet").to_pylist() == rows
    assert rows[0] != rows[1_000]  # batches differ


def test_seeds_decide_and_counts_only_cut(tmp_path: Path) -> None:
    task = find_task("parity", 12)
    texts = {}
    for name, count, seed in (("a", 30, 0), ("b", 30, 0), ("c", 30, 1), ("d", 10, 0)):
        export_task(task, SIZES, count, tmp_path / name, "jsonl", seed)
        texts[name] = (tmp_path / name).read_text()
    assert texts["a"] == texts["b"] != texts["c"]
    assert texts["a"].startswith(texts["d"])
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a", "b", "c", "d"]


@pytest.mark.parametrize(
    ("what", "settings", "says"),
    [
        ("majority", {"count": 0}, "at least one example"),
        ("majority", {"count": -3}, "at least one example"),
        ("majority", {"format": "csv"}, "unknown format"),
        ("majority", {"sizes": SizeRange(3, 500)}, "not built for"),
        ("tomita-5", {"probe": "membrs"}, "members, non-members, near-non-members"),
        ("dyck-1", {"sizes": SizeRange(5, 5)}, "no input in that range"),
    ],
)
def test_refusals(what: str, settings: dict[str, Any], says: str, tmp_path: Path) -> None:
    given = {"sizes": SIZES, "count": 5, "path": tmp_path / "x", "format": "jsonl", **settings}
    with pytest.raises(BadInput, match=says):
        export_task(find_task(what, 12), **given)
    assert list(tmp_path.iterdir()) == []


def test_a_place_that_cannot_be_written(tmp_path: Path) -> None:
    task = find_task("parity", 12)
    with pytest.raises(BadInput, match="folder"):
        export_task(task, SIZES, 5, tmp_path, "jsonl")
    (tmp_path / "file").write_text("")
    with pytest.raises(StoreProblem):
        export_task(task, SIZES, 5, tmp_path / "file" / "x", "jsonl")
