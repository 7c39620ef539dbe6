"""A step on a batch that does not fit into memory: equal pieces in turn, their gradients added.

How many pieces follows from the shapes: what one row leaves for the backward pass is estimated,
and so many rows go at once as fit beside the members that train at the same time. A batch that
fits is one piece, and its step is the step it always was.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any, TypeVar

import jax
import jax.numpy as jnp
from jaxtyping import Array, Float

from foretell.core.architecture import Architecture
from foretell.models.attention import HELD, LONG
from foretell.models.sequence_model import KINDS, attention_layers
from foretell.plain.errors import BadInput
from foretell.training.plan import Plan

# Numbers that stay in memory, measured from XLA's own analysis of a step (benchmarks/long_context):
A_WIDTH = 24  # for each position, layer and unit of width: norms, heads, a four times wider MLP
A_STATE = 16  # the same for a recurrence: what its gates and its state were at every step
A_SCORE = 3  # for each score: weights that the backward pass reads, and their gradients
A_LABEL = 4  # for each label of a scored position: logits, softmax, gradient
SHARE = 0.5  # of the memory, for what is estimated here; the rest is for all that is not
BYTES = 4  # of a number

Model = TypeVar("Model")
Batch = TypeVar("Batch")


def bytes_of_row(shape: Architecture, length: int, scored: int, labels: int) -> int:
    """What the backward pass of one row takes, at most.

    >>> small = Architecture(layers=2, heads=4, width=64, positional="nope", context=64)
    >>> bytes_of_row(small, 64, 1, 68)
    1180736
    """
    attending = len(attention_layers(shape)) if shape.kind in KINDS else shape.layers
    scores = attending * length**2 if length**2 < LONG else HELD * min(attending, 1)
    units = A_WIDTH * shape.layers + A_STATE * (shape.layers - attending)
    numbers = units * length * shape.width + A_SCORE * shape.heads * scores
    return BYTES * (numbers + A_LABEL * scored * labels)


def pieces_for(plan: Plan, rows: int, row: int) -> int:
    """Into how many equal pieces a batch of so many rows of so many bytes is cut.

    A row that cannot fit even alone is bad input.
    """
    members, memory = at_once(len(plan.members)), device_memory()
    if members * row > memory:
        raise BadInput(
            "not even one input of that size fits into memory",
            seen=f"sizes up to {plan.train.high:,}, {members} models at a time",
            why=f"a step takes about {members * row / 2**30:,.0f} GiB of {memory / 2**30:,.0f}",
            hint="smaller sizes, a smaller --width, or fewer --seeds",
        )
    fitting = int(SHARE * memory / (members * row))
    return next(n for n in range(1, rows + 1) if rows % n == 0 and rows // n <= max(1, fitting))


def at_once(members: int) -> int:
    """How many of the members are in memory at the same time: see `loops.py`."""
    return members if jax.default_backend() != "cpu" else min(members, os.cpu_count() or 1)


def device_memory() -> int:
    """Bytes of the device that trains; on a CPU, of the machine."""
    stats = jax.devices()[0].memory_stats() or {}
    if "bytes_limit" in stats:
        return int(stats["bytes_limit"])
    return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")


def cost_and_gradient(
    cost: Callable[[Model, Batch], Float[Array, ""]], model: Model, batch: Batch, pieces: int
) -> tuple[Float[Array, ""], Model]:
    """Value and gradient of a cost that adds up over the rows of the batch, piece by piece."""
    both = jax.value_and_grad(cost)
    if pieces == 1:
        return both(model, batch)

    def add(total: Any, part: Batch) -> tuple[Any, None]:
        return jax.tree.map(jnp.add, total, both(model, part)), None

    parts = jax.tree.map(lambda own: own.reshape(pieces, -1, *own.shape[1:]), batch)
    nothing = jnp.zeros(()), jax.tree.map(jnp.zeros_like, model)
    total, _ = jax.lax.scan(add, nothing, parts)
    return total
