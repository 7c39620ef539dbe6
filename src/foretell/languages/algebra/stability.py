"""Which elements have words of which lengths; the stability index and the stable semigroup.

The images of the words of length s form a semigroup for some s; the least such s is the stability
index and that semigroup the stable semigroup (Barrington, Compton, Straubing & Thérien, Regular
languages in NC1, 1992; Straubing, On logical descriptions of regular languages, 2002).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

import numpy as np

from foretell.languages.algebra.maps import Mask
from foretell.languages.algebra.monoid import Monoid, monoid_too_large

WORK_LIMIT = 2_000_000_000


@final
@dataclass(frozen=True, eq=False)
class Stability:
    """The stability index and the elements of the stable semigroup."""

    index: int
    stable: Mask


def stability(monoid: Monoid) -> Stability:
    """The least s for which words of length s and of length 2s have the same elements.

    >>> from foretell.languages.algebra.monoid import monoid_of
    >>> from foretell.languages.regular import RegularLanguage
    >>> found = stability(monoid_of(RegularLanguage.from_regex("(aa)*").dfa))
    >>> found.index, found.stable.tolist()
    (2, [True, False])
    """
    layers: list[bytes] = []
    number: dict[bytes, int] = {}
    layer = np.zeros(len(monoid), bool)
    layer[0] = True
    while True:
        layer = following(monoid, layer)
        packed = np.packbits(layer).tobytes()
        if packed in number:
            break
        number[packed] = len(layers) + 1
        layers.append(packed)
        if len(layers) * monoid.right.size > WORK_LIMIT:
            raise monoid_too_large(len(monoid) - 1)
    first = number[packed]
    period = len(layers) + 1 - first
    index = -(-first // period) * period
    place = first + (index - first) % period
    bits = np.unpackbits(np.frombuffer(layers[place - 1], np.uint8), count=len(monoid))
    return Stability(index, bits.astype(bool))


def following(monoid: Monoid, layer: Mask) -> Mask:
    """The elements that one more letter makes of these."""
    found = np.zeros(len(monoid), bool)
    found[monoid.right[layer].reshape(-1)] = True
    return found


def word_of_length(monoid: Monoid, element: int, length: int) -> tuple[int, ...]:
    """A word of exactly that length for an element; the caller knows that there is one."""
    layers = [np.zeros(len(monoid), bool)]
    layers[0][0] = True
    for _ in range(length):
        layers.append(following(monoid, layers[-1]))
    found = []
    for layer in reversed(layers[:-1]):
        sources, letters = np.nonzero((monoid.right == element) & layer[:, None])
        found.append(int(letters[0]))
        element = int(sources[0])
    return tuple(reversed(found))
