"""`foretell reproduce`: a published figure or table, ours beside theirs."""

from __future__ import annotations

import itertools
import json
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from foretell.plain.errors import BadInput, Busy

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from foretell.protocols._running import Asked
    from foretell.reproductions import Line, Reproduction
    from foretell.training.store import Store


def reproduce(
    name: Annotated[
        str,
        typer.Argument(help="See `foretell list reproductions`; length-search:WHAT for your task."),
    ],
    budget: Annotated[str, typer.Option(help="smoke, cpu or gpu.")] = "cpu",
    only: Annotated[
        str | None,
        typer.Option(
            help="Rows, groups, settings (or `usual`) to train, separated by commas: two of a kind "
            "mean both, different kinds narrow each other down."
        ),
    ] = None,
    positional: Annotated[str | None, typer.Option(help="Train this encoding only.")] = None,
    seeds: Annotated[int | None, typer.Option(help="Models a row.")] = None,
    minutes: Annotated[
        float | None,
        typer.Option(min=0, max=100_000, help="Stop after this time; the same command goes on."),
    ] = None,
    share: Annotated[
        str | None,
        typer.Option(help="2/4: the second of four processes that share the parts."),
    ] = None,
    train: Annotated[bool, typer.Option(help="Or only show what the store has.")] = True,
    store: Annotated[
        str | None,
        typer.Option(help="Folder of runs. (default: FORETELL_STORE or ./foretell-runs)"),
    ] = None,
    html: Annotated[Path | None, typer.Option(help="Write the page there.")] = None,
    figures: Annotated[
        Path | None, typer.Option(help="A folder: write the page's figures there, as SVG.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="One JSON document.")] = False,
) -> None:
    """Run a published table again in resumable parts, and show ours beside theirs."""
    from foretell.cli import _experiment, _start

    _start.require_folder(html)
    _start.require_place(figures)
    with _start.computing():
        from rich.console import Console

        from foretell.plain.files import write_atomically
        from foretell.reports.figures_apart import write_figures
        from foretell.reports.reproduced import fitted
        from foretell.reports.reproduced import table as reproduced
        from foretell.reports.reproduced.pages import PAGES
        from foretell.reproductions import Experiment, load
        from foretell.training.store import Store

        runs, asked_for, mine = Store.at(store), load(name), _share(share)
        if not train and not runs.root.is_dir():
            print(f"there is no store {runs.root} yet: nothing was run", file=sys.stderr)
        whole: Any
        show: Callable[[Console, Any], None]
        page: Callable[[Any], str]
        if isinstance(asked_for, Experiment):
            whole = _experiment.run(
                asked_for, budget, seeds, only, positional, minutes, mine if train else None, runs
            )
            show, page = fitted.show, fitted.fits_page
        else:
            lines = reproduced.chosen(asked_for, budget, seeds, only, positional)
            if train:
                _start.prepare_jax(budget)
                _train(asked_for, lines, runs, minutes, mine)
            pages = PAGES[asked_for.about]
            whole = pages.collect(asked_for, budget, seeds, runs)
            show, page = pages.show, pages.page
        if as_json:
            print(json.dumps(whole.as_json()))
        else:
            show(Console(), whole)
        drawn = page(whole) if html or figures else ""
        if html is not None:
            write_atomically(html, drawn)
        if figures is not None:
            found = write_figures(drawn, figures, name.replace(":", "-").replace("/", "-"))
            print(*(found or ["the page has no figure yet"]), sep="\n", file=sys.stderr)


def _share(text: str | None) -> tuple[int, int]:
    """Which of how many: `2/4`."""
    if text is None:
        return 1, 1
    part, _, whole = text.partition("/")
    if not (part.isdecimal() and whole.isdecimal() and 1 <= int(part) <= int(whole)):
        raise BadInput("that is no share of the work", seen=text, hint="--share 2/4")
    return int(part), int(whole)


def _packs(reproduction: Reproduction, lines: Sequence[Line]) -> list[tuple[Asked, ...]]:
    """Lines that train together, the same whatever is done already, so that shares stay apart."""
    from foretell.protocols._running import fleets

    packs = fleets([line.asked for line in lines])
    if reproduction.in_order:
        place = {line.asked: number for number, line in enumerate(lines)}
        packs.sort(key=lambda pack: place[pack[0]])
    return packs


def _train(
    reproduction: Reproduction,
    lines: Sequence[Line],
    store: Store,
    minutes: float | None,
    share: tuple[int, int],
) -> None:
    """Part by part, the small ones first; what is in the store is done."""
    from foretell.cli import _progress
    from foretell.protocols._running import stored, unfinished
    from foretell.protocols._running import train as train_fleet
    from foretell.reports.answers import put_on_record
    from foretell.training.stopping import Interrupted

    def wanted() -> set[Asked]:
        """What is not made needless by what is done."""
        found = reproduction.wanted(lines, lambda line: stored(line.asked, store))
        return {line.asked for line in found}

    def to_do(pack: Sequence[Asked], useful: set[Asked]) -> tuple[Asked, ...]:
        return tuple(each for each in unfinished(pack, store) if each in useful)

    end = None if minutes is None else time.monotonic() + 60 * minutes
    mine, useful = _packs(reproduction, lines)[share[0] - 1 :: share[1]], wanted()
    parts = [pack for pack in mine if to_do(pack, useful)]
    for each in itertools.chain(*(to_do(pack, useful) for pack in parts)):
        put_on_record(each.question, store)
    busy = 0
    for number, part in enumerate(parts, 1):
        left = None if end is None else end - time.monotonic()
        if not (ahead := to_do(part, wanted())):
            continue
        names = ", ".join(dict.fromkeys(each.question.task.name for each in ahead))
        shape = ahead[0].question.architecture.label
        print(f"part {number} of {len(parts)}: {names} · {shape}", file=sys.stderr, flush=True)
        try:
            if left is not None and left <= 0:
                raise Interrupted(0)
            with _progress.bar() as show:
                train_fleet(ahead, store, show, left, among=part)
        except Busy as held:  # the other parts need not wait for it
            busy += 1
            print(f"part {number} left out: {held.what} ({held.seen})", file=sys.stderr)
        except Interrupted:
            if end is None or time.monotonic() < end:
                raise  # a real Ctrl-C
            todo = f"{len(parts) - number + 1} of {len(parts)} parts to go"
            print(f"time is up: {todo}; the same command goes on", file=sys.stderr)
            return
    if busy:
        todo = f"{busy} of {len(parts)} parts were another process's"
        print(f"{todo}; the same command reads what it has done", file=sys.stderr)
