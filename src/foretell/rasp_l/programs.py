"""Programs for the tasks of the suite: after each token of a word, which one comes next.

Words are written SOS input SEP answer EOS, as models read them; what a program says before SEP does
not matter. Reserved tokens have the smallest ids, symbols follow. Where digits carry hints, the two
bits come first among the symbols, then (for sums) the plus sign, and all others are hints: numbers
in a row, from anywhere on.
"""

from __future__ import annotations

from types import MappingProxyType

from foretell.core.alphabet import EOS, RESERVED, SEP, SOS
from foretell.rasp_l.library import has_seen, mode, shift_right
from foretell.rasp_l.program import Program
from foretell.rasp_l.values import Value, aggregate, full, kqv, tokens, where

FIRST = len(RESERVED)  # id of the first symbol
ZERO, ONE, PLUS = FIRST, FIRST + 1, FIRST + 2
UNSEEN = 10**6  # larger than any id


def _equal(key: Value, query: Value) -> Value:
    return key == query


def _smallest(values: Value, counted: Value) -> Value:
    return aggregate(full, where(counted, values, UNSEEN), "min")


def count() -> Program:
    """From the smaller to the larger of two numbers, by ones."""
    start, end = _smallest(tokens, tokens >= FIRST), aggregate(full, tokens, "max")
    return Program.of(where(tokens == SEP, start, where(tokens == end, EOS, tokens + 1)))


def most_frequent() -> Program:
    """The symbol that occurs most often."""
    return Program.of(where(tokens == SEP, mode(tokens, tokens >= FIRST), EOS))


def majority() -> Program:
    """The bit that occurs more often: the sign of a mean."""
    votes = where(tokens == ONE, 1, where(tokens == ZERO, -1, 0))
    winner = where(aggregate(full, votes, "mean") >= 0, ONE, ZERO)
    return Program.of(where(tokens == SEP, winner, EOS))


def unique_copy() -> Program:
    """What came after this token in the input; after SEP what came after SOS, after all EOS."""
    after = where(tokens == SEP, SOS, tokens)
    found = kqv(shift_right(tokens), after, tokens, _equal, "min")
    return Program.of(where(found == SEP, EOS, found))


def sort() -> Program:
    """The smallest token larger than the one just written."""
    return Program.of(
        kqv(tokens, tokens, tokens, lambda key, query: key > query, "min", default=EOS)
    )


def induction() -> Program:
    """What came after this token when it came up before; read at the last position."""
    return Program.of(kqv(shift_right(tokens), tokens, tokens, _equal, "max"))


def parity_with_scratchpad() -> Program:
    """Each bit's hint again, and behind it the parity so far.

    Input h b h b …; after a hint comes the parity written last, flipped if the hint's bit is 1.
    """
    hint, before = tokens > ONE, shift_right(tokens)
    bit = kqv(before, tokens, tokens, _equal, "min")
    flipped = where((before == ONE) == (bit == ONE), ZERO, ONE)
    first, last = _smallest(tokens, hint), aggregate(full, tokens, "max")
    following = where(before == last, EOS, before + 1)
    return Program.of(where(hint, flipped, where(tokens == SEP, first, following)))


def reverse_addition_with_hints() -> Program:
    """Each digit's hint, from the last digit on, and behind it the digit of the sum.

    Input h a h a … + h b h b …, both as long, with the same hints. The two bits of a hint add up to
    the mean of their doubles; whether there is a carry follows from the digit before: its two bits
    are both 1, or one is and the digit written is 0.
    """
    hint, before = tokens > PLUS, shift_right(tokens)
    named = where(has_seen(tokens, SEP), -1, before)  # hints in the input only
    double = where(tokens == ONE, 2, 0)
    here = kqv(named, tokens, double, _equal, "mean")
    lower = kqv(named, tokens + 1, double, _equal, "mean")
    carry = (lower == 2) | ((lower == 1) & (before == ZERO))
    digit = where((here + where(carry, 1, 0)) % 2 == 1, ONE, ZERO)
    first, last = _smallest(tokens, hint), aggregate(full, tokens, "max")
    following = where(before == first, EOS, before - 1)
    return Program.of(where(hint, digit, where(tokens == SEP, last, following)))


PROGRAMS = MappingProxyType(
    {
        "count": count,
        "mode": most_frequent,
        "unique-copy": unique_copy,
        "sort": sort,
        "majority": majority,
        "induction": induction,
        "parity-with-scratchpad": parity_with_scratchpad,
        "reverse-addition-with-hints": reverse_addition_with_hints,
    }
)
