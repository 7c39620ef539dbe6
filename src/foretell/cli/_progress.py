"""Progress on standard error: a bar on a terminal, a line now and then in a log."""

from __future__ import annotations

import contextlib
import math
import sys
import time
from collections.abc import Callable, Iterator
from typing import Any

QUIET_SECONDS = 10.0  # between two lines of a log


@contextlib.contextmanager
def bar() -> Iterator[Callable[[Any], None]]:
    """A function that shows a `Progress`."""
    if not sys.stderr.isatty():
        yield _lines()
        return
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn

    columns = (TextColumn("{task.description}"), BarColumn(), TextColumn("{task.fields[text]}"))
    with Progress(*columns, console=Console(stderr=True), transient=True) as shown:
        task = shown.add_task("compiling", total=None, text="")

        def show(progress: Any) -> None:
            shown.update(
                task,
                description=progress.phase,
                total=progress.steps,
                completed=progress.step,
                text=describe(progress),
            )

        yield show


def describe(progress: Any) -> str:
    """Steps, models, speed, loss, accuracy, time left: one line; nothing for a built network."""
    if math.isnan(progress.loss) and not progress.running and not progress.step:
        return "no training"
    accuracy = "" if progress.accuracy is None else f"  in range {progress.accuracy:.3f}"
    minutes, seconds = divmod(int(progress.seconds_left), 60)
    return (
        f"step {progress.step:,}/{progress.steps:,}  {progress.running} of {progress.members} "
        f"models  {progress.rate:,.0f} model-steps/s  loss {progress.loss:.4f}{accuracy}  "
        f"at most {minutes}:{seconds:02d} left"
    )


def _lines() -> Callable[[Any], None]:
    last = time.monotonic()

    def show(progress: Any) -> None:
        nonlocal last
        if time.monotonic() - last >= QUIET_SECONDS:
            last = time.monotonic()
            print(f"{progress.phase}: {describe(progress)}", file=sys.stderr, flush=True)

    return show
