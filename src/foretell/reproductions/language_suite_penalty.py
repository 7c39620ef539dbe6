"""Random languages that need positions, trained with a price on products of positions.

What: With learned positions no language of the suite that is in C-RASP[local] and not in [∅]
    reaches the bar at 101-150, though theory promises it of a learner that pays for products of
    position vectors. Usual training pays nothing. Here the same languages are trained without and
    with such a price, that of the framework paper's released code: all pairs, not the first key
    alone as in Equation (8), and no norm between. If they still fail, it was not that.
Definition: The languages of `language-suite` in [local] but not [∅], and in [periodic, local] only;
    learned positions; its words, ranges, stopping rule and bar; the narrow setting of
    `language-suite-settings`. The loss gets λ times the sum over layers, heads and pairs of
    squared products, over the number of positions. λ = 0 are the lines of that reproduction.
Example:
    >>> [line.setting for line in LanguageSuitePenalty().lines(Budget.SMOKE)][::2]
    ['λ = 0', 'λ = 0.001', 'λ = 0.01']

Known limits: One of the several terms of the theory's regularizer; the others bound norms and
    ranks. The strengths are the larger of the two released ones and ten times that.
Sources: Huang et al., A formal framework for understanding length generalization, Definition 5 and
    Equation (8); the authors' released training code
"""

from __future__ import annotations

from typing import final

from foretell.protocols._asking import Budget
from foretell.reproductions import Line, Reproduction
from foretell.reproductions.language_suite import CLASSES, PER_CLASS, SEEDS, asked_of, draw_suite
from foretell.reproductions.language_suite_settings import NARROW

STRENGTHS = (0.0, 1e-3, 1e-2)
NEEDING_POSITIONS = ("crasp_local", "crasp_periodic_local")


@final
class LanguageSuitePenalty(Reproduction):
    """Languages that need positions, at every strength of the penalty."""

    title = "Random languages that need positions, with a price on products of positions"
    source = "our own suite; the price is that of the code released with Huang et al. 2024"

    def lines(self, budget: Budget, seeds: int | None = None) -> tuple[Line, ...]:
        """Strength by strength, class by class."""
        runs = min(2, SEEDS[budget]) if seeds is None else seeds
        return tuple(
            Line(
                CLASSES[kind],
                task.language.name,
                asked_of(task, budget, NARROW[budget], "ape", runs, penalty=strength),
                setting=f"λ = {strength:g}",
            )
            for strength in STRENGTHS
            for kind, task in draw_suite(PER_CLASS[budget])
            if kind in NEEDING_POSITIONS
        )
