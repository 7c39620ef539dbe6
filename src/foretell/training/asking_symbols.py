"""How often a model is right, by the symbol that asks: a mean can hide one that is lost.

A task with one answer is asked by its last token: the trigger of induction heads, the end of a
pattern. A run that stays at 0.89 of eight symbols may be wrong here and there, or have lost one.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from foretell.core.task import Example, Task
from foretell.training.evaluation import Right
from foretell.training.fleet import Fleet, SequenceFleet

FEWEST = 16  # held-out samples of a symbol, for its share to say anything


def shares_by_symbol(fleet: Fleet, models: Sequence[Any]) -> list[dict[str, float] | None]:
    """What each model scores in the checks, by the token that is read where it answers.

    Nothing for graphs, for tasks with more than one answer, and of symbols that hardly occur.
    """
    if not isinstance(fleet, SequenceFleet) or not _has_one_answer(fleet):
        return [None] * len(models)
    right = fleet.score(fleet.loop.spread(list(models)), fleet.plan.trials[0], fleet.in_range)
    drawn = [own.example for own in fleet.loop.gather(fleet.in_range)]
    members = zip(fleet.plan.members, drawn, right, strict=True)
    return [_shares(each.task, example, own) or None for each, example, own in members]


def _has_one_answer(fleet: SequenceFleet) -> bool:
    return fleet.plan.members[0].task.scored(fleet.plan.train.high) == 1


def _shares(task: Task, example: Example, right: Right) -> dict[str, float]:
    share = np.asarray(right.share)
    first = np.asarray(example.first)[: len(share)]
    asking = np.asarray(example.tokens)[np.arange(len(first)), first]
    found, counts = np.unique(asking, return_counts=True)
    return {
        task.alphabet.tokens[token]: round(float(share[asking == token].mean()), 4)
        for token in found[counts >= FEWEST]
    }
