"""Random languages that ask to look back, drawn anew: a forecast that was fixed before them.

What: `language-suite-encodings` showed that languages in C-RASP[local] and not in [∅] go on to
    longer words with linear biases and not without positions. The predictor `looking-back` states
    that as a rule; here are languages that the rule has not seen.
Definition: Generator and task of `language-suite`, drawn with seed 3: the first in C-RASP[local]
    and not in [∅], none with an automaton of the suite or of `language-suite-fresh`, whatever its
    letters are called and whichever of its states are final. The shape and schedule with which the
    rule was fixed, on every budget; three seeds; trained to 50 letters, asked to 150; right means
    95 % of the mixed words in each longer range.
Example:
    >>> lines = LookingBackForecast().lines(Budget.SMOKE)
    >>> [line.asked.question.architecture.positional for line in lines]
    ['alibi', 'nope']

Known limits: One shape, and the generator of the suite. Rows with learned positions, which the rule
    foretells as well, are on a GPU only.
Sources: docs/looking-back.md
"""

from __future__ import annotations

import functools
from typing import final

from foretell.core.architecture import Architecture
from foretell.core.question import GeneralizesInLength, Question, SizeRange
from foretell.languages.regular import RegularLanguage
from foretell.protocols._asking import SAMPLES, Budget, Setting
from foretell.protocols._running import Asked
from foretell.protocols.length import Length
from foretell.reproductions import Line, Reproduction
from foretell.reproductions.language_suite import (
    ASKS,
    CLASSES,
    PER_CLASS,
    TRAIN,
    draw_suite,
    drawn_automata,
    has_words_everywhere,
    moves_up_to_names,
    smallest_fragment,
)
from foretell.reproductions.language_suite_encodings import SETTING
from foretell.reproductions.language_suite_fresh import COUNTS as FRESH
from foretell.reproductions.language_suite_fresh import draw_fresh
from foretell.tasks.tracking import TrackingTask

SEED = 3  # the first suite has 0, its pilots had 1, the fresh one has 2
KIND = "crasp_local"
ASKED = (SizeRange(51, 100), SizeRange(101, 150))
COUNT = {Budget.SMOKE: 1, Budget.CPU: 14, Budget.GPU: 40}
ENCODINGS = {
    Budget.SMOKE: ("alibi", "nope"),
    Budget.CPU: ("alibi", "nope"),
    Budget.GPU: ("alibi", "nope", "ape"),
}
BAR, SEEDS = 0.95, 3


@final
class LookingBackForecast(Reproduction):
    """Random regular languages on which no rule about looking back was fixed."""

    title = "Random languages that ask to look back, drawn anew: a forecast put to the test"
    source = "our own suite; the rule was fixed on the first one, before these were trained"

    def lines(self, budget: Budget, seeds: int | None = None) -> tuple[Line, ...]:
        """Language by language, with each encoding."""
        runs = SEEDS if seeds is None else seeds
        return tuple(
            Line(CLASSES[KIND], task.language.name, _asked(task, encoding, runs, budget))
            for task in draw_looking_back(COUNT[budget])
            for encoding in ENCODINGS[budget]
        )


def _asked(task: TrackingTask, encoding: str, runs: int, budget: Budget) -> Asked:
    smoke = Setting(1, 1, 16, 1e-3, 100)
    chosen = smoke if budget is Budget.SMOKE else SETTING[Budget.CPU]
    protocol = Length(
        steps=chosen.steps,
        check_every=min(1_000, chosen.steps),
        learning_rate=chosen.learning_rate,
        warmup=chosen.warmup,
        samples=min(500, SAMPLES[budget]),
        bar=BAR,
    )
    shape = Architecture(
        layers=chosen.layers,
        heads=chosen.heads,
        width=chosen.width,
        positional=encoding,
        context=task.width(ASKED[-1].high),
        tied=False,
    )
    question = Question(task, shape, GeneralizesInLength(TRAIN, ASKED))
    return Asked(question, protocol, tuple(range(runs)))


@functools.cache
def draw_looking_back(count: int) -> tuple[TrackingTask, ...]:
    """The first languages of the class that occur in no suite before."""
    known = [task for _, task in draw_suite(PER_CLASS[Budget.GPU])]
    known += [task for _, task in draw_fresh(*FRESH[Budget.GPU])]
    seen = {moves_up_to_names(task.language.dfa) for task in known}
    found: list[TrackingTask] = []
    for dfa in drawn_automata(SEED):
        if len(found) == count:
            break
        moves = moves_up_to_names(dfa)
        if moves in seen:
            continue
        seen.add(moves)
        if smallest_fragment(dfa) == KIND and has_words_everywhere(dfa):
            language = RegularLanguage(f"looking-back-{len(found) + 1:02}", dfa)
            found.append(TrackingTask(ASKED[-1].high, ASKS, language=language))
    return tuple(found)
