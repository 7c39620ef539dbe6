"""Will heads go on looking back where there is more to see? A rule fixed on random languages.

What: Some automata can be followed only by looking back a fixed distance: there is a C-RASP
    program with local relations and none without. A transformer with linear biases (`alibi`) is
    foretold to follow them to three times the length it was trained on; one without positions, or
    with learned ones, to fail there, though the theory of C-RASP promises success of an idealised
    learner with learned positions.
Definition: Asked for the state after every letter, on the suite's mixture of words, trained to 50
    and asked as far as 101-150. Each state has a C-RASP[local] program and some state has no
    C-RASP[∅] program. Yes: linear biases. No: no positions, learned positions.
Example:
    >>> from foretell.core import Alphabet, Architecture, SizeRange
    >>> from foretell.core.question import GeneralizesInLength, Question
    >>> from foretell.languages.regular import RegularLanguage
    >>> from foretell.tasks.tracking import TrackingTask
    >>> outcome = GeneralizesInLength(SizeRange(1, 50), (SizeRange(101, 150),))
    >>> language = RegularLanguage.from_regex("(a|b)*ab(a|b)", Alphabet(("a", "b")))
    >>> task = TrackingTask(150, "state", language=language)
    >>> for encoding in ("alibi", "nope"):
    ...     shape = Architecture(layers=4, heads=4, width=32, positional=encoding, context=151)
    ...     said = LookingBack().predict(Question(task, shape, outcome))
    ...     print(encoding, said.verdict.value, said.strength.label)
    alibi yes heuristic
    nope no heuristic

Known limits: A rule that worked, not a theory: nothing is proved. It was fixed on 28 random
    languages of the suite, 4 layers of 32, one run each, on a CPU: 26 have at least 95 % of the
    words of 101-150 letters right with linear biases, one does without positions, and of seven
    none with learned ones. On 14 languages drawn anew (`looking-back-forecast`, three runs each)
    it agrees with 18 of 18 settled rows (82 to 100 %): 7 yes and 11 no; 7 more yes are undecided,
    since one run of three stays below. It is about that bar of 95 %: at 99 % linear biases have 19
    of the 28. At 451-500
    letters 11 of the 28 are above 95 % with linear biases, so it says nothing that far; nor about
    languages that ask for counts as well, of which linear biases lose some. Other encodings were
    tried on fewer languages (docs/looking-back.md).
Sources: results/language-suite/encodings-cpu.json and looking-back-forecast-cpu.json;
    docs/looking-back.md
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
from foretell.core.question import Question, SizeRange, Verdict
from foretell.theory._existence import existence
from foretell.theory._suite import outside

FURTHEST = SizeRange(101, 150)
SAID = {"alibi": Verdict.YES, "nope": Verdict.NO, "ape": Verdict.NO}
REASON = {
    Verdict.YES: "linear biases keep a look near where there is more to see",
    Verdict.NO: "without linear biases looking back did not go on",
}
FIXED_ON = "foretell, 28 languages of the suite on a CPU (docs/looking-back.md)"


@dataclass(frozen=True)
class LookingBack(Predictor):
    """By the encoding, where a language asks to look back and for nothing more."""

    name = "looking-back"

    def predict(self, question: Question) -> Prediction | NotApplicable:
        """Only where the rule was fixed: words and sizes of the suite, three encodings."""
        why = outside(question, tuple(SAID), (FURTHEST,))
        if why is not None:
            return NotApplicable(self.name, question, why)
        wide, narrow = (existence(question.task, each) for each in ("crasp-local", "crasp"))
        if isinstance(wide, str) or isinstance(narrow, str):
            return NotApplicable(
                self.name, question, wide if isinstance(wide, str) else str(narrow)
            )
        if (wide.value, narrow.value) != ("yes", "no"):
            why = (
                "the rule is about languages with a C-RASP[local] program and no C-RASP[∅] program"
            )
            return NotApplicable(self.name, question, why)
        verdict = SAID[question.architecture.positional]
        return Prediction(
            predictor=self.name,
            question=question,
            verdict=verdict,
            strength=Strength.HEURISTIC,
            reason=f"the language asks to look back a fixed distance, and {REASON[verdict]}: a "
            "rule fixed on 28 other languages",
            assumptions=(
                *wide.assumptions,
                *narrow.assumptions,
                *_assumptions(question.architecture),
            ),
            sources=(FIXED_ON, wide.source),
        )


def _assumptions(shape: Architecture) -> tuple[Assumption, ...]:
    same = (shape.layers, shape.heads, shape.width) == (4, 4, 32)
    return (
        Assumption(
            "4 layers and heads and a width of 32, with which the rule was fixed",
            Standing.CHECKED if same else Standing.ASSUMED,
        ),
        Assumption(
            "training stops at the first check without a mistake; right means 95 % of the words",
            Standing.ASSUMED,
        ),
        Assumption("what held for 28 random languages holds for this one", Standing.ASSUMED),
    )
