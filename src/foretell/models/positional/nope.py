"""No positional encoding: order is visible only through the causal mask.

What:
    Nothing is added or rotated. A decoder still sees order, because each position attends to
    itself and what came before; the number of visible positions is the only clock.

Definition:
    embed = none, rotate = identity, bias = none.

Example:
    >>> from foretell.models.positional import load
    >>> load("nope")()
    Nope()

Known limits:
    The first layer cannot tell apart permutations of what stands before a position, so relations
    such as "the previous symbol" need more than one layer.

Sources:
    Haviv et al. 2022, Transformer Language Models without Positional Encodings Still Learn
    Positional Information, arXiv:2203.16634.
    Kazemnejad et al. 2023, The Impact of Positional Encoding on Length Generalization in
    Transformers, arXiv:2305.19466.
"""

from __future__ import annotations

from typing import final

from foretell.models.positional import Positional


@final
class Nope(Positional):
    """No positional encoding."""
