"""Tables of chances that come from outside: refused unless every row is a law."""

from __future__ import annotations

from typing import Any

import jax
import numpy as np

from foretell.plain.errors import BadInput

ROUNDING = 1e-5  # of a row's sum: ten times what 32 bits lose on a hundred symbols


def require_chances(tables: Any, *, square: bool = False) -> None:
    """Refuse a table, or any one of a batch, with a row that is not chances of sum 1.

    While `jit` or `vmap` traces a function its arguments have no values, and nothing is refused:
    whoever maps over tables from outside asks here first.

    >>> require_chances([[0.5, 0.5], [0.25, 0.75]])
    """
    if isinstance(tables, jax.core.Tracer):
        return
    given = np.asarray(tables, float)
    if given.ndim < 2 or not given.size or not np.isfinite(given).all():
        raise BadInput(
            "a chain is a table of chances", seen=_shown(given), why="one row a context, no gaps"
        )
    if square and given.shape[-1] != given.shape[-2]:
        raise BadInput(
            "the matrix is not square",
            seen=f"{given.shape[-2]} rows of {given.shape[-1]} chances",
            why="there must be a row for every symbol, each with a chance for every symbol",
        )
    rows = given.reshape(-1, given.shape[-1])
    wrong = np.flatnonzero((rows < 0).any(axis=1) | (abs(rows.sum(axis=1) - 1) > ROUNDING))
    if len(wrong):
        table, row = divmod(int(wrong[0]), given.shape[-2])
        which = f"table {table}, row {row}" if given.ndim > 2 else f"row {row}"
        raise BadInput(
            "the matrix is not stochastic",
            seen=f"{which}: {rows[wrong[0]].tolist()}",
            why="every row must be chances of at least 0 that sum to 1",
        )


def _shown(given: np.ndarray) -> str:
    """The shape, and whether it holds anything that is no number."""
    gaps = "" if np.isfinite(given).all() else ", not all of it numbers"
    return f"shape {given.shape}{gaps}"
