"""Bits that a task needs to be sent, bits that a model can send, and the sizes that follow.

Cut the positions of an input in two: one party holds the first, the other the rest. If the answer
needs so many bits to cross the cut, then whatever the model lets across must hold them: the state
of a recurrent model (width × precision), or what the heads of one attention layer add up over the
first party's positions (a numerator of the head's width and a denominator each).
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import final

from foretell.plain.errors import BadInput


def binary_entropy(chance: float) -> float:
    """Of one yes or no, in bits.

    >>> binary_entropy(0.5), round(binary_entropy(0.9), 4)
    (1.0, 0.469)
    """
    if not 0 <= chance <= 1:
        raise BadInput("no probability", seen=chance, why="it must be between 0 and 1")
    return sum(-part * math.log2(part) for part in (chance, 1 - chance) if part)


def disjointness_bits(elements: int) -> float:
    """Do two subsets of n elements have none in common? The matrix of answers has rank 2^n."""
    return float(_at_least(elements, 1, "elements"))


def index_bits(bits: int, accuracy: float = 1.0) -> float:
    """One party holds n bits and speaks, the other is asked for the i-th, right with `accuracy`.

    >>> [round(index_bits(64, each), 1) for each in (0.75, 0.9, 0.99, 1.0)]
    [12.1, 34.0, 58.8, 64.0]
    """
    if not 0.5 <= accuracy <= 1:
        raise BadInput("no accuracy for one bit", seen=accuracy, why="guessing already has 1/2")
    return _at_least(bits, 1, "bits") * (1 - binary_entropy(accuracy))


def copy_bits(symbols: int, alphabet: int) -> float:
    """To repeat L symbols out of D, right more often than wrong.

    >>> math.ceil(copy_bits(32, 26))
    150
    """
    _at_least(alphabet, 2, "letters")
    return _at_least(symbols, 1, "symbols") * math.log2(alphabet) - 1


def induction_bits(length: int) -> float:
    """What followed the last symbol before? Bits at even places, one marker at an odd place."""
    return (_at_least(length, 3, "positions") - 1) / 2


def composition_bits(values: int) -> float:
    """g(f(x)) for functions on n values, if one party holds g: it has n^n of them."""
    return _at_least(values, 1, "values") * math.log2(values)


def three_gram_bits(length: int) -> float:
    """The conditional 3-gram over three symbols to within 1/(3T): disjointness of T/3 elements."""
    return _at_least(length, 3, "positions") / 3


@final
@dataclass(frozen=True)
class Size:
    """A model as the cut sees it: heads, width (of the state, or of one head), bits a number."""

    heads: int = 1
    width: int = 1
    precision: int = 1

    def __post_init__(self) -> None:
        if self.precision < 1:
            raise BadInput(
                "a number of no bits holds nothing",
                seen=f"precision of {self.precision} bits",
                why="every bound divides by the precision",
                hint="a precision of at least 1 bit; 32 is a float",
            )
        _at_least(self.heads, 1, "heads")
        _at_least(self.width, 0, "width")


Message = Callable[[Size], int]


def recurrent_message(size: Size) -> int:
    """The state in the middle: width × precision."""
    return size.width * size.precision


def attention_message(size: Size) -> int:
    """One layer: every head's numerator and denominator, H(m + 1)p."""
    return size.heads * (size.width + 1) * size.precision


def three_gram_message(size: Size) -> int:
    """As the theorem about conditional 3-grams counts one layer: 2pH + dp + 2."""
    return 2 * size.precision * size.heads + size.width * size.precision + 2


def fewest(message: Message, variable: str, bits: float, size: Size) -> int:
    """The smallest heads, width or precision with which the message can hold the bits.

    Messages grow linearly in each variable, so that two values give the line to solve.

    >>> fewest(attention_message, "width", induction_bits(512), Size(precision=9))
    28
    """
    if variable not in ("heads", "width", "precision"):
        raise BadInput("nothing to solve for", seen=variable, hint="heads, width or precision")
    low = 0 if variable == "width" else 1
    at_low, above = (message(replace(size, **{variable: low + more})) for more in (0, 1))
    if above == at_low:
        raise BadInput(
            f"more {variable} do not help", seen=size, why="the message does not grow with it"
        )
    return low + max(0, math.ceil((bits - at_low) / (above - at_low)))


def longest_induction(size: Size) -> int:
    """The longest input whose induction head one layer of this size is not excluded from.

    >>> longest_induction(Size(width=28, precision=9))
    523
    """
    return 2 * attention_message(size) + 1


def position_precision(length: int) -> int:
    """Bits that number the positions: ⌈log₂ T⌉."""
    return max(1, (_at_least(length, 1, "positions") - 1).bit_length())


def hop_rounds(hops: int) -> int:
    """Rounds of looking where others have got to, until k hops are known: ⌈log₂ k⌉.

    >>> [hop_rounds(hops) for hops in (1, 2, 3, 4, 5, 8, 9)]
    [0, 1, 2, 2, 3, 3, 4]
    """
    return (_at_least(hops, 1, "hops") - 1).bit_length()


def _at_least(number: int, least: int, what: str) -> int:
    if number < least:
        raise BadInput(f"too few {what}", seen=number, why=f"at least {least}")
    return number
