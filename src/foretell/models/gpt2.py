"""Weights of a HuggingFace GPT-2, as our transformer.

The names are those of `GPT2LMHeadModel.state_dict()`, with or without the `transformer.` prefix.
GPT-2 stores its maps as `Conv1D`, input before output, which is our orientation too, and joins
query, key and value in one map, which we cut into query and key-value.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

import jax
import jax.numpy as jnp
import numpy as np

from foretell.core.architecture import Architecture
from foretell.models.attention import Attention
from foretell.models.layers import LayerNorm, Linear
from foretell.models.positional.ape import Ape
from foretell.models.transformer import MLP_FACTOR, Block, Transformer
from foretell.plain.errors import BadInput

PREFIX = "transformer."
TOKENS, POSITIONS, HEAD = "wte.weight", "wpe.weight", "lm_head.weight"
# Older versions also store the causal mask, which is no weight.
MASK = re.compile(r"h\.\d+\.attn\.(masked_)?bias")


def from_gpt2(weights: Mapping[str, np.ndarray], heads: int) -> Transformer:
    """The transformer with these weights; GPT-2's files do not say the number of heads.

    The output matrix is tied unless `lm_head.weight` is there and differs from the embedding.
    """
    named = {
        name.removeprefix(PREFIX): np.asarray(value, np.float32) for name, value in weights.items()
    }
    named = {name: value for name, value in named.items() if not MASK.fullmatch(name)}
    architecture = _architecture(named, heads)
    _check(named, _expected_shapes(named, architecture))
    return Transformer(
        embedding=jnp.asarray(named[TOKENS]),
        positional=Ape(jnp.asarray(named[POSITIONS])),
        blocks=tuple(_block(named, architecture, layer) for layer in range(architecture.layers)),
        norm=_norm(named, "ln_f"),
        unembedding=None if architecture.tied else jnp.asarray(named[HEAD]),
        architecture=architecture,
    )


def _architecture(named: Mapping[str, np.ndarray], heads: int) -> Architecture:
    for name in (TOKENS, POSITIONS):
        if name not in named or named[name].ndim != 2:
            raise BadInput(
                f"GPT-2 weights need a matrix named {name}",
                seen=f"shape {named[name].shape}" if name in named else "no such entry",
                hint="the state dict of a GPT2LMHeadModel or GPT2Model",
            )
    layers = {int(found[1]) for name in named if (found := re.match(r"h\.(\d+)\.", name))}
    context, width = named[POSITIONS].shape
    return Architecture(
        layers=max(layers, default=-1) + 1,
        heads=heads,
        width=width,
        positional="ape",
        context=context,
        tied=HEAD not in named or np.array_equal(named[HEAD], named[TOKENS]),
    )


def _expected_shapes(
    named: Mapping[str, np.ndarray], architecture: Architecture
) -> dict[str, tuple[int, ...]]:
    width, hidden = architecture.width, MLP_FACTOR * architecture.width
    shapes: dict[str, tuple[int, ...]] = {
        TOKENS: (len(named[TOKENS]), width),
        POSITIONS: (architecture.context, width),
        "ln_f.weight": (width,),
        "ln_f.bias": (width,),
    }
    if HEAD in named:
        shapes[HEAD] = shapes[TOKENS]
    for layer in range(architecture.layers):
        for norm in ("ln_1", "ln_2"):
            shapes[f"h.{layer}.{norm}.weight"] = shapes[f"h.{layer}.{norm}.bias"] = (width,)
        for linear, inputs, outputs in (
            ("attn.c_attn", width, 3 * width),
            ("attn.c_proj", width, width),
            ("mlp.c_fc", width, hidden),
            ("mlp.c_proj", hidden, width),
        ):
            shapes[f"h.{layer}.{linear}.weight"] = (inputs, outputs)
            shapes[f"h.{layer}.{linear}.bias"] = (outputs,)
    return shapes


def _check(named: Mapping[str, np.ndarray], shapes: Mapping[str, tuple[int, ...]]) -> None:
    """Refuse what is missing, what has no place here, and what has another shape."""
    missing, extra = sorted(shapes.keys() - named.keys()), sorted(named.keys() - shapes.keys())
    if missing or extra:
        raise BadInput(
            "these are not the weights of a GPT-2",
            seen=f"missing {missing[:3] or 'nothing'}, unexpected {extra[:3] or 'nothing'}",
            why=f"{len(missing)} entries are missing and {len(extra)} have no place",
            hint="the state dict of a GPT2LMHeadModel or GPT2Model",
        )
    for name, shape in shapes.items():
        if named[name].shape != shape:
            raise BadInput(
                f"the GPT-2 weight {name} has the wrong shape",
                seen=named[name].shape,
                why=f"the embedding asks for {shape}",
                hint="a GPT-2 whose MLP is 4 times as wide as its stream, with its maps as Conv1D",
            )


def _block(named: Mapping[str, np.ndarray], architecture: Architecture, layer: int) -> Block:
    inside, width = f"h.{layer}", architecture.width
    joined = _linear(named, f"{inside}.attn.c_attn")
    return Block(
        attention_norm=_norm(named, f"{inside}.ln_1"),
        attention=Attention(
            query=_columns(joined, slice(width)),
            key_value=_columns(joined, slice(width, None)),
            output=_linear(named, f"{inside}.attn.c_proj"),
            heads=architecture.heads,
        ),
        mlp_norm=_norm(named, f"{inside}.ln_2"),
        expand=_linear(named, f"{inside}.mlp.c_fc"),
        contract=_linear(named, f"{inside}.mlp.c_proj"),
        activation=architecture.activation,
    )


def _linear(named: Mapping[str, np.ndarray], name: str) -> Linear:
    return Linear(jnp.asarray(named[f"{name}.weight"]), jnp.asarray(named[f"{name}.bias"]))


def _columns(linear: Linear, columns: slice) -> Linear:
    return jax.tree.map(lambda leaf: leaf[..., columns], linear)


def _norm(named: Mapping[str, np.ndarray], name: str) -> LayerNorm:
    return LayerNorm(jnp.asarray(named[f"{name}.weight"]), jnp.asarray(named[f"{name}.bias"]))
