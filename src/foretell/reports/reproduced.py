"""A published table run again: ours beside theirs, with what theory says, and where they part."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from typing import Any

from foretell.core.measurement import Measurement, Value
from foretell.core.prediction import Prediction
from foretell.core.question import GeneralizesInLength, Question, SizeRange
from foretell.core.scoreboard import Agreement, Row
from foretell.plain.catalogue import suggest
from foretell.plain.errors import BadInput
from foretell.protocols._asking import Budget
from foretell.protocols._running import stored
from foretell.reproductions import Line, Reproduction
from foretell.theory import predict
from foretell.theory._existence import FRAGMENT, existence
from foretell.training.store import Store

CLEAR = (0.05, 0.95)  # a published value outside these is a verdict; between them it is a spread
NEAR = 0.05 + 1e-9  # 1 - 0.95 is a little more than 0.05 in floating point
FORECAST = "crasp-length"  # the theory that the published figure was drawn for
NOT_RUN = "not run"
AGAINST_PUBLISHED = ("agrees", "differs", "published spread", "nothing published", NOT_RUN)


@dataclass(frozen=True)
class Compared:
    """One line with its measurement, if it was made, and what theories say."""

    line: Line
    row: Row
    fragments: dict[str, str]  # is there a C-RASP program, by fragment

    @property
    def question(self) -> Question:
        """What was asked."""
        return self.row.question

    @property
    def name(self) -> str:
        """Task, encoding, and the setting where there are several."""
        named = f"{self.line.label} {self.question.architecture.positional}"
        return f"{named} {self.line.setting}" if self.line.setting else named

    @property
    def ranges(self) -> tuple[SizeRange, ...]:
        """The sizes trained on, then the longer ones."""
        outcome = self.question.outcome
        assert isinstance(outcome, GeneralizesInLength)
        return (outcome.seen, *outcome.asked)

    @property
    def measured(self) -> Measurement | None:
        """What training showed."""
        return self.row.measurement

    @property
    def values(self) -> tuple[Value, ...]:
        """Ours on the training distribution, range by range."""
        if self.measured is None:
            return ()
        probe = self.question.task.probes[0]
        return tuple(value for value in self.measured.values if value.probe == probe)

    @property
    def fitted(self) -> tuple[int, int] | None:
        """Runs that fit the training range, of how many."""
        if self.measured is None:
            return None
        notes = self.measured.provenance
        return len(notes.get("fitted", ())), len(notes["seeds"])

    @property
    def left_out(self) -> int:
        """Runs that the values do not average over, since they did not fit."""
        return self.fitted[1] - len(self.values[0].seeds) if self.fitted else 0

    @property
    def counts_unfitted(self) -> bool:
        """Fewer than half of the runs fit, so all of them count, fitted or not."""
        return self.fitted is not None and 2 * self.fitted[0] < self.fitted[1]

    @property
    def forecast(self) -> Prediction | None:
        """What C-RASP predicts for this encoding."""
        return next((said for said in self.row.stated if said.predictor == FORECAST), None)

    @property
    def verdict(self) -> str:
        """Does ours agree with the published numbers, where those are clear?"""
        if self.measured is None:
            return NOT_RUN
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
            "task": self.question.task.name,
            "group": self.line.heading,
            "architecture": asked.question.architecture.as_json(),
            "question": asked.question.hash,
            "published": self.line.published,
            "note": self.line.note,
            "ours": [value.as_json() for value in self.values],
            "fitted": self.fitted,
            "fragments": self.fragments,
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
class Reached:
    """How many rows of a group reach their bar with one encoding in one range of sizes.

    `some` counts rows where the best run does, `every` those where all runs that count do, and
    `always` those where all of them do on every probe: the typical and the worst case. `last`
    counts rows where the best run does at the last letter, where that is scored apart.
    """

    group: str
    positional: str
    sizes: SizeRange
    rows: int
    some: int
    every: int
    always: int
    last: int


@dataclass(frozen=True)
class Best:
    """How many tasks of a group reach the bar with some setting, encoding and run."""

    group: str
    sizes: SizeRange
    tasks: int
    reached: int


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
        published = {kind: found.count(kind) for kind in AGAINST_PUBLISHED}
        reached = [
            {**dataclasses.asdict(each), "sizes": [each.sizes.low, each.sizes.high]}
            for each in self.reached()
        ]
        best = [
            {**dataclasses.asdict(each), "sizes": [each.sizes.low, each.sizes.high]}
            for each in self.best()
        ]
        return {"published": published, "theories": theories, "reached": reached, "best": best}

    def reached(self) -> tuple[Reached, ...]:
        """Group by group, how many rows reach the bar of their measurement."""
        gathered: dict[tuple[str, str, SizeRange], list[tuple[bool, ...]]] = {}
        for line in self.lines:
            for sizes in line.ranges[1:] if line.measured else ():
                place = (line.line.heading, line.question.architecture.positional, sizes)
                gathered.setdefault(place, []).append(_reaches(line, sizes))
        return tuple(
            Reached(*place, len(found), *(sum(kind) for kind in zip(*found, strict=True)))
            for place, found in gathered.items()
        )

    def best(self) -> tuple[Best, ...]:
        """Group by group, the best of all settings; nothing where there is one setting only."""
        if not any(line.line.setting for line in self.lines):
            return ()
        gathered: dict[tuple[str, SizeRange], dict[str, bool]] = {}
        for line in self.lines:
            for sizes in line.ranges[1:] if line.measured else ():
                tasks = gathered.setdefault((line.line.group, sizes), {})
                known = tasks.get(line.line.label, False)
                tasks[line.line.label] = known or _reaches(line, sizes)[0]
        return tuple(
            Best(*place, len(tasks), sum(tasks.values())) for place, tasks in gathered.items()
        )

    @property
    def has_published(self) -> bool:
        """Is there anything to compare with?"""
        return any(line.line.published for line in self.lines)

    def missed(self) -> tuple[Compared, ...]:
        """Rows where some theory said the opposite of what training showed."""
        return tuple(
            line
            for line in self.lines
            if any(line.row.agreement(said) is Agreement.DISAGREES for said in line.row.stated)
        )


def _reaches(line: Compared, sizes: SizeRange) -> tuple[bool, bool, bool, bool]:
    """Some run on the training distribution, every run on it, every run on every probe; and some
    run at the last letter."""
    assert line.measured is not None
    bar = line.measured.bar or 1.0
    probes = line.question.task.probes
    every = {value.probe: value.seeds for value in line.measured.values if value.sizes == sizes}
    here = {probe: seeds for probe, seeds in every.items() if probe in probes}
    typical, last = here[probes[0]], every.get(f"{probes[0]}, last letter", (0.0,))
    return (
        max(typical) >= bar,
        min(typical) >= bar,
        all(min(seeds) >= bar for seeds in here.values()),
        max(last) >= bar,
    )


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
                "the reproduction has no such row",
                seen=name,
                why=f"rows: {', '.join(names)}",
                hint=suggest(name, names),
            )
    encodings = dict.fromkeys(line.asked.question.architecture.positional for line in lines)
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
        lines.append(Compared(line, row, _fragments(question)))
    return Comparison(reproduction, budget, tuple(lines))


def _fragments(question: Question) -> dict[str, str]:
    found = {fragment: existence(question.task, fragment) for fragment in FRAGMENT}
    return {
        fragment: "unknown" if isinstance(known, str) else known.value.replace("-", " ")
        for fragment, known in found.items()
    }


def notes(whole: Comparison) -> dict[str, list[str]]:
    """Each remark about lines, with the lines it is about."""
    found: dict[str, list[str]] = {}
    for line in whole.lines:
        if line.line.note:
            found.setdefault(line.line.note, []).append(line.name)
    return found


def percent(value: float, digits: int = 1) -> str:
    """A share in percent; only all is printed as 100, and only nothing as 0.

    >>> percent(1.0), percent(0.99999), percent(0.978), percent(0.0001), percent(0.0)
    ('100', '99.9', '97.8', '0.1', '0')
    """
    if value in (0, 1):
        return f"{100 * value:.0f}"
    least = 10.0**-digits
    return f"{min(max(100 * value, least), 100 - least):.{digits}f}"
