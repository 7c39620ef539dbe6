"""Does the state still change beyond the lengths trained on? A rule fixed on random languages.

What: Asked to follow an automaton beyond the lengths it was trained on, a transformer is foretold
    to go on being right if there is a C-RASP[∅] program and if the words it will be asked about
    hardly change their state beyond the trained length; otherwise it is foretold to fail. It knows
    the protocol: which words are drawn, how long, and how far one asks.
Definition: Late moves: the expected number of letters, beyond the longest trained size, that change
    the state, in the words of the furthest range asked about, computed exactly from the automaton
    and the sampler. Yes: each state has a C-RASP[∅] program and there are at most 2 late moves
    (asked to 150) or 0.1 (asked to 500). No: otherwise. A language whose last letter alone tells
    the state has none. Both limits were fixed on `language-suite`, before any language of
    `language-suite-fresh` was trained.
Example:
    >>> from foretell.core import Alphabet, Architecture, SizeRange
    >>> from foretell.core.question import GeneralizesInLength, Question
    >>> from foretell.languages.regular import RegularLanguage
    >>> outcome = GeneralizesInLength(SizeRange(1, 50), (SizeRange(101, 150),))
    >>> shape = Architecture(layers=4, heads=4, width=128, positional="nope", context=151)
    >>> for text in ("a*", "(ab)*"):
    ...     language = RegularLanguage.from_regex(text, Alphabet(("a", "b")))
    ...     task = TrackingTask(150, "state", language=language)
    ...     said = LateMoves().predict(Question(task, shape, outcome))
    ...     print(text, said.verdict.value, said.strength.label)
    a* yes heuristic
    (ab)* no heuristic

Known limits: A rule that worked, not a theory: nothing is proved. On the 50 languages of C-RASP[∅]
    that it was fixed on (no positions, three runs each) it agrees with 41 of 42 settled rows to 150
    (98 %, interval 88 to 100) and with 40 of 43 to 500 (93 %, 81 to 98), where "a program exists,
    so yes" agrees with 23 (55 %, 40 to 69) and 10 (23 %, 13 to 38). On 60 languages drawn anew
    (`language-suite-fresh`) it agrees with 52 of 53 to 150 (98 %, 90 to 100), where DA has 50,
    which is no proof that it is better; and with 48 of 51 to 500 (94 %, 84 to 98), where always no
    has 46. Its yes to 150 means that some run gets there (27 of 28), not every run on every kind
    of word (18 of 28). To 150 it is wrong about the words that do not alternate (ab)*: the words
    that still move late are one for each length. To 500 it says yes where the first letter decides
    for good, since nothing moves; there one letter must be heard among 500, and runs differ.
    Trained to 50, asked to 150 or 500, the suite's mixture of words, states asked for: silent
    about everything else.
Sources: results/language-suite/h200.json, rules.json and fresh-rules.json;
    docs/language-forecast.md
"""

from __future__ import annotations

from dataclasses import dataclass

from foretell.core.architecture import Architecture
from foretell.core.prediction import (
    Assumption,
    NotApplicable,
    Prediction,
    Predictor,
    Standing,
    Strength,
)
from foretell.core.question import GeneralizesInLength, Question, SizeRange, Verdict
from foretell.tasks.tracking import TrackingTask
from foretell.theory._existence import Existence, existence
from foretell.theory._moves import late_moves
from foretell.theory._suite import TRAINED, furthest_asked, outside

LIMITS = {SizeRange(101, 150): 2.0, SizeRange(451, 500): 0.1}  # most late moves for a yes
POSITIONALS = ("nope", "ape")
FRAGMENT = "crasp"
FIXED_ON = "foretell, language-suite on an H200, 50 languages of C-RASP[∅] (docs/language-suite.md)"


@dataclass(frozen=True)
class LateMoves(Predictor):
    """Yes where a program exists and words hardly move beyond what was trained on."""

    name = "late-moves"

    def predict(self, question: Question) -> Prediction | NotApplicable:
        """Only where the rule was fixed: words, sizes and encodings of the suite."""
        why = outside(question, POSITIONALS, LIMITS)
        if why is not None:
            return NotApplicable(self.name, question, why)
        found = existence(question.task, FRAGMENT)
        if isinstance(found, str):
            return NotApplicable(self.name, question, found)
        return self._state(question, found)

    def _state(self, question: Question, found: Existence) -> Prediction:
        task, outcome = question.task, question.outcome
        assert isinstance(task, TrackingTask) and isinstance(outcome, GeneralizesInLength)
        if found.value != "yes":
            verdict, reason = Verdict.NO, "some state has no C-RASP[∅] program"
        else:
            furthest = furthest_asked(outcome)
            limit, moves = LIMITS[furthest], late_moves(task, outcome.seen.high, furthest)
            seen = f"{moves:.2g} state changes a word beyond length {TRAINED} at {furthest}"
            few, many = f"and {seen} are at most {limit:g}", f"but {seen} are more than {limit:g}"
            verdict = Verdict.YES if moves <= limit else Verdict.NO
            reason = f"a program exists, {few if verdict is Verdict.YES else many}"
        return Prediction(
            predictor=self.name,
            question=question,
            verdict=verdict,
            strength=Strength.HEURISTIC,
            reason=f"{reason}: a rule fixed on 50 other languages",
            assumptions=(*found.assumptions, *_assumptions(question.architecture)),
            sources=(FIXED_ON, found.source),
        )


def _assumptions(shape: Architecture) -> tuple[Assumption, ...]:
    same = (shape.layers, shape.heads) == (4, 4) and shape.width in (64, 128)
    return (
        Assumption(
            "4 layers and heads and a width of 64 or 128, with which the rule was fixed",
            Standing.CHECKED if same else Standing.ASSUMED,
        ),
        Assumption(
            "training and decision as in language-suite: stopped at the first check without a "
            "mistake, every run at 0.99 or more in every longer range",
            Standing.ASSUMED,
        ),
        Assumption("what held for 50 random languages holds for this one", Standing.ASSUMED),
    )
