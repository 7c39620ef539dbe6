"""Numbers and nouns that agree."""

from __future__ import annotations


def counted(count: int, noun: str, plural: str | None = None) -> str:
    """A number with its noun, in the singular or in the plural.

    >>> counted(1, "window"), counted(0, "class", "classes"), counted(1200, "pair")
    ('1 window', '0 classes', '1,200 pairs')
    """
    return f"{count:,} {noun if count == 1 else plural or noun + 's'}"
