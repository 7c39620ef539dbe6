"""The front door for Python: predict, measure and check, for tasks and for sandboxes.

A task has predictions and rows; a sandbox has claims, and a run with every claim beside what was
measured. Its settings follow its name, as on the command line.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from foretell.core.prediction import NotApplicable, Prediction
from foretell.core.scoreboard import Row
from foretell.plain.catalogue import is_sandbox
from foretell.plain.errors import BadInput
from foretell.reports import answers
from foretell.reports.sandboxes import playing
from foretell.reports.sandboxes.sandboxed import Played
from foretell.sandboxes import Claim
from foretell.training.engine import Progress
from foretell.training.store import Store

OWN = ("budget", "seeds")  # settings of a run that a sandbox shares with tasks


def predict(
    what: str, **settings: Any
) -> tuple[Prediction | NotApplicable, ...] | tuple[Claim, ...]:
    """Every theory's answer for a task, every claim of a sandbox; nothing is trained.

    >>> said = predict("markov-landscape:p=0.2,q=0.3")
    >>> f"{said[0].quantity}: {said[0].predicted:.4f}"
    'p=0.2, q=0.3: loss at the point: 0.6730'
    """
    if not is_sandbox(what):
        return answers.predict(what, **settings)
    _refuse(settings, OWN[:1])
    return playing.foretold(what, **settings).claims


def measure(
    what: str,
    *,
    store: Store | str | Path | None = None,
    show: Callable[[Progress], None] = lambda progress: None,
    **settings: Any,
) -> tuple[Row, ...] | tuple[Played, ...]:
    """Train and test, one row an encoding, without asking any theory; a sandbox is checked."""
    if is_sandbox(what):
        return _played(what, store, show, settings)
    return answers.measure(what, store=store, show=show, **settings)


def check(
    what: str,
    *,
    store: Store | str | Path | None = None,
    show: Callable[[Progress], None] = lambda progress: None,
    **settings: Any,
) -> tuple[Row, ...] | tuple[Played, ...]:
    """Predict, put the prediction on record, then measure and compare."""
    if is_sandbox(what):
        return _played(what, store, show, settings)
    return answers.check(what, store=store, show=show, **settings)


def _played(
    what: str,
    store: Store | str | Path | None,
    show: Callable[[Progress], None],
    settings: dict[str, Any],
) -> tuple[Played, ...]:
    _refuse(settings, OWN)
    kept = store if isinstance(store, Store) else Store.at(store)
    return (playing.played(what, store=kept, show=show, **settings),)


def _refuse(settings: dict[str, Any], known: tuple[str, ...]) -> None:
    if unknown := [name for name in settings if name not in known]:
        raise BadInput(
            "a sandbox has settings of its own",
            seen=", ".join(unknown),
            hint=f"after its name, NAME:steps=100; beside it only {' and '.join(known)}",
        )
