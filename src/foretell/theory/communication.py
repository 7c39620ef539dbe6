"""How much the second half of an input must know about the first.

What: A Limit Transformer can be simulated by two people who hold the two halves of an input and
    exchange only about log n bits (Theorem 12 of the source). So first halves fall into at most
    polynomially many kinds. If the kinds grow exponentially with the length, no program and no
    Limit Transformer computes the task, and it should not generalize in length.
Definition: Two prefixes of length n are of one kind if the task's oracle answers alike after every
    suffix tried. All prefixes over two letters are tried at each n, with 64 suffixes over four and,
    where the task says what is legal, for each prefix a suffix that few others allow. The number of
    kinds is compared with a power of n and with an exponential in n.
Example:
    >>> from foretell.tasks.lookup import find_task
    >>> [count_kinds(find_task("copy-repeat"), n) for n in (1, 2, 3, 4)]
    [2, 4, 8, 16]
    >>> [count_kinds(find_task("binary-majority"), n) for n in (1, 2, 3, 4)]
    [2, 3, 4, 5]

Known limits: A measurement on short prefixes, not a proof: growth can change later, and few
    suffixes may miss a difference. Slow growth proves nothing, so it never says yes. Regular
    languages have a constant number of kinds; tasks whose alphabet grows are left alone.
Sources: Huang et al., A formal framework for understanding length generalization in transformers,
    Theorem 12, Theorem 19 and Corollary 13
"""

from __future__ import annotations

import itertools
import math
import random
from collections import Counter
from collections.abc import Hashable, Sequence
from dataclasses import dataclass

from foretell.core.architecture import KINDS
from foretell.core.prediction import (
    Assumption,
    NotApplicable,
    Prediction,
    Predictor,
    Standing,
    Strength,
)
from foretell.core.question import GeneralizesInLength, Question, Verdict
from foretell.core.task import Task
from foretell.tasks.answering import AnsweringTask
from foretell.tasks.next_symbols import NextSymbolsTask
from foretell.tasks.program import ProgramTask
from foretell.tasks.regular import RegularTask
from foretell.tasks.tracking import TrackingTask

PAPER = "Huang et al., A formal framework for understanding length generalization in transformers"
MOST, LENGTHS = 64, (1, 2, 3, 4, 5, 6)
BEFORE, AFTER = 2, 4  # letters of prefixes and suffixes: fewer letters can only hide kinds
EXPONENTIAL = 0.5  # kinds must grow by at least e^0.5 a letter to count as exponential
POSITIONALS = ("nope", "ape")


@dataclass(frozen=True)
class Communication(Predictor):
    """Evidence against a task from the number of kinds of prefixes."""

    name = "communication"

    def predict(self, question: Question) -> Prediction | NotApplicable:
        """Count kinds at several lengths and look at how they grow."""
        silence = _silence(question)
        if silence is not None:
            return NotApplicable(self.name, question, silence)
        kinds = [count_kinds(question.task, length) for length in LENGTHS]
        listed = ", ".join(map(str, kinds))
        found = f"prefixes of length 1 to {LENGTHS[-1]} fall into {listed} kinds"
        if not grows_exponentially(kinds):
            return NotApplicable(
                self.name, question, f"{found}: no exponential growth, which proves nothing"
            )
        assumed = Standing.ASSUMED
        return Prediction(
            predictor=self.name,
            question=question,
            verdict=Verdict.NO,
            strength=Strength.HEURISTIC,
            reason=f"{found}: exponential, where a Limit Transformer allows a power of the length",
            assumptions=(
                Assumption("the growth seen at short lengths goes on", assumed),
                Assumption("what no Limit Transformer computes is not learned either", assumed),
            ),
            sources=(f"{PAPER}, Theorem 12 and Corollary 13",),
        )


