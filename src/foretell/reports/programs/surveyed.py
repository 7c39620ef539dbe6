"""Random minimal automata decided one by one: how many are definable, and how long it takes."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import Any

import numpy as np
from rich.console import Console
from rich.table import Table
from rich.text import Text

from foretell.crasp.deciding.certificates import fragment_name
from foretell.crasp.deciding.decide import decide
from foretell.languages.random_automata import LETTERS, random_minimal
from foretell.numerics.intervals import wilson
from foretell.plain.errors import BadInput
from foretell.reports import phrases
from foretell.reports._markup import Markup, element, pairs, table
from foretell.reports._sections import section
from foretell.reports.html import masthead, page
from foretell.reports.programs.drawings import times_figure
from foretell.training.provenance import describe_machine

MOST_STATES = 12  # beyond, random automata that are minimal are drawn too rarely to wait for


@dataclass(frozen=True)
class Survey:
    """Counts of the answers by fragment, and seconds for each automaton."""

    states: int
    letters: int
    count: int
    seed: int
    answers: dict[str, dict[str, int]]
    seconds: tuple[float, ...]
    provenance: dict[str, Any]

    def timing(self) -> dict[str, float]:
        """Milliseconds: median, 95 % and longest, and languages a second."""
        ordered = np.sort(self.seconds)
        return {
            "median_ms": round(1e3 * float(np.median(ordered)), 3),
            "p95_ms": round(1e3 * float(np.quantile(ordered, 0.95)), 3),
            "longest_ms": round(1e3 * float(ordered[-1]), 3),
            "a_second": round(len(ordered) / float(ordered.sum()), 1),
        }

    def as_json(self) -> dict[str, Any]:
        """Counts, shares with 95 % intervals, times, provenance."""
        return {
            "states": self.states,
            "letters": self.letters,
            "count": self.count,
            "seed": self.seed,
            "fragments": {
                name: {
                    **counts,
                    "share_yes": counts["yes"] / self.count,
                    "interval": list(wilson(counts["yes"], self.count)),
                }
                for name, counts in self.answers.items()
            },
            "time": self.timing(),
            "provenance": self.provenance,
        }


def survey(states: int, letters: int, count: int, seed: int) -> Survey:
    """Draw and decide."""
    if not 1 <= states <= MOST_STATES or not 1 <= letters <= len(LETTERS):
        raise BadInput(
            f"a survey has 1 to {MOST_STATES} states and 1 to {len(LETTERS)} letters",
            seen=f"{states} states, {letters} letters",
        )
    if not 1 <= count <= 1_000_000:
        raise BadInput("a survey has 1 to 1,000,000 automata", seen=count)
    if seed < 0:
        raise BadInput("a seed is a number from 0 on", seen=seed)
    answers: dict[str, dict[str, int]] = {}
    seconds = []
    for dfa in random_minimal(states, letters, count, seed):
        began = time.perf_counter()
        found = decide(dfa)
        seconds.append(time.perf_counter() - began)
        for one in found.answers:
            kept = answers.setdefault(one.fragment, {"yes": 0, "no": 0, "unknown": 0})
            kept[one.answer] += 1
    machine = describe_machine()
    return Survey(states, letters, count, seed, answers, tuple(seconds), machine)


def _rows(found: Survey) -> list[tuple[str, ...]]:
    rows: list[tuple[str, ...]] = []
    for name, counts in found.answers.items():
        low, high = wilson(counts["yes"], found.count)
        share = f"{counts['yes'] / found.count:.3f} [{low:.3f}, {high:.3f}]"
        rows.append(
            (
                fragment_name(name),
                str(counts["yes"]),
                str(counts["no"]),
                str(counts["unknown"]),
                share,
            )
        )
    return rows


HEADS = ("fragment", "yes", "no", "unknown", "share of yes, 95 %")


def _title(found: Survey) -> str:
    return (
        f"{found.count:,} random minimal automata, {found.states} states, {found.letters} letters"
    )


def _times(found: Survey) -> str:
    times = found.timing()
    return (
        f"median {times['median_ms']:.2f} ms, 95 % below {times['p95_ms']:.2f} ms, longest "
        f"{times['longest_ms']:.1f} ms; {times['a_second']:,.0f} a second with certificates"
    )


def show(console: Console, found: Survey) -> None:
    """Shares and times."""
    console.print(Text(f"{_title(found)}, seed {found.seed}", style="bold"))
    lines = Table(box=None, padding=(0, 2, 0, 0), header_style="dim")
    for head in HEADS:
        lines.add_column(head)
    for row in _rows(found):
        lines.add_row(*map(Text, row))
    console.print(lines)
    console.print(Text(_times(found), style="dim"))


def _drawn(found: Survey) -> Markup:
    frame = element("div", Markup(times_figure(found.seconds, "automata")), class_="plot")
    return element("figure", frame, element("figcaption", phrases.sentence(_times(found))))


def survey_page(found: Survey) -> str:
    """The same as a page."""
    machine = found.provenance
    told = [
        ("draw", "uniform transition tables and final sets, kept if minimal and reachable"),
        ("seed", str(found.seed)),
        ("machine", f"{machine['device']}, commit {machine['commit']}, {machine['time']}"),
    ]
    content = [
        masthead("foretell survey", "How many languages are in C-RASP?", _title(found)),
        section("Answers", table(HEADS, _rows(found), numeric=(1, 2, 3, 4))),
        section("Time", _drawn(found)),
        section("How", pairs(told)),
        element(
            "p",
            "Yes: a C-RASP program exists in the fragment. No: it is proved that none does.",
            class_="quiet",
        ),
    ]
    return page("foretell survey", content)
