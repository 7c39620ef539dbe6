"""Cells of an experiment, computed part by part; what is in the store is done.

foretell-runs/experiments/<name>/<cell hash>.json holds settings, values and provenance.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from foretell.plain.errors import StoreProblem
from foretell.plain.files import write_atomically
from foretell.reproductions import Cell, Experiment
from foretell.training.engine import Progress
from foretell.training.provenance import describe_machine
from foretell.training.store import Store


def in_parts(
    cells: Sequence[Cell], program: Callable[[Cell], Any], first: Callable[[Any], Any], most: int
) -> list[tuple[Cell, ...]]:
    """Cells of one program together, at most so many; the smallest by `first` come first."""
    groups: dict[Any, list[Cell]] = {}
    for cell in cells:
        groups.setdefault(program(cell), []).append(cell)
    return [
        tuple(groups[each][place : place + most])
        for each in sorted(groups, key=first)
        for place in range(0, len(groups[each]), most)
    ]


def missing(
    experiment: Experiment, cells: Sequence[Cell], store: Store, share: tuple[int, int] = (1, 1)
) -> list[tuple[Cell, ...]]:
    """What is left to compute, in parts; of several processes, what is left of one's share.

    The parts are cut before looking what is done, so that shares never overlap.
    """
    mine = experiment.parts(cells)[share[0] - 1 :: share[1]]
    left = (
        tuple(cell for cell in part if not _path(experiment, cell, store).exists()) for part in mine
    )
    return [part for part in left if part]


def compute_part(
    experiment: Experiment,
    part: Sequence[Cell],
    store: Store,
    show: Callable[[Progress], None] = lambda progress: None,
) -> None:
    """Compute the cells of one part together and store each."""
    began = time.monotonic()
    values = experiment.compute(part, show)
    machine = {
        **describe_machine(),
        "seconds": round(time.monotonic() - began, 1),
        "together": len(part),  # cells computed in these seconds
    }
    for cell, found in zip(part, values, strict=True):
        kept = {"settings": dict(cell.settings), "values": found, "provenance": machine}
        write_atomically(_path(experiment, cell, store), json.dumps(kept, indent=1))


def stored_cell(experiment: Experiment, cell: Cell, store: Store) -> dict[str, Any] | None:
    """Values and provenance of a cell; nothing if it was not computed yet."""
    path = _path(experiment, cell, store)
    if not path.exists():
        return None
    try:
        kept = json.loads(path.read_text(encoding="utf-8"))
        return {"values": kept["values"], "provenance": kept["provenance"]}
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise StoreProblem(
            "a stored cell is damaged",
            seen=path,
            why=f"{type(error).__name__}: {error}".splitlines()[0],
            hint="delete that file; all other cells are intact",
        ) from None


def _path(experiment: Experiment, cell: Cell, store: Store) -> Path:
    return store.root / "experiments" / experiment.name / f"{cell.hash}.json"
