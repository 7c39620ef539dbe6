"""Templates as integers, and many strings of them at once.

Regular tokens have the ids 0, 1, … in the order of `TemplateSet.regular`; ids from there on are
symbols that wildcards may stand for, cut into disjoint blocks where some must be unseen.
"""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

import numpy as np
from jaxtyping import Array, Bool, Float, Int

from foretell.plain.errors import BadInput
from foretell.templates.checking import check_enough
from foretell.templates.notation import Symbol, Wildcard
from foretell.templates.template import Template
from foretell.templates.template_set import TemplateSet

END = np.iinfo(np.int32).min  # code of a place beyond the end of a template
NOTHING = -1  # what stands there in a string
HELD_OUT = 100  # symbols of the blocks for validation and for testing
_NEVER = np.iinfo(np.int32).max // 2  # an avoided place that no draw reaches


class TemplateCodes(NamedTuple):
    """One row a template. A code is the id of a regular token, or ~w for the wildcard number w."""

    places: Int[Array | np.ndarray, "label length"]
    answers: Int[Array | np.ndarray, " label"]  # code of a symbolic label, `END` with real labels
    values: Float[Array | np.ndarray, " label"]  # real labels, 0 with symbolic ones
    wildcards: Int[Array | np.ndarray, " label"]  # how many different ones
    probabilities: Float[Array | np.ndarray, " label"]


@lru_cache(maxsize=64)
def encode(templates: TemplateSet) -> TemplateCodes:
    """The codes of all templates, shorter ones filled with `END`.

    >>> encode(TemplateSet.parse("aSb -> a; bb -> b")).places.tolist()
    [[-1, 0, -2], [-1, -1, -2147483648]]
    """
    ids = {token: number for number, token in enumerate(templates.regular)}
    places = np.full((len(templates.templates), templates.longest), END, np.int32)
    answers = np.full(len(templates.templates), END, np.int32)
    for row, template in enumerate(templates.templates):
        places[row, : len(template)] = [_code(template, s, ids) for s in template.symbols]
        label = templates.labels[row]
        if isinstance(label, Wildcard | str):
            answers[row] = _code(template, label, ids)
    values = np.array(templates.labels if templates.is_real else (0.0,) * len(answers), float)
    counts = np.array([len(each.wildcards) for each in templates.templates], np.int32)
    return TemplateCodes(places, answers, values, counts, np.array(templates.probabilities))


def _code(template: Template, symbol: Symbol, ids: dict[str, int]) -> int:
    return ~template.wildcards.index(symbol) if isinstance(symbol, Wildcard) else ids[symbol]


def substitute(
    codes: Int[Array | np.ndarray, "*batch length"],
    symbols: Int[Array | np.ndarray, "*batch letter"],
) -> Int[Array | np.ndarray, "*batch length"]:
    """Strings of ids: symbol w for the wildcard w; NumPy or JAX, one string or many.

    >>> substitute(np.array([[-1, 0, -2], [-1, -1, END]]), np.array([[7, 8], [9, 5]])).tolist()
    [[7, 0, 8], [9, 9, -1]]
    """
    space = codes.__array_namespace__()
    if not symbols.shape[-1]:  # no template has a wildcard
        return space.where(codes == END, NOTHING, codes)
    numbers = space.clip(~codes, 0, symbols.shape[-1] - 1)
    taken = space.take_along_axis(symbols, numbers, axis=-1)
    filled = space.where(codes >= 0, codes, taken)
    return space.where(codes == END, NOTHING, filled)


def distinct(
    offsets: Int[Array | np.ndarray, "*batch letter"],
    avoided: Int[Array | np.ndarray, "*batch token"],
) -> Int[Array | np.ndarray, "*batch letter"]:
    """Different places out of a list, none of those avoided, from independent offsets.

    Offset i counts the places that are still free, so uniform offsets below m, m - 1, … (m places
    that are not avoided) give all choices without replacement with the same probability. `avoided`
    is ascending. Nothing here is as large as the list.

    >>> distinct(np.array([2, 2, 0]), np.array([0])).tolist()
    [3, 4, 1]
    """
    space, count = offsets.__array_namespace__(), offsets.shape[-1]
    chosen = offsets[..., count:]
    # From the back: one that is taken before pushes all later ones from its place on by one.
    for number in reversed(range(count)):
        offset = offsets[..., number : number + 1]
        chosen = space.concatenate([offset, chosen + (chosen >= offset)], axis=-1)
    for number in reversed(range(avoided.shape[-1])):
        chosen = chosen + (chosen >= avoided[..., number : number + 1] - number)
    return chosen


