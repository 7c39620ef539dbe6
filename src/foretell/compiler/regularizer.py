"""R(T) of Definition 5, term by term, and how it behaves as the context grows.

How precision is counted: `parameter_bits` is a sign, the bits of the largest whole part, and the
fractional bits p for which every entry is a multiple of 2⁻ᵖ; `logit_bits` is what logits and
exponentials are rounded to.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterable
from dataclasses import dataclass

import numpy as np

from foretell.compiler.finite import FiniteTransformer
from foretell.compiler.limit import LimitTransformer

MOST_FRACTIONAL_BITS = 1074  # of a float64
TOLERANCE = 1e-6  # relative; spectral norms come out of an iteration


@dataclass(frozen=True)
class Regularizer:
    """Every term of R(T)."""

    layers_and_heads: float  # (1) L + H
    parameter_bits: float  # (2) precision of the parameters
    logit_bits: float  # (2) precision of the logits
    value_rank: float  # (3) largest rank of a value matrix
    key_query_norm: float  # (4) largest spectral norm of KᵀQ
    value_norm: float  # (4) of V
    expand_norm: float  # (4) largest Frobenius norm of A
    contract_norm: float  # (4) of B
    unembedding_norm: float  # (4) spectral norm of U
    position_norm: float  # (5) largest norm of a positional encoding
    embedding_norm: float  # (5) of a token embedding
    bias_norm: float  # (5) of a bias b
    position_products: float  # (6) the sum (8) of |p₁ᵀ KᵀQ pⱼ|²

    @property
    def total(self) -> float:
        """R(T)."""
        return float(sum(dataclasses.astuple(self)))

    def as_json(self) -> dict[str, float]:
        """Every term and the total."""
        return {**dataclasses.asdict(self), "total": self.total}


def regularizer(model: FiniteTransformer) -> Regularizer:
    """The terms of one transformer."""
    embedding, unembedding = map(np.asarray, (model.embedding, model.unembedding))
    none = np.zeros((0, embedding.shape[1]))
    positions = none if model.positions is None else np.asarray(model.positions)
    layers = [{name: np.asarray(getattr(layer, name)) for name in ARRAYS} for layer in model.layers]
    key_queries = [matrix for layer in layers for matrix in layer["key_query"]]
    values = [matrix for layer in layers for matrix in layer["value"]]
    return Regularizer(
        layers_and_heads=float(model.architecture.layers + model.architecture.heads),
        parameter_bits=float(
            bits_of(
                [embedding, unembedding, positions, *(a for each in layers for a in each.values())]
            )
        ),
        logit_bits=float(model.logit_bits),
        value_rank=float(max(rank(matrix) for matrix in values)),
        key_query_norm=max(spectral(matrix) for matrix in key_queries),
        value_norm=max(spectral(matrix) for matrix in values),
        expand_norm=max(float(np.linalg.norm(layer["expand"])) for layer in layers),
        contract_norm=max(float(np.linalg.norm(layer["contract"])) for layer in layers),
        unembedding_norm=spectral(unembedding),
        position_norm=largest_row(positions),
        embedding_norm=largest_row(embedding),
        bias_norm=max(float(np.linalg.norm(layer["bias"])) for layer in layers),
        position_products=position_products(positions, key_queries),
    )


ARRAYS = ("key_query", "value", "expand", "bias", "contract")


def position_products(positions: np.ndarray, key_queries: list[np.ndarray]) -> float:
    """The sum (8): with the first position as key, over all queries, heads and layers."""
    if not len(positions):
        return 0.0
    found = [positions[0] @ matrix @ positions.T for matrix in key_queries]
    return float(sum(np.square(row).sum() for row in found))


def bits_of(arrays: Iterable[np.ndarray]) -> int:
    """Sign, whole and fractional bits with which every entry can be written."""
    entries = np.unique(np.concatenate([np.unique(np.asarray(a, np.float64)) for a in arrays]))
    whole = int(np.abs(entries).max(initial=0)).bit_length()
    fractional = 0
    while fractional < MOST_FRACTIONAL_BITS and (entries % 1).any():
        entries, fractional = entries * 2, fractional + 1
    return 1 + whole + fractional


def spectral(matrix: np.ndarray) -> float:
    """Largest singular value; only rows and columns with entries matter."""
    core = _core(matrix)
    return float(np.linalg.norm(core, 2)) if core.size else 0.0


def rank(matrix: np.ndarray) -> int:
    """Number of singular values that are not 0."""
    core = _core(matrix)
    return int(np.linalg.matrix_rank(core)) if core.size else 0


def largest_row(matrix: np.ndarray) -> float:
    """Largest Euclidean norm of a row."""
    return float(np.linalg.norm(matrix, axis=1).max(initial=0))


def _core(matrix: np.ndarray) -> np.ndarray:
    filled = matrix != 0
    return np.asarray(matrix, np.float64)[np.ix_(filled.any(axis=1), filled.any(axis=0))]


@dataclass(frozen=True)
class Growth:
    """R(T_N) at several contexts."""

    contexts: tuple[int, ...]
    rows: tuple[Regularizer, ...]

    @property
    def growing(self) -> tuple[str, ...]:
        """Terms that are larger in the second half of the contexts than in the first."""
        if len(self.rows) < 2:
            return ()
        half = len(self.rows) // 2
        names = [item.name for item in dataclasses.fields(Regularizer)]

        def largest(name: str, rows: tuple[Regularizer, ...]) -> float:
            return max(getattr(row, name) for row in rows)

        return tuple(
            name
            for name in names
            if largest(name, self.rows[half:]) > largest(name, self.rows[:half]) * (1 + TOLERANCE)
        )

    @property
    def bounded(self) -> bool:
        """Does no term grow any more?"""
        return not self.growing


def limit_complexity(limit: LimitTransformer) -> dict[str, float]:
    """The terms of R_∞ (Definition 50), for a Limit Transformer, and their sum."""
    heads = [head for layer in limit.layers for head in layer.heads]
    matrices = [limit.embedding, limit.positions, limit.unembedding]
    matrices += [matrix for layer in limit.layers for matrix in (layer.expand, layer.contract)]
    matrices += [matrix for head in heads for matrix in (head.key_query, head.value)]
    numbers = [value for matrix in matrices for *_, value in matrix.entries]
    numbers += [bias for layer in limit.layers for bias in layer.bias]
    phis = [[value for _, value in head.phi] for head in heads]
    entries = np.array([float(value) for value in [*numbers, *(v for phi in phis for v in phi)]])
    terms = {
        "layers_heads_and_width": float(len(limit.layers) + limit.heads + limit.width),
        "parameter_bits": float(bits_of([entries])),
        "logit_bits": float(limit.logit_bits),
        "largest_entry": float(np.abs(entries).max(initial=0)),
        "period": float(limit.period),
        "phi_norm": max((float(sum(v * v for v in phi)) for phi in phis), default=0.0),
    }
    return {**terms, "total": sum(terms.values())}


def growth(build: Callable[[int], FiniteTransformer], contexts: Iterable[int]) -> Growth:
    """R(T_N) for increasing N; one transformer is in memory at a time."""
    ordered = tuple(sorted(contexts))
    return Growth(ordered, tuple(regularizer(build(context)) for context in ordered))
