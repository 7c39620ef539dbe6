"""Run programs: every step is an array over all positions, or over all pairs of them.

The same function serves NumPy (here, the meaning of the language) and JAX (`on_device`). What comes
after a position cannot change it, so words of different lengths are padded at their ends.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from jaxtyping import Int

from foretell.plain.errors import BadInput
from foretell.rasp_l.bounds import bounds
from foretell.rasp_l.program import Program
from foretell.rasp_l.steps import ARITHMETIC, COMPARISONS, Step, last_uses

HELD = 2**22  # pairs of positions that are computed at once
INT32, INT64 = 2**31 - 1, 2**62
FUNCTIONS = {"+": "add", "-": "subtract", "*": "multiply", "//": "floor_divide", "%": "remainder"}
FUNCTIONS |= {"max": "maximum", "min": "minimum", "==": "equal", "!=": "not_equal"}
FUNCTIONS |= {"<": "less", "<=": "less_equal", ">": "greater", ">=": "greater_equal"}
FUNCTIONS |= {"and": "logical_and", "or": "logical_or"}


def run(program: Program, words: np.ndarray) -> Int[np.ndarray, "*batch length"]:
    """The program's output at every position of every word [.., length]; truths as 0 and 1.

    >>> from foretell.rasp_l.library import cumsum
    >>> from foretell.rasp_l.values import tokens
    >>> run(Program.of(cumsum(tokens == 1)), np.array([1, 0, 1, 1])).tolist()
    [1, 1, 2, 3]
    """
    words = require_words(words)
    if not words.size:
        return words.astype(np.int64)
    rows = words.reshape(-1, words.shape[-1])
    bound = max(bounds(program.steps, words.shape[-1], largest_token(words)))
    if bound > INT64:
        raise BadInput("the program's numbers do not fit into 64 bits", seen=f"up to {bound:,}")
    rows = rows.astype(np.int32 if bound <= INT32 else np.int64)
    count = max(1, HELD // words.shape[-1] ** 2)
    pieces = [rows[first : first + count] for first in range(0, len(rows), count)]
    said = np.concatenate([evaluate(program.steps, piece, np) for piece in pieces])
    return said.astype(np.int64).reshape(words.shape)


def require_words(words: Any) -> np.ndarray:
    """Whole numbers, not negative: ids of tokens."""
    array = np.asarray(words)
    if array.ndim == 0 or array.dtype.kind not in "iu" or (array.size and array.min() < 0):
        raise BadInput(
            "words are arrays of token ids",
            seen=f"{array.dtype} of shape {array.shape}",
            why="a token id is a whole number from 0 on",
        )
    return array


def largest_token(words: np.ndarray) -> int:
    """The largest id in use."""
    return int(words.max(initial=0))


def evaluate(steps: tuple[Step, ...], words: Any, module: Any) -> Any:
    """The last step's values, by the functions of `module`: NumPy or its likeness in JAX."""
    last = last_uses(steps)
    values: dict[int, Any] = {}
    for place, step in enumerate(steps):
        values[place] = _apply(step, [values[part] for part in step.parts], words, module)
        for part in set(step.parts):
            if last[part] == place:
                del values[part]
    # A constant is the same at every position.
    return module.broadcast_to(values[len(steps) - 1], words.shape)


def _apply(step: Step, parts: list[Any], words: Any, module: Any) -> Any:
    length = words.shape[-1]
    match step.word:
        case "tokens":
            return words
        case "indices":
            return module.broadcast_to(module.arange(length, dtype=words.dtype), words.shape)
        case "number":
            return module.asarray(step.data[0], words.dtype)
        case "truth":
            return module.asarray(step.data[0])
        case "key":
            return _everywhere(parts[0], words, module)[..., None, :]
        case "query":
            return _everywhere(parts[0], words, module)[..., :, None]
        case "select":
            return parts[0] & module.tril(module.ones((length, length), bool))
        case "width":
            shape = (*words.shape, length)
            return module.broadcast_to(parts[0], shape).sum(axis=-1, dtype=words.dtype)
        case "aggregate":
            return _aggregated(step, parts, words, module)
        case "where":
            return module.where(*parts)
        case "not":
            return ~parts[0]
        case "lookup":
            return _looked_up(step, parts[0], words, module)
        case sign if sign in ARITHMETIC or sign in COMPARISONS or sign in ("and", "or"):
            return getattr(module, FUNCTIONS[sign])(*parts)
    raise TypeError(f"no step of the language: {step}")


def _everywhere(part: Any, words: Any, module: Any) -> Any:
    return module.broadcast_to(part, words.shape)


def _aggregated(step: Step, parts: list[Any], words: Any, module: Any) -> Any:
    how, default = step.data
    selected, held = parts[0], _everywhere(parts[1], words, module)[..., None, :]
    empty = ~selected.any(axis=-1)
    if how == "mean":
        total = module.where(selected, held, 0).sum(axis=-1, dtype=words.dtype)
        count = module.broadcast_to(selected, (*words.shape, words.shape[-1])).sum(
            axis=-1, dtype=words.dtype
        )
        found = module.floor_divide(total, module.maximum(count, 1))
    else:
        edge = np.iinfo(words.dtype).min if how == "max" else np.iinfo(words.dtype).max
        kept = module.where(selected, held, module.asarray(edge, words.dtype))
        found = kept.max(axis=-1) if how == "max" else kept.min(axis=-1)
    return module.where(empty, module.asarray(default, words.dtype), found)


def _looked_up(step: Step, part: Any, words: Any, module: Any) -> Any:
    table, otherwise = step.data
    found = module.full_like(part, otherwise, dtype=words.dtype)
    for token, value in table:
        found = module.where(part == token, module.asarray(value, words.dtype), found)
    return found
