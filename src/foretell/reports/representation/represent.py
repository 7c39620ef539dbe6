"""The front door: can a model of this kind represent it at all sizes, and how large must it be?"""

from __future__ import annotations

from foretell.reports.representation.represented import (
    OF_MODELS,
    Options,
    Represented,
    Verdicts,
    models,
    represent_problem,
)
from foretell.worlds.problems import PROBLEMS
from foretell.worlds.regular_circuits import language_named, placed


def represent(
    what: str,
    *,
    depth: str | None = None,
    precision: str | None = None,
    steps: str | None = None,
    length: int | None = None,
    bits: int | None = None,
    heads: int | None = None,
    width: int | None = None,
    accuracy: float | None = None,
    symbols: int | None = None,
    alphabet: str | None = None,
) -> Represented:
    """A problem of `foretell list problems`, a regular language by name, `regex:…` or file.

    >>> (verdict,) = represent(
    ...     "symmetric-5", depth="constant", precision="logarithmic", steps="none"
    ... ).verdicts.values()
    >>> verdict.answer
    'not representable unless TC0 = NC1'
    >>> {bound.model.name: bound.least for bound in represent("index", length=64).bounds}
    {'RNN: Elman, GRU': 4, 'RNN: LSTM': 2, 'SSM, diagonal': 4, 'transformer, 1 layer': None}
    """
    options = Options(
        depth, precision, steps, length, bits, heads, width, accuracy, symbols, alphabet
    )
    if what in PROBLEMS:
        return represent_problem(what, options)
    dfa, about = language_named(what, alphabet)
    options.allow(
        (*OF_MODELS, "alphabet"), f"{what} is asked about at all lengths, for every model"
    )
    chosen = models(options)
    found = placed(what, dfa)
    return Verdicts(what, about, found.kind, chosen, found)
