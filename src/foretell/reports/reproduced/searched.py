"""A search for a shape: what it takes for each task and encoding, and every shape tried."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from rich.console import Console
from rich.text import Text

from foretell.core.measurement import Measurement
from foretell.plain.wording import counted
from foretell.protocols._settings import Setting, published
from foretell.reports import _sections as parts
from foretell.reports._markup import Markup, element, pairs, table, together
from foretell.reports.columns import print_columns
from foretell.reports.html import masthead, page
from foretell.reports.reproduced.line import Compared
from foretell.reports.reproduced.table import Comparison, percent
from foretell.reproductions.length_search import Shape, choose, is_settled

HEADS = ("task", "encoding", "chosen here", "trained, next, last", "tried", "fit", "published")
NOTHING = "–"


@dataclass(frozen=True)
class Searched:
    """All shapes of one task and encoding, the simplest first."""

    lines: tuple[Compared, ...]

    @property
    def tried(self) -> tuple[tuple[Compared, Measurement], ...]:
        """Those that were trained."""
        return tuple((line, line.measured) for line in self.lines if line.measured)

    @property
    def chosen(self) -> Compared | None:
        """What the rule takes of those that were trained."""
        found = choose((line.line, measured) for line, measured in self.tried)
        return next((line for line in self.lines if line.line is found), None)

    @property
    def missing(self) -> int:
        """Simpler shapes, or all if none is settled, that the rule would have to see first."""
        for place, line in enumerate(self.lines):
            if line.measured and is_settled(line.measured):
                return sum(not other.measured for other in self.lines[:place])
        return sum(not line.measured for line in self.lines)

    @property
    def place(self) -> tuple[str, str]:
        """Task and encoding."""
        line = self.lines[0]
        return line.line.label, line.question.architecture.positional

    @property
    def as_published(self) -> str:
        """The shape that was published, if any was."""
        known = published(*self.place)
        return _shape(known) if known else NOTHING

    def as_json(self) -> dict[str, Any]:
        """What is chosen, after how many."""
        chosen = self.chosen
        return {
            "task": self.place[0],
            "positional": self.place[1],
            "shape": chosen.line.setting if chosen else None,
            "values": [value.mean for value in chosen.values] if chosen else None,
            "tried": len(self.tried),
            "missing": self.missing,
            "published": None if self.as_published == NOTHING else self.as_published,
        }


@dataclass(frozen=True)
class Searches:
    """Every search of a reproduction."""

    whole: Comparison

    @property
    def each(self) -> tuple[Searched, ...]:
        """Task by task, encoding by encoding."""
        groups = itertools.groupby(self.whole.lines, key=lambda line: line.line.group)
        return tuple(Searched(tuple(lines)) for _, lines in groups)

    @property
    def begun(self) -> tuple[Searched, ...]:
        """Those with a shape that was trained."""
        return tuple(search for search in self.each if search.tried)

    def as_json(self) -> dict[str, Any]:
        """What is chosen, then the shapes that were trained."""
        told = self.whole.as_json()
        rows = [row for row in told["rows"] if row["measured"] is not None]
        told |= {"rows": rows, "chosen": [search.as_json() for search in self.each]}
        del told["summary"]  # of rows that a search leaves out on purpose
        return told


def show(console: Console, whole: Searches) -> None:
    """What is chosen, a line a search."""
    console.print(Text(whole.whole.reproduction.title, style="bold"))
    print_columns(console, HEADS, [_cells(each) for each in whole.begun])
    console.print(Text(summary(whole), style="dim"))


def summary(whole: Searches) -> str:
    """How to read it, and what is missing."""
    found = whole.each
    told = (
        "in percent; chosen is the simplest shape without a mistake in the trained and the next "
        "range, or else the best in the next range of those without one in the trained; "
    )
    trained = [measured for search in found for _, measured in search.tried]
    runs = sorted({len(measured.values[0].seeds) for measured in trained})
    told += f"{' or '.join(map(str, runs))} run{'s' * (runs != [1])} a shape" if runs else ""
    untried = [" ".join(each.place) for each in found if not each.tried]
    part = [" ".join(each.place) for each in found if each.tried and each.missing]
    told += f"; not run yet: {', '.join(untried)}" if untried else ""
    return told + (f"; shapes missing, so it may change: {', '.join(part)}" if part else "")


def _cells(found: Searched) -> tuple[str, ...]:
    chosen = found.chosen
    fit = sum(bool(measured.provenance.get("fitted")) for _, measured in found.tried)
    return (
        *found.place,
        (chosen.line.setting or "") if chosen else "none fits",
        " ".join(percent(value.mean) for value in chosen.values) if chosen else "",
        f"{len(found.tried)} of {len(found.lines)}",
        str(fit),
        found.as_published,
    )


def _shape(setting: Setting) -> str:
    return str(Shape(setting.layers, setting.heads, setting.width, setting.learning_rate))


def search_page(whole: Searches) -> str:
    """One self-contained document."""
    found, about = whole.begun, whole.whole.reproduction
    head = masthead("foretell reproduce length-search", about.title, about.source)
    rows = [[element("span", cell, class_="nowrap") for cell in _cells(each)] for each in found]
    listed = table([name.capitalize() for name in HEADS], rows)
    shown = element("div", listed, class_="broad dense")
    content = [head, parts.section("What the search takes", shown)]
    content.append(element("p", f"{summary(whole).capitalize()}.", class_="quiet"))
    content += [parts.section(", ".join(each.place), _every_shape(each)) for each in found]
    content.append(parts.section("How", pairs(_how(found))))
    return page(about.title, content)


def _every_shape(found: Searched) -> Markup:
    heads = ("Shape", *map(str, found.lines[0].ranges), "Fit", "Released log", "")
    rows = []
    for line, measured in found.tried:
        name = line.line.setting or ""
        rows.append(
            (
                element("strong", name) if line is found.chosen else name,
                *(percent(value.mean) for value in line.values),
                "yes" if measured.provenance.get("fitted") else "no",
                " ".join(percent(value) for value in line.line.published or ()) or NOTHING,
                "chosen" if line is found.chosen else "",
            )
        )
    left = len(found.lines) - len(found.tried)
    told = f"{counted(left, 'shape')} of the grid not trained"
    told += (
        f"; the rule would have to see {found.missing} first."
        if found.missing
        else ", all behind a settled one."
    )
    columns = range(1, 1 + len(found.lines[0].ranges))
    under = [element("p", told, class_="quiet")] * bool(left)
    return together([table(heads, rows, numeric=columns), *under])


def _how(found: Sequence[Searched]) -> list[tuple[str, str]]:
    done = [measured for each in found for _, measured in each.tried]
    machines = dict.fromkeys(
        f"{each.provenance['device']}, jax {each.provenance['versions'].get('jax')}, "
        f"commit {each.provenance['commit']}"
        for each in done
    )
    schedules = dict.fromkeys(
        note.rpartition(", learning rate")[0]
        for each in done
        for note in each.notes
        if note.startswith("at most")
    )
    return [("training", "; ".join(schedules)), ("trained on", "; ".join(machines))]
