"""Automata that need no scan: counters in one layer, flip-flops in two.

A counter's letters commute, so that only their numbers matter: attention averages and an MLP takes
the remainder. A flip-flop forgets all but the last write: one layer counts the writes and the next
looks for the write of the same count. Run them with `k_gram_layers.next_symbol`.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from jaxtyping import Float

from foretell.constructions.k_gram_layers import (
    HARD,
    Feed,
    Layer,
    Network,
    Slots,
    marks,
    slots_of,
    wiring,
)
from foretell.plain.errors import BadInput


def uniform_counter(increments: Sequence[int], modulus: int, length: int) -> Network:
    """One layer: the sum of the letters' increments modulo a number.

    Attention is uniform, so that after n letters with sum c it reads s = c/(n+1) and, off the start
    symbol, u = 1/(n+1). A hat of three ReLUs, relu(s-(k-1)u) - 2 relu(s-ku) + relu(s-(k+1)u), is u
    if c = k and 0 otherwise: no division; the slot of the remainder holds u, the others nothing.
    """
    if modulus < 1 or not increments or min(increments) < 0 or length < 1:
        raise BadInput(
            "no such counter",
            seen=f"increments {list(increments)} modulo {modulus}, length {length}",
            why="increments are at least 0, modulus and length at least 1",
        )
    slots, width = slots_of({"adds": 1, "start": 1, "sum": 1, "unit": 1, "said": modulus})
    rows = np.zeros((len(increments) + 1, width))
    rows[:-1, slots["adds"]] = np.array(increments, float)[:, None]
    rows[-1, slots["start"]] = 1.0
    remainders = np.eye(modulus)[np.arange(length * max(increments) + 1) % modulus]
    feed = _counting(width, slots, remainders)
    value = wiring(width, slots, [("adds", "sum", 1.0), ("start", "unit", 1.0)])[None]
    layer = Layer(np.zeros((1, width, width)), np.zeros((1, length + 1)), value, feed)
    output = np.zeros((width, modulus))
    output[slots["said"]] = np.eye(modulus)
    return Network(rows, (layer,), output)


def flip_flop_lookup(
    writes: Sequence[int | None], start: int, length: int, sharpness: float = HARD
) -> Network:
    """Two layers: letter σ writes the state `writes[σ]`, or keeps it (None).

    Layer 1 counts the writes as `uniform_counter` does, and its norm makes the count one-hot. Layer
    2 gives κ for being a write and κ for having the count of the one who asks: the last write has
    both, all others one at most, so κ need not grow with the length. Before any write all have the
    count 0 and nothing to say but the start symbol, which says the start.
    """
    if not 0 < sharpness < math.inf or length < 1:
        raise BadInput(
            "no such lookup",
            seen=f"sharpness {sharpness}, length {length}",
            why="attention is sharper than 0, and a word has a letter",
        )
    states = max([start, *(state for state in writes if state is not None)]) + 1
    sizes = {"write": 1, "start": 1, "one": 1, "bit": states, "sum": 1, "unit": 1}
    slots, width = slots_of(sizes | {"said": length + 1, "answer": states})
    rows = np.zeros((len(writes) + 1, width))
    rows[:, slots["one"]] = 1.0
    for row, state in zip(rows, [*writes, start], strict=True):
        row[slots["bit"]] = np.eye(states)[state] if state is not None else 0.0
        row[slots["write"]] = state is not None
    rows[-1, slots["write"]], rows[-1, slots["start"]] = 0.0, 1.0
    value = wiring(width, slots, [("write", "sum", 1.0), ("start", "unit", 1.0)])[None]
    feed = _counting(width, slots, np.eye(length + 1))
    no_lags = np.zeros((1, length + 1))
    norm = marks(width, slots, ["said"])
    count = Layer(np.zeros((1, width, width)), no_lags, value, feed, norm)
    match = [("one", "write", sharpness), ("said", "said", sharpness)]
    copy = wiring(width, slots, [("bit", "answer", 1.0)])[None]
    look = Layer(wiring(width, slots, match)[None], no_lags, copy)
    output = np.zeros((width, states))
    output[slots["answer"]] = np.eye(states)
    return Network(rows, (count, look), output)


def _counting(width: int, slots: Slots, answers: Float[np.ndarray, "size label"]) -> Feed:
    """Hats on the counts 0, 1, …: count k puts `unit` times the k-th answer into `said`."""
    knots = np.arange(-1.0, len(answers) + 1)
    first, second = np.zeros((width, len(knots))), np.zeros((len(knots), width))
    first[slots["sum"]] = 1.0
    first[slots["unit"]] = -knots
    padded = np.pad(answers, ((2, 2), (0, 0)))
    second[:, slots["said"]] = padded[2:] - 2 * padded[1:-1] + padded[:-2]
    return Feed(first, np.zeros(len(knots)), np.zeros((0, len(knots))), second)
