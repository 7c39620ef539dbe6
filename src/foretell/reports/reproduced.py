"""A published table run again: ours beside theirs, with what theory says, and where they part."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from rich.console import Console
from rich.table import Table
from rich.text import Text

from foretell.core.measurement import Measurement, Value
from foretell.core.prediction import Prediction
from foretell.core.scoreboard import Agreement, Row
from foretell.plain.errors import BadInput
from foretell.protocols._asking import Budget
from foretell.protocols._running import stored
from foretell.reproductions import Line, Reproduction
from foretell.theory import predict
from foretell.training.store import Store

CLEAR = (0.05, 0.95)  # a published value outside these is a verdict; between them it is a spread
NEAR = 0.05


@dataclass(frozen=True)
class Compared:
    """One line with its measurement, if it was made, and what theories say."""

    line: Line
    row: Row

    @property
    def measured(self) -> Measurement | None:
        """What training showed."""
        return self.row.measurement

    @property
    def values(self) -> tuple[Value, ...]:
        """Ours on the training distribution, range by range."""
        if self.measured is None:
            return ()
        probe = self.row.question.task.probes[0]
        return tuple(value for value in self.measured.values if value.probe == probe)

    @property
    def fitted(self) -> tuple[int, int] | None:
        """Runs that fit the training range, of how many."""
        if self.measured is None:
            return None
        notes = self.measured.provenance
        return len(notes.get("fitted", ())), len(notes["seeds"])

    @property
    def verdict(self) -> str:
        """Does ours agree with the published numbers, where those are clear?"""
        if self.measured is None:
            return "not run"
        if self.line.published is None:
            return "nothing published"
        pairs = list(zip(self.values, self.line.published, strict=True))[1:]
        clear = [(v.mean, theirs) for v, theirs in pairs if not CLEAR[0] < theirs < CLEAR[1]]
        if not clear:
            return "published spread"
        return "agrees" if all(abs(a - b) <= NEAR for a, b in clear) else "differs"

    def as_json(self) -> dict[str, Any]:
        """Plain values, seed by seed."""
        asked = self.line.asked
        return {
            "task": self.row.question.task.name,
            "group": self.line.group,
            "architecture": asked.question.architecture.as_json(),
            "question": asked.question.hash,
            "published": self.line.published,
            "note": self.line.note,
            "ours": [value.as_json() for value in self.values],
            "fitted": self.fitted,
            "agreement_with_published": self.verdict,
            "measured": self.measured.verdict.value if self.measured else None,
            "predicted": [
                {
                    "predictor": said.predictor,
                    "verdict": said.verdict.value,
                    "agreement": self.row.agreement(said).value,
                }
                for said in self.row.stated
            ],
            "provenance": self.measured.provenance if self.measured else None,
        }


@dataclass(frozen=True)
class Comparison:
    """A whole reproduction."""

    reproduction: Reproduction
    budget: str
    lines: tuple[Compared, ...]

    def as_json(self) -> dict[str, Any]:
        """The form of `foretell reproduce --json`."""
        return {
            "title": self.reproduction.title,
            "source": self.reproduction.source,
            "budget": self.budget,
            "rows": [line.as_json() for line in self.lines],
            "summary": self.summary(),
        }

    def summary(self) -> dict[str, Any]:
        """How many rows agree with what was published, and how each theory did."""
        found = [line.verdict for line in self.lines]
        pairs = [(line, said) for line in self.lines for said in line.row.stated if line.measured]
        theories: dict[str, dict[str, int]] = {}
        for line, said in pairs:
            kept = theories.setdefault(said.predictor, {kind.value: 0 for kind in Agreement})
            kept[line.row.agreement(said).value] += 1
        kinds = ("agrees", "differs", "published spread", "nothing published", "not run")
        return {"published": {kind: found.count(kind) for kind in kinds}, "theories": theories}


def chosen(
    reproduction: Reproduction,
    budget: str,
    seeds: int | None,
    only: str | None,
    positional: str | None,
) -> tuple[Line, ...]:
    """The lines somebody wants to train."""
    lines = reproduction.lines(_budget(budget), seeds)
    names = dict.fromkeys(line.label for line in lines)
    wanted = [name.strip() for name in only.split(",")] if only else list(names)
    for name in wanted:
        if name not in names:
            raise BadInput(
                "the reproduction has no such row", seen=name, why=f"rows: {', '.join(names)}"
            )
    encodings = {line.asked.question.architecture.positional for line in lines}
    if positional is not None and positional not in encodings:
        raise BadInput("no row has that encoding", seen=positional, why=" or ".join(encodings))
    return tuple(
        line
        for line in lines
        if line.label in wanted
        and positional in (None, line.asked.question.architecture.positional)
    )


def _budget(text: str) -> Budget:
    try:
        return Budget(text)
    except ValueError:
        choices = " or ".join(option.value for option in Budget)
        raise BadInput("unknown budget", seen=text, hint=choices) from None


def compare(reproduction: Reproduction, budget: str, seeds: int | None, store: Store) -> Comparison:
    """Every line beside what the store has for it."""
    lines = []
    for line in reproduction.lines(_budget(budget), seeds):
        question = line.asked.question
        row = Row(question, predict(question), stored(line.asked, store))
        lines.append(Compared(line, row))
    return Comparison(reproduction, budget, tuple(lines))


HEADS = ("task", "encoding", "theory", "ours", "published", "fitted", "verdict", "")


def cells(line: Compared) -> tuple[str, ...]:
    """One row of the table, in words."""
    question = line.row.question
    said = " ".join(dict.fromkeys(item.verdict.value for item in line.row.stated)) or "–"
    ours = " / ".join(f"{100 * value.mean:.1f}" for value in line.values) or "–"
    theirs = " / ".join(f"{100 * value:g}" for value in line.line.published or ()) or "–"
    fitted = "–" if line.fitted is None else f"{line.fitted[0]} of {line.fitted[1]}"
    verdict = line.measured.verdict.value if line.measured else "–"
    name, encoding = question.task.name, question.architecture.positional
    return name, encoding, said, ours, theirs, fitted, verdict, line.verdict


def show(console: Console, whole: Comparison) -> None:
    """The table, group by group, and what it adds up to."""
    console.print(Text(whole.reproduction.title, style="bold"))
    table = Table(box=None, padding=(0, 2, 0, 0), header_style="dim")
    for head in HEADS:
        table.add_column(head)
    group = None
    for line in whole.lines:
        if line.line.group != group:
            group = line.line.group
            table.add_row(Text(group, style="bold"))
        table.add_row(*cells(line))
    console.print(table)
    console.print(Text(summary_sentence(whole), style="dim"))


def summary_sentence(whole: Comparison) -> str:
    """Counts in words."""
    counted = whole.summary()["published"]
    return (
        "in percent, training range / 51-100 / 101-150; where published values are at least 95 or "
        f"at most 5: {counted['agrees']} rows agree within 5 points, {counted['differs']} differ; "
        f"{counted['not run']} not run"
    )


def reproduction_page(whole: Comparison) -> str:
    """To be drawn."""
    raise NotImplementedError


def stated(line: Compared) -> Sequence[Prediction]:
    """What theories say of a line."""
    return line.row.stated
