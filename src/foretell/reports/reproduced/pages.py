"""How each kind of reproduction is gathered from the store, shown and made a page: one table."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from rich.console import Console

from foretell.reports.capture import curves as capture_curves
from foretell.reports.capture import shown as capture_shown
from foretell.reports.landscape import gap_grid, gap_shown
from foretell.reports.positions import penalized, penalized_shown
from foretell.reports.reproduced import page as reproduced_page
from foretell.reports.reproduced import searched
from foretell.reports.reproduced import shown as reproduced_shown
from foretell.reports.reproduced import table as reproduced
from foretell.reports.symbols import curves as symbol_curves
from foretell.reports.symbols import shown as symbol_shown
from foretell.reproductions import Reproduction
from foretell.training.store import Store


@dataclass(frozen=True)
class Pages:
    """From what the store has to something to look at."""

    collect: Callable[[Reproduction, str, int | None, Store], Any]
    show: Callable[[Console, Any], None]
    page: Callable[[Any], str]


def _searches(
    reproduction: Reproduction, budget: str, seeds: int | None, store: Store
) -> searched.Searches:
    return searched.Searches(reproduced.compare(reproduction, budget, seeds, store))


PAGES = {  # by what a reproduction is about
    "length": Pages(reproduced.compare, reproduced_shown.show, reproduced_page.reproduction_page),
    "search": Pages(_searches, searched.show, searched.search_page),
    "gap": Pages(gap_grid.collect, gap_shown.show, gap_shown.gap_page),
    "capture": Pages(capture_curves.collect, capture_shown.show, capture_shown.capture_page),
    "positions": Pages(penalized.collect, penalized_shown.show, penalized_shown.penalty_page),
    "symbols": Pages(symbol_curves.collect, symbol_shown.show, symbol_shown.symbols_page),
}
