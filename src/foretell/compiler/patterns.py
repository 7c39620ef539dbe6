"""Where the heads of a transformer look, for drawing."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import jax
import jax.numpy as jnp
import numpy as np

from foretell.compiler.finite import FiniteTransformer, View, attention_powers
from foretell.compiler.running import refuse_too_long
from foretell.core.alphabet import SOS


@dataclass(frozen=True)
class Pattern:
    """Weights [query, key] of one head; rows add up to 1. Layers and heads count from 1."""

    layer: int
    head: int
    name: str
    weights: np.ndarray


def attention_patterns(
    model: FiniteTransformer, word: Sequence[int], offset: int = 0
) -> tuple[Pattern, ...]:
    """The pattern of every head on a word, given as token ids without SOS, at an offset."""
    tokens = jnp.asarray([[SOS, *word]], jnp.int32)
    refuse_too_long(model, tokens.shape[1], offset)
    stream = model.start(tokens, jnp.arange(tokens.shape[1])[None] + offset)
    view = View.create(tokens, stream.dtype)
    found = []
    with jax.default_matmul_precision("highest"):
        for at, layer in enumerate(model.layers, start=1):
            for head, name in enumerate(model.heads[at - 1]):
                powers = attention_powers(stream, layer.key_query[head], view, model.logit_bits)[0]
                shares = np.asarray(powers / powers.sum(-1, keepdims=True))
                found.append(Pattern(at, head + 1, name, shares))
            stream = layer(stream, view, model.logit_bits)
    return tuple(found)
