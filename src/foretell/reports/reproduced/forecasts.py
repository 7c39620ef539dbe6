"""A forecast on rows that were drawn to test it: what it said, what came out, and how often right.

The forecast is asked once for every range, about that range and the nearer ones. Beside it stand
the plain theory (a C-RASP program exists) and membership in DA, the split that was found first.
What came out is read in three ways: by the protocol's rule, which may leave a row undecided; in the
typical case, where the best run reaches the bar at that range; in the worst, where every run does
on every kind of word.
"""

from __future__ import annotations

import functools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, final

from foretell.core.prediction import Prediction
from foretell.core.question import GeneralizesInLength, Question, SizeRange, Verdict
from foretell.core.scoreboard import Agreement
from foretell.languages.classes import class_report
from foretell.languages.dfa import DFA
from foretell.languages.regular import RegularLanguage
from foretell.protocols.length import Length
from foretell.reports.reproduced.bars import reaches
from foretell.reports.reproduced.line import FORECAST, Compared
from foretell.theory import predict

RULE, TYPICAL, WORST = "by the rule", "typical", "worst"
READINGS = {
    RULE: "by the protocol's rule",
    TYPICAL: "best run at the bar",
    WORST: "every run and kind of word at the bar",
}
IN_DA = "in DA"


@final
@dataclass(frozen=True)
class Judged:
    """One row asked as far as one range: what each way to foretell said, and what came out."""

    line: Compared
    sizes: SizeRange
    said: Mapping[str, Verdict]
    shown: Mapping[str, Verdict]  # empty where the row was not run

    def agreement(self, way: str, reading: str) -> Agreement:
        """Open where the row was not run, or either side is undecided."""
        return Agreement.between(self.said[way], self.shown.get(reading, Verdict.UNDECIDED))


@final
@dataclass(frozen=True)
class Tally:
    """How one way to foretell did, by what it said; `program`: rows that have one, or none."""

    way: str
    sizes: SizeRange
    reading: str
    program: bool
    right: Mapping[Verdict, int]
    wrong: Mapping[Verdict, int]
    open: int

    def as_json(self) -> dict[str, Any]:
        """Plain values."""
        return {
            "way": self.way,
            "sizes": [self.sizes.low, self.sizes.high],
            "reading": self.reading,
            "program": self.program,
            "right": {said.value: count for said, count in self.right.items()},
            "wrong": {said.value: count for said, count in self.wrong.items()},
            "open": self.open,
        }


def judged(lines: Sequence[Compared], forecast: str) -> tuple[Judged, ...]:
    """Every row at every range as far as which the forecast has something to say.

    Rows for which it was not on record before they were trained are no test, and left out.
    """
    found = []
    for line in lines:
        if forecast not in {each.predictor for each in line.row.stated}:
            continue
        for sizes in line.ranges[1:]:
            said = _said(line, sizes, forecast)
            if said is not None:
                found.append(Judged(line, sizes, said, _shown(line, sizes)))
    return tuple(found)


def _said(line: Compared, sizes: SizeRange, forecast: str) -> dict[str, Verdict] | None:
    """The forecast first; nothing where it or the plain theory does not apply."""
    outcome = GeneralizesInLength(line.ranges[0], _as_far_as(line, sizes))
    question = Question(line.question.task, line.question.architecture, outcome)
    answers = {
        each.predictor: each.verdict for each in predict(question) if isinstance(each, Prediction)
    }
    language = getattr(line.question.task, "language", None)
    if not {forecast, FORECAST} <= set(answers) or not isinstance(language, RegularLanguage):
        return None
    plain = answers[FORECAST]
    narrower = plain if plain is not Verdict.YES or in_da(language.dfa) else Verdict.NO
    return {forecast: answers[forecast], IN_DA: narrower, FORECAST: plain}


@functools.cache
def in_da(dfa: DFA) -> bool:
    """First-order logic with two variables; then so is the language of each state."""
    return class_report(dfa)["da"].answer == "yes"


def _as_far_as(line: Compared, sizes: SizeRange) -> tuple[SizeRange, ...]:
    return tuple(each for each in line.ranges[1:] if each.high <= sizes.high)


def _shown(line: Compared, sizes: SizeRange) -> dict[str, Verdict]:
    """The three readings of one row, as far as one range."""
    protocol, measured = line.line.asked.protocol, line.measured
    if measured is None:
        return {}
    assert isinstance(protocol, Length)
    near = {line.ranges[0], *_as_far_as(line, sizes)}
    values = tuple(value for value in measured.values if value.sizes in near)
    seen = measured.provenance
    verdict, _ = protocol.decide(line.question, values, seen.get("fitted", ()), seen["seeds"])
    some, _, always, _ = reaches(line, sizes)
    return {RULE: verdict, TYPICAL: _verdict(some), WORST: _verdict(always)}


def _verdict(reached: bool) -> Verdict:
    return Verdict.YES if reached else Verdict.NO


def tallies(found: Sequence[Judged]) -> tuple[Tally, ...]:
    """Range by range, reading by reading, each way to foretell; rows that were run."""
    run = [each for each in found if each.shown]
    gathered: dict[tuple[str, SizeRange, str, bool], list[Judged]] = {}
    for each in sorted(run, key=lambda one: one.sizes):
        for reading in READINGS:
            for way in each.said:
                program = each.said[FORECAST] is Verdict.YES
                gathered.setdefault((way, each.sizes, reading, program), []).append(each)
    return tuple(_tally(*place, rows) for place, rows in gathered.items())


def _tally(way: str, sizes: SizeRange, reading: str, program: bool, rows: list[Judged]) -> Tally:
    pairs = [(each.said[way], each.agreement(way, reading)) for each in rows]
    right, wrong = (
        {said: pairs.count((said, came_out)) for said in (Verdict.YES, Verdict.NO)}
        for came_out in (Agreement.AGREES, Agreement.DISAGREES)
    )
    unsettled = sum(came_out is Agreement.OPEN for _, came_out in pairs)
    return Tally(way, sizes, reading, program, right, wrong, unsettled)
