"""Lemma 52: from a transformer to a Limit Transformer whose size does not depend on its width.

Whatever stands in the residual stream is a combination of *parameter vectors* (token embeddings,
positional encodings, columns of the MLPs' output matrices), each carried along a *path* of value
matrices. What the transformer does with them depends on inner products only:

    α = (path₁ v)ᵀ KᵀQ (path₂ w)     what they add to an attention logit
    β = aᵀ (path v)                  what they add to a hidden unit or an output

So there is a Limit Transformer with one coordinate for every pair (vector, path) that is ever
used: its embeddings are unit vectors, its value matrices move from one path to the next, its other
matrices hold the products. Two positional encodings that meet without a path between them become
φ, which needs those products to depend on the distance alone; products with a path have
bounded rank, so they are periodic, and a few positions stand for all.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from foretell.compiler.exact import Number
from foretell.compiler.finite import FiniteTransformer
from foretell.compiler.invariance import Path, Weights, position_period, violations
from foretell.compiler.limit import LimitHead, LimitLayer, LimitTransformer, Sparse
from foretell.core.alphabet import SOS, Alphabet
from foretell.plain.errors import BadInput

MOST_COORDINATES = 20_000


@dataclass(frozen=True)
class Coordinate:
    """A parameter vector after a path: `since` is the last layer that shaped it."""

    source: str
    path: Path
    vector: np.ndarray
    since: int
    positional: bool

    @property
    def is_bare_position(self) -> bool:
        """A positional encoding as it came."""
        return self.positional and not self.path

    @property
    def name(self) -> str:
        """Readable."""
        return " ".join([self.source, *(f"via {layer}.{head}" for layer, head in self.path)])

    def ready_for_mlp(self, layer: int) -> bool:
        """Is it there when that layer's MLP reads? A column written by it comes later."""
        return self.since < layer or (self.since == layer and bool(self.path))


def limit_from_products(
    model: FiniteTransformer, letters: tuple[str, ...], labels: tuple[str, ...], alphabet: Alphabet
) -> LimitTransformer:
    """The Limit Transformer of the product parameterisation: the model, up to its context."""
    weights = Weights.of(model)
    wrong = violations(model)
    if wrong:
        raise BadInput(
            "the transformer's use of positions depends on where a word begins",
            seen=wrong[0],
            why="only a transformer in the hypothesis class of Definition 4 has such a limit",
        )
    period = position_period(weights)
    tokens = [SOS, *alphabet.encode(letters)]
    names = ["sos", *letters]
    sources = [
        Coordinate(
            f"letter {name}" if at else name,
            (),
            np.asarray(model.embedding[token], np.float64),
            0,
            False,
        )
        for at, (name, token) in enumerate(zip(names, tokens, strict=True))
    ]
    sources += [
        Coordinate(f"position {at}", (), weights.positions[at], 0, True) for at in range(period)
    ]
    sources += [
        Coordinate(f"unit {layer}.{unit}", (), column, layer, False)
        for layer, matrix in enumerate(weights.contract, start=1)
        for unit, column in enumerate(matrix.T)
    ]
    return _assemble(
        weights,
        _useful(weights, _paths(weights, sources)),
        letters,
        labels,
        period,
        model.logit_bits,
    )


def _paths(weights: Weights, sources: list[Coordinate]) -> list[Coordinate]:
    """Every source along every path that does not make it zero."""
    found = [source for source in sources if source.vector.any()]
    for one in found:
        for layer in range(one.since + 1, weights.depth + 1):
            for head, value in enumerate(weights.value[layer - 1]):
                moved = value @ one.vector
                if moved.any():
                    path = (*one.path, (layer, head))
                    found.append(Coordinate(one.source, path, moved, layer, one.positional))
        if len(found) > MOST_COORDINATES:
            raise BadInput(
                "the transformer has too many products",
                seen=f"more than {MOST_COORDINATES:,} pairs of a vector and a path",
                why="their number grows like heads to the power of layers",
                hint="a smaller transformer",
            )
    return found


