"""Random regular languages drawn anew: a forecast that was fixed before them, put to the test.

What: In `language-suite` a split found after the run parted hits from misses among languages of
    C-RASP[∅]: those in the class DA went on to longer words, the others mostly did not. A split
    found afterwards explains and does not foretell. The predictor `late-moves` states it as a
    rule; here are languages that the rule has not seen: half of C-RASP[∅] in DA, half outside,
    where the plain theory says yes to all of them; and some that are in C-RASP[local] only.
Definition: Generator, task, words, ranges, setting, bar and seeds of `language-suite`, without
    positions (nope); drawn with seed 2, the first 30 in DA, 30 not in DA and 20 of [local]. None
    has an automaton that occurs in the first suite or earlier in this one, whatever its letters
    are called and whichever of its states are final: states are asked for, so automata that differ
    in final states alone would be the same task with other words.
Example:
    >>> [group for group, _ in draw_fresh(1, 1, 1)]
    ['da', 'counting', 'local']

Known limits: One encoding, one setting, and the generator of the first suite: a rule that holds
    here may fail on languages that people write, or in other training. In DA and outside are
    equally many by choice, not as drawn, so a rate over both together is one for this mixture.
Sources: The bar: as for `language-suite`; the rule: docs/language-forecast.md
"""

from __future__ import annotations

import functools
from typing import final

from foretell.languages.classes import class_report
from foretell.languages.dfa import DFA
from foretell.protocols._asking import Budget
from foretell.reproductions import Line, Reproduction
from foretell.reproductions.language_suite import (
    PER_CLASS,
    SEEDS,
    SETTING,
    asked_of,
    draw_suite,
    drawn_automata,
    has_words_everywhere,
    moves_up_to_names,
    smallest_fragment,
    tracking,
)
from foretell.tasks.tracking import TrackingTask

SEED = 2  # the first suite has 0, its pilots had 1
GROUPS = {
    "da": "In C-RASP[∅] and in DA",
    "counting": "In C-RASP[∅], not in DA",
    "local": "In C-RASP[local], not in [∅]",
}
COUNTS = {Budget.SMOKE: (1, 1, 1), Budget.CPU: (4, 4, 2), Budget.GPU: (30, 30, 20)}


@final
class LanguageSuiteFresh(Reproduction):
    """Random regular languages that no rule was fitted on."""

    title = "Random regular languages drawn anew: a forecast put to the test"
    source = "our own suite; the rule was fixed on the first one, before these were trained"
    forecast = "late-moves"

    def lines(self, budget: Budget, seeds: int | None = None) -> tuple[Line, ...]:
        """Group by group, each language without positions."""
        runs = SEEDS[budget] if seeds is None else seeds
        return tuple(
            Line(
                GROUPS[group],
                task.language.name,
                asked_of(task, budget, SETTING[budget], "nope", runs),
            )
            for group, task in draw_fresh(*COUNTS[budget])
        )


@functools.cache
def draw_fresh(inside: int, outside: int, local: int) -> tuple[tuple[str, TrackingTask], ...]:
    """Group and task, group by group in the order they were drawn."""
    wanted = dict(zip(GROUPS, (inside, outside, local), strict=True))
    found: dict[str, list[TrackingTask]] = {group: [] for group in GROUPS}
    first = draw_suite(PER_CLASS[Budget.GPU])
    seen = {moves_up_to_names(task.language.dfa) for _, task in first}
    for dfa in drawn_automata(SEED):
        if all(len(found[group]) == count for group, count in wanted.items()):
            break
        moves = moves_up_to_names(dfa)
        if moves in seen:
            continue
        seen.add(moves)
        group = _group(dfa)
        if group in wanted and len(found[group]) < wanted[group] and has_words_everywhere(dfa):
            name = f"fresh-{group}-{len(found[group]) + 1:02}"
            found[group].append(tracking(name, dfa))
    return tuple((group, task) for group, tasks in found.items() for task in tasks)


def _group(dfa: DFA) -> str | None:
    kind = smallest_fragment(dfa)
    if kind == "crasp":
        return "da" if class_report(dfa)["da"].answer == "yes" else "counting"
    return "local" if kind == "crasp_local" else None
