"""Counting in context with copies: earlier symbols are fetched by lag, then compared one by one.

The lower layers look back by fixed lags and lay the symbols found side by side; the last layer
scores an earlier position by how many of its k predecessors agree with the k symbols at the end,
and reads the symbols at the positions where all do. Scores are whole numbers: the gap is 1.
"""

from __future__ import annotations

import math

import numpy as np
from jaxtyping import Float

from foretell.constructions.k_gram_layers import (
    HARD,
    Layer,
    Network,
    embedding,
    reading,
    require_order,
    slots_of,
    wiring,
)

COPY_GAP = 1.0  # one symbol of the context right or wrong


def many_heads(order: int, symbols: int, length: int) -> Network:
    """Two layers: head j of the first fetches the symbol j steps back, for j = 1, ..., order.

    >>> network = many_heads(2, 3, 16)
    >>> network.heads, network.width
    ((2, 1), 14)
    """
    return _network(order, symbols, length, [list(range(1, order + 1))])


def many_layers(order: int, symbols: int, length: int) -> Network:
    """One head a layer: each layer fetches all that a position further back has, and doubles it.

    >>> many_layers(3, 2, 16).heads
    (1, 1, 1)
    """
    known, lags = 1, []
    while known <= order:
        lags.append([min(known, order + 1 - known)])
        known += lags[-1][0]
    return _network(order, symbols, length, lags)


def layers_with_one_head(order: int) -> int:
    """Layers that `many_layers` needs: doubling until order + 1 symbols are known, and matching.

    >>> [layers_with_one_head(order) for order in (1, 2, 3, 4, 7, 8)]
    [2, 3, 3, 4, 4, 5]
    """
    return math.ceil(math.log2(order + 1)) + 1


def _network(order: int, symbols: int, length: int, lags: list[list[int]]) -> Network:
    require_order(order, symbols, length)
    back = [f"back {steps}" for steps in range(order + 1)]
    names = ["token", *back[1:], "said"]
    slots, width = slots_of(dict.fromkeys(names, symbols) | {"start": 1, "one": 1})
    slots["back 0"] = slots["token"]
    layers, known = [], {0}
    for steps in lags:
        values, taken = [], set(known)
        for lag in steps:
            # What one head has fetched no other head fetches again.
            fresh = {had + lag for had in known} - taken
            taken |= fresh
            wires = [(back[to - lag], back[to], 1.0) for to in fresh if to <= order]
            values.append(wiring(width, slots, wires))
        known = taken
        layers.append(
            Layer(
                np.stack([_start_bonus(width, slots)] * len(steps)),
                np.stack([_look_back(lag, length) for lag in steps]),
                np.stack(values),
            )
        )
    compare = [(back[step], back[step + 1], 1.0) for step in range(order)]
    said = wiring(width, slots, [("token", "said", 1.0)])
    layers.append(Layer(wiring(width, slots, compare)[None], np.zeros((1, length + 1)), said[None]))
    return Network(embedding(width, slots, symbols), tuple(layers), reading(width, slots, symbols))


def _look_back(lag: int, length: int) -> Float[np.ndarray, " length"]:
    return 2 * HARD * (np.arange(length + 1) == lag)


def _start_bonus(width: int, slots: dict[str, slice]) -> Float[np.ndarray, "width width"]:
    """Too early for the lag: look at the start symbol, whose slots are empty and match nothing."""
    return wiring(width, slots, [("one", "start", HARD)])
