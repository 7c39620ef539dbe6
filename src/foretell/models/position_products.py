"""What positions alone add to attention: the products p_iᵀ Qᵀ K p_j of every head.

Theory asks that these products depend on the distance i - j only, and that far pairs, which
training never saw, get little. Layer norm stands between a position and a head; with its variance
held at an average it is a linear map and folds into the position.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Bool, Float, Float32, Int

from foretell.models.attention import View
from foretell.models.layers import NORM_EPSILON, LayerNorm
from foretell.models.lookup import lookup
from foretell.models.transformer import Block, Transformer
from foretell.plain.errors import BadInput


def position_vectors(model: Transformer) -> Float32[Array, "length width"]:
    """What the model adds to its tokens, position by position."""
    found = model.positional.embed(jnp.arange(model.architecture.context)[None])
    if found is None:
        raise BadInput(
            "the model adds no positions to its tokens",
            seen=model.architecture.positional,
            why="products of positions exist where positions are vectors in the stream",
            hint="a model with --positional ape or sinusoidal",
        )
    return found[0]


def embedding_variance(model: Transformer) -> Float32[Array, ""]:
    """Variance along the width of token plus position, averaged over all pairs of the two."""
    tokens, positions = (
        table - table.mean(axis=1, keepdims=True)
        for table in (model.embedding, position_vectors(model))
    )
    alone = jnp.square(tokens).mean() + jnp.square(positions).mean()
    return alone + 2 * jnp.mean(tokens.mean(axis=0) * positions.mean(axis=0))


@eqx.filter_jit
def stream_variances(
    model: Transformer,
    tokens: Int[Array, "batch length"],
    positions: Int[Array, "#batch length"],
    counted: Bool[Array, "batch length"],
) -> tuple[Float32[Array, ""], ...]:
    """Variance that each layer's attention norm meets, averaged over the counted tokens."""
    stream = lookup(model.embedding, tokens) + lookup(position_vectors(model), positions)
    view = View.create(model.architecture, model.positional, positions, None, None)
    found = []
    for block in model.blocks:
        variance = jnp.var(stream, axis=-1)
        found.append(jnp.sum(variance * counted) / jnp.sum(counted))
        stream = block(stream, view)
    return tuple(found)


def position_products(
    block: Block,
    vectors: Float32[Array, "query width"],
    variance: Float32[Array, ""],
    keys: Float32[Array, "key width"] | None = None,
) -> Float32[Array, "head query key"]:
    """pᵀ Qᵀ K p of every head: queries from `vectors`, and keys too unless others are given.

    What a head adds to its logits is this over the root of the head's width.
    """
    here = fold(block.attention_norm, vectors, variance)
    there = here if keys is None else fold(block.attention_norm, keys, variance)
    return products_of(block, here, there)


def products_of(
    block: Block, here: Float32[Array, "query width"], there: Float32[Array, "key width"]
) -> Float32[Array, "head query key"]:
    """Every head's products of what its queries and its keys read."""
    attention = block.attention
    with jax.default_matmul_precision("highest"):
        key = jnp.split(attention.key_value.weight, 2, axis=1)[0]
        queries, answers = (
            (rows @ weight).reshape(len(rows), attention.heads, -1)
            for rows, weight in ((here, attention.query.weight), (there, key))
        )
        return jnp.einsum("qhp,khp->hqk", queries, answers)


def fold(
    norm: LayerNorm | eqx.nn.Identity,
    vectors: Float32[Array, "length width"],
    variance: Float32[Array, ""],
) -> Float32[Array, "length width"]:
    """The norm as a linear map, its variance held fixed; its bias belongs to no position."""
    if not isinstance(norm, LayerNorm):
        return vectors
    centred = vectors - vectors.mean(axis=-1, keepdims=True)
    return centred * jax.lax.rsqrt(variance + NORM_EPSILON) * norm.scale


def position_penalty(
    model: Transformer,
    variances: Sequence[Float32[Array, ""]] | None = None,
    *,
    all_pairs: bool = False,
    through_norms: bool = True,
) -> Float32[Array, ""]:
    """Regularizer (8): Σ |p_1ᵀ Kᵀ Q p_j|² over layers, heads and queries j.

    With `all_pairs` every key i ≤ j counts, over the number of positions. Differentiable. Norms
    hold the variance of embeddings, unless their own `variances` are given, or are passed over.
    """
    vectors = position_vectors(model)
    if variances is None:
        variances = [embedding_variance(model)] * len(model.blocks)
    total = jnp.zeros(())
    for block, variance in zip(model.blocks, variances, strict=True):
        here = fold(block.attention_norm, vectors, variance) if through_norms else vectors
        found = jnp.square(products_of(block, here, here if all_pairs else here[:1]))
        total += jnp.sum(jnp.tril(found)) / len(vectors) if all_pairs else jnp.sum(found)
    return total


FIRST_KEY, ALL_PAIRS = "first key", "all pairs"
PENALTIES: dict[str, Callable[[Transformer], Float32[Array, ""]]] = {
    FIRST_KEY: position_penalty,  # as the theory states it
    ALL_PAIRS: partial(position_penalty, all_pairs=True, through_norms=False),  # as it was released
}


def diagonal_means(products: Float[np.ndarray, "query key"]) -> Float[np.ndarray, " length"]:
    """Mean product by distance, over all places where it occurs."""
    count = len(products)
    queries, keys = np.tril_indices(count)
    sums = np.bincount(queries - keys, weights=products[queries, keys])
    return sums / np.arange(count, 0, -1)


def offset_variance(products: Float[np.ndarray, "query key"]) -> float:
    """Mean squared deviation of a product from the mean at its distance, keys up to the query.

    0 means that only the distance counts.

    >>> offset_variance(np.array([[1.0, 0.0], [5.0, 3.0]]))  # diagonal 1, 3; below it 5
    0.6666666666666666
    """
    queries, keys = np.tril_indices(len(products))
    expected = diagonal_means(products)[queries - keys]
    return float(np.mean(np.square(products[queries, keys] - expected)))
