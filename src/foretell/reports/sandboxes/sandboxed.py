"""Sandboxes out of the store: every claim beside its measurement, as text, page and JSON."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from rich.console import Console
from rich.text import Text

from foretell.plain.settings import changed
from foretell.plain.wording import counted
from foretell.protocols._asking import Budget
from foretell.reports import _sections as parts
from foretell.reports._markup import Markup, element, pairs, table
from foretell.reports.columns import print_columns
from foretell.reports.html import masthead, page
from foretell.reports.sandboxes.figures import sandbox_figure
from foretell.reports.sandboxes.settings import clipped
from foretell.reproductions import Cell, Experiment
from foretell.reproductions._sandboxed import comparisons, settings_of
from foretell.sandboxes import Claim, Comparison, Sandbox, Value, load

FIXED = (
    "At these settings the claims keep their formulas; tolerances, and levels that rest on what "
    "was seen, were fixed for the preset."
)
HEADS = ("quantity", "predicted", "measured", "tolerance", "evidence", "")
MARKS = {"=": "", "<=": "≤ ", ">=": "≥ ", "order": ""}


@dataclass(frozen=True)
class Played:
    """One sandbox as far as it was run."""

    cell: Cell
    found: dict[str, Any] | None
    budget: str

    @property
    def sandbox(self) -> Sandbox:
        """What was run."""
        return load(self.cell.label)

    @property
    def rows(self) -> tuple[Comparison, ...]:
        """Nothing if it was not run."""
        return () if self.found is None else comparisons(self.found["values"])

    @property
    def changes(self) -> dict[str, tuple[Any, Any]]:
        """Settings that are not the preset's: the preset's value, and this one."""
        return changed(self.sandbox.settings(Budget(self.budget)), settings_of(self.cell))

    def as_json(self) -> dict[str, Any]:
        """Settings, rows, what they do not show, curves and provenance."""
        rows = [
            {**dataclasses.asdict(row.claim), "measured": row.measured, "agrees": row.agrees}
            for row in self.rows
        ]
        found = self.found or {"values": {}, "provenance": None}
        return {
            "sandbox": self.cell.label,
            "budget": self.budget,
            "caveat": self.sandbox.caveat,
            "settings": dict(self.cell.settings),
            **changes_json(self.changes, self.budget),
            "rows": rows,
            "curves": found["values"].get("curves"),
            "provenance": found["provenance"],
        }


@dataclass(frozen=True)
class Gallery:
    """Several sandboxes."""

    experiment: Experiment
    budget: str
    played: tuple[Played, ...]

    @property
    def rows(self) -> tuple[Comparison, ...]:
        """Of all."""
        return tuple(row for each in self.played for row in each.rows)

    def as_json(self) -> dict[str, Any]:
        """The form of `foretell reproduce NAME --json`."""
        return {
            "reproduction": self.experiment.name,
            "budget": self.budget,
            "sandboxes": [each.as_json() for each in self.played],
        }


def collect(
    experiment: Experiment, budget: str, found: Sequence[tuple[Cell, dict[str, Any] | None]]
) -> Gallery:
    """Every cell with what the store has."""
    return Gallery(experiment, budget, tuple(Played(*each, budget) for each in found))


def show(console: Console, gallery: Gallery) -> None:
    """One table, sandbox by sandbox, and what it adds up to."""
    console.print(Text(gallery.experiment.title, style="bold"))
    for each in gallery.played:
        show_played(console, each)
    for told in summary(gallery.played):
        console.print(Text(told, style="dim"))


def show_played(console: Console, played: Played) -> None:
    """The rows of one sandbox, and what they do not show."""
    console.print()
    console.print(Text(played.cell.label, style="bold"), Text(played.sandbox.title))
    if played.found is None:
        console.print(Text("not run yet", style="dim"))
        return
    print_columns(console, HEADS, [cells(row) for row in played.rows])
    for told in changes_told(played.changes, played.budget):
        console.print(Text(told))
    console.print(Text(limit(played.sandbox), style="dim"))


def changes_told(changes: Mapping[str, tuple[Any, Any]], budget: str) -> list[str]:
    """Which settings are not the preset's, and what that means for the claims; or nothing."""
    if not changes:
        return []
    said = "; ".join(
        f"{name} = {clipped(after)} (preset: {clipped(before)})"
        for name, (before, after) in changes.items()
    )
    return [f"Settings that differ from the preset of --budget {budget}: {said}", FIXED]


