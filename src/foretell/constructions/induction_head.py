"""An induction head with its weights written down: two layers, one head each.

Layer 1 looks one position back and keeps the symbol found. Layer 2 asks with the last symbol for
positions whose predecessor is the same; among several the latest wins, because every step further
back costs a fixed amount. The start symbol in front scores between a match and a miss, so that it
is chosen exactly if nothing matches: then the answer is that there is none.
"""

from __future__ import annotations

import math

import numpy as np
from jaxtyping import Float, Int

from foretell.constructions.k_gram_layers import (
    HARD,
    Layer,
    Network,
    next_symbol,
    slots_of,
    wiring,
)
from foretell.plain.errors import BadInput

RECENCY, MARGIN = 2.0, 20.0  # what a step back costs, and by how much each decision is won


def one_hot_codes(symbols: int) -> Float[np.ndarray, "token part"]:
    """A coordinate for each symbol: two different ones have product 0, equal ones 1."""
    return np.eye(symbols)


def sign_codes(symbols: int) -> Float[np.ndarray, "token part"]:
    """The number of each symbol in binary, written with -1 and 1: log V coordinates.

    >>> sign_codes(4).tolist()
    [[-1.0, -1.0], [-1.0, 1.0], [1.0, -1.0], [1.0, 1.0]]
    """
    bits = bits_for(symbols)
    digits = (np.arange(symbols)[:, None] >> np.arange(bits)[::-1]) & 1
    return 2.0 * digits - 1


def bits_for(symbols: int) -> int:
    """Binary digits that tell so many apart."""
    if symbols < 2:
        raise BadInput("nothing to tell apart", seen=f"{symbols} symbols", hint="at least 2")
    return max(1, math.ceil(math.log2(symbols)))


def induction_head(length: int, codes: Float[np.ndarray, "token part"]) -> Network:
    """Weights for words of at most that length over symbols with these codes.

    It says a symbol, or as its last answer that the symbol asked for has not occurred before.

    >>> network = induction_head(8, one_hot_codes(3))
    >>> said(network, np.array([[0, 1, 2, 0], [1, 1, 2, 0]])).tolist()
    [1, 3]
    """
    symbols, part = codes.shape
    if length < 1:
        raise BadInput("no word to look into", seen=f"length {length}", hint="at least 1")
    products = codes @ codes.T
    highest = float(products[0, 0])
    others = products[~np.eye(symbols, dtype=bool)]
    gap = highest - max(0.0, float(others.max()))  # the first position has kept nothing: product 0
    coded = {"token": part, "back": part, "said": part}
    slots, width = slots_of(coded | {"none": 1, "start": 1, "one": 1})
    rows = np.zeros((symbols + 1, width))
    rows[:symbols, slots["token"]] = codes
    rows[symbols, slots["start"]] = rows[:, slots["one"]] = 1.0
    copy = Layer(
        wiring(width, slots, [("one", "start", HARD)])[None],
        2 * HARD * (np.arange(length + 1) == 1.0)[None],
        wiring(width, slots, [("token", "back", 1.0)])[None],
    )
    sharpness = 2 * (RECENCY * length + MARGIN) / gap
    between = sharpness * (highest - gap / 2)  # half way from the best miss to a match
    match = Layer(
        wiring(width, slots, [("token", "back", sharpness), ("one", "start", between)])[None],
        -RECENCY * np.arange(length + 1.0)[None],
        wiring(width, slots, [("token", "said", 1.0), ("start", "none", 1.0)])[None],
    )
    output = np.zeros((width, symbols + 1))
    output[slots["said"], :symbols] = codes.T
    output[slots["none"], symbols] = highest
    return Network(rows, (copy, match), output)


def said(network: Network, words: Int[np.ndarray, "... length"]) -> Int[np.ndarray, "..."]:
    """The most likely answer after the last symbol of each word."""
    return np.argmax(next_symbol(network, words)[..., -1, :], axis=-1)


def score_bits(length: int) -> int:
    """Bits of the whole numbers that layer 2's scores are, with one-hot codes: about log₂ T.

    >>> [score_bits(length) for length in (32, 128, 512)]
    [8, 10, 12]
    """
    return int(2 * (RECENCY * length + MARGIN)).bit_length()
