"""Random languages that ask to look back, with every encoding of positions and by a recurrence.

What: No language of the suite that is in C-RASP[local] and not in [∅] reaches the bar at 101-150,
    whether positions are learned or there are none. Is that because such networks do not learn to
    look back by a fixed distance? Encodings that tell the distance to every head (linear biases,
    T5's, rotary) make that easy; a gated recurrence follows an automaton without it, and shows what
    the words and the protocol allow. Languages of C-RASP[∅] stand beside them: they count, which
    an encoding that favours what is near may cost.
Definition: The first languages of each class of `language-suite`; its words, ranges, stopping rule
    and bar. The narrow setting of `language-suite-settings` on a GPU, a smaller one on a CPU; the
    recurrence has the same layers and width.
Example:
    >>> lines = LanguageSuiteEncodings().lines(Budget.SMOKE)
    >>> [line.asked.question.architecture.label for line in lines][:2]
    ['nope 1L 1H 8d', 'ape 1L 1H 8d']
    >>> lines[-1].heading
    'In C-RASP[∅]; gru'

Known limits: One setting for all encodings. Theory speaks of learned positions and of none only.
Sources: as for `language-suite`; the encodings' own are told by `foretell explain`
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from typing import final

from foretell.protocols._asking import Budget, Setting
from foretell.protocols._running import Asked
from foretell.reproductions import Line, Reproduction
from foretell.reproductions.language_suite import CLASSES, PER_CLASS, SEEDS, asked_of, draw_suite
from foretell.reproductions.language_suite_settings import NARROW
from foretell.tasks.tracking import TrackingTask

ENCODINGS = ("nope", "ape", "alibi", "t5", "rotary")
RECURRENT = "gru"
ASKED_OF = ("crasp_local", "crasp")
SETTING = NARROW | {Budget.CPU: Setting(4, 4, 32, 3e-3, 4_000, 500)}  # after trials on a language
COUNT = {Budget.SMOKE: 1, Budget.CPU: 6, Budget.GPU: 50}


@final
class LanguageSuiteEncodings(Reproduction):
    """Random regular languages, with every encoding and by a recurrence."""

    title = "Random regular languages, with every encoding of positions and by a recurrence"
    source = "our own suite; the public bar is 123 of 125 at 0.99 or more on 101-150"

    def lines(self, budget: Budget, seeds: int | None = None) -> tuple[Line, ...]:
        """Class by class, each language with every encoding; then by the recurrence."""
        runs = min(2, SEEDS[budget]) if seeds is None else seeds
        suite = draw_suite(PER_CLASS[Budget.GPU])  # the first of them are those of a smaller one
        found: list[Line] = []
        for kind in ASKED_OF:
            tasks = [task for own, task in suite if own == kind][: COUNT[budget]]
            found += _lines(CLASSES[kind], tasks, budget, runs)
        return tuple(found)


def _lines(group: str, tasks: list[TrackingTask], budget: Budget, runs: int) -> Iterator[Line]:
    for task in tasks:
        for encoding in ENCODINGS:
            asked = asked_of(task, budget, SETTING[budget], encoding, runs)
            yield Line(group, task.language.name, asked)
    for task in tasks:
        asked = asked_of(task, budget, SETTING[budget], ENCODINGS[0], runs)
        yield Line(group, task.language.name, _by_recurrence(asked), setting=RECURRENT)


def _by_recurrence(asked: Asked) -> Asked:
    shape = dataclasses.replace(asked.question.architecture, kind=RECURRENT)
    question = dataclasses.replace(asked.question, architecture=shape)
    return dataclasses.replace(asked, question=question)
