"""Random strings of templates with their labels: a whole data set on the host, or one on a device.

Templates are drawn with their probabilities, and the wildcards of a string without replacement
from an alphabet of symbols, which are ids (`foretell.templates.substituting`).
"""

from __future__ import annotations

from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float, Int, Key

from foretell.plain.errors import BadInput
from foretell.templates.substituting import (
    END,
    TemplateCodes,
    avoided_places,
    distinct,
    encode,
    substitute,
)
from foretell.templates.template_set import TemplateSet


class Strings(NamedTuple):
    """Strings of ids, one a row; those of shorter templates end in -1."""

    tokens: Int[np.ndarray, "batch length"]
    templates: Int[np.ndarray, " batch"]  # which template each comes from
    labels: Float[np.ndarray, " batch"] | Int[np.ndarray, " batch"]  # numbers, or ids of tokens


def draw_strings(
    templates: TemplateSet,
    count: int,
    symbols: Int[np.ndarray, " token"],
    generator: np.random.Generator,
) -> Strings:
    """So many strings with wildcards from `symbols`; noise is added to real labels.

    How many come from which template is multinomial, and their order is random.

    >>> some = draw_strings(
    ...     TemplateSet.parse("aa -> 1; ab -> -1"), 500, np.arange(9), np.random.default_rng(0)
    ... )
    >>> bool(((some.tokens[:, 0] == some.tokens[:, 1]) == (some.labels > 0)).all())
    True
    """
    if count < 1:
        raise BadInput("at least one string is drawn", seen=count)
    codes, avoided = encode(templates), avoided_places(templates, symbols)
    free = len(symbols) - (avoided < len(symbols)).sum(axis=1)
    if (free < codes.wildcards).any():
        short = templates.templates[int(np.argmax(codes.wildcards - free))]
        why = f"{short} has {len(short.wildcards)} wildcards"
        raise BadInput("there are fewer symbols than wildcards", seen=len(symbols), why=why)
    chances = codes.probabilities / codes.probabilities.sum()
    counts = generator.multinomial(count, chances)
    rows = generator.permutation(np.repeat(np.arange(len(counts)), counts))
    left = free[rows, None] - np.arange(templates.most_wildcards)
    offsets = generator.integers(0, np.maximum(left, 1))  # beyond its wildcards a row needs none
    chosen = np.clip(distinct(offsets, avoided[rows].astype(offsets.dtype)), 0, len(symbols) - 1)
    tokens = np.asarray(substitute(codes.places[rows], symbols[chosen]))
    if not templates.is_real:
        answers = substitute(codes.answers[rows, None], symbols[chosen])
        return Strings(tokens, rows, np.asarray(answers)[:, 0])
    noise = templates.noise * generator.standard_normal(count) if templates.noise else 0.0
    return Strings(tokens, rows, np.asarray(codes.values)[rows] + noise)


class DrawingTable(NamedTuple):
    """All that a draw on a device needs, as arrays."""

    codes: TemplateCodes
    symbols: Int[np.ndarray, " token"]  # ids; a draw takes the first so many of them
    avoided: Int[np.ndarray, "label _"]


def drawing_table(templates: TemplateSet, symbols: Int[np.ndarray, " token"]) -> DrawingTable:
    """The table for draws from these symbols, or from the first so many of them."""
    return DrawingTable(encode(templates), symbols, avoided_places(templates, symbols))


class DrawnString(NamedTuple):
    """One string; vmap over keys for many."""

    tokens: Int[Array, " length"]
    template: Int[Array, ""]
    answer: Int[Array, ""]  # id of a symbolic label, -1 with real ones
    value: Float[Array, ""]  # real label without noise, 0 with symbolic ones


def draw_string(
    table: DrawingTable, key: Key[Array, ""], size: int | Int[Array, ""]
) -> DrawnString:
    """A string whose wildcards are among the first `size` symbols, which must be enough.

    `size` may be traced: one compilation serves every alphabet.

    >>> from foretell.numerics.keys import root_key
    >>> table = drawing_table(TemplateSet.parse("aSa -> a"), np.array([7, 8, 9]))
    >>> drawn = draw_string(table, root_key(0), 1)
    >>> drawn.tokens.tolist(), int(drawn.answer)
    ([7, 0, 7], 7)
    """
    codes = TemplateCodes(*map(jnp.asarray, table.codes))
    for_template, for_symbols = jax.random.split(key)
    row = jax.random.choice(for_template, len(codes.places), p=codes.probabilities)
    avoided = jnp.asarray(table.avoided)[row]
    most = int(np.max(table.codes.wildcards))
    left = size - jnp.sum(avoided < size) - jnp.arange(most)
    offsets = jax.random.randint(for_symbols, (most,), 0, jnp.maximum(left, 1))
    places = jnp.clip(distinct(offsets, avoided), 0, len(table.symbols) - 1)
    chosen = jnp.asarray(table.symbols)[places]
    answer = substitute(codes.answers[row][None], chosen)[0]
    value = jnp.where(codes.answers[row] == END, codes.values[row], 0.0)
    tokens = jnp.asarray(substitute(codes.places[row], chosen))
    return DrawnString(tokens, row.astype(jnp.int32), answer, value)
