"""The smallest recurrent reader: an embedding, one recurrent cell or state space, one output."""

from __future__ import annotations

from typing import NamedTuple

import jax
from jaxtyping import Array, Float, Int, Key

from foretell.models.recurrent import CELLS, Cell
from foretell.models.state_space import StateSpace
from foretell.numerics.keys import key_for
from foretell.plain.errors import BadInput

SPACES = {"ssm": False, "ssm-signed": True}  # are gates signed?
KINDS = (*CELLS, *SPACES)


class Recurrent(NamedTuple):
    """One layer; what it says is a single number after each token."""

    embedding: Float[Array, "token width"]
    cell: Cell | StateSpace
    output: Float[Array, " hidden"]


def fresh_recurrent(kind: str, tokens: int, hidden: int, key: Key[Array, ""]) -> Recurrent:
    """As wide inside as outside; a cell (elman, gru, lstm) or a state space (ssm, ssm-signed)."""
    if kind not in KINDS:
        raise BadInput("no such recurrent cell", seen=kind, hint=", ".join(KINDS))
    inner = key_for(key, "cell")
    cell: Cell | StateSpace
    if kind in CELLS:
        cell = CELLS[kind].create(hidden, hidden, inner)
    else:
        cell = StateSpace.create(hidden, hidden, SPACES[kind], inner)
    embedding = jax.random.normal(key_for(key, "embedding"), (tokens, hidden))
    output = hidden**-0.5 * jax.random.normal(key_for(key, "output"), (hidden,))
    return Recurrent(embedding, cell, output)


def said_after(
    weights: Recurrent, words: Int[Array, "batch length"]
) -> Float[Array, "batch length"]:
    """After each token, from the state then."""
    return weights.cell(weights.embedding[words]) @ weights.output
