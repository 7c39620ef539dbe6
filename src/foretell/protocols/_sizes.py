"""Sizes as people write them: `51-100`, `51-100,101-150`, `32,64,128`."""

from __future__ import annotations

from typing import Any

from foretell.core.question import SizeRange
from foretell.plain.errors import BadInput


def parse_range(text: Any) -> SizeRange:
    """`51-100`, `51..100` or a pair.

    >>> parse_range("51-100")
    SizeRange(low=51, high=100)
    """
    if isinstance(text, SizeRange):
        return text
    parts = text if isinstance(text, list | tuple) else str(text).replace("..", "-").split("-")
    try:
        if any(isinstance(part, bool | float) for part in parts):
            raise ValueError
        low, high = (int(part) for part in parts)
    except (ValueError, TypeError):
        raise BadInput(
            "that is not a range of sizes", seen=text, why="two whole numbers", hint="51-100"
        ) from None
    return SizeRange(low, high)


def parse_ranges(text: Any) -> tuple[SizeRange, ...]:
    """Several ranges: text separated by commas, or a list of pairs."""
    parts = text if isinstance(text, list | tuple) else str(text).split(",")
    return tuple(parse_range(part) for part in parts)


def parse_sizes(text: Any) -> tuple[int, ...]:
    """Single sizes: text separated by commas, or a list of numbers.

    >>> parse_sizes("32,64")
    (32, 64)
    """
    parts = text if isinstance(text, list | tuple) else str(text).split(",")
    try:
        if any(isinstance(part, bool | float) for part in parts):
            raise ValueError
        sizes = tuple(int(part) for part in parts)
    except (ValueError, TypeError):
        raise BadInput("sizes are whole numbers", seen=text, hint="32,64,128,256") from None
    if not sizes or min(sizes) < 1:
        raise BadInput("a size is at least 1", seen=text, hint="32,64,128,256")
    return sizes
