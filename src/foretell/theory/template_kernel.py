"""Do strings of unseen symbols get the right label? What kernels say.

What: A model that is a kernel regression handles unseen symbols if the matrix N of its kernel
    between templates, taken between strings without a common symbol, is nonsingular; how many
    samples that takes hangs on its smallest eigenvalue. An MLP on one-hot tokens cannot: to it, all
    strings of unseen symbols are alike.
Definition: N_ij is the kernel of a string of template i and one of template j that share regular
    tokens only. With many symbols and n_j samples of template j, ridge regression answers
    N (N + diag(δ_j / n_j))⁻¹ y on unseen symbols, δ_j being the ridge plus what a string's kernel
    with itself exceeds N_jj by. Yes: the loss that follows is at most what is asked for. No: it is
    more than half of what the best constant loses. The kernel is that of a random-features
    transformer for `transformer`, of an infinitely wide MLP for `mlp`; `mlp+gram` is also told
    which places are equal, and a transformer with an identity in its key-query product can read
    that off its own attention: both are stood for by that kernel, the latter as a heuristic.
Example:
    >>> from foretell.core import Architecture
    >>> from foretell.core.question import Question
    >>> from foretell.tasks.lookup import find_task
    >>> from foretell.templates.outcome import asked_of
    >>> task = find_task("template:aa->+1;ab->-1", 64)
    >>> shape = Architecture(
    ...     layers=2, heads=4, width=64, positional="ape", context=3, kind="mlp"
    ... )
    >>> said = TemplateKernel().predict(Question(task, shape, asked_of(task.templates, 64)))
    >>> said.verdict.value, said.strength.label
    ('no', 'conditional')

Known limits: Kernels stand for models with only their last weights trained; trained transformers
    need more samples than this at small alphabets (published curves) and the theory does not say
    how many. The formula is that of large alphabets. Of symbolic labels, copying one symbol is
    covered: infinitely wide, a transformer does not begin to copy unseen symbols, and begins at
    once with an identity in its value-output product. Recurrent models are not covered.
Sources: Boix-Adserà et al., When can transformers reason with abstract symbols?, Sections 4 and 5,
    Theorems 4.4, 5.1, 5.2 and I.2; the finite-sample formula is ours
"""

from __future__ import annotations

from dataclasses import dataclass

from foretell.core.alphabet import RESERVED
from foretell.core.prediction import (
    Assumption,
    NotApplicable,
    Prediction,
    Predictor,
    Standing,
    Strength,
)
from foretell.core.question import Question, Verdict
from foretell.kernels.copy_rates import CopyTask
from foretell.tasks.template import TemplateTask
from foretell.templates.notation import Wildcard
from foretell.templates.outcome import HandlesUnseenSymbols, best_constant_loss
from foretell.templates.template_set import TemplateSet
from foretell.theory._templates import (
    GAMMA,
    PAPER,
    Patterns,
    PatternsCertificate,
    confused,
    disjoint,
    patterns_of,
)

STOOD_FOR = {"transformer", "transformer+vo", "mlp", "mlp+gram"}
HEURISTIC = {"transformer+kq", "transformer+kq+vo", "transformer+vo"}
NO_SHARE = 0.5  # of what the best constant loses
LEARNER = "training is kernel ridge regression: only the last weights learn"


