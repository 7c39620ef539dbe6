"""How often the state of an automaton still changes beyond the sizes that were trained on."""

from __future__ import annotations

import functools

import numpy as np
from jaxtyping import Float, Int

from foretell.core.question import SizeRange
from foretell.languages.dfa import DFA
from foretell.languages.sampling import SamplingTable
from foretell.tasks.probe_words import PROBES
from foretell.tasks.tracking import TrackingTask


@functools.lru_cache(maxsize=512)  # a report asks about the same words again and again
def late_moves(task: TrackingTask, trained: int, sizes: SizeRange) -> float:
    """Letters beyond the first `trained` that change the state, on average in a word of the task.

    The mean over the task's mixture, sizes equally likely. Computed, not drawn: exact up to the
    sampler's own rounding. Where every letter leads to one state, whatever came before, nothing
    has to be remembered and no move counts.

    >>> from foretell.languages.regular import RegularLanguage
    >>> follow = TrackingTask(10, "state", language=RegularLanguage.from_regex("a*b?"))
    >>> round(late_moves(follow, 0, SizeRange(1, 1)), 6)  # b: half of members, 1 in 10 that linger
    0.3
    """
    if forgets(task.language.dfa):
        return 0.0
    asked = np.arange(max(sizes.low, trained + 1), sizes.high + 1)
    tables = task.words.samplers(sizes.high, PROBES)
    has_words = np.zeros((len(PROBES), sizes.high + 1), bool)
    for place, probe in enumerate(PROBES):
        has_words[place, list(task.words.lengths(sizes.low, sizes.high, probe))] = True
    drawn = has_words[:, asked]
    moves = np.stack(
        [_by_size(tables[probe], task.language.dfa, trained, asked) for probe in PROBES]
    )
    parts = drawn.sum(axis=0)
    mixed = np.where(drawn, moves, 0.0).sum(axis=0)[parts > 0] / parts[parts > 0]
    return float(mixed.mean())


def forgets(dfa: DFA) -> bool:
    """Does the last letter alone tell the state?"""
    return all(len(set(column)) == 1 for column in zip(*dfa.delta, strict=True))


def _by_size(
    table: SamplingTable, dfa: DFA, trained: int, asked: Int[np.ndarray, " size"]
) -> Float[np.ndarray, " size"]:
    """Backwards from the end of the word: moves count until only the trained letters are left.

    A value for each pair of the sampler's state and the language's that some word reaches.
    """
    after, delta = np.asarray(table.delta).tolist(), dfa.delta
    pairs = [(int(table.start), dfa.start)]
    number = {pairs[0]: 0}
    steps: list[list[int]] = []
    for own, state in pairs:  # grows while it is walked
        reached = list(zip(after[own], delta[state], strict=True))
        pairs += [pair for pair in dict.fromkeys(reached) if pair not in number]
        number |= {pair: place for place, pair in enumerate(pairs[len(number) :], len(number))}
        steps.append([number[pair] for pair in reached])
    onward, owns = np.array(steps), [own for own, _ in pairs]
    moves = np.array([[to != state for to in delta[state]] for _, state in pairs], np.float64)
    upto = np.minimum(np.asarray(table.thresholds, np.float64), 1.0)
    chances = np.diff(upto, axis=-1, prepend=0.0)[:, owns]
    to_come = [np.zeros(len(pairs))]
    for share in chances[1 : int(asked[-1]) - trained + 1]:
        to_come.append((share * (moves + to_come[-1][onward])).sum(axis=-1))
    late = np.stack([to_come[size - trained] for size in asked])
    for place in range(1, trained + 1):  # all sizes at once: the letters that training has seen
        late = (chances[asked - trained + place] * late[:, onward]).sum(axis=-1)
    return late[:, 0]
