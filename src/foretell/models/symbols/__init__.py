"""Models that read a short string of symbols and answer once, all behind two functions.

One file a kind. `create(shape, key)` gives fresh weights, `apply(model, strings)` the outputs: one
number a string, or a score for every token. Places beyond the end of a string hold -1.
"""

from __future__ import annotations

import jax
from jaxtyping import Array, Float, Int, Key

from foretell.models.symbols import lstm, mixing, mlp, recurrent, transformer
from foretell.models.symbols.shape import StringShape as StringShape

KINDS = (
    *("transformer", "transformer+kq", "transformer+vo", "transformer+kq+vo"),
    *("mlp", "mlp+gram", "rnn", "lstm"),
    *mixing.KINDS,
)
Model = (
    transformer.SymbolTransformer
    | mlp.SymbolMlp
    | recurrent.SymbolRecurrent
    | lstm.SymbolLstm
    | mixing.SymbolMixing
)


def create(
    shape: StringShape, key: Key[Array, ""], tokens: int | Int[Array, ""] | None = None
) -> Model:
    """Fresh weights of the kind that the shape names.

    A model that has fewer `tokens` than the shape has room for is the same in every larger room.
    """
    match shape.family:
        case "mlp":
            return mlp.create(shape, key, tokens)
        case "rnn":
            return recurrent.create(shape, key)
        case "lstm":
            return lstm.create(shape, key)
        case family if family in mixing.KINDS:
            return mixing.create(shape, key)
        case _:
            return transformer.create(shape, key)


def first_tokens(model: Model, tokens: int, outputs: int) -> Model:
    """The model without the rows of tokens, and without the outputs, beyond the first so many."""
    if isinstance(model, mlp.SymbolMlp):
        layers = (*model.layers[:-1], model.layers[-1].first(outputs))
        return model._replace(tables=model.tables[:, :tokens], layers=layers)
    head = None if model.head is None else model.head.first(outputs)
    return model._replace(embedding=model.embedding[:tokens], head=head)  # type: ignore[arg-type]


def apply(model: Model, strings: Int[Array, "batch length"]) -> Float[Array, "batch label"]:
    """What a model says of each string."""
    match model:
        case transformer.SymbolTransformer():
            return jax.vmap(lambda string: transformer.read(model, string))(strings)
        case mlp.SymbolMlp():
            return jax.vmap(lambda string: mlp.read(model, string))(strings)
        case recurrent.SymbolRecurrent():
            return jax.vmap(lambda string: recurrent.read(model, string))(strings)
        case mixing.SymbolMixing():
            return jax.vmap(lambda string: mixing.read(model, string))(strings)
        case lstm.SymbolLstm():
            return jax.vmap(lambda string: lstm.read(model, string))(strings)