def _silence(question: Question) -> str | None:
    """Why there is nothing to say, if so."""
    task = question.task
    if not isinstance(question.outcome, GeneralizesInLength):
        return "the theory is about longer inputs only"
    if question.architecture.kind != KINDS[0]:
        return f"the theorem is about transformers, not about {question.architecture.kind}"
    if question.architecture.positional not in POSITIONALS:
        return f"the theorem covers nope and ape, not {question.architecture.positional}"
    if isinstance(task, RegularTask | TrackingTask | ProgramTask):
        return "a regular language or a program never needs more than the theorem allows"
    if not isinstance(task, AnsweringTask | NextSymbolsTask):
        return "the task has no oracle that can be asked about halves of inputs"
    if len(task.alphabet.symbols) >= task.longest:
        return "the alphabet grows with the size; the theorem is about a fixed one"
    return None


def count_kinds(task: Task, length: int) -> int:
    """Prefixes of that length that some suffix tells apart."""
    letters = task.alphabet.symbols
    chosen = random.Random(length)  # the same prefixes and suffixes every time
    prefixes = _some(chosen, letters[:BEFORE], (length,))
    suffixes = _some(chosen, letters[:AFTER], range(length + 3))
    if isinstance(task, NextSymbolsTask):
        suffixes += [_telling_suffix(task, prefix, prefixes) for prefix in prefixes]
    kinds: dict[tuple[bool, ...], set[tuple[Hashable, ...]]] = {}
    for prefix in prefixes:
        row = tuple(_answer(task, (*prefix, *suffix)) for suffix in suffixes)
        # where an oracle refuses inputs, compare only prefixes that are refused together
        kinds.setdefault(tuple(cell is None for cell in row), set()).add(row)
    return max(map(len, kinds.values()))


def _some(
    chosen: random.Random, letters: Sequence[str], lengths: Sequence[int]
) -> list[tuple[str, ...]]:
    """All words of these lengths, or as many as may be tried."""
    found: list[tuple[str, ...]] = []
    for length in lengths:
        if len(letters) ** length <= MOST:
            found += itertools.product(letters, repeat=length)
        else:
            found += [tuple(chosen.choices(letters, k=length)) for _ in range(MOST)]
    unique = list(dict.fromkeys(found))
    return unique if len(unique) <= MOST else chosen.sample(unique, MOST)


def _telling_suffix(
    task: NextSymbolsTask, prefix: tuple[str, ...], prefixes: Sequence[tuple[str, ...]]
) -> tuple[str, ...]:
    """A legal way on from the prefix that most other prefixes do not have."""
    suffix: tuple[str, ...] = ()
    for _ in range(len(prefix)):
        legal = sorted(task.legal_next((*prefix, *suffix)) - {"<eos>"})
        if not legal:
            break
        others = Counter(
            letter for other in prefixes for letter in task.legal_next((*other, *suffix))
        )
        suffix = (*suffix, min(legal, key=lambda letter: others[letter]))
    return suffix


def _answer(task: Task, word: tuple[str, ...]) -> Hashable:
    """What the oracle says after the word; None where the word is no input of the task."""
    if isinstance(task, NextSymbolsTask):
        return task.legal_next(word)
    try:
        return task.answer(word)
    except (ValueError, LookupError):
        return None


def grows_exponentially(kinds: Sequence[int]) -> bool:
    """Is an exponential in the length a better fit than a power, and a steep one?"""
    lengths = range(1, len(kinds) + 1)
    heights = [math.log(kind) for kind in kinds]
    steady, slope = _misfit(list(lengths), heights)
    bending, _ = _misfit([math.log(length) for length in lengths], heights)
    return slope >= EXPONENTIAL and steady < bending


def _misfit(places: Sequence[float], heights: Sequence[float]) -> tuple[float, float]:
    """Squared error and slope of the best line."""
    count = len(places)
    middle, level = sum(places) / count, sum(heights) / count
    spread = sum((x - middle) ** 2 for x in places)
    slope = sum((x - middle) * (y - level) for x, y in zip(places, heights, strict=True)) / spread
    pairs = zip(places, heights, strict=True)
    return sum((y - level - slope * (x - middle)) ** 2 for x, y in pairs), slope
