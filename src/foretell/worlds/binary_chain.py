"""A chain of zeros and ones: what may describe it, and its entropies in nats."""

from __future__ import annotations

import numpy as np

from foretell.plain.errors import BadInput


def require_chain(p: float, q: float) -> tuple[float, float]:
    """Both strictly between 0 and 1, so that the chain forgets where it began."""
    for name, value in (("p", p), ("q", q)):
        if not 0 < value < 1:
            raise BadInput(
                f"{name} is no switching probability", seen=value, why="it must be between 0 and 1"
            )
    return p, q


def entropy(p: float) -> float:
    """Of one binary symbol, in nats."""
    return float(-p * np.log(p) - (1 - p) * np.log1p(-p))


def entropy_rate(p: float, q: float) -> float:
    """The least loss: what is unknown of the next symbol given the last."""
    return (q * entropy(p) + p * entropy(q)) / (p + q)
