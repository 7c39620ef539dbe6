"""Is a transformer in the hypothesis class Θ_N? Its positions must count by distance alone.

Definition 4 (in full: Definition 46) asks that every product function with a positional encoding be
translation-invariant: constant in one position, a function of the distance in two. Here they are
computed and compared, those that the transformer can form: vectors along paths of value
matrices in increasing layers, as far as they are not zero.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from foretell.compiler.finite import FiniteTransformer

Path = tuple[tuple[int, int], ...]  # layer and head of every value matrix passed, lowest first
Carried = tuple[int, Path, np.ndarray]  # last layer passed, path, vectors [position, width]


@dataclass(frozen=True)
class Weights:
    """A transformer's matrices as float64, layer by layer; units that write nothing are dropped."""

    key_query: list[np.ndarray]
    value: list[np.ndarray]
    expand: list[np.ndarray]
    bias: list[np.ndarray]
    contract: list[np.ndarray]
    heaviside: list[np.ndarray]
    positions: np.ndarray
    unembedding: np.ndarray

    @classmethod
    def of(cls, model: FiniteTransformer) -> Weights:
        """Read off a model."""
        active = [np.asarray(layer.contract).any(axis=0) for layer in model.layers]

        def listed(name: str) -> list[np.ndarray]:
            return [np.asarray(getattr(layer, name), np.float64) for layer in model.layers]

        width = model.embedding.shape[1]
        none = np.zeros((model.architecture.context, width))
        return cls(
            listed("key_query"),
            listed("value"),
            [each[on] for each, on in zip(listed("expand"), active, strict=True)],
            [each[on] for each, on in zip(listed("bias"), active, strict=True)],
            [each[:, on] for each, on in zip(listed("contract"), active, strict=True)],
            [
                np.asarray(layer.heaviside)[on]
                for layer, on in zip(model.layers, active, strict=True)
            ],
            none if model.positions is None else np.asarray(model.positions, np.float64),
            np.asarray(model.unembedding, np.float64),
        )

    @property
    def depth(self) -> int:
        """Number of layers."""
        return len(self.value)


def position_paths(weights: Weights) -> list[Carried]:
    """All positional encodings together along every path that does not kill them all."""
    found: list[Carried] = [(0, (), weights.positions)]
    for since, path, vectors in found:
        for layer in range(since + 1, weights.depth + 1):
            for head, value in enumerate(weights.value[layer - 1]):
                moved = vectors @ value.T
                if moved.any():
                    found.append((layer, (*path, (layer, head)), moved))
    return found


def violations(model: FiniteTransformer) -> tuple[str, ...]:
    """Products with positional encodings that depend on where a word begins; none means T ∈ Θ_N.

    Products of two positions must depend on their distance alone, those of one must be constant.
    Only products that the transformer can form are looked at.
    """
    weights = Weights.of(model)
    tokens = np.asarray(model.embedding, np.float64)
    paths = position_paths(weights)
    found = [_read_alone(weights, *each) for each in paths]
    found += [_read_by_heads(weights, tokens, paths, each) for each in paths]
    return tuple(line for lines in found for line in lines)


def _read_alone(weights: Weights, since: int, path: Path, vectors: np.ndarray) -> list[str]:
    """β: by hidden units and by the unembedding."""
    readers = [(f"output {path}", weights.unembedding)]
    for layer in range(max(since, 1), weights.depth + 1):
        readers.append((f"units of layer {layer} {path}", weights.expand[layer - 1]))
    return [name for name, rows in readers if not _constant(vectors @ rows.T)]


def _read_by_heads(
    weights: Weights, tokens: np.ndarray, paths: list[Carried], one: Carried
) -> list[str]:
    """α: with another position along any path, and with every other vector, as key and as query."""
    since, path, vectors = one
    found = []
    columns = [matrix.T for matrix in weights.contract]
    for layer in range(since + 1, weights.depth + 1):
        others = np.concatenate([tokens, *columns[: layer - 1]])
        others = np.concatenate([others, *(others @ v.T for v in _values_below(weights, layer))])
        for head, matrix in enumerate(weights.key_query[layer - 1]):
            name = f"head {layer}.{head} {path}"
            keyed = vectors @ matrix
            if not (_constant(keyed @ others.T) and _constant(vectors @ (others @ matrix).T)):
                found.append(name)
            for before, _, partner in paths:
                if before < layer and not _by_distance(keyed @ partner.T):
                    found.append(name)
    return found


def _values_below(weights: Weights, layer: int) -> Iterator[np.ndarray]:
    """Products of value matrices of lower layers, those that are not zero."""
    found = [(0, np.eye(weights.unembedding.shape[1]))]
    for since, product in found:
        for lower in range(since + 1, layer):
            for value in weights.value[lower - 1]:
                moved = value @ product
                if moved.any():
                    found.append((lower, moved))
                    yield moved


def _constant(rows: np.ndarray) -> bool:
    return bool((rows == rows[:1]).all())


def _by_distance(products: np.ndarray) -> bool:
    return bool((products[1:, 1:] == products[:-1, :-1]).all())


def position_period(weights: Weights) -> int:
    """How many positions stand for all: the period of the products that have a path in them."""
    context = len(weights.positions)
    tables = []
    paths = position_paths(weights)
    for since, path, vectors in paths:
        for before, other, partner in paths:
            if path or other:
                for layer in range(max(since, before) + 1, weights.depth + 1):
                    tables += [vectors @ kq @ partner.T for kq in weights.key_query[layer - 1]]
    for period in range(1, context + 1):
        folded = np.arange(context) % period
        if all((table[folded][:, folded] == table).all() for table in tables):
            return period
    return context
