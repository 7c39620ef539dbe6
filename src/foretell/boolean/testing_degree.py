"""Find the degree of a function of bits by asking for values only.

A trial picks d + 1 disjoint random blocks of bits and a random input, flips every union of blocks,
and adds the values up with the sign of how many blocks were flipped. Components of at most d bits
cannot meet all blocks in an odd number of bits, so they cancel exactly: what remains shows a degree
above d. (Flipping blocks that overlap would not do: a parity never cancels under those.)
"""

from __future__ import annotations

import math

import numpy as np
from jaxtyping import Float, Int, Int8

from foretell.boolean.asking import Answering, ask, check_fit
from foretell.boolean.testing import QueriedBound, TriedLevel, check_chances, check_queries
from foretell.boolean.truth_table import inputs_between
from foretell.plain.errors import BadInput

HIGHEST_LEVEL = 15  # a trial then asks for 2^16 values
BYTES_AT_ONCE = 1 << 25


def find_degree(
    function: Answering,
    bits: int,
    *,
    epsilon: float = 0.01,
    delta: float = 0.01,
    tolerance: float = 1e-7,
    most: int = 8,
    each_level_alone: bool = False,
    seed: int = 0,
) -> QueriedBound:
    """The first degree that passes, from 0 up to `most`; never above the true degree.

    `epsilon` is the share of trials that may show a higher degree without being seen. `delta` is
    shared out among the levels, so that it holds for the answer; with `each_level_alone` every
    level gets all of it, which takes fewer trials. Values may be off by `tolerance`.

    >>> find_degree(lambda rows: rows[:, 0] * rows[:, 3], 50).found
    2
    """
    check_fit(function, bits)
    check_chances(epsilon, delta, tolerance, seed)
    if not 0 <= most <= HIGHEST_LEVEL:
        raise BadInput(
            f"the largest degree to try must be between 0 and {HIGHEST_LEVEL}",
            seen=most,
            why="a trial of degree d asks for 2^(d+1) values",
        )
    last = min(most, bits)
    trials = math.ceil(math.log((1 if each_level_alone else last + 1) / delta) / epsilon)
    levels = _sweep(function, bits, last, trials, tolerance, np.random.default_rng(seed))
    return QueriedBound(
        measure="degree",
        bits=bits,
        levels=levels,
        trials=trials,
        epsilon=epsilon,
        delta=delta,
        tolerance=tolerance,
        meaning=_meaning(levels[-1], bits, epsilon, delta, each_level_alone),
    )


def _sweep(
    function: Answering,
    bits: int,
    last: int,
    trials: int,
    tolerance: float,
    generator: np.random.Generator,
) -> tuple[TriedLevel, ...]:
    """Degrees 0, 1, 2, … up to the first that is accepted."""
    levels: list[TriedLevel] = []
    for degree in range(last + 1):
        if degree == bits:  # nothing is left to refuse it
            levels.append(TriedLevel(degree, True, 0.0, 0))
        else:
            check_queries(trials << (degree + 1))
            levels.append(_try_level(function, bits, degree, trials, tolerance, generator))
        if levels[-1].accepted:
            break
    return tuple(levels)


def _meaning(last: TriedLevel, bits: int, epsilon: float, delta: float, alone: bool) -> str:
    found = last.level + (not last.accepted)
    certain = f"The degree is at least {found}; that is certain."
    if not last.accepted:
        return f"{certain} There is no upper bound: every level that was tried was refused."
    if found == bits:
        return f"{certain} It cannot be more than the number of bits."
    level = ", taken alone," if alone else ""
    return (
        f"{certain} That it is not more is an upper bound with confidence {1 - delta:.6g}: this "
        f"level{level} would have been refused with that probability if the function were "
        f"{epsilon:g}-far from degree {found}, that is, if at least {100 * epsilon:g}% of all "
        "trials showed a higher degree."
    )


def _try_level(
    function: Answering,
    bits: int,
    degree: int,
    trials: int,
    tolerance: float,
    generator: np.random.Generator,
) -> TriedLevel:
    """All trials of one level, in blocks of memory; the first block with a refusal is the last."""
    corners = inputs_between(0, 2 << degree, degree + 1)
    signs = 1.0 - 2.0 * (corners.sum(axis=1) % 2)
    at_once = max(1, BYTES_AT_ONCE // (len(corners) * bits))
    largest, asked = 0.0, 0
    for first in range(0, trials, at_once):
        numbers = np.arange(first, min(first + at_once, trials))
        rows = _cubes(generator, numbers, corners, bits)
        values = ask(function, rows.reshape(-1, bits)).reshape(len(numbers), len(corners))
        largest = max(largest, float(np.abs(values @ signs).max()) / len(corners))
        asked += values.size
        if largest > tolerance:
            break
    return TriedLevel(degree, largest <= tolerance, largest, asked)


def _cubes(
    generator: np.random.Generator,
    numbers: Int[np.ndarray, " draw"],
    corners: Int8[np.ndarray, "batch set"],
    bits: int,
) -> Int8[np.ndarray, "draw batch bit"]:
    """The inputs of each trial: a random one with every union of random blocks flipped.

    Odd trials leave some bits out of all blocks. Without them, blocks cover all bits, and a
    subset whose size differs from the number of blocks by an odd number would never be seen.
    """
    blocks = corners.shape[1]
    labels = generator.integers(0, blocks + numbers[:, None] % 2, (len(numbers), bits))
    start = generator.integers(0, 2, (len(numbers), 1, bits), dtype=np.int8)
    flipped = np.concatenate([corners, np.zeros((len(corners), 1), np.int8)], axis=1)
    return start ^ flipped[:, labels].swapaxes(0, 1)


def chance_to_show(bits: int, degree: int) -> Float[np.ndarray, " size"]:
    """How often a trial of that level lets a subset of 0, 1, …, T bits through.

    It is the chance that all blocks hold an odd number of the subset's bits, averaged over the
    two kinds of trials.

    >>> [round(float(chance), 4) for chance in chance_to_show(6, 1)]
    [0.0, 0.0, 0.3611, 0.1111, 0.3735, 0.1235, 0.3748]
    """
    blocks, chances = degree + 1, np.zeros(bits + 1)
    for unused in (0, 1):
        labels = blocks + unused
        odd = np.zeros(blocks + 1)  # chances of the number of blocks with an odd count so far
        odd[0] = 1.0
        count = np.arange(blocks + 1)
        for size in range(1, bits + 1):
            up, down = odd * (blocks - count) / labels, odd * count / labels
            odd = odd * unused / labels
            odd[1:] += up[:-1]
            odd[:-1] += down[1:]
            chances[size] += odd[blocks] / 2
    return chances


def weight_above(bound: QueriedBound, spread: float) -> float:
    """The most spectral weight above the degree found, with the test's confidence.

    For a function whose values lie in an interval of length `spread`. The mean square of a trial
    is the weight above the degree, each subset weighted by its chance to show; no trial exceeds
    half the spread, and fewer than epsilon of them exceed the tolerance.
    """
    if bound.measure != "degree" or not bound.accepted:
        raise BadInput("only an accepted degree bounds the weight above it", seen=bound.meaning)
    if not spread > 0:
        raise BadInput("the spread of the values must be more than 0", seen=spread)
    above = chance_to_show(bound.bits, bound.found)[bound.found + 1 :]
    if not above.size:
        return 0.0
    squares = bound.epsilon * (spread / 2) ** 2 + bound.tolerance**2
    return float(squares / above.min())
