"""One line of a reproduced table: ours, what theory says, and what was published."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from typing import Any

from foretell.core.measurement import Interval, Measurement, Value
from foretell.core.prediction import Prediction
from foretell.core.question import GeneralizesInLength, Question, SizeRange, Verdict
from foretell.core.scoreboard import Row
from foretell.numerics.intervals import over_seeds
from foretell.reproductions import Line

CLEAR = (0.05, 0.95)  # a published value outside these is a verdict; between them it is a spread
NEAR = 0.05 + 1e-9  # 1 - 0.95 is a little more than 0.05 in floating point
FORECAST = "crasp-length"  # the theory that the published figure was drawn for
NOT_RUN = "not run"


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
        """Ours on the training distribution, range by range.

        Beside a published mean over runs that fit, however few, so is ours: one that says 100 in
        the training range. Others were published of runs whether they fit or not.
        """
        if self.measured is None:
            return ()
        probe = self.question.task.probes[0]
        found = tuple(value for value in self.measured.values if value.probe == probe)
        fitted = set(self.measured.provenance.get("fitted", ()))
        over_fitted = self.line.published is not None and self.line.published[0] == 1
        if not over_fitted or not fitted or fitted >= set(found[0].runs):
            return found
        return tuple(_only(value, fitted, self.measured) for value in found)

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
        """So few of the runs fit that all of them count, fitted or not."""
        return self.fitted is not None and self.fitted[0] < len(self.values[0].seeds)

    @property
    def few_fit(self) -> bool:
        """Is the mean over fewer than half of the runs, where the verdict is over all?"""
        return self.fitted is not None and 0 < 2 * len(self.values[0].seeds) < self.fitted[1]

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

    @property
    def published_verdict(self) -> Verdict | None:
        """What the published values say of longer sizes, where they are clear."""
        longer = (self.line.published or ())[1:]
        if any(value <= CLEAR[0] for value in longer):
            return Verdict.NO
        return Verdict.YES if longer and all(v >= CLEAR[1] for v in longer) else None

    @property
    def same_answer(self) -> str | None:
        """Do both give the same answer, yes or no, however far apart the values are?"""
        if self.measured is None or self.published_verdict is None:
            return None
        if self.measured.verdict is Verdict.UNDECIDED:
            return "undecided here"
        return "same" if self.measured.verdict is self.published_verdict else "opposite"

    def as_json(self) -> dict[str, Any]:
        """Plain values, seed by seed."""
        asked = self.line.asked
        return {
            "task": self.question.task.name,
            "group": self.line.heading,
            "setting": self.line.setting,
            "architecture": asked.question.architecture.as_json(),
            "question": asked.question.hash,
            "published": self.line.published,
            "note": self.line.note,
            "ours": [value.as_json() for value in self.values],
            "other_tests": [
                value.as_json()
                for value in (self.measured.values if self.measured else ())
                if value.probe != self.question.task.probes[0]
            ],
            "fitted": self.fitted,
            "fragments": self.fragments,
            "agreement_with_published": self.verdict,
            "answer_beside_published": self.same_answer,
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


def _only(value: Value, runs: set[int], measured: Measurement) -> Value:
    """The value over some of its runs."""
    kept = [place for place, run in enumerate(value.runs) if run in runs]
    shares = tuple(value.seeds[place] for place in kept)
    curves = [curve for curve in measured.curves if curve.probe == value.probe]
    tried = sum(
        tried for size, _, tried in curves[0].points if value.sizes.low <= size <= value.sizes.high
    )
    mean, low, high = over_seeds(shares, tried)
    return dataclasses.replace(
        value,
        seeds=shares,
        mean=mean,
        interval=Interval(low, high),
        runs=tuple(value.runs[place] for place in kept),
    )
