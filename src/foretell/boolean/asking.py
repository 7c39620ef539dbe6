"""Ask any callable for its values at rows of bits, and refuse answers that cannot be used."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from jaxtyping import Float, Integer

from foretell.plain.errors import BadInput

# A truth function or a trained model: rows of bits to one number each, any array library.
Answering = Callable[[Any], Any]

ROWS_AT_ONCE = 1 << 14


def ask(function: Answering, rows: Integer[np.ndarray, "batch bit"]) -> Float[np.ndarray, " batch"]:
    """The value at each row, asked in blocks of at most `ROWS_AT_ONCE` rows.

    >>> ask(lambda rows: rows.sum(axis=1) > 1, np.array([[1, 1], [0, 1]])).tolist()
    [1.0, 0.0]
    """
    found = np.empty(len(rows))
    for first in range(0, len(rows), ROWS_AT_ONCE):
        block = rows[first : first + ROWS_AT_ONCE].astype(np.int32)
        found[first : first + ROWS_AT_ONCE] = _checked(function(block), block)
    return found


def check_fit(function: Answering, bits: int) -> None:
    """Refuse a number of bits that is none, or not the one the function says it has."""
    if isinstance(bits, bool) or not isinstance(bits, int | np.integer) or bits < 1:
        raise BadInput("a Boolean function needs at least one bit", seen=bits)
    own = getattr(function, "bits", bits)
    if own != bits:
        raise BadInput("a function has another number of bits", seen=f"{own}, asked with {bits}")


def _checked(answered: Any, block: Integer[np.ndarray, "batch bit"]) -> Float[np.ndarray, " batch"]:
    try:
        values = np.asarray(answered)
    except ValueError:  # lists of unequal lengths
        values = np.asarray(None)
    if values.dtype.kind not in "biuf":
        raise BadInput(
            "a function of bits must return real numbers",
            seen=f"{type(answered).__name__} of {values.dtype}",
            why=f"it was asked for {len(block)} values",
        )
    if values.shape != (len(block),):
        raise BadInput(
            "a function of bits returns an array of the wrong shape",
            seen=f"shape {values.shape}",
            why=f"for {block.shape[0]} rows of {block.shape[1]} bits it must be ({len(block)},), "
            "one number a row",
            hint="drop or average the extra axes inside the function",
        )
    wrong = ~np.isfinite(values)
    if wrong.any():
        row = int(np.argmax(wrong))
        raise BadInput(
            "a function of bits returns a value that is not finite",
            seen=f"{values[row]} at bits {''.join(map(str, block[row]))}",
            why="spectra and testers add values up",
        )
    return values.astype(float)
