"""Two layers of attention that read a flip-flop: mark the bits that were written, take the last.

Instructions and bits alternate. Layer 1 looks at the token just before, which tells a bit whether
it was written. Layer 2 scores written bits by κ and every place by its number, and copies signs: it
is the head that `flip-flop-margins` is about, its κ large enough for the longest wait there is.
"""

from __future__ import annotations

import jax.numpy as jnp
import numpy as np

from foretell.models.small_decoder import Decoder, Layer, Shape
from foretell.plain.errors import BadInput

FLAG, SIGN, ONE, PLACE, SQUARE, WRITTEN, ANSWER = range(7)  # what the stream's coordinates hold
WIDTH = 7
NEAR = 20.0  # score by which the token just before wins over its neighbours
STEEP = 0.5  # a token; a pair has two, and ln 2 a pair is the least


def read_flip_flop(pairs: int) -> tuple[Shape, Decoder]:
    """Weights for words of so many pairs; tokens are write, read, ignore, 0 and 1."""
    if pairs < 2:
        raise BadInput("a flip-flop word is too short", seen=pairs, hint="at least 2 pairs")
    length = 2 * pairs
    shape = Shape(tokens=5, length=length, width=WIDTH, layers=2, norm=False)
    embedding = np.zeros((5, WIDTH))
    embedding[0, FLAG] = 1
    embedding[3:, SIGN] = -1, 1
    places, positions = np.arange(length), np.zeros((length, WIDTH))
    positions[:, ONE], positions[:, PLACE], positions[:, SQUARE] = 1, places, places**2
    output = np.zeros((WIDTH, 5))
    output[ANSWER, 3:] = -1, 1
    layers = (_before(), _last_written(STEEP * length + 2))
    into, places_of, out = map(jnp.asarray, (embedding, positions, output))
    return shape, Decoder(into, places_of, layers, None, out)


def _before() -> Layer:
    """At i, the score of j is -NEAR·(i-1-j)², but for what does not depend on j."""
    query, key = np.zeros((2, WIDTH, WIDTH))
    query[PLACE, 0], query[ONE, 0], query[ONE, 1] = 2 * NEAR, -2 * NEAR, -NEAR
    key[PLACE, 0], key[SQUARE, 1] = 1, 1
    return _layer(query, key, FLAG, WRITTEN)


def _last_written(kappa: float) -> Layer:
    """The same score from everywhere: late is better, written much better."""
    query, key = np.zeros((2, WIDTH, WIDTH))
    query[ONE, 0] = 1
    key[WRITTEN, 0], key[PLACE, 0] = kappa, STEEP
    return _layer(query, key, SIGN, ANSWER)


def _layer(query: np.ndarray, key: np.ndarray, read: int, write: int) -> Layer:
    """One head that copies one coordinate into another; no MLP."""
    value, output = np.zeros((2, WIDTH, WIDTH))
    value[read, 0], output[0, write] = 1, 1
    scaled = query * WIDTH**0.5  # which the decoder divides scores by
    asks, answers, reads, writes = (
        jnp.asarray(each[None]) for each in (scaled, key, value, output)
    )
    return Layer(asks, answers, reads, writes, None, None, None, None, None, None)
