"""The fitting experiment: errors of ours beside those published, and what reached far pairs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from rich.console import Console
from rich.table import Table
from rich.text import Text

from foretell.reports._markup import Markup, element, pairs, table
from foretell.reports._sections import section
from foretell.reports.html import masthead, page
from foretell.reports.positions.plots import Panel, Series, fit_figure
from foretell.reproductions import Cell, Experiment
from foretell.reproductions.position_fit import BAR, LENGTHS, expected

HEADS = (
    "φ holds where",
    "width",
    "theory",
    "error at 50 / 100 / 150",
    "published",
    "far pairs",
    "carried over",
)
NOTHING = 1e-3  # squared, against a jump of 7.8
CellFound = tuple[Cell, dict[str, Any] | None]  # what the store has for a cell
TOLD = {None: "–", True: "yes", False: "no"}


@dataclass(frozen=True)
class Row:
    """One function at one width: its cells, one a seed, and what the store has for them."""

    cells: tuple[Cell, ...]
    found: tuple[dict[str, Any], ...]

    @property
    def width(self) -> int:
        """Width of the positions."""
        return int(self.cells[0].settings["width"])

    @property
    def expected(self) -> bool:
        """What theory says."""
        return expected(self.cells[0].settings["kind"], self.width)

    @property
    def errors(self) -> tuple[float, ...]:
        """Mean squared error by length, averaged over seeds."""
        if not self.found:
            return ()
        by_seed = np.array([each["values"]["errors"] for each in self.found])
        return tuple(map(float, by_seed.mean(axis=0)))

    def share(self, name: str) -> float | None:
        """Share of `seen` or `unseen` pairs that are well placed, averaged over seeds."""
        shares = [each["values"][name] for each in self.found]
        return float(np.mean(shares)) if shares else None

    @property
    def carried(self) -> bool | None:
        """Did φ reach pairs farther apart than any in training? Nothing where it was not fitted."""
        seen, unseen = self.share("seen"), self.share("unseen")
        return None if seen is None or unseen is None or seen < BAR else unseen >= BAR

    @property
    def verdict(self) -> str:
        """The same in words."""
        if self.carried is None:
            return "not fitted" if self.found else "not run"
        return TOLD[self.carried]

    def as_json(self) -> dict[str, Any]:
        """Plain values, seed by seed."""
        first = self.cells[0]
        shared = {name: value for name, value in first.settings.items() if name != "seed"}
        return {
            **shared,
            "label": first.label,
            "published": first.published,
            "theory": self.expected,
            "carried_over": self.carried,
            "errors": list(self.errors) or None,
            "seen_right": self.share("seen"),
            "unseen_right": self.share("unseen"),
            "seeds": [
                {"seed": cell.settings["seed"], **each["values"], "provenance": each["provenance"]}
                for cell, each in zip(self.cells, self.found, strict=False)
            ],
        }


@dataclass(frozen=True)
class Fits:
    """The whole experiment as far as it was run."""

    experiment: Experiment
    budget: str
    rows: tuple[Row, ...]

    def as_json(self) -> dict[str, Any]:
        """The form of `foretell reproduce position-fit --json`."""
        return {
            "title": self.experiment.title,
            "source": self.experiment.source,
            "budget": self.budget,
            "bar": BAR,
            "rows": [row.as_json() for row in self.rows],
            "summary": self.summary(),
        }

    def summary(self) -> dict[str, int]:
        """How often theory and measurement agree."""
        done = [row for row in self.rows if row.carried is not None]
        agree = sum(row.carried == row.expected for row in done)
        verdicts = [row.verdict for row in self.rows]
        undone = {name: verdicts.count(name) for name in ("not fitted", "not run")}
        return {"agree": agree, "differ": len(done) - agree, **undone}


def collect(experiment: Experiment, budget: str, found: Sequence[CellFound]) -> Fits:
    """Every row with what the store has for it."""
    rows: dict[tuple[str, str, int], list[CellFound]] = {}
    for cell, kept in found:
        key = (cell.group, cell.label, cell.settings["width"])
        rows.setdefault(key, []).append((cell, kept))
    return Fits(experiment, budget, tuple(map(_row, rows.values())))


def _row(found: Sequence[CellFound]) -> Row:
    ordered = [*(pair for pair in found if pair[1]), *(pair for pair in found if not pair[1])]
    return Row(
        tuple(cell for cell, _ in ordered), tuple(each for _, each in ordered if each is not None)
    )


def _words(row: Row) -> tuple[str, ...]:
    first, share = row.cells[0], row.share("unseen")
    return (
        first.label,
        str(row.width),
        TOLD[row.expected],
        _errors(row.errors),
        _errors(first.published or ()),
        "–" if share is None else f"{100 * share:.1f} %",
        row.verdict,
    )


def _errors(values: Sequence[float]) -> str:
    return " / ".join(map(_error, values)) or "–"


def _error(value: float) -> str:
    """Two digits; below what anybody would notice, 0."""
    if value < NOTHING:
        return "0"
    return f"{value:.2g}" if value < 100 else f"{value:.0f}"


def summary_sentence(fits: Fits) -> str:
    """Counts in words, and how to read them."""
    found = fits.summary()
    return (
        f"theory and measurement agree in {found['agree']} of {found['agree'] + found['differ']} "
        f"rows; {found['not fitted']} not fitted, {found['not run']} not run. Carried over: at "
        f"least {100 * BAR:.0f} % of the pairs {LENGTHS[0]} to {LENGTHS[-1] - 1} apart are nearer "
        "to φ than half of its jump."
    )


def show(console: Console, fits: Fits) -> None:
    """The table and what it adds up to."""
    console.print(Text(fits.experiment.title, style="bold"))
    lines = Table(box=None, padding=(0, 2, 0, 0), header_style="dim")
    for head in HEADS:
        lines.add_column(head)
    for row in fits.rows:
        lines.add_row(*map(Text, _words(row)))
    console.print(lines)
    console.print(Text(summary_sentence(fits), style="dim"))


def fits_page(fits: Fits) -> str:
    """One self-contained page: figure, table, how."""
    content = [
        masthead("foretell reproduce position-fit", fits.experiment.title, fits.experiment.source),
        element("p", _question(), class_="question"),
    ]
    if any(row.found for row in fits.rows):
        content.append(_drawn(fits))
    content += [
        section("Values", table(HEADS, map(_cells, fits.rows), numeric=(1, 3, 4, 5))),
        element("p", summary_sentence(fits), class_="quiet"),
        section("How", pairs(_how(fits))),
    ]
    return page(fits.experiment.title, content)


def _cells(row: Row) -> tuple[str, ...]:
    name, *rest = _words(row)
    return (element("span", name, class_="nowrap"), *rest)


def _question() -> str:
    return (
        "If the products of learned positions equal φ(i - j) for pairs up to 50 apart, do they for "
        "pairs farther apart? Theory: for local φ at large width, for periodic φ at small width."
    )


def _drawn(fits: Fits) -> Markup:
    panels: dict[tuple[str, int], list[Row]] = {}
    for row in fits.rows:
        panels.setdefault((row.cells[0].group, row.width), []).append(row)
    drawn = [
        Panel(
            f"{form} · width {width} · theory: {'yes' if rows[0].expected else 'no'}",
            tuple(_series(row) for row in rows),
        )
        for (form, width), rows in panels.items()
    ]
    columns = len({form for form, _ in panels})
    svg = fit_figure(drawn, columns, LENGTHS, fits.experiment.title)
    caption = (
        "Mean squared error by length of the window, linear up to 1, logarithmic above. Filled "
        "points and solid lines: ours, thin lines seeds. Hollow points, dotted lines: published."
    )
    frame = element("div", Markup(svg), class_="plot wide")
    return element("figure", frame, element("figcaption", caption))


def _series(row: Row) -> Series:
    first = row.cells[0]
    seeds = tuple(tuple(each["values"]["errors"]) for each in row.found)
    return Series(first.label, seeds, row.errors, first.published)


def _how(fits: Fits) -> list[tuple[str, str]]:
    settings = fits.rows[0].cells[0].settings
    steps = {row.width: row.cells[0].settings["steps"] for row in fits.rows}
    found = [each["provenance"] for row in fits.rows for each in row.found]
    seeds = sorted({cell.settings["seed"] for row in fits.rows for cell in row.cells})
    told = [
        ("budget", fits.budget),
        ("steps", ", ".join(f"{count:,} at width {width}" for width, count in steps.items())),
        (
            "fitted",
            f"windows of {settings['length']} among {settings['context']} positions, "
            f"{settings['batch']} a step",
        ),
        ("seeds", ", ".join(map(str, seeds))),
    ]
    machines = dict.fromkeys(f"{one['device']}, commit {one['commit']}" for one in found)
    return [*told, ("machine", "; ".join(machines))] if machines else told
