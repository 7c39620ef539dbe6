"""Random languages that ask to look back: every encoding, scaled logits, and a recurrence.

What: No language of the suite that is in C-RASP[local] and not in [∅] reaches the bar at 101-150,
    whether positions are learned or there are none. Three things could be missing. Heads may not
    learn to look back by a fixed distance: encodings that tell the distance (linear biases, T5's,
    rotary) make that easy, and `local` has the very form of C-RASP's relations. Looking back may
    fade as ever more keys share the attention: the theory's logits grow with the logarithm of the
    length. Or the words are too hard for anything trained so: a gated recurrence shows what they
    allow. Languages of C-RASP[∅] stand beside them: they count, which favouring what is near may
    cost.
Definition: The languages of two classes of `language-suite`, on a CPU the first six only of [∅];
    its words, ranges, stopping rule and bar. The narrow setting of `language-suite-settings` on a
    GPU, a smaller one on a CPU; the recurrence has the same layers and width.
Example:
    >>> lines = LanguageSuiteEncodings().lines(Budget.SMOKE)
    >>> [line.asked.question.architecture.label for line in lines][:2]
    ['nope 1L 1H 8d', 'ape 1L 1H 8d']
    >>> lines[-1].heading
    'In C-RASP[∅]; gru'

Known limits: One shape and schedule for all encodings. The shape for a CPU was chosen by trials on
    a language of another seed; `local` and the scaled logits came after the rows of linear biases
    were seen, on seven languages (what was expected of the others: docs/looking-back.md). Theory
    speaks of learned positions and of none only.
Sources: as for `language-suite`; the encodings' own are told by `foretell explain`
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from typing import Any, final

from foretell.core.architecture import AttentionScale
from foretell.protocols._asking import Budget, Setting
from foretell.reproductions import Line, Reproduction
from foretell.reproductions.language_suite import CLASSES, SEEDS, asked_of, draw_suite
from foretell.reproductions.language_suite_settings import NARROW
from foretell.tasks.tracking import TrackingTask

ENCODINGS = ("nope", "ape", "alibi", "t5", "rotary", "local")
LOG_LENGTH, RECURRENT = "log-length", "gru"
WAYS = {  # which encodings
    None: ENCODINGS,
    LOG_LENGTH: ("nope", "ape", "alibi", "local"),
    RECURRENT: ("nope",),
}
CHANGED: dict[str | None, dict[str, Any]] = {
    LOG_LENGTH: {"attention_scale": AttentionScale.LOG_LENGTH},
    RECURRENT: {"kind": RECURRENT, "heads": 1},
}
SETTING = NARROW | {Budget.CPU: Setting(4, 4, 32, 3e-3, 4_000, 500)}  # after trials
COUNT = {
    "crasp_local": {Budget.SMOKE: 1, Budget.CPU: 50, Budget.GPU: 50},
    "crasp": {Budget.SMOKE: 1, Budget.CPU: 6, Budget.GPU: 50},
}


@final
class LanguageSuiteEncodings(Reproduction):
    """Random regular languages, with every encoding and by a recurrence."""

    title = "Random regular languages, with every encoding of positions and by a recurrence"
    source = "our own suite; the public bar is 123 of 125 at 0.99 or more on 101-150"

    def lines(self, budget: Budget, seeds: int | None = None) -> tuple[Line, ...]:
        """Class by class, each language with every encoding; then by the recurrence."""
        runs = min(2, SEEDS[budget]) if seeds is None else seeds
        return tuple(
            line
            for kind in COUNT
            for line in _lines(CLASSES[kind], _tasks(kind, budget), budget, runs)
        )


def _tasks(kind: str, budget: Budget) -> list[TrackingTask]:
    """The first of a class."""
    count = COUNT[kind][budget]
    return [task for own, task in draw_suite(count) if own == kind]


def _lines(group: str, tasks: list[TrackingTask], budget: Budget, runs: int) -> Iterator[Line]:
    for way, encodings in WAYS.items():
        for task in tasks:
            for encoding in encodings:
                asked = asked_of(task, budget, SETTING[budget], encoding, runs)
                question = asked.question
                shape = dataclasses.replace(question.architecture, **CHANGED.get(way, {}))
                question = dataclasses.replace(question, architecture=shape)
                asked = dataclasses.replace(asked, question=question)
                yield Line(group, task.language.name, asked, setting=way)