class SymbolBlocks(NamedTuple):
    """Disjoint ids for training, for choosing the best epoch, and for testing on unseen symbols."""

    train: Int[np.ndarray, " token"]
    validation: Int[np.ndarray, " token"]
    test: Int[np.ndarray, " token"]

    @property
    def tokens(self) -> int:
        """How many ids there are, the regular tokens included."""
        return int(self.test[-1]) + 1


def symbol_blocks(
    templates: TemplateSet, train: int | None = None, held_out: int = HELD_OUT
) -> SymbolBlocks:
    """`train` symbols to train on, and `held_out` others each for validation and for testing.

    Without a number, the symbols that the set declares are trained on; among those that it lists
    there may be regular tokens, which wildcards of other templates then stand for.

    >>> blocks = symbol_blocks(TemplateSet.parse("aS -> 1"), train=3, held_out=2)
    >>> [block.tolist() for block in blocks], blocks.tokens
    ([[1, 2, 3], [4, 5], [6, 7]], 8)
    """
    first = len(templates.regular)
    declared = templates.symbols if train is None else train
    if declared is None:
        raise BadInput(
            "nothing says how many symbols wildcards stand for",
            seen=templates.title,
            hint="symbols 64; before the templates",
        )
    if isinstance(declared, int):
        ids = np.arange(first, first + declared, dtype=np.int32)
    else:
        new = [symbol for symbol in declared if symbol not in templates.regular]
        names = {token: number for number, token in enumerate((*templates.regular, *new))}
        ids = np.array([names[symbol] for symbol in declared], np.int32)
    after = first + int((ids >= first).sum())
    held = np.arange(after, after + 2 * held_out, dtype=np.int32).reshape(2, held_out)
    for template, avoided in zip(templates.templates, avoided_places(templates, ids), strict=True):
        check_enough(template, len(ids) - int((avoided < len(ids)).sum()))
        check_enough(template, held_out)
    return SymbolBlocks(ids, held[0], held[1])


def avoided_places(
    templates: TemplateSet, symbols: Int[np.ndarray, " token"]
) -> Int[np.ndarray, "label _"]:
    """Where each template's own tokens are among the symbols: ascending, filled up with no place.

    >>> avoided_places(TemplateSet.parse("aaS -> 1; aTT -> 2"), np.array([5, 1, 0]))[:, 0].tolist()
    [2, 1]
    """
    ids = {token: number for number, token in enumerate(templates.regular)}
    owned: Bool[np.ndarray, "label token"] = np.zeros(
        (len(templates.templates), len(templates.regular)), bool
    )
    for row, template in enumerate(templates.templates):
        owned[row, [ids[token] for token in template.tokens]] = True
    listed = np.flatnonzero(symbols < len(templates.regular))  # all others are nobody's own
    own = owned[:, symbols[listed]]
    return np.sort(np.where(own, listed, _NEVER).astype(np.int32), axis=1)


class DisjointStrings(NamedTuple):
    """Each template twice, `left` and `right`, with no symbol of a wildcard in common."""

    left: Int[np.ndarray, "label length"]
    right: Int[np.ndarray, "label length"]
    tokens: int  # ids are below this


def disjoint_strings(templates: TemplateSet, end: bool = True) -> DisjointStrings:
    """What a kernel predictor compares: template i on the left, template j on the right.

    The two sides share the regular tokens only, and with `end` a last token that occurs nowhere
    else; templates must have one length.

    >>> pair = disjoint_strings(TemplateSet.parse("aSa -> 1; abS -> -1"))
    >>> pair.left.tolist(), pair.right.tolist(), pair.tokens
    ([[1, 0, 1, 5], [1, 2, 0, 5]], [[3, 0, 3, 5], [3, 4, 0, 5]], 6)
    """
    places, width = encode(templates).places, templates.most_wildcards
    _ = templates.length  # which refuses different ones
    ids = len(templates.regular) + np.arange(2 * width, dtype=np.int32).reshape(2, width)
    last = np.full((len(places), int(end)), len(templates.regular) + 2 * width, np.int32)
    sides = (np.broadcast_to(side, (len(places), width)) for side in ids)
    left, right = (np.concatenate([substitute(places, side), last], axis=1) for side in sides)
    return DisjointStrings(left, right, len(templates.regular) + 2 * width + int(end))
