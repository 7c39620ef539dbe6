"""A published table run again: ours beside theirs, with what theory says, and where they part."""

from __future__ import annotations

import dataclasses
import itertools
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from foretell.core.question import Question
from foretell.core.scoreboard import Agreement, Row
from foretell.plain.catalogue import suggest
from foretell.plain.errors import BadInput
from foretell.protocols._asking import Budget
from foretell.protocols._running import stored
from foretell.reports.hindsight import begun, without_hindsight
from foretell.reports.reproduced.bars import Best, Reached, best, reached
from foretell.reports.reproduced.forecasts import judged, tallies
from foretell.reports.reproduced.line import NOT_RUN, Compared
from foretell.reproductions import Line, Reproduction
from foretell.theory import predict
from foretell.theory._existence import existence
from foretell.training.store import Store

AGAINST_PUBLISHED = ("agrees", "differs", "published spread", "nothing published", NOT_RUN)
COLUMNS = ("crasp", "crasp-periodic-local")  # the fragments that published tables show
USUAL = "usual"  # the setting of rows that name none, where others do
SAME_ANSWER = ("same", "undecided here", "opposite")


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
        answers = [line.same_answer for line in self.lines]
        answered = {kind: answers.count(kind) for kind in SAME_ANSWER}
        bars: dict[str, Sequence[Reached | Best]]
        bars = {"reached": reached(self.lines), "best": best(self.lines)}
        counts = {
            name: [
                {**dataclasses.asdict(each), "sizes": [each.sizes.low, each.sizes.high]}
                for each in found
            ]
            for name, found in bars.items()
        }
        told = {"published": published, "answers": answered, "theories": theories, **counts}
        if self.reproduction.forecast:
            rows = judged(self.lines, self.reproduction.forecast)
            told["forecasts"] = [each.as_json() for each in tallies(rows)]
        return told

    @property
    def ranges(self) -> tuple[str, ...]:
        """Names of the longer ranges: their ends, or their place where rows differ in them."""
        most = max((line.ranges[1:] for line in self.lines), key=len)
        if all(line.ranges[1:] == most for line in self.lines):
            return tuple(map(str, most))
        return ("longer", "longest")[: len(most)]

    @property
    def has_published(self) -> bool:
        """Is there anything to compare with?"""
        return any(line.line.published for line in self.lines)

    def missed(self) -> dict[str, tuple[Compared, ...]]:
        """By theory, the rows where it said the opposite of what training showed."""
        found: dict[str, list[Compared]] = {}
        for line in self.lines:
            stated = line.row.stated
            wrong = [each for each in stated if line.row.agreement(each) is Agreement.DISAGREES]
            for theory in sorted({each.predictor for each in wrong}):
                found.setdefault(theory, []).append(line)
        return {theory: tuple(found[theory]) for theory in sorted(found)}


def chosen(
    reproduction: Reproduction,
    budget: str,
    seeds: int | None,
    only: str | None,
    positional: str | None,
) -> tuple[Line, ...]:
    """The lines somebody wants to train.

    Rows, groups and settings narrow each other down: a group and a setting mean that setting of
    that group. Two of a kind mean both.
    """
    lines = reproduction.lines(_budget(budget), seeds)
    settings = [line.setting or USUAL for line in lines]
    by_kind = [[line.group for line in lines], [line.label for line in lines]]
    if set(settings) != {USUAL}:
        by_kind.insert(1, settings)
    names = list(dict.fromkeys(itertools.chain(*by_kind)))
    wanted = set(_picked(only, names)) if only is not None else set()
    asked = [(kind, wanted.intersection(kind)) for kind in by_kind]
    encodings = dict.fromkeys(line.asked.question.architecture.positional for line in lines)
    if positional is not None and positional not in encodings:
        raise BadInput("no row has that encoding", seen=positional, why=" or ".join(encodings))
    found = tuple(
        line
        for place, line in enumerate(lines)
        if all(not own or kind[place] in own for kind, own in asked)
        and positional in (None, line.asked.question.architecture.positional)
    )
    if not found:
        raise BadInput(
            "no row is all of that",
            seen=", ".join(filter(None, (only, positional))),
            why="a group, a setting, a row and an encoding narrow each other down",
            hint="two of a kind mean both: --only ROW,ANOTHER",
        )
    return found


def _picked(only: str, names: Sequence[str]) -> list[str]:
    """The names between commas; names with commas of their own are read as such."""
    pieces, found = only.split(","), []
    while pieces:
        spans = range(len(pieces), 0, -1)
        joined = ((span, ",".join(pieces[:span]).strip()) for span in spans)
        span, name = next((each for each in joined if each[1] in names), (1, pieces[0].strip()))
        if name not in names:
            raise BadInput(
                "the reproduction has no such row",
                seen=name,
                why=f"rows: {', '.join(names)}",
                hint=suggest(name, names),
            )
        found.append(name)
        del pieces[:span]
    return found


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
        said, measured = predict(question), stored(line.asked, store)
        if measured is not None:
            on_record = store.first_predictions(question.hash, begun(measured.provenance))
            said = without_hindsight(said, on_record)
        lines.append(Compared(line, Row(question, said, measured), _fragments(question)))
    return Comparison(reproduction, budget, tuple(lines))


def _fragments(question: Question) -> dict[str, str]:
    found = {fragment: existence(question.task, fragment) for fragment in COLUMNS}
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