def _useful(weights: Weights, coordinates: list[Coordinate]) -> list[Coordinate]:
    """Those that some product, or a longer path, makes use of."""
    vectors = np.stack([each.vector for each in coordinates])
    used = (vectors @ weights.unembedding.T).any(axis=1)
    for layer in range(1, weights.depth + 1):
        ready = np.array([each.ready_for_mlp(layer) for each in coordinates])
        used |= ready & (vectors @ weights.expand[layer - 1].T).any(axis=1)
        for entry in _logit_products(weights, coordinates, vectors, layer).values():
            for row, column, _ in entry:
                used[[row, column]] = True
    kept = {(each.source, each.path) for each, on in zip(coordinates, used, strict=True) if on}
    kept |= {(source, path[:length]) for source, path in kept for length in range(len(path))}
    return [each for each in coordinates if (each.source, each.path) in kept]


def _logit_products(
    weights: Weights, coordinates: list[Coordinate], vectors: np.ndarray, layer: int
) -> dict[int, list[tuple[int, int, Number]]]:
    """α of every head, without two bare positions: those are φ."""
    ready = np.array([each.since < layer for each in coordinates])
    bare = np.array([each.is_bare_position for each in coordinates])
    found = {}
    for head, matrix in enumerate(weights.key_query[layer - 1]):
        products = vectors @ matrix @ vectors.T
        products *= ready[:, None] & ready & ~(bare[:, None] & bare)
        found[head] = entries_of(products)
    return found


def _assemble(
    weights: Weights,
    coordinates: list[Coordinate],
    letters: tuple[str, ...],
    labels: tuple[str, ...],
    period: int,
    logit_bits: int,
) -> LimitTransformer:
    width = len(coordinates)
    index = {(each.source, each.path): at for at, each in enumerate(coordinates)}
    vectors = np.stack([each.vector for each in coordinates])
    names = ["sos", *(f"letter {letter}" for letter in letters)]
    start = tuple((row, index[n, ()], 1) for row, n in enumerate(names) if (n, ()) in index)
    places = tuple(
        (row, index[f"position {row}", ()], 1)
        for row in range(period)
        if (f"position {row}", ()) in index
    )
    layers = tuple(
        _layer(weights, coordinates, index, vectors, layer) for layer in range(1, weights.depth + 1)
    )
    return LimitTransformer(
        letters,
        tuple(each.name for each in coordinates),
        labels,
        Sparse(len(letters) + 1, width, start),
        Sparse(period, width, places),
        layers,
        Sparse(len(labels), width, tuple(entries_of(weights.unembedding @ vectors.T))),
        logit_bits,
    )


def _layer(
    weights: Weights,
    coordinates: list[Coordinate],
    index: dict[tuple[str, Path], int],
    vectors: np.ndarray,
    layer: int,
) -> LimitLayer:
    width = len(coordinates)
    heads = []
    for head, products in _logit_products(weights, coordinates, vectors, layer).items():
        moves = tuple(
            (at, index[each.source, each.path[:-1]], 1)
            for at, each in enumerate(coordinates)
            if each.path[-1:] == ((layer, head),)
        )
        first = weights.positions[0] @ weights.key_query[layer - 1][head] @ weights.positions.T
        phi = tuple((at, value) for _, at, value in entries_of(first[None]))
        logits = Sparse(width, width, tuple(products))
        heads.append(LimitHead(f"{layer}.{head}", logits, Sparse(width, width, moves), phi))
    ready = np.array([each.ready_for_mlp(layer) for each in coordinates])
    expand = weights.expand[layer - 1] @ vectors.T * ready
    hidden = len(expand)
    written = tuple(
        (index[f"unit {layer}.{unit}", ()], unit, 1)
        for unit in range(hidden)
        if (f"unit {layer}.{unit}", ()) in index
    )
    return LimitLayer(
        tuple(heads),
        Sparse(hidden, width, tuple(entries_of(expand))),
        tuple(whole(value) for value in weights.bias[layer - 1]),
        tuple(bool(flag) for flag in weights.heaviside[layer - 1]),
        Sparse(width, hidden, written),
    )


def entries_of(matrix: np.ndarray) -> list[tuple[int, int, Number]]:
    """Its entries, exactly, without zeros."""
    return [
        (int(row), int(column), whole(matrix[row, column]))
        for row, column in zip(*np.nonzero(matrix), strict=True)
    ]


def whole(value: float) -> Number:
    """The number a float stands for."""
    found = Fraction(float(value))
    return int(found) if found.denominator == 1 else found
