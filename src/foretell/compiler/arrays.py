"""From sparse, exact parameters to the arrays of a `FiniteTransformer`."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np

from foretell.compiler.finite import FiniteLayer, FiniteTransformer
from foretell.compiler.forms import TRUE
from foretell.compiler.limit import LimitLayer, LimitTransformer
from foretell.core.alphabet import PAD, SOS, Alphabet
from foretell.core.architecture import Activation, Architecture, AttentionScale
from foretell.plain.errors import BadInput

MOST_NUMBERS = 2**28  # parameters of one transformer


def as_arrays(
    source: LimitTransformer, alphabet: Alphabet, dtype: str = "float32"
) -> FiniteTransformer:
    """The same transformer, reading the token ids of an alphabet; it must not use φ.

    Its `architecture` is the nearest description there is: attention is scaled by log |x| of the
    whole row, and not by the width of a head.

    The width is rounded up to a multiple of the heads, as an `Architecture` has it; the
    directions added are never written to. Every layer has at least one head, and all have the
    same number of hidden units, some of which may do nothing.
    """
    context = source.positions.rows
    width = source.width
    hidden = max(1, *(len(layer.bias) for layer in source.layers))
    positioned = source.is_periodic
    return FiniteTransformer(
        as_array(_embedding(source, alphabet, width), dtype),
        as_array(padded(source.positions.dense(), context, width), dtype) if positioned else None,
        tuple(_layer(layer, width, hidden, dtype) for layer in source.layers),
        as_array(padded(source.unembedding.dense(), len(source.labels), width), dtype),
        tuple(tuple(head.name for head in layer.heads) or ("idle",) for layer in source.layers),
        source.logit_bits,
        Architecture(
            layers=len(source.layers),
            heads=source.heads,
            width=width,
            positional="ape" if positioned else "nope",
            context=context,
            norm=False,
            activation=Activation.HEAVISIDE,
            tied=False,
            attention_scale=AttentionScale.LOG_LENGTH,
        ),
    )


def as_array(values: np.ndarray, dtype: str) -> jax.Array:
    """On the device, in the type asked for and no other."""
    if jax.dtypes.canonicalize_dtype(dtype) != dtype:
        raise BadInput(
            "this process computes in 32 bits only",
            seen=dtype,
            why="JAX has to be told to use 64 bits",
            hint="with jax.enable_x64(True): …, around compiling and running",
        )
    return jnp.asarray(values, dtype=dtype)


def padded(matrix: np.ndarray, rows: int, columns: int) -> np.ndarray:
    """With zeros up to this shape."""
    return np.pad(matrix, ((0, rows - matrix.shape[0]), (0, columns - matrix.shape[1])))


def _layer(layer: LimitLayer, width: int, hidden: int, dtype: str) -> FiniteLayer:
    heads = max(1, len(layer.heads))
    key_query, value = np.zeros((2, heads, width, width), dtype)
    for index, head in enumerate(layer.heads):
        if head.phi:
            raise ValueError("φ has to be turned into positions first")
        for array, matrix in ((key_query, head.key_query), (value, head.value)):
            for row, column, weight in matrix.entries:
                array[index, row, column] = weight
    bias, heaviside = np.zeros(hidden), np.zeros(hidden, bool)
    bias[: len(layer.bias)], heaviside[: len(layer.bias)] = layer.bias, layer.heaviside
    return FiniteLayer(
        key_query=as_array(key_query, dtype),
        value=as_array(value, dtype),
        expand=as_array(padded(layer.expand.dense(), hidden, width), dtype),
        bias=as_array(bias, dtype),
        contract=as_array(padded(layer.contract.dense(), width, hidden), dtype),
        heaviside=jnp.asarray(heaviside),
    )


def _embedding(source: LimitTransformer, alphabet: Alphabet, width: int) -> np.ndarray:
    """Rows by token id. A token the program does not know is a letter it never asks for."""
    rows = padded(source.embedding.dense(), len(source.letters) + 1, width)
    table = np.zeros((alphabet.size, width))
    for token, symbol in enumerate(alphabet.tokens):
        if symbol in source.letters:
            table[token] = rows[source.letters.index(symbol) + 1]
        elif token not in (PAD, SOS) and TRUE in source.directions:
            table[token, source.directions.index(TRUE)] = 1
    table[SOS] = rows[0]
    return table


def refuse_too_large(numbers: int, context: int) -> None:
    """Before any array is made."""
    if numbers > MOST_NUMBERS:
        raise BadInput(
            "the transformer for this context does not fit into memory",
            seen=f"context {context}, {numbers:,} parameters",
            why="with local or periodic tests its matrices are as wide as the context "
            f"and the period; at most {MOST_NUMBERS:,} parameters",
            hint="a smaller context, or the Limit Transformer, which has one size for all lengths",
        )