@dataclass(frozen=True)
class TemplateKernel(Predictor):
    """Kernels of templates, against the question for unseen symbols."""

    name = "template-kernel"

    def predict(self, question: Question) -> Prediction | NotApplicable:
        """By the kernel that stands for the kind of model."""
        task, outcome = question.task, question.outcome
        if not isinstance(task, TemplateTask) or not isinstance(outcome, HandlesUnseenSymbols):
            return NotApplicable(self.name, question, "this theory is about unseen symbols")
        kind, templates = question.architecture.kind, task.templates
        if kind not in STOOD_FOR | HEURISTIC:
            return NotApplicable(self.name, question, f"no kernel here stands for a {kind}")
        if not templates.is_real:
            return self._copying(question, templates, outcome)
        if len({len(template) for template in templates.templates}) > 1:
            why = "templates have different lengths, and the kernel compares place by place"
            return NotApplicable(self.name, question, why)
        return self._regression(question, templates, outcome)

    def _regression(
        self, question: Question, templates: TemplateSet, outcome: HandlesUnseenSymbols
    ) -> Prediction:
        kind, trivial = question.architecture.kind, best_constant_loss(templates)
        patterns = patterns_of(kind, templates)
        loss = patterns.loss(templates, outcome.samples)
        assumptions = _assumptions(question, templates)
        violated = any(each.standing is Standing.VIOLATED for each in assumptions)
        verdict = Verdict.UNDECIDED
        if not violated and patterns.rank != "not resolved":
            verdict = _verdict(loss, outcome.bar, trivial)
        return Prediction(
            predictor=self.name,
            question=question,
            verdict=verdict,
            strength=Strength.HEURISTIC if kind in HEURISTIC else Strength.CONDITIONAL,
            reason=_reason(patterns, templates, outcome, loss),
            assumptions=assumptions,
            sources=(f"{PAPER}, Theorems 4.4 and I.2, Lemma C.2",),
            certificate=PatternsCertificate(
                kind, templates, outcome.samples, trivial, loss, patterns.rank, patterns.interval
            ),
        )

    def _copying(
        self, question: Question, templates: TemplateSet, outcome: HandlesUnseenSymbols
    ) -> Prediction | NotApplicable:
        """One template of one wildcard that is its own label."""
        (template, *more), labels = templates.templates, templates.labels
        copies = not more and template.symbols == labels and isinstance(labels[0], Wildcard)
        kind = question.architecture.kind
        if not copies or not kind.startswith("transformer"):
            why = "of symbolic labels only copying a single symbol by a transformer is covered"
            return NotApplicable(self.name, question, why)
        tokens = question.task.alphabet.size - len(RESERVED)
        return Prediction(
            predictor=self.name,
            question=question,
            verdict=Verdict.YES if "vo" in kind else Verdict.NO,
            strength=Strength.CONDITIONAL,
            reason=CopyTask(tokens=tokens, seen=outcome.symbols, gamma=GAMMA).prediction(),
            assumptions=(
                Assumption("the model is infinitely wide, with one attention", Standing.ASSUMED),
                Assumption("what the first steps do decides", Standing.ASSUMED),
            ),
            sources=(f"{PAPER}, Theorems 5.1 and 5.2",),
        )


def _verdict(loss: float, bar: float, trivial: float) -> Verdict:
    if loss <= bar:
        return Verdict.YES
    return Verdict.NO if loss > NO_SHARE * trivial else Verdict.UNDECIDED


def _assumptions(question: Question, templates: TemplateSet) -> tuple[Assumption, ...]:
    shape = question.architecture
    found = [
        disjoint(templates),
        Assumption(LEARNER, Standing.ASSUMED),
        Assumption("training has far more symbols than a string has wildcards", Standing.ASSUMED),
    ]
    if "kq" in shape.kind:
        standing = Standing.ASSUMED if shape.layers > 1 else Standing.VIOLATED
        text = "a layer before the last compares places by its identity, and the rest uses it"
        found.append(Assumption(text, standing))
    return tuple(found)


def _reason(
    patterns: Patterns, templates: TemplateSet, outcome: HandlesUnseenSymbols, loss: float
) -> str:
    said = f"for {patterns.how}, N is {patterns.rank}: {patterns.reason}"
    alike = confused(patterns, templates)
    if alike is not None:
        return (
            f"{said}, and their labels differ: on unseen symbols it answers both alike, whatever "
            f"the samples; the loss is {loss:.3g} or more"
        )
    said += f"; with {outcome.samples:,} samples of many symbols the predicted loss is {loss:.3g}"
    if patterns.rank != "nonsingular":
        return said
    needed = patterns.samples_for(templates, outcome.bar)
    return f"{said}, and {outcome.bar:.2g} " + (
        "is out of reach" if needed is None else f"takes {needed:,}"
    )