def changes_json(changes: Mapping[str, tuple[Any, Any]], budget: str) -> dict[str, Any]:
    """The same for scripts; nothing for a preset."""
    if not changes:
        return {}
    both = {name: {budget: before, "chosen": after} for name, (before, after) in changes.items()}
    return {"changed": both, "tolerances": FIXED}


def limit(sandbox: Sandbox) -> str:
    """The caveat as a line of its own, the same on a terminal and on a page."""
    return f"What this does not show: {sandbox.caveat}"


def show_claims(
    console: Console,
    sandbox: Sandbox,
    claims: Sequence[Claim],
    changes: Mapping[str, tuple[Any, Any]],
    asked: str,
) -> None:
    """What theory says, before anything is run."""
    console.print(Text(sandbox.name, style="bold"), Text(sandbox.title))
    heads = ("quantity", "predicted", "tolerance", "evidence")
    print_columns(console, heads, [claim_cells(claim) for claim in claims])
    for told in changes_told(changes, "cpu"):
        console.print(Text(told))
    console.print(Text(f"foretell check '{asked}' measures them", style="dim"))


def claim_cells(claim: Claim) -> tuple[str, str, str, str]:
    """Quantity, prediction, tolerance and evidence in words."""
    slack = "" if claim.relation == "order" or not claim.tolerance else f"{claim.tolerance:.2g}"
    said = MARKS[claim.relation] + _number(claim.predicted)
    return claim.quantity, said, slack, claim.evidence


def cells(row: Comparison) -> tuple[str, ...]:
    """One row of the table."""
    quantity, said, slack, evidence = claim_cells(row.claim)
    return quantity, said, _number(row.measured), slack, evidence, _verdict(row)


def _verdict(row: Comparison) -> str:
    """A conjecture that fails is no failed theorem."""
    if row.agrees:
        return "agrees"
    return "conjecture fails" if row.claim.evidence == "conjecture" else "DIFFERS"


def _number(value: Value) -> str:
    """Enough digits to compare.

    >>> _number(0.6662784), _number(("uniform", "unigram")), _number(60.0)
    ('0.6663', 'uniform, unigram', '60')
    """
    if isinstance(value, tuple | list):
        return ", ".join(value)
    return "0" if abs(value) < 1e-12 else f"{value:.4g}"


def summary(played: Sequence[Played]) -> list[str]:
    """How many rows agree, which do not, what is missing."""
    rows = [(each, row) for each in played for row in each.rows]
    differing = [f"{each.cell.label}: {row.claim.quantity}" for each, row in rows if not row.agrees]
    agree = "agrees" if len(rows) == 1 else "agree"
    told = [f"{len(rows) - len(differing)} of {counted(len(rows), 'row')} {agree}"]
    if differing:
        told.append(f"differing: {'; '.join(differing)}")
    if missing := [each.cell.label for each in played if each.found is None]:
        told.append(f"not run yet: {', '.join(missing)}")
    return told


def gallery_page(gallery: Gallery) -> str:
    """One self-contained document."""
    head = masthead(
        f"foretell · reproduce {gallery.experiment.name}",
        gallery.experiment.title,
        " · ".join(summary(gallery.played)),
    )
    sections = [played_section(each) for each in gallery.played]
    return page(gallery.experiment.title, [head, *sections])


def played_page(played: Played) -> str:
    """A page of one sandbox alone."""
    sandbox = played.sandbox
    head = masthead(f"foretell · {sandbox.name}", sandbox.title, " · ".join(summary([played])))
    return page(sandbox.title, [head, played_section(played)])


def played_section(played: Played) -> Markup:
    """Figure, lesson, rows, what it does not show, settings and provenance."""
    sandbox = played.sandbox
    if played.found is None:
        return parts.section(f"{sandbox.name}: {sandbox.title}", element("p", "not run yet"))
    drawn = sandbox_figure(sandbox.name, played.found["values"]["curves"], sandbox.title)
    provenance = {**played.cell.settings, **played.found["provenance"]}
    return parts.section(
        f"{sandbox.name}: {sandbox.title}",
        element("figure", Markup(drawn), element("figcaption", sandbox.lesson)),
        table(HEADS, [cells(row) for row in played.rows]),
        *(element("p", told) for told in changes_told(played.changes, played.budget)),
        element("p", limit(sandbox)),
        element(
            "details",
            element("summary", "settings and provenance"),
            pairs((name, str(value)) for name, value in provenance.items()),
        ),
    )
