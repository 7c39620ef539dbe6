"""SQL over the store, and Parquet out of it, by DuckDB.

Kept apart from the store because DuckDB is not on every machine that trains.
"""

from __future__ import annotations

import math
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import duckdb
import pyarrow as arrow

from foretell.core.architecture import KINDS
from foretell.plain.errors import BadInput, StoreProblem
from foretell.plain.files import explain_disk_trouble
from foretell.training.record import Record
from foretell.training.store import Store, StoredRun

COLUMNS = {
    "question": arrow.string(),
    "run": arrow.string(),
    "task": arrow.string(),
    "architecture": arrow.string(),
    "positional": arrow.string(),
    "layers": arrow.int64(),
    "heads": arrow.int64(),
    "width": arrow.int64(),
    "protocol": arrow.string(),
    "seed": arrow.int64(),
    "status": arrow.string(),
    "probe": arrow.string(),
    "low": arrow.int64(),
    "high": arrow.int64(),
    "size": arrow.int64(),
    "right": arrow.int64(),
    "tried": arrow.int64(),
}


Tell = Callable[[StoreProblem], None]  # hears of each run that is left out


def table(store: Store, tell: Tell = lambda problem: None) -> arrow.Table:
    """Every score of every intact run, one row each."""
    rows: list[dict[str, Any]] = []
    for run in store.each_run():
        if isinstance(run, StoreProblem):
            tell(run)
            continue
        try:
            rows += _rows(run)
        except (KeyError, TypeError, AttributeError) as error:
            why = f"{type(error).__name__}: {error}"
            tell(StoreProblem("a run in the store cannot be read", seen=run.folder, why=why))
    return arrow.Table.from_pylist(rows, schema=arrow.schema(list(COLUMNS.items())))


def _rows(run: StoredRun) -> list[dict[str, Any]]:
    if not isinstance(run.record, Record):
        return []  # fitted functions have no scores by size
    shape = run.question["architecture"]
    ended = {member.seed: member.status for member in run.record.members}
    fixed = {
        "question": run.folder.parent.name,
        "run": run.folder.name,
        "task": run.question["task"]["name"],
        "architecture": shape.get("kind", KINDS[0]),
        "positional": shape["positional"],
        "layers": shape["layers"],
        "heads": shape["heads"],
        "width": shape["width"],
        "protocol": run.settings["protocol"],
    }
    return [
        {**fixed, **score._asdict(), "status": ended[score.seed]} for score in run.record.scores
    ]


def query(store: Store, sql: str, tell: Tell = lambda problem: None) -> list[dict[str, Any]]:
    """Rows of a query over the table `scores`; it can read that table and nothing else."""
    try:
        found = _connect(store, tell).sql(sql).to_arrow_table()
        if len(set(found.column_names)) < len(found.column_names):
            raise AttributeError("two columns of the same name; give one another: AS other")
        return [{name: _finite(own) for name, own in row.items()} for row in found.to_pylist()]
    except (duckdb.Error, AttributeError) as error:
        raise BadInput(
            "the query does not run",
            seen=sql,
            why=str(error).splitlines()[0],
            hint=f"one SELECT over the table `scores` with columns {', '.join(COLUMNS)}",
        ) from None


def _finite(value: Any) -> Any:
    """JSON has no NaN and no infinity."""
    return None if isinstance(value, float) and not math.isfinite(value) else value


def export_parquet(store: Store, path: Path, tell: Tell = lambda problem: None) -> int:
    """Write the table `scores` as Parquet; returns the number of rows."""
    scores = table(store, tell)
    with explain_disk_trouble(path):
        path.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=path.parent) as folder:
            whole = Path(folder) / "scores.parquet"
            duckdb.from_arrow(scores).write_parquet(str(whole))
            whole.replace(path)
    return scores.num_rows


def _connect(store: Store, tell: Tell) -> duckdb.DuckDBPyConnection:
    connection = duckdb.connect()
    connection.register("scores", table(store, tell))
    connection.sql("SET enable_external_access = false")  # a query must not read other files
    return connection
