"""C-RASP programs and length generalization.

What: A task with a C-RASP program should generalize in length; one without should not. Without
    positional encoding the program may use neither periodic nor local relations; with learned
    absolute encodings it may use both; with numbers for near distances (`local`) local ones.
Definition: Theorems 7 and 9 and Corollary 18 of the source: if a program exists, the idealised
    inference procedure (a regularised minimiser that fits ever longer inputs) length-generalizes.
    The converse is an empirical observation, not a theorem. For `local` all of it is a conjecture
    of ours: its numbers are what the source's learner makes of positions where relations are local.
Example:
    >>> from foretell.core import Architecture, SizeRange
    >>> from foretell.core.question import GeneralizesInLength, Question
    >>> from foretell.tasks.lookup import find_task
    >>> shape = Architecture(layers=1, heads=1, width=16, positional="nope", context=154)
    >>> outcome = GeneralizesInLength(SizeRange(1, 50), (SizeRange(101, 150),))
    >>> said = CraspLength().predict(Question(find_task("binary-majority"), shape, outcome))
    >>> said.verdict.value, said.strength.label
    ('yes', 'conditional')

Known limits: For regular languages of up to 1,500 states existence is decided here, with a
    certificate; for other tasks the declared facts are read, with the task's program as certificate
    where one is known. Says nothing about how long training takes, about other positional
    encodings, or about networks too small for the program. The conjecture about `local` was made
    after thirteen languages had been trained so (docs/looking-back.md). Of seven in [local] none
    reached the bar with usual logits and three did with logits that grow with the logarithm of the
    length, which the source assumes; of six in [∅] three did either way. It counts on others only.
Sources: Huang et al., A formal framework for understanding length generalization in transformers,
    Theorems 7 and 9, Corollary 18, Section 5
"""

from __future__ import annotations

from dataclasses import dataclass

from foretell.core.architecture import KINDS, Activation, Architecture, AttentionScale
from foretell.core.prediction import (
    Assumption,
    NotApplicable,
    Prediction,
    Predictor,
    Standing,
    Strength,
)
from foretell.core.question import GeneralizesInLength, Question, Verdict
from foretell.models.positional.local import NEAR
from foretell.theory._existence import FRAGMENT, Existence, existence

PAPER = "Huang et al., A formal framework for understanding length generalization in transformers"
FACT_FOR = {"nope": "crasp", "ape": "crasp-periodic-local", "local": "crasp-local"}
THEOREM = {"nope": "Corollary 18", "ape": "Theorems 7 and 9"}
OBSERVED = "Section 5"
CONJECTURED = "a conjecture of ours, docs/looking-back.md"
NEAR_ENOUGH = Assumption(
    f"the program looks back no further than {NEAR - 1} places, as the encoding does",
    Standing.ASSUMED,
)


@dataclass(frozen=True)
class CraspLength(Predictor):
    """Prediction from the existence of a C-RASP program, decided or declared."""

    name = "crasp-length"

    def predict(self, question: Question) -> Prediction | NotApplicable:
        """Ask for a program in the fragment that the positional encoding calls for."""
        positional = question.architecture.positional
        if not isinstance(question.outcome, GeneralizesInLength):
            return NotApplicable(self.name, question, "the theory is about longer inputs only")
        if question.architecture.kind != KINDS[0]:
            why = f"the theory is about transformers, not about {question.architecture.kind}"
            return NotApplicable(self.name, question, why)
        if positional not in FACT_FOR:
            return NotApplicable(
                self.name,
                question,
                f"the theory covers {', '.join(FACT_FOR)}, not {positional}: no result is known",
            )
        found = existence(question.task, FACT_FOR[positional])
        if isinstance(found, str):
            return NotApplicable(self.name, question, found)
        return self._state(question, found)

    def _state(self, question: Question, found: Existence) -> Prediction:
        positional = question.architecture.positional
        fragment, exists = FRAGMENT[FACT_FOR[positional]], found.value == "yes"
        theorem = THEOREM.get(positional)
        follows = (
            f"so the idealised learner generalizes in length ({theorem})"
            if theorem
            else f"and the encoding {positional} tells near distances as its relations do; that "
            "training then finds it and generalizes is a conjecture of ours"
        )
        fails = (
            "that training then fails is an observation, not a theorem"
            if theorem
            else "that training then fails is a conjecture of ours"
        )
        verdict, strength, reason = {
            "yes": (
                Verdict.YES,
                Strength.CONDITIONAL if theorem else Strength.CONJECTURE,
                f"a {fragment} program exists, {follows}",
            ),
            "no": (
                Verdict.NO,
                Strength.CONJECTURE,
                f"{'it is proved that' if found.certificate else 'according to its source,'} no "
                f"{fragment} program exists; {fails}",
            ),
            "none-found": (
                Verdict.UNDECIDED,
                Strength.HEURISTIC,
                f"nobody has found a {fragment} program, and nobody has proved that there is none",
            ),
        }[found.value]
        return Prediction(
            predictor=self.name,
            question=question,
            verdict=verdict,
            strength=strength,
            reason=reason,
            assumptions=(*found.certified, *assumptions(question.architecture, verdict)),
            sources=(_source(positional, exists), found.source),
            certificate=found.certificate,
            searched_only=found.value == "none-found",
            made_from_runs=theorem is None,
        )


def _source(positional: str, exists: bool) -> str:
    """Where it is said that longer inputs follow from a program, or do not without one."""
    if positional not in THEOREM:
        return CONJECTURED
    return f"{PAPER}, {THEOREM[positional] if exists else OBSERVED}"


def assumptions(shape: Architecture, verdict: Verdict) -> tuple[Assumption, ...]:
    """What is needed besides the program, or that there is none, and where each stands here."""
    proved = shape.positional in THEOREM
    stated = Assumption(
        f"positional encoding is {shape.positional}, for which the result is stated"
        if proved
        else f"what is proved for learned positions holds for {shape.positional}",
        Standing.CHECKED if proved else Standing.ASSUMED,
    )
    if verdict is Verdict.YES:
        return (stated, *_ideal(shape)) if proved else (stated, NEAR_ENOUGH, *_ideal(shape))
    if verdict is Verdict.NO:
        observed = "what was observed on other tasks without a program holds for this one"
        told = observed if proved else f"{observed}, and for {shape.positional}"
        return (stated, Assumption(told, Standing.ASSUMED))
    return (stated,)


def _ideal(shape: Architecture) -> tuple[Assumption, ...]:
    """What the theorem about the idealised learner needs."""
    differences = [
        difference
        for difference, present in (
            ("layer norm", shape.norm),
            (f"{shape.activation.value} units", shape.activation is not Activation.RELU),
            (
                "logits without the factor log length",
                shape.attention_scale is not AttentionScale.LOG_LENGTH,
            ),
        )
        if present
    ]
    ideal = (
        "what is proved for the idealised transformer (no layer norm, Heaviside or ReLU units, "
        "logits scaled with the logarithm of the length, fixed precision) carries over to this one"
    )
    texts = (
        "training finds what the idealised inference procedure finds: a model that fits every "
        "length seen and nearly minimises the regularizer",
        ideal + (f", with {', '.join(differences)}" if differences else ""),
        "layers, heads and width are enough for the program",
        "the training sizes are long enough; no bound is known in general",
    )
    return tuple(Assumption(text, Standing.ASSUMED) for text in texts)
