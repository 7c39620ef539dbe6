"""Recurrent cells, state spaces and hybrids on strings: blocks as in `sequence_model`, read at the
last place. What is embedded, and how an answer is read off, is as in the other models of strings.
"""

from __future__ import annotations

from functools import partial
from typing import NamedTuple, final

import equinox as eqx
import jax.numpy as jnp
from jaxtyping import Array, Float, Int, Key

from foretell.core.architecture import Architecture
from foretell.models.attention import View
from foretell.models.layers import LayerNorm
from foretell.models.positional import Positional, load
from foretell.models.sequence_model import (
    MixingBlock,
    create_blocks,
    require_described,
    through,
)
from foretell.models.symbols.shape import Linear, StringShape, answers, embedding
from foretell.models.transformer import Block
from foretell.numerics.keys import key_for

KINDS = ("elman", "gru", "ssm", "ssm-signed", "hybrid")


@final
class Body(eqx.Module):
    """Blocks, between the embedding and the answer."""

    positional: Positional  # of attention; the others read in order
    blocks: tuple[Block | MixingBlock, ...]
    norm: LayerNorm | eqx.nn.Identity
    architecture: Architecture = eqx.field(static=True)

    @classmethod
    def create(cls, architecture: Architecture, key: Key[Array, ""]) -> Body:
        """As a model of sequences starts."""
        require_described(architecture)
        return cls(
            load(architecture.positional).create(architecture, key_for(key, "positional")),
            create_blocks(architecture, key),
            LayerNorm.create(architecture),
            architecture,
        )

    def __call__(
        self, stream: Float[Array, "batch length width"]
    ) -> Float[Array, "batch length width"]:
        """What stands at every place after the last block."""
        positions = jnp.arange(stream.shape[1])[None]
        shift = self.positional.embed(positions)
        stream = stream if shift is None else stream + shift
        make_view = partial(View.create, self.architecture, self.positional, positions)
        return self.norm(through(self.blocks, make_view, stream))


class SymbolMixing(NamedTuple):
    """All weights."""

    embedding: Float[Array, "token width"]
    body: Body
    head: Linear


def create(shape: StringShape, key: Key[Array, ""]) -> SymbolMixing:
    """Fresh weights: embeddings normal, the answer uniform, blocks as in models of sequences."""
    width = shape.architecture.width
    return SymbolMixing(
        embedding=embedding(key_for(key, "embedding"), shape.tokens, width),
        body=Body.create(shape.architecture, key_for(key, "body")),
        head=answers(key_for(key, "head"), width, shape.outputs),
    )


def read(model: SymbolMixing, string: Int[Array, " length"]) -> Float[Array, " label"]:
    """The answer to one string: one number, or a score for every token.

    Nothing looks ahead, so what is read at the last place of a string does not see its padding.
    """
    stream = model.body(model.embedding[jnp.maximum(string, 0)][None])[0]
    return model.head(stream[jnp.sum(string >= 0) - 1])
