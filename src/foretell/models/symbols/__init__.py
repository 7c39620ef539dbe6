"""Models that read a short string of symbols and answer once, all behind two functions.

One file a kind. `create(shape, key)` gives fresh weights, `apply(model, strings)` the outputs: one
number a string, or a score for every token. Places beyond the end of a string hold -1.
"""

from __future__ import annotations

import jax
from jaxtyping import Array, Float, Int, Key

from foretell.models.symbols import lstm, mlp, recurrent, transformer
from foretell.models.symbols.shape import StringShape as StringShape

Model = transformer.SymbolTransformer | mlp.SymbolMlp | recurrent.SymbolRecurrent | lstm.SymbolLstm


def create(shape: StringShape, key: Key[Array, ""]) -> Model:
    """Fresh weights of the kind that the shape names."""
    family = shape.architecture.kind.split("+")[0]
    ways = {"mlp": mlp, "rnn": recurrent, "lstm": lstm, "transformer": transformer}
    made: Model = ways[family].create(shape, key)
    return made


def apply(model: Model, strings: Int[Array, "batch length"]) -> Float[Array, "batch label"]:
    """What a model says of each string."""
    match model:
        case transformer.SymbolTransformer():
            return jax.vmap(lambda string: transformer.read(model, string))(strings)
        case mlp.SymbolMlp():
            return jax.vmap(lambda string: mlp.read(model, string))(strings)
        case recurrent.SymbolRecurrent():
            return jax.vmap(lambda string: recurrent.read(model, string))(strings)
        case lstm.SymbolLstm():
            return jax.vmap(lambda string: lstm.read(model, string))(strings)
