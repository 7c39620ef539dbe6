"""Which questions are those of the language suite, where rules about it were fixed."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from foretell.core.architecture import KINDS
from foretell.core.question import GeneralizesInLength, Question, SizeRange
from foretell.tasks.tracking import MIXED, TrackingTask

TRAINED = 50


def outside(
    question: Question, positionals: Sequence[str], furthest: Collection[SizeRange]
) -> str | None:
    """Why a rule fixed for these encodings and ranges has nothing to say, or nothing if it has."""
    task, outcome, shape = question.task, question.outcome, question.architecture
    if not isinstance(outcome, GeneralizesInLength):
        return "the rule is about longer inputs only"
    if shape.kind != KINDS[0] or shape.positional not in positionals:
        return f"the rule was fixed for transformers with {' or '.join(positionals)}"
    if not isinstance(task, TrackingTask) or task.asks != "state" or task.probes[0] != MIXED:
        return "the rule was fixed for the states after each letter, on mixed words"
    if outcome.seen.high != TRAINED or furthest_asked(outcome) not in furthest:
        ranges = " or ".join(map(str, furthest))
        return f"the rule was fixed for training to {TRAINED} and asking as far as {ranges}"
    return None


def furthest_asked(outcome: GeneralizesInLength) -> SizeRange:
    """The range of the longest inputs."""
    return max(outcome.asked, key=lambda sizes: sizes.high)
