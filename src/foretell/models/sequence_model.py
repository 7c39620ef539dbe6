"""Models of every kind that reads sequences, made by one function and called in one way.

A `Transformer` mixes positions by attention. In a `SequenceModel` a recurrent cell or a state
space takes the place of attention in each block, and nothing else changes: norms, residual stream,
MLP, embedding and unembedding are those of the transformer, so that comparing two kinds compares
how they mix. A `hybrid` is made of state spaces with gates in [0, 1], except for one layer of
attention a little after the middle: of four layers, the third.

Only attention knows positions. The other kinds know order by reading in order; a description of
one therefore has one head and no positional encoding, and `context` is how long an input it was
asked about may be, not a limit of the model.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import final

import equinox as eqx
import jax
import jax.numpy as jnp
from jaxtyping import Array, Float, Float32, Int, Key

from foretell.core.architecture import (
    Activation,
    Architecture,
    AttentionScale,
    Precision,
)
from foretell.models.attention import View
from foretell.models.layers import STANDARD_DEVIATION, LayerNorm, Linear, residual_deviation
from foretell.models.lookup import lookup
from foretell.models.positional import Positional, load
from foretell.models.recurrent import CELLS, Cell
from foretell.models.state_space import StateSpace
from foretell.models.transformer import (
    MLP_FACTOR,
    Block,
    Transformer,
    activate,
    draw,
    product_precision,
    require_trainable,
    unembed,
)
from foretell.numerics.keys import key_for
from foretell.plain.errors import BadInput

TRANSFORMER, HYBRID, SIGNED = "transformer", "hybrid", "ssm-signed"
NAMED = {"positional": "positional encoding", "attention_scale": "attention scale"}
KINDS = (TRANSFORMER, *CELLS, "ssm", SIGNED, HYBRID)  # that read sequences of tokens


@final
class MixingBlock(eqx.Module):
    """One layer: a recurrence and an MLP, each normed before and added after."""

    mixing_norm: LayerNorm | eqx.nn.Identity
    mixer: Cell | StateSpace
    output: Linear
    mlp_norm: LayerNorm | eqx.nn.Identity
    expand: Linear
    contract: Linear
    activation: Activation = eqx.field(static=True)

    @classmethod
    def create(cls, architecture: Architecture, key: Key[Array, ""]) -> MixingBlock:
        """What writes to the stream starts as small as in a transformer."""
        width, hidden = architecture.width, MLP_FACTOR * architecture.width
        residual = residual_deviation(architecture)
        return cls(
            LayerNorm.create(architecture),
            _mixer(architecture, key_for(key, "mixer")),
            Linear.create(width, width, residual, key_for(key, "output")),
            LayerNorm.create(architecture),
            Linear.create(width, hidden, STANDARD_DEVIATION, key_for(key, "expand")),
            Linear.create(hidden, width, residual, key_for(key, "contract")),
            architecture.activation,
        )

    def __call__(
        self,
        stream: Float[Array, "batch length width"],
        starts: Int[Array, "batch length"] | None = None,
        queries: Int[Array, "batch query"] | None = None,
    ) -> Float[Array, "batch query width"]:
        """The residual stream after this layer, everywhere or only at the indices `queries`."""
        states = self.mixer(self.mixing_norm(stream), starts)
        if queries is not None:
            stream, states = (
                jnp.take_along_axis(own, queries[:, :, None], axis=1) for own in (stream, states)
            )
        stream = stream + self.output(states)
        hidden = activate(self.activation, self.expand(self.mlp_norm(stream)))
        return stream + self.contract(hidden)


def _mixer(architecture: Architecture, key: Key[Array, ""]) -> Cell | StateSpace:
    """As many units as the stream is wide."""
    width, kind = architecture.width, architecture.kind
    if kind in CELLS:
        return CELLS[kind].create(width, width, key)
    return StateSpace.create(width, width, kind == SIGNED, key)


@final
class SequenceModel(eqx.Module):
    """Blocks of recurrences, with or without a layer of attention. Every leaf is a parameter."""

    embedding: Float32[Array, "token width"]
    positional: Positional  # of attention; none where there is none
    blocks: tuple[Block | MixingBlock, ...]
    norm: LayerNorm | eqx.nn.Identity
    unembedding: Float32[Array, "label width"] | None  # none: the embedding serves (tied)
    architecture: Architecture = eqx.field(static=True)

    @classmethod
    def create(
        cls, architecture: Architecture, tokens: int, labels: int, key: Key[Array, ""]
    ) -> SequenceModel:
        """Fresh weights, each from its own key."""
        require_trainable(architecture, tokens, labels)
        require_described(architecture)
        table = None if architecture.tied else key_for(key, "unembedding")
        return cls(
            draw(tokens, architecture.width, key_for(key, "embedding")),
            load(architecture.positional).create(architecture, key_for(key, "positional")),
            create_blocks(architecture, key),
            LayerNorm.create(architecture),
            None if table is None else draw(labels, architecture.width, table),
            architecture,
        )

    def __call__(
        self,
        tokens: Int[Array, "batch length"],
        positions: Int[Array, "#batch length"],
        queries: Int[Array, "batch query"] | None = None,
        starts: Int[Array, "batch length"] | None = None,
    ) -> Float32[Array, "batch query label"]:
        """Logits everywhere, or only at the indices `queries`; see `Transformer`."""
        with jax.default_matmul_precision(product_precision(self.architecture)):
            return self._forward(tokens, positions, queries, starts)

    def _forward(
        self,
        tokens: Int[Array, "batch length"],
        positions: Int[Array, "#batch length"],
        queries: Int[Array, "batch query"] | None,
        starts: Int[Array, "batch length"] | None,
    ) -> Float32[Array, "batch query label"]:
        stream = lookup(self.embedding, tokens)
        make_view = partial(View.create, self.architecture, self.positional, positions)
        shift = self.positional.embed(positions)
        stream = stream if shift is None else stream + shift
        if self.architecture.precision is Precision.BFLOAT16:
            stream = stream.astype(jnp.bfloat16)
        stream = through(self.blocks, make_view, stream, queries, starts)
        table = self.embedding if self.unembedding is None else self.unembedding
        return unembed(table, self.norm(stream))


def create_blocks(
    architecture: Architecture, key: Key[Array, ""]
) -> tuple[Block | MixingBlock, ...]:
    """Every layer by its kind."""
    attending = attention_layers(architecture)
    return tuple(
        (Block if layer in attending else MixingBlock).create(
            architecture, key_for(key, "block", layer)
        )
        for layer in range(architecture.layers)
    )


def through(
    blocks: tuple[Block | MixingBlock, ...],
    make_view: Callable[[Array | None, Array | None], View],
    stream: Float[Array, "batch length width"],
    queries: Int[Array, "batch query"] | None = None,
    starts: Int[Array, "batch length"] | None = None,
) -> Float[Array, "batch query width"]:
    """The stream after the last block, everywhere or only at the indices `queries`."""
    for place, block in enumerate(blocks, 1):
        asked = queries if place == len(blocks) else None
        if isinstance(block, Block):
            stream = block(stream, make_view(asked, starts), asked)
        else:
            stream = block(stream, starts, asked)
    return stream


Model = Transformer | SequenceModel


def create_model(
    architecture: Architecture, tokens: int, labels: int, key: Key[Array, ""]
) -> Model:
    """Fresh weights of the kind that the description names."""
    require_kind(architecture.kind)
    kind = Transformer if architecture.kind == TRANSFORMER else SequenceModel
    return kind.create(architecture, tokens, labels, key)


def require_kind(kind: str) -> None:
    """Refuse what does not read sequences of tokens."""
    if kind not in KINDS:
        raise BadInput(
            "no model of that kind reads sequences of tokens",
            seen=kind,
            hint=", ".join(KINDS),
        )


def attention_layers(architecture: Architecture) -> tuple[int, ...]:
    """Which layers attend: all of a transformer, one of a hybrid, none of the others.

    >>> shape = {"layers": 4, "heads": 1, "width": 8, "positional": "nope", "context": 9}
    >>> attention_layers(Architecture(**shape, kind="hybrid"))
    (2,)
    """
    if architecture.kind == HYBRID:
        return (architecture.layers // 2,)
    return tuple(range(architecture.layers)) if architecture.kind == TRANSFORMER else ()


def require_described(architecture: Architecture) -> None:
    """One model has one description: refuse what names parts that the kind does not have."""
    kind = architecture.kind
    if kind == HYBRID:
        if architecture.layers < 2:
            why = "one layer attends, and a hybrid has others beside it"
            raise BadInput("a hybrid has at least 2 layers", seen=architecture.layers, why=why)
        return
    usual = {"heads": 1, "positional": "nope", "attention_scale": AttentionScale.SQRT}
    for field, value in usual.items():
        seen = getattr(architecture, field)
        if seen != value:
            raise BadInput(
                f"a model of the kind {kind} has no {NAMED.get(field, field)} to choose",
                seen=seen,
                why="it reads in order and has no attention",
                hint=f"leave it out ({field} {value})",
            )
