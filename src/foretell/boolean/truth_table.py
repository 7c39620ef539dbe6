"""All 2^T values of a function of T bits, in the order of the transform."""

from __future__ import annotations

import numpy as np
from jaxtyping import Float, Int

from foretell.boolean.asking import ROWS_AT_ONCE, Answering, ask, check_fit
from foretell.boolean.transform import check_bits


def every_input(bits: int) -> Int[np.ndarray, "batch bit"]:
    """All inputs, one a row: row x holds the binary digits of x, the lowest first.

    >>> every_input(2).tolist()
    [[0, 0], [1, 0], [0, 1], [1, 1]]
    """
    check_bits(bits)
    return inputs_between(0, 1 << bits, bits)


def inputs_between(first: int, last: int, bits: int) -> Int[np.ndarray, "batch bit"]:
    """The rows of `every_input` from `first` to before `last`.

    >>> inputs_between(5, 7, 3).tolist()
    [[1, 0, 1], [0, 1, 1]]
    """
    numbers = np.arange(first, last, dtype=np.int64)
    return (numbers[:, None] >> np.arange(bits) & 1).astype(np.int8)


def truth_table(
    function: Answering, bits: int, *, single: bool = False
) -> Float[np.ndarray, " batch"]:
    """The value at every input, asked in blocks; in float32 with `single`, to save memory.

    >>> truth_table(lambda rows: rows[:, 0] ^ rows[:, 1], 2).tolist()
    [0.0, 1.0, 1.0, 0.0]
    """
    check_fit(function, bits)
    check_bits(bits)
    found = np.empty(1 << bits, np.float32 if single else np.float64)
    for first in range(0, len(found), ROWS_AT_ONCE):
        last = min(first + ROWS_AT_ONCE, len(found))
        found[first:last] = ask(function, inputs_between(first, last, bits))
    return found
