"""Data sets for people who train elsewhere: one row an example, JSON lines or Parquet.

Fields of a row: `input` (tokens), `target` (the label to predict after each token; empty where
nothing is scored), `mask`, `size`, `label` (the whole answer as one string), `probe`.
"""

from __future__ import annotations

import contextlib
import json
import os
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any, BinaryIO

import jax
import jax.numpy as jnp
import numpy as np
import pyarrow as arrow
from pyarrow import parquet

from foretell.core.alphabet import PAD
from foretell.core.question import SizeRange
from foretell.core.task import Task
from foretell.numerics.keys import key_for, root_key
from foretell.plain.catalogue import suggest
from foretell.plain.errors import BadInput
from foretell.plain.files import explain_disk_trouble
from foretell.tasks.next_symbols import MEMBERS, NextSymbolsTask
from foretell.training.plan import require_sizes

BATCH = 1_000  # examples a compiled call draws; also the rows a Parquet group holds
SCHEMA = arrow.schema(
    [
        ("input", arrow.list_(arrow.string())),
        ("target", arrow.list_(arrow.string())),
        ("mask", arrow.list_(arrow.bool_())),
        ("size", arrow.int64()),
        ("label", arrow.string()),
        ("probe", arrow.string()),
    ]
)
Rows = list[dict[str, Any]]


def export_task(
    task: Task,
    sizes: SizeRange,
    count: int,
    path: Path,
    format: str,
    seed: int = 0,
    probe: str | None = None,
) -> int:
    """Write `count` examples, sizes uniform over the legal ones; returns how many were written.

    `format` is `jsonl` or `parquet`; without a `probe` the training distribution is drawn.
    The same arguments give the same file, and a smaller count gives the beginning of it.
    """
    chosen = _require(task, sizes, count, format, probe)
    batches = _draw(task, require_sizes(task, sizes, chosen), count, seed, chosen)
    with _replacing(path) as stream:
        WRITERS[format](stream, batches)
    return count


def _require(task: Task, sizes: SizeRange, count: int, format: str, probe: str | None) -> str:
    if count <= 0:
        raise BadInput("an export needs at least one example", seen=count, hint="--count 1000")
    if format not in WRITERS:
        raise BadInput("unknown format", seen=format, hint=" or ".join(WRITERS))
    if sizes.high > task.longest:
        raise BadInput(
            "the range asks for sizes the task was not built for",
            seen=sizes,
            why=f"this {task.name} goes up to {task.longest}",
            hint="build the task with a larger `longest`",
        )
    if probe is not None and probe not in task.probes:
        raise BadInput(
            "unknown probe",
            seen=probe,
            why=f"{task.name} has: {', '.join(task.probes)}",
            hint=suggest(probe, task.probes),
        )
    return probe or task.probes[0]


def _draw(task: Task, legal: tuple[int, ...], count: int, seed: int, probe: str) -> Iterator[Rows]:
    width, choices = task.width(max(legal)), jnp.array(legal, jnp.int32)

    @jax.jit  # one compilation for all sizes: every batch is full, the last one is cut
    def draw(tables: Any, batch: Any) -> Any:
        key = key_for(root_key(seed), "export", task.name, probe, batch)
        drawn = jax.random.choice(key_for(key, "sizes"), choices, (BATCH,))
        return drawn, task.sample(key_for(key, "examples"), drawn, width, probe, tables)

    for batch in range(-(-count // BATCH)):
        drawn, example = jax.tree.map(np.asarray, draw(task.tables, batch))
        wanted = min(BATCH, count - batch * BATCH)
        yield [
            _row(task, probe, int(drawn[place]), *(part[place] for part in example[:3]))
            for place in range(wanted)
        ]


def _row(
    task: Task, probe: str, size: int, tokens: np.ndarray, targets: np.ndarray, mask: np.ndarray
) -> dict[str, Any]:
    length = int((tokens != PAD).sum())  # padding stands only at the end
    scored = [bool(one) for one in mask[:length]]
    real = np.issubdtype(targets.dtype, np.floating)  # a value to predict, not a class
    target = [
        (f"{float(label):.6g}" if real else task.labels[int(label)]) if counts else ""
        for label, counts in zip(targets[:length], scored, strict=True)
    ]
    return {
        "input": list(task.alphabet.decode(tokens[:length].tolist())),
        "target": target,
        "mask": scored,
        "size": size,
        "label": _label(task, probe, target),
        "probe": probe,
    }


def _label(task: Task, probe: str, target: list[str]) -> str:
    if isinstance(task, NextSymbolsTask):
        return "member" if probe == MEMBERS else probe
    return " ".join(label for label in target if label and label != "<eos>")


def _write_lines(stream: BinaryIO, batches: Iterator[Rows]) -> None:
    for rows in batches:
        text = "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
        stream.write(text.encode())


def _write_parquet(stream: BinaryIO, batches: Iterator[Rows]) -> None:
    with parquet.ParquetWriter(stream, SCHEMA) as writer:
        for rows in batches:
            writer.write_table(arrow.Table.from_pylist(rows, schema=SCHEMA))


WRITERS: Mapping[str, Callable[[BinaryIO, Iterator[Rows]], None]] = MappingProxyType(
    {"jsonl": _write_lines, "parquet": _write_parquet}
)


@contextlib.contextmanager
def _replacing(path: Path) -> Iterator[BinaryIO]:
    """A stream to a file beside `path`, renamed over it once everything is written.

    Unlike `write_atomically` this never holds the whole export in memory.
    """
    if path.is_dir():
        raise BadInput("that is a folder, not a file", seen=path, hint=str(path / "data.jsonl"))
    temporary = path.with_name(f".{path.name}.{os.getpid()}.part")
    with explain_disk_trouble(path):
        path.parent.mkdir(parents=True, exist_ok=True)
        try:
            with temporary.open("wb") as stream:
                yield stream
                stream.flush()
                os.fsync(stream.fileno())
            temporary.replace(path)
        finally:
            temporary.unlink(missing_ok=True)
