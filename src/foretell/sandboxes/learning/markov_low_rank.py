"""What one layer has learnt of a Markov chain: matrices of rank one, along the embedding.

What: The first step of the recipe behind `markov-flow`: look at trained weights before theorising.
    Every matrix starts Gaussian, its energy spread over all directions. Within a hundred steps
    both matrices of the ReLU layer have nearly all of their energy in one direction. When the
    chain is learnt, that direction is the embedding's: the layer reads one number, whether the
    last symbol was a 1, and writes one number back. Where training is stuck the rank is one as
    well, but the direction turns away from an embedding that dies out. This is the licence to
    study e and w, two numbers, in place of hundreds of weights.
Definition: The layer and the training of `markov-training`. With singular values s₁ ≥ s₂ ≥ … of a
    matrix, the share of its first direction is s₁²/Σs²; a Gaussian matrix of 32 by 8 has about
    (√32 + √8)²/256 = 0.28. Read are the ReLU layer's matrices W₁ and W₂, the value matrix, and
    embedding and positions stacked; and |cos| of the angles from the direction that W₁ reads
    (right singular vector) to the embedding, and from the one that W₂ writes (left) to the output
    vector, which is the embedding if tied. Found in the paper, not derived: shares near 1 for W₁
    and W₂ once the chain is learnt; we ask for 0.8.
Example:
    >>> import jax.numpy as jnp
    >>> stretched = jnp.outer(jnp.arange(3.0), jnp.ones(2)) + 0.1 * jnp.eye(3, 2)
    >>> shares, first = energy_shares(stretched)
    >>> print([round(float(each), 2) for each in shares])
    [1.0, 1.0]

Known limits: An observation, of this start and this optimiser: AdamW first moves all entries alike,
    which makes for low rank early on. So a low rank alone does not tell a layer that has learnt
    from one that is stuck. The share says nothing of how large a matrix is; the value matrix
    matters little here, and embedding and positions need more than one direction if the output
    vector is separate.
Sources: Local to Global: learning dynamics and effect of initialization for transformers (Makkuva
    and others, 2024); the tutorial Sandbox for the Blackbox, part II
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, final

import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float

from foretell.protocols._asking import Budget
from foretell.sandboxes import Claim, Findings, Sandbox, Show
from foretell.worlds.binary_chain import entropy, entropy_rate
from foretell.worlds.markov_layer import (
    Chain,
    Weights,
    expected_loss,
    require_cells,
    train,
)

SHARE = 0.8
SHOWN = 4  # directions whose shares are kept


@final
class MarkovLowRank(Sandbox):
    """Trains, and takes the matrices apart on the way."""

    name = "markov-low-rank"
    title = "Weights of the trained layer: one direction is enough"
    lesson = (
        "Share of a matrix's energy in its first one, two, three and four directions while the "
        "layer trains: one direction soon takes all of W₁ and W₂. It is the embedding's where the "
        "chain is learnt; where training is stuck it turns away."
    )
    caveat = "An observation on trained weights; no theory says how fast the other directions die."
    essential = False

    def settings(self, budget: Budget) -> dict[str, Any]:
        """Two layers that learn and one that does not."""
        shape = {
            Budget.SMOKE: {"length": 16, "batch": 4, "steps": 20, "every": 10, "seeds": 1},
            Budget.CPU: {"length": 128, "batch": 16, "steps": 600, "every": 20, "seeds": 1},
            Budget.GPU: {"length": 1024, "batch": 16, "steps": 1000, "every": 20, "seeds": 3},
        }[budget]
        cells = [["tied", 0.2, 0.3], ["separate", 0.5, 0.8], ["tied", 0.5, 0.8]]
        chosen = cells[:1] if budget is Budget.SMOKE else cells
        return {"cells": chosen, "width": 8, "rate": 0.002, "tested": 32, "seed": 0, **shape}

    def claims(self, settings: Mapping[str, Any]) -> tuple[Claim, ...]:
        """Where the chain is learnt: one direction, and the embedding's."""
        return tuple(
            Claim(f"{_label(*cell)}: {quantity}", SHARE, ">=", 0.0, "empirical")
            for cell in require_cells(settings)
            if not _stuck(*cell)
            for quantity in (
                "first direction's share of W₁",
                "first direction's share of W₂",
                "|cos| of what W₁ reads to the embedding",
                "|cos| of what W₂ writes to the output vector",
            )
        )

    def measure(self, settings: Mapping[str, Any], show: Show) -> Findings:
        """Means over seeds."""
        values: dict[str, float] = {}
        drawn = []
        for cell, trained in train(settings, _watch, show).items():
            watched = {name: rows.mean(axis=1) for name, rows in trained.watched.items()}
            label, (reads, writes) = _label(*cell), watched["alignment"][-1]
            values |= {
                f"{label}: first direction's share of W₁": float(watched["first"][-1, 0]),
                f"{label}: first direction's share of W₂": float(watched["second"][-1, 0]),
                f"{label}: |cos| of what W₁ reads to the embedding": float(reads),
                f"{label}: |cos| of what W₂ writes to the output vector": float(writes),
            }
            kept = {
                name: np.asarray(rows, float).round(4).tolist() for name, rows in watched.items()
            }
            levels = [entropy(cell[1] / (cell[1] + cell[2])), entropy_rate(*cell[1:])]
            drawn.append(
                {"label": label, "steps": trained.steps.tolist(), "levels": levels, **kept}
            )
        return Findings(values, {"cells": drawn, "asked": SHARE})


def _label(kind: str, p: float, q: float) -> str:
    return f"{kind}, p={p:g}, q={q:g}"


def _stuck(kind: str, p: float, q: float) -> bool:
    return kind == "tied" and p + q > 1


def energy_shares(
    matrix: Float[Array, "hidden width"],
) -> tuple[Float[Array, " size"], Float[Array, " width"]]:
    """Of the first one, two, … directions together, and the first, a combination of columns.

    From the small matrix of products: its eigenvalues are the squared singular values.
    """
    values, vectors = jnp.linalg.eigh(matrix.T @ matrix)
    return jnp.cumsum(values[::-1][:SHOWN]) / jnp.sum(values), vectors[:, -1]


def _watch(weights: Weights, chain: Chain, draws: Float[Array, "batch length"]) -> dict[str, Array]:
    block = weights.blocks[-1]
    output = jnp.where(chain.tied, weights.embedding, weights.output)
    read, reads = energy_shares(block.first)
    written, writes = energy_shares(block.second.T)
    stacked = jnp.concatenate([weights.embedding[None], weights.positions])

    def cosine(vector: Array, other: Array) -> Array:
        return jnp.abs(vector @ other) / jnp.linalg.norm(other)

    return {
        "loss": expected_loss(weights, chain, draws)[0],
        "first": read,
        "second": written,
        "value": energy_shares(block.value)[0],
        "embedding and positions": energy_shares(stacked)[0],
        "alignment": jnp.stack([cosine(reads, weights.embedding), cosine(writes, output)]),
    }
