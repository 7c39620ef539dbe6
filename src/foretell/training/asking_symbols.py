"""How often a model is right, by the symbol that asks: a mean can hide one that is lost.

A task with one answer is asked by its last token: the trigger of induction heads, the end of a
pattern. A run that stays at 0.89 of eight symbols may be wrong here and there, or have lost one.
"""

from __future__ import annotations

import numpy as np

from foretell.training.fleet import Fleet, SequenceFleet
from foretell.training.loops import Tree

MOST_SYMBOLS = 64  # of more, held-out samples have too few each


def shares_by_symbol(fleet: Fleet, states: Tree) -> list[dict[str, float] | None]:
    """What each member scores in the checks, by the token that is read where it answers."""
    if not isinstance(fleet, SequenceFleet):
        return [None] * len(fleet.members(states))
    plan = fleet.plan
    right = fleet.score(states, plan.trials[0], fleet.in_range)
    drawn = [own.example for own in fleet.loop.gather(fleet.in_range)]
    found: list[dict[str, float] | None] = []
    for each, own, example in zip(plan.members, right, drawn, strict=True):
        symbols = each.task.alphabet
        if each.task.scored(plan.train.high) != 1 or symbols.size > MOST_SYMBOLS:
            found.append(None)
            continue
        first = np.asarray(example.first)[: len(own.share)]
        asking = np.asarray(example.tokens)[np.arange(len(first)), first]
        found.append(
            {
                symbols.tokens[token]: round(float(own.share[asking == token].mean()), 4)
                for token in np.unique(asking)
            }
        )
    return found
