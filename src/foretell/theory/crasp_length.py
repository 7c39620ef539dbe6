"""C-RASP programs and length generalization.

What: A task with a C-RASP program should generalize in length; one without should not. Without
    positional encoding the program may use neither periodic nor local relations; with learned
    absolute encodings it may use both.
Definition: Theorems 7 and 9 and Corollary 18 of the source: if a program exists, the idealised
    inference procedure (a regularised minimiser that fits ever longer inputs) length-generalizes.
    The converse is an empirical observation, not a theorem.
Example:
    >>> from foretell.core import Architecture, SizeRange
    >>> from foretell.core.question import GeneralizesInLength, Question
    >>> from foretell.tasks.lookup import find_task
    >>> shape = Architecture(layers=1, heads=1, width=16, positional="nope", context=154)
    >>> outcome = GeneralizesInLength(SizeRange(1, 50), (SizeRange(101, 150),))
    >>> said = CraspLength().predict(Question(find_task("binary-majority"), shape, outcome))
    >>> said.verdict.value, said.strength.label
    ('yes', 'conditional')

Known limits: Reads the task's declared facts, and carries the task's program as a certificate where
    one is known; whether a program exists is not decided here. Says nothing about how long training
    takes, about other positional encodings, or about networks too small for the program.
Sources: Huang et al., A formal framework for understanding length generalization in transformers,
    Theorems 7 and 9, Corollary 18, Section 5
"""

from __future__ import annotations

from dataclasses import dataclass

from foretell.core.architecture import Activation, Architecture, AttentionScale
from foretell.core.prediction import (
    Assumption,
    NotApplicable,
    Prediction,
    Predictor,
    Standing,
    Strength,
)
from foretell.core.question import GeneralizesInLength, Question, Verdict
from foretell.core.task import Fact, Task
from foretell.crasp.analysis import analyse
from foretell.tasks.attached import attached_program
from foretell.tasks.program import ProgramTask
from foretell.theory._program import ProgramCertificate

PAPER = "Huang et al., A formal framework for understanding length generalization in transformers"
FACT_FOR = {"nope": "crasp", "ape": "crasp-periodic-local"}
FRAGMENT = {"crasp": "C-RASP[∅]", "crasp-periodic-local": "C-RASP[periodic, local]"}
THEOREM = {"nope": "Corollary 18", "ape": "Theorems 7 and 9"}


@dataclass(frozen=True)
class CraspLength(Predictor):
    """Prediction from the existence of a C-RASP program, as declared by the task."""

    name = "crasp-length"

    def predict(self, question: Question) -> Prediction | NotApplicable:
        """Read the fact that the positional encoding calls for."""
        positional = question.architecture.positional
        if not isinstance(question.outcome, GeneralizesInLength):
            return NotApplicable(self.name, question, "the theory is about longer inputs only")
        if positional not in FACT_FOR:
            return NotApplicable(
                self.name,
                question,
                f"the theory covers nope and ape, not {positional}: no result is known for it",
            )
        fact = question.task.fact(FACT_FOR[positional])
        if fact is None:
            return NotApplicable(
                self.name,
                question,
                f"whether {question.task.name} has a {FRAGMENT[FACT_FOR[positional]]} program is "
                "not declared, and is not decided automatically yet",
            )
        return self._state(question, fact, attached_certificate(question.task, fact))

    def _state(
        self, question: Question, fact: Fact, certificate: ProgramCertificate | None
    ) -> Prediction:
        fragment, positional = FRAGMENT[fact.name], question.architecture.positional
        verdict, strength, reason = {
            "yes": (
                Verdict.YES,
                Strength.CONDITIONAL,
                f"a {fragment} program exists, so the idealised learner generalizes in length "
                f"({THEOREM[positional]})",
            ),
            "no": (
                Verdict.NO,
                Strength.CONJECTURE,
                f"its source proves that no {fragment} program exists; that training then fails is "
                "an observation, not a theorem",
            ),
            "none-found": (
                Verdict.UNDECIDED,
                Strength.HEURISTIC,
                f"nobody has found a {fragment} program, and nobody has proved that there is none",
            ),
        }[fact.value]
        return Prediction(
            predictor=self.name,
            question=question,
            verdict=verdict,
            strength=strength,
            reason=reason,
            assumptions=assumptions(question, fact, certificate),
            sources=(f"{PAPER}, {THEOREM[positional]}", fact.source),
            certificate=certificate,
            searched_only=fact.value == "none-found",
        )


def attached_certificate(task: Task, fact: Fact) -> ProgramCertificate | None:
    """The task's program, where one is known, the fact says yes and the fragment is right."""
    program = attached_program(task) if fact.value == "yes" else None
    if program is None:
        return None
    plain = analyse(program).fragment == FRAGMENT["crasp"]
    if fact.name == "crasp" and not plain:
        return None
    return ProgramCertificate(program, FRAGMENT[fact.name], task)


def existence(question: Question, fact: Fact, certificate: ProgramCertificate | None) -> Assumption:
    """That the program exists, or does not."""
    if isinstance(question.task, ProgramTask):
        return Assumption(
            f"{FRAGMENT[fact.name]}: the task is defined by such a program", Standing.CHECKED
        )
    declared = f"{FRAGMENT[fact.name]}: {fact.value}, as declared by {fact.source}"
    if certificate is not None:
        declared += "; the attached program is the evidence, and --check re-runs it"
    return Assumption(declared, Standing.ASSUMED)


def assumptions(
    question: Question, fact: Fact, certificate: ProgramCertificate | None
) -> tuple[Assumption, ...]:
    """What the theorem needs, and where each stands for this architecture."""
    shape: Architecture = question.architecture
    checked, assumed = Standing.CHECKED, Standing.ASSUMED
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
    return (
        existence(question, fact, certificate),
        Assumption(
            "training finds what the idealised inference procedure finds: a model that fits every "
            "length seen and nearly minimises the regularizer",
            assumed,
        ),
        Assumption(
            f"positional encoding is {shape.positional}, for which the result is stated", checked
        ),
        Assumption(ideal + (f", with {', '.join(differences)}" if differences else ""), assumed),
        Assumption("layers, heads and width are enough for the program", assumed),
        Assumption("the training sizes are long enough; no bound is known in general", assumed),
    )
