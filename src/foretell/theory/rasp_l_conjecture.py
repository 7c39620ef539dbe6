"""Short RASP-L programs and length generalization: a conjecture.

What: A decoder trained on short inputs tends to answer longer ones if its task has a short RASP-L
    program that is right at every length. Where such a program is known this says yes, as a
    conjecture, with the program as certificate. Where people have looked and found none it is
    undecided: a program that nobody has written may still exist.
Definition: RASP-L is a language for decoders in which indices and widths are only compared, or
    moved by one (docs/rasp-l.md). The size of a program is the number of kqv and sel_width after
    inlining. The conjecture does not say how short is short; sizes up to 6 count as short here.
Example:
    >>> from foretell.core import Architecture, SizeRange
    >>> from foretell.core.question import GeneralizesInLength, Question
    >>> from foretell.tasks.lookup import find_task
    >>> shape = Architecture(layers=1, heads=1, width=16, positional="nope", context=303)
    >>> outcome = GeneralizesInLength(SizeRange(1, 50), (SizeRange(101, 150),))
    >>> said = RaspLConjecture().predict(Question(find_task("sort"), shape, outcome))
    >>> said.verdict.value, said.strength.label
    ('yes', 'conjecture')

Known limits: There is published evidence against it: on hundreds of tasks generated from the
    shortest RASP-L programs decoders were found not to generalize (Cheng, 2025). It never says no.
    Programs are known here for five tasks of the catalogue.
Sources: Zhou et al., What algorithms can transformers learn? A study in length generalization;
    against it: Cheng, Beyond memorization: evaluating length-generalization in transformer-based
    language models, master's thesis, University of Washington, 2025
"""

from __future__ import annotations

from dataclasses import dataclass

from foretell.core.prediction import (
    Assumption,
    NotApplicable,
    Prediction,
    Predictor,
    Standing,
    Strength,
)
from foretell.core.question import GeneralizesInLength, Question, Verdict
from foretell.rasp_l.program import Program
from foretell.theory._rasp_l import LOOKED_FOR, RaspLCertificate, known_program

PAPER = "Zhou et al., What algorithms can transformers learn? A study in length generalization"
AGAINST = (
    "Cheng, Beyond memorization: evaluating length-generalization in transformer-based language "
    "models, master's thesis, University of Washington, 2025"
)
COUNTER_EVIDENCE = (
    "published evidence against the conjecture: on hundreds of tasks generated from the shortest "
    "programs decoders did not generalize in length (Cheng, 2025)"
)
SHORT = 6  # the largest program of the suite; the conjecture names no number


@dataclass(frozen=True)
class RaspLConjecture(Predictor):
    """Yes where a short program is known, undecided where none was found, otherwise silent."""

    name = "rasp-l-conjecture"

    def predict(self, question: Question) -> Prediction | NotApplicable:
        """Ask for a program; having none is never a no."""
        if not isinstance(question.outcome, GeneralizesInLength):
            return NotApplicable(self.name, question, "the conjecture is about longer inputs only")
        kind = question.architecture.kind
        if not kind.startswith("transformer"):
            why = f"the conjecture is about transformers, not about {kind}"
            return NotApplicable(self.name, question, why)
        program = known_program(question.task)
        if program is not None and program.size <= SHORT:
            return self._yes(question, program)
        if isinstance(question.task, LOOKED_FOR):
            return self._undecided(question)
        return NotApplicable(
            self.name,
            question,
            "no RASP-L program is known here and none has been looked for, which says nothing",
        )

    def _yes(self, question: Question, program: Program) -> Prediction:
        texts = (
            f"size {program.size} is short; the conjecture gives no number",
            "this task is like those the conjecture was made from, not like the generated ones on "
            "which it failed (Cheng, 2025)",
            "training inputs are diverse enough, and layers, heads and width are enough for the "
            "program",
            f"with {question.architecture.positional} positions the decoder can compare indices "
            "and move them by one",
        )
        return Prediction(
            predictor=self.name,
            question=question,
            verdict=Verdict.YES,
            strength=Strength.CONJECTURE,
            reason=f"a RASP-L program of size {program.size} solves it at every length, and short "
            f"programs are conjectured to be learned so; {COUNTER_EVIDENCE}",
            assumptions=tuple(Assumption(text, Standing.ASSUMED) for text in texts),
            sources=(PAPER, f"against it: {AGAINST}"),
            certificate=RaspLCertificate(program, question.task),
        )

    def _undecided(self, question: Question) -> Prediction:
        return Prediction(
            predictor=self.name,
            question=question,
            verdict=Verdict.UNDECIDED,
            strength=Strength.HEURISTIC,
            reason="no short RASP-L program has been found, which does not mean that there is "
            f"none; {COUNTER_EVIDENCE}",
            assumptions=(),
            sources=(PAPER, f"against it: {AGAINST}"),
            searched_only=True,
        )
