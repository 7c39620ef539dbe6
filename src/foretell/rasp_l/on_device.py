"""The interpreter's JAX path: padded batches, compiled once for each shape."""

from __future__ import annotations

import functools
from collections.abc import Callable

import jax
import jax.numpy as jnp
from jaxtyping import Array, Int

from foretell.plain.errors import BadInput
from foretell.rasp_l.bounds import bounds
from foretell.rasp_l.interpreter import INT32, evaluate
from foretell.rasp_l.program import Program

Compiled = Callable[[Int[Array, "*batch length"]], Int[Array, "*batch length"]]


@functools.lru_cache(maxsize=64)
def compiled(program: Program, largest: int) -> Compiled:
    """The program as a compiled function of words with tokens up to `largest`.

    >>> from foretell.rasp_l.library import cumsum
    >>> from foretell.rasp_l.values import tokens
    >>> compiled(Program.of(cumsum(tokens == 1)), 1)(jnp.array([1, 0, 1, 1])).tolist()
    [1, 1, 2, 3]
    """

    @jax.jit
    def said(words: Int[Array, "*batch length"]) -> Int[Array, "*batch length"]:
        bound = max(bounds(program.steps, words.shape[-1], largest))
        if bound > INT32:
            raise BadInput(
                "the program's numbers do not fit into 32 bits at this length",
                seen=f"{bound:,} at length {words.shape[-1]}",
                why="compiled programs compute with 32-bit integers",
                hint="smaller factors, or shorter words",
            )
        return evaluate(program.steps, words.astype(jnp.int32), jnp).astype(jnp.int32)

    return said
