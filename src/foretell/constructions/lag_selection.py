"""Three layers of attention that find the lag of a word and predict with it.

All words share one table P of rows; each has its own lag k, and symbol t follows row x_{t-k}. Layer
1 looks from i at all lags at once and weighs them by P(x_{i-k}, x_i): its weights are the shares
p_{i,k} of the lags at i, and they land in the copy of the places. Layer 2 averages them, one head
for each class of places modulo m: within a class, a place is reached by one lag only, so nothing is
mixed up. Layer 3 looks from the end at the symbol each lag would use, by β times its mean share.
"""

from __future__ import annotations

from collections.abc import Sequence

import jax.numpy as jnp
import numpy as np
from jaxtyping import Float

from foretell.models.disentangled import Disentangled
from foretell.numerics.stochastic import require_chances
from foretell.plain.errors import BadInput

FAR = 1e4  # a score below all others by this much has no weight at all


def heads_for(lags: Sequence[int]) -> int:
    """The smallest m for which no two lags are the same modulo m: as many heads in layer 2.

    >>> heads_for((1, 2, 3)), heads_for((1, 4))
    (3, 2)
    """
    wanted = require_lags(lags)
    return next(m for m in range(1, max(wanted) + 1) if len({k % m for k in wanted}) == len(wanted))


def require_lags(lags: Sequence[int]) -> tuple[int, ...]:
    """Different whole numbers of at least one."""
    if not lags or min(lags) < 1 or len(set(lags)) != len(lags):
        raise BadInput("these are no lags", seen=list(lags), why="different numbers, each over 0")
    return tuple(int(lag) for lag in lags)


def select_lag(
    rows: Float[np.ndarray, "token label"], lags: Sequence[int], length: int, sharpness: float
) -> Disentangled:
    """Weights, in 64 bits, for words of that length; read linearly, the answer is a law."""
    require_chances(rows, square=True)
    symbols, heads, longest = len(rows), heads_for(lags), max(lags)
    if rows.min() <= 0:
        raise BadInput(
            "a row with a chance of 0", seen=rows.tolist(), why="layer 1 holds logarithms"
        )
    if length < longest + heads:
        raise BadInput(
            "the word is too short to find its lag",
            seen=f"length {length}, lags up to {longest}",
            why=f"each of {heads} classes of places needs one after the first {longest}",
            hint=f"a length of at least {longest + heads}",
        )
    width = symbols + length
    first = np.zeros((1, width, width))
    second = np.zeros((heads, 2 * width, 2 * width))
    third = np.zeros((1, 2 * width * (1 + heads), 2 * width * (1 + heads)))
    readout = np.zeros((4 * width * (1 + heads), symbols))
    places = np.arange(length)
    own = slice(symbols, width)  # the one-hot place
    copy = slice(width + symbols, 2 * width)  # its copy, with layer 1's weights
    first[0, :symbols, :symbols] = np.log(rows).T  # asked by x_i, answered by x_{i-k}
    first[0, own, own] = -FAR * ~np.isin(places[:, None] - places, lags)
    counted = places >= longest
    for head in range(heads):
        chosen = counted & (places % heads == head)
        second[head, own, own] = -FAR * ~chosen
        share = sharpness * chosen.sum() / counted.sum()
        block = 2 * width * (1 + head)
        for lag in lags:
            reached = share * ((places + lag) % heads == head)
            third[0, block + copy.start : block + copy.stop, symbols + length - lag] = reached
    third[0, own, own] += -FAR * ~np.isin(length - places, lags)
    readout[2 * width * (1 + heads) :][:symbols] = rows
    return Disentangled(tuple(map(jnp.asarray, (first, second, third))), jnp.asarray(readout))
