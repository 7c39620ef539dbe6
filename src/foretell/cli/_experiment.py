"""An experiment run from the command line: part by part, then shown."""

from __future__ import annotations

import sys
import time
from collections.abc import Sequence
from typing import TYPE_CHECKING

from foretell.plain.errors import BadInput

if TYPE_CHECKING:
    from foretell.reports.reproduced.fitted import Whole
    from foretell.reproductions import Cell, Experiment
    from foretell.training.store import Store


def run(
    experiment: Experiment,
    budget: str,
    seeds: int | None,
    only: str | None,
    positional: str | None,
    minutes: float | None,
    share: tuple[int, int] | None,
    store: Store,
) -> Whole:
    """Compute what was chosen, or this process's share of it; then gather all the store has."""
    from foretell.cli import _start
    from foretell.reports.reproduced import fitted

    if positional is not None:
        raise BadInput("an experiment has no encodings to choose from", seen=positional)
    cells = fitted.chosen(experiment, budget, seeds, only)
    if share is not None:
        _start.prepare_jax(budget)
        _compute(experiment, cells, store, minutes, share)
    whole: Whole = fitted.collect(experiment, budget, seeds, store)
    return whole


def _compute(
    experiment: Experiment,
    cells: Sequence[Cell],
    store: Store,
    minutes: float | None,
    share: tuple[int, int],
) -> None:
    """What is in the store is done; after the time given, the same command goes on."""
    from foretell.cli import _progress
    from foretell.reproductions._computing import compute_part, missing

    end = None if minutes is None else time.monotonic() + 60 * minutes
    parts = missing(experiment, cells, store, share)
    for number, part in enumerate(parts, 1):
        if end is not None and time.monotonic() >= end:
            todo = f"{len(parts) - number + 1} of {len(parts)} parts to go"
            print(f"time is up: {todo}; the same command goes on", file=sys.stderr)
            return
        print(f"part {number} of {len(parts)}: {len(part)} cells", file=sys.stderr, flush=True)
        with _progress.bar() as show:
            compute_part(experiment, part, store, show)
