"""Data diversity: how rarely one symbol is met in training."""

from __future__ import annotations

import numpy as np
from jaxtyping import Int

from foretell.templates.substituting import avoided_places, encode, symbol_blocks
from foretell.templates.template_set import TemplateSet


def diversity(
    templates: TemplateSet, symbols: int | Int[np.ndarray, " token"] | None = None
) -> float:
    """ρ: the least 1 / P[a wildcard stands for t], over templates and symbols t.

    Substitutions are uniform among the injective ones, so with m symbols to choose from and w
    wildcards each symbol occurs with probability w / m; a template without wildcards says nothing.
    The symbols are how many, or their ids, or those that the set declares.

    >>> diversity(TemplateSet.parse("symbols 64; aa -> +1; ab -> -1"))
    32.0
    >>> diversity(TemplateSet.parse("symbols P Q S; aSb -> +1; abb -> -1"))
    1.0
    """
    if symbols is None or isinstance(symbols, int):
        symbols = symbol_blocks(templates, symbols, max(templates.most_wildcards, 1)).train
    wildcards = encode(templates).wildcards
    free = len(symbols) - (avoided_places(templates, symbols) < len(symbols)).sum(axis=1)
    with np.errstate(divide="ignore"):
        return float(np.min(np.where(wildcards > 0, free / wildcards, np.inf)))
