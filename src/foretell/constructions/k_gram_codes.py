"""Counting in context with codes: the last k symbols as one vector, compared by its direction.

Attention that halves (or triples) with every step back adds up symbols with weights so different
that the sum tells which symbol stood where. One head then suffices in constant depth, and what is
paid is sharpness: two contexts that differ in one symbol have codes that are almost parallel.
"""

from __future__ import annotations

import math

import numpy as np
from jaxtyping import Float

from foretell.constructions.k_gram_layers import (
    HARD,
    Feed,
    Layer,
    Network,
    embedding,
    marks,
    reading,
    require_order,
    slots_of,
    wiring,
)
from foretell.plain.errors import BadInput

MOST_CODES = 4096  # all pairs of them take 128 MiB
HALVING, TRIPLING = 2.0, 3.0


def three_layers(order: int, symbols: int, length: int) -> Network:
    """One head a layer and a norm: code the last symbols, pass it on by one step, match.

    >>> network = three_layers(2, 3, 16)
    >>> network.heads, network.width
    ((1, 1, 1), 16)
    """
    slots, width = _slots(order, symbols, length)
    lag = np.arange(length + 1)
    halving = np.where(lag < order, -math.log(HALVING) * lag, -HARD)
    nothing = np.zeros((width, width))
    coded = Layer(
        nothing[None],
        halving[None],
        wiring(width, slots, [("symbol", "here", 1.0)])[None],
        normed=marks(width, slots, ["here"]),
    )
    passed = Layer(
        nothing[None],
        (HARD * (lag == 1))[None],
        wiring(width, slots, [("here", "before", 1.0)])[None],
    )
    # A code that still has the start symbol in it is of fewer symbols: never a match.
    match = wiring(width, slots, [("here", "before", 1.0), ("one", "before start", -1.0)])
    return _finished(slots, width, symbols, length, [coded, passed], match)


def two_layers(order: int, symbols: int, length: int) -> Network:
    """One head a layer, a norm and an MLP: code the symbols before, and turn that into the next.

    The code before a position has weights that grow with the lag, so the oldest symbol can be
    told from all others by its size: the MLP takes it away and puts in the current symbol.
    """
    slots, width = _slots(order, symbols, length)
    lag = np.arange(length + 1)
    tripling = np.where((lag >= 1) & (lag <= order), math.log(TRIPLING) * lag, -HARD)
    coded = Layer(
        np.zeros((1, width, width)),
        tripling[None],
        wiring(width, slots, [("symbol", "before", 1.0)])[None],
        _shifting(order, symbols, width, slots),
        marks(width, slots, ["here", "before"]),
    )
    match = wiring(width, slots, [("here", "before", 1.0)])
    return _finished(slots, width, symbols, length, [coded], match)


def code_gap(order: int, base: float) -> float:
    """By how much the cosine of two different codes falls short of 1, for the closest two.

    Those are one symbol repeated, and the same with another symbol at the smallest weight. In
    units of that weight they are (w, 0) and (w - 1, 1), w = (base^order - 1)/(base - 1).

    >>> [round(code_gap(order, 2.0), 6) for order in (1, 2, 3, 4)]
    [1.0, 0.105573, 0.013606, 0.002541]
    """
    whole = (base**order - 1) / (base - 1)
    # 1 - cos is sin²/(1 + cos), which does not cancel: the sine is 1/√((w - 1)² + 1).
    squared = 1 / ((whole - 1) ** 2 + 1)
    return squared / (1 + math.sqrt(1 - squared))


def enumerated_gap(order: int, symbols: int, base: float) -> float:
    """The same by comparing all codes with each other."""
    require_order(order, symbols, order + 1)
    if symbols**order > MOST_CODES:
        raise BadInput(
            "too many contexts to compare all with all",
            seen=f"{symbols}^{order} contexts",
            why=f"their cosines take {symbols ** (2 * order) * 8 / 2**30:.3g} GiB of memory",
            hint="code_gap, which is a formula",
        )
    digits = np.arange(symbols**order)[:, None] // symbols ** np.arange(order) % symbols
    codes = (np.eye(symbols)[digits] * base ** -np.arange(order)[:, None]).sum(axis=1)
    codes /= np.linalg.norm(codes, axis=1, keepdims=True)
    cosines = codes @ codes.T
    np.fill_diagonal(cosines, -1.0)
    return float(1 - cosines.max())


def sharpness_needed(length: int, error: float, gap: float) -> float:
    """κ = ln(T/ε)/gap: at most T others, each with at most exp(-κ·gap) of a match's weight."""
    if not 0 < error < 1 or gap <= 0 or length < 1:
        raise BadInput(
            "no sharpness can be named",
            seen=f"length {length}, error {error}, gap {gap}",
            why="the error must be between 0 and 1 and the gap above 0",
        )
    return math.log(length / error) / gap


def _slots(order: int, symbols: int, length: int) -> tuple[dict[str, slice], int]:
    """The symbol (the start symbol is one more), two codes, what is said, and a constant."""
    require_order(order, symbols, length)
    sizes = {"symbol": symbols + 1, "here": symbols + 1, "before": symbols + 1}
    slots, width = slots_of(sizes | {"said": symbols, "one": 1})
    slots["token"] = slice(0, symbols)
    slots["start"] = slice(symbols, symbols + 1)
    end = slots["before"].stop
    slots["before start"] = slice(end - 1, end)
    return slots, width


def _shifting(order: int, symbols: int, width: int, slots: dict[str, slice]) -> Feed:
    """Hidden: the oldest symbol (its size is above the threshold), the code, the symbol now."""
    weights = TRIPLING ** np.arange(1, order + 1)
    total, newer = weights.sum(), weights[:-1].sum()
    threshold = (newer + (weights[-1] - newer) / 2) / total
    one = np.eye(symbols + 1)
    first = np.zeros((width, 3 * (symbols + 1)))
    oldest, code, now = (slice(i * (symbols + 1), (i + 1) * (symbols + 1)) for i in range(3))
    first[slots["before"], oldest] = first[slots["before"], code] = first[slots["symbol"], now] = (
        one
    )
    bias = np.zeros(3 * (symbols + 1))
    bias[oldest] = -threshold
    normed = np.zeros((1, 3 * (symbols + 1)))
    normed[0, oldest] = 1.0
    second = np.zeros((3 * (symbols + 1), width))
    second[oldest, slots["here"]] = -weights[-1] * one
    second[code, slots["here"]] = total * one
    second[now, slots["here"]] = one
    return Feed(first, bias, normed, second)


def _finished(
    slots: dict[str, slice],
    width: int,
    symbols: int,
    length: int,
    lower: list[Layer],
    match: Float[np.ndarray, "width width"],
) -> Network:
    said = wiring(width, slots, [("token", "said", 1.0)])
    last = Layer(match[None], np.zeros((1, length + 1)), said[None])
    return Network(embedding(width, slots, symbols), (*lower, last), reading(width, slots, symbols))
