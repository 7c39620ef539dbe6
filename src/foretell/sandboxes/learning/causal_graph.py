"""Two layers of attention learn which earlier symbol each symbol was drawn from.

What: Symbols hang on a tree: each is drawn from the row of its parent, all places share one table
    of rows, and the table is new in every word. Asked what follows the last symbol, the best
    answer counts: of the places whose parent equals the question, what stands there? Whoever
    counts must know the tree, which no word states. Plain gradient descent from zero finds it: the
    first attention becomes the tree's adjacency matrix (copy your parent), the second compares
    the question with the copied parents, the readout passes the counts on.
Definition: Position i is [one-hot of s_i | one-hot of i]; a layer appends softmax(X A Xᵀ)X to X;
    logits are Wᵀx at the last position; A₁, A₂ and W start at 0. The descent direction of the
    first attention from i to j is governed by the χ² information, averaged over tables,
    I(s_i; s_j) = Σ P(x, y)²/(P(x)P(y)) - 1, where P(x, y) = Σ_z μ(z) P^a(z, x) P^b(z, y) if the
    ways of i and j join a and b steps above. A channel only loses information, so that the
    parent has the most of all earlier places: descent does what Chow and Liu's algorithm does. On
    two symbols, rows uniform, a chain has 2/((2k+1)(2k+2)) at distance k. Which symbol is which
    makes no difference to the data, so the block of A₂ from the question to copied parents is
    β(I - 1/S): β on the diagonal, but for what is added to a whole row, which softmax cannot see.
Example:
    >>> table = np.array([[0.9, 0.1], [0.3, 0.7]])
    >>> chi_square(table, (-1, 0, 1))[2].round(4).tolist()  # to the grandparent, parent, itself
    [0.1296, 0.36, 1.0]

Known limits: The gradient's largest entry is the parent's; its other entries need not be ordered as
    the information is. Both statements are about earlier places; a place may also look at itself,
    and the second place of the manual tree does, about as much as at its only ancestor. Counting
    is the best answer but for what the roots, drawn from the
    stationary law, tell. Attention to the parent is far from 1 after few steps on short words;
    the theorem's 1/T is for long training and rows bounded away from 0. The second attention's
    block is held against I by the cosine alone, which says nothing of β's size; 0.95 is asked, and
    a random block of three symbols gets there in one of 1,900 draws; that bound was set after
    looking. One parent a place.
Sources: How Transformers Learn Causal Structure with Gradient Descent (Nichani, Damian and Lee,
    2024); Chow and Liu (1968); the tutorial Sandbox for the Blackbox, part II
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, final

import numpy as np
from jaxtyping import Float

from foretell.models.disentangled import place_attention
from foretell.numerics.keys import key_for, root_key
from foretell.protocols._asking import Budget
from foretell.sandboxes import Claim, Findings, Sandbox, Show
from foretell.worlds.graph_information import (
    chi_square,
    counted_information,
    edge_mean,
    first_gradient,
    parent_share,
)
from foretell.worlds.graph_training import Recipe, TreeRun, train_trees
from foretell.worlds.graph_trees import require_parents, tree
from foretell.worlds.n_grams import independent_level

ALIKE = 0.05  # that a cosine may lack of 1: sampled batches are not the same for every symbol
PROBE = (-1, 0, 0, 1, 1, 2, 2, 3)  # the tree whose gradient is held against the information


@final
class CausalGraph(Sandbox):
    """Information in closed form, the first gradient, and training on several trees."""

    name = "causal-graph"
    title = "Two layers of attention learn the causal graph"
    lesson = (
        "After training from zero, the first attention is the tree: squares mark each place's "
        "parent. The second attention compares the question with copied parents, the readout "
        "passes counts on, and the loss comes down to that of counting (dashed)."
    )
    caveat = "Symbols with one parent each, from tables drawn at random; text is no tree."

    def settings(self, budget: Budget) -> dict[str, Any]:
        """On an accelerator the paper's: ten symbols, words of twenty, sparse rows."""
        nodes = 19 if budget is Budget.GPU else 9
        trees = {"chain": tree("chain", nodes)}
        if budget is not Budget.SMOKE:
            trees |= {f"random tree {seed}": tree("random", nodes, seed) for seed in (5, 7)}
            trees |= {"manual": tree("manual", 0)}
        if budget is Budget.GPU:
            trees |= {"pairs": tree("pairs", nodes)}
        kept = {name: list(parents) for name, parents in trees.items()}
        sizes: dict[str, Any] = {
            Budget.SMOKE: {"batch": 8, "steps": 4, "tests": 64, "lengths": [], "scan_steps": 0}
            | {"tables": 500, "words": 2000, "gradient_words": 2000},
            Budget.CPU: {"batch": 128, "steps": 6000, "tests": 8192, "lengths": [8, 12, 16]}
            | {"scan_steps": 3000, "tables": 200_000, "words": 2**18, "gradient_words": 20_480},
            Budget.GPU: {"batch": 1024, "steps": 2**17, "tests": 2**16, "lengths": [10, 15, 25]}
            | {"scan_steps": 2**15, "tables": 200_000, "words": 2**20, "gradient_words": 2**17},
        }[budget]
        data = {"symbols": 3, "alpha": 1.0, "rate": 2.0}
        if budget is Budget.GPU:
            data = {"symbols": 10, "alpha": 0.1, "rate": 1.0}
        return {"trees": kept, **data, **sizes, "seed": 0}

    def claims(self, settings: Mapping[str, Any]) -> tuple[Claim, ...]:
        """Closed forms, and what the theorem promises of every tree."""
        found = [
            Claim(f"two symbols, distance {lag}: information", value, "=", 0.02 * value, "derived")
            for lag, value in ((k, 2 / ((2 * k + 1) * (2 * k + 2))) for k in (1, 2))
        ]
        exact = edge_mean(chi_square(_table(settings), PROBE), PROBE)
        found += [
            Claim("one table: information on the edges", exact, "=", 0.02 * exact, "derived"),
            Claim("share of places whose parent has most information", 1.0, "=", 0.0, "theorem"),
            Claim("share of places whose parent leads the gradient", 1.0, "=", 0.0, "theorem"),
        ]
        for name in settings["trees"]:
            found.append(Claim(f"{name}: share of parents found", 1.0, "=", 0.0, "theorem"))
            found.append(Claim(f"{name}: loss above counting", 0.0, "<=", 0.025, "numeric"))
            found.append(Claim(_matching(name), 1.0, "=", ALIKE, "derived"))
        if "chain" in settings["trees"]:
            found.append(Claim("chain: attention to the parent", 0.6, ">=", 0.0, "numeric"))
            found.append(Claim("chain: share of parents above the place itself", 1.0))
        if settings["lengths"]:
            names = tuple(f"T={length}" for length in sorted(settings["lengths"], reverse=True))
            found.append(Claim("chains, least loss above the true rows first", names, "order", 0.0))
        return tuple(found)

    def measure(self, settings: Mapping[str, Any], show: Show) -> Findings:
        """Sampled tables and words, one gradient, then the trainings."""
        values, probe = _information(settings)
        runs = _train(settings, show)
        for name, parents in settings["trees"].items():
            attention = _attention(runs[name], settings["symbols"])
            values |= {
                f"{name}: share of parents found": parent_share(attention, parents),
                f"{name}: share of parents above the place itself": parent_share(
                    attention, parents, itself=True
                ),
                f"{name}: loss above counting": float(runs[name].losses[-1]) - runs[name].bayes,
                f"{name}: attention to the parent": edge_mean(attention, parents),
                _matching(name): cosine_with_matching(
                    np.asarray(runs[name].weights.attention[1][0]), settings["symbols"]
                ),
            }
        scan = _scan(settings, show)
        ranked = sorted(scan, key=lambda row: row["loss"])
        values["chains, least loss above the true rows first"] = tuple(
            f"T={row['length']}" for row in ranked
        )
        curves = {"probe": probe, "trees": _drawn(runs, settings), "scan": scan}
        return Findings(values, {**curves, "symbols": settings["symbols"]})


def _table(settings: Mapping[str, Any]) -> Float[np.ndarray, "token label"]:
    """One table, the same for the formula and for the words that are counted."""
    drawn = np.random.default_rng(settings["seed"])
    return drawn.dirichlet(np.ones(settings["symbols"]), settings["symbols"])


def _information(settings: Mapping[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    """The information by sampling, and the first gradient beside it."""
    drawn = np.random.default_rng([settings["seed"], 1])
    binary = drawn.dirichlet(np.ones(2), (settings["tables"], 2))
    row = chi_square(binary, (-1, 0, 1)).mean(axis=0)[2]
    symbols = settings["symbols"]
    several = drawn.dirichlet(np.ones(symbols), (min(settings["tables"], 500), symbols))
    mean = chi_square(several, PROBE).mean(axis=0)
    key = key_for(root_key(settings["seed"]), "gradient")
    gradient = first_gradient(PROBE, symbols, settings["gradient_words"], key)
    counted = counted_information(_table(settings), PROBE, settings["words"], settings["seed"])
    values = {
        "two symbols, distance 1: information": float(row[1]),
        "two symbols, distance 2: information": float(row[0]),
        "one table: information on the edges": edge_mean(counted, PROBE),
        "share of places whose parent has most information": parent_share(mean, PROBE),
        "share of places whose parent leads the gradient": parent_share(gradient, PROBE),
    }
    return values, {
        "parents": list(PROBE),
        "information": np.tril(mean, -1).round(5).tolist(),
        "gradient": np.tril(gradient, -1).round(7).tolist(),
    }


def _recipe(settings: Mapping[str, Any], steps: int) -> Recipe:
    named = {name: settings[name] for name in ("symbols", "alpha", "batch", "rate", "tests")}
    return Recipe(**named, steps=steps, seed=settings["seed"])


def _train(settings: Mapping[str, Any], show: Show) -> dict[str, TreeRun]:
    """Trees of one size together."""
    trees = {name: require_parents(parents) for name, parents in settings["trees"].items()}
    runs: dict[str, TreeRun] = {}
    for nodes in sorted({len(parents) for parents in trees.values()}):
        names = [name for name, parents in trees.items() if len(parents) == nodes]
        recipe = _recipe(settings, settings["steps"])
        found = train_trees([trees[name] for name in names], recipe, show, f"{nodes} places")
        runs |= dict(zip(names, found, strict=True))
    return runs


def _scan(settings: Mapping[str, Any], show: Show) -> list[dict[str, Any]]:
    """Chains of several lengths, and how far each ends above the true rows and above counting."""
    level = independent_level(settings["symbols"], settings["alpha"])
    rows = []
    for length in settings["lengths"]:
        recipe = _recipe(settings, settings["scan_steps"])
        (run,) = train_trees([tree("chain", length - 1)], recipe, show, f"length {length}")
        rows.append(
            {"length": length, "loss": float(run.losses[-1]) - level, "counting": run.bayes - level}
        )
    return rows


def _matching(name: str) -> str:
    return f"{name}: question by copied symbol, cosine with the diagonal"


def cosine_with_matching(matrix: Float[np.ndarray, "width width"], symbols: int) -> float:
    """Between the block of the question and copied symbols and I, as far as softmax can see.

    A constant added to a row changes no attention, so every row's mean is taken off both first.

    >>> matrix = np.zeros((10, 10))  # two symbols, three places, and their copies
    >>> matrix[:2, 5:7] = [[7, 3], [-1, 3]]
    >>> cosine_with_matching(matrix, 2)
    1.0
    """
    copied = len(matrix) // 2
    block = np.asarray(matrix, float)[:symbols, copied : copied + symbols]
    seen = block - block.mean(axis=1, keepdims=True)
    size = np.linalg.norm(seen) * np.sqrt(symbols - 1)
    return float(np.trace(seen) / size) if size > 0 else 0.0


def _attention(run: TreeRun, symbols: int) -> Float[np.ndarray, "length length"]:
    """Of the first layer, by place."""
    length = run.weights.attention[0].shape[-1] - symbols
    return place_attention(np.asarray(run.weights.attention[0][0]), symbols, length)


def _drawn(runs: Mapping[str, TreeRun], settings: Mapping[str, Any]) -> dict[str, Any]:
    """What the figure needs: losses of all trees, the matrices of one."""
    shown = next((name for name in runs if name.startswith("random")), next(iter(runs)))
    drawn: dict[str, Any] = {
        name: {
            "parents": list(settings["trees"][name]),
            "steps": run.steps.tolist(),
            "losses": np.asarray(run.losses, float).round(5).tolist(),
            "bayes": round(run.bayes, 5),
        }
        for name, run in runs.items()
    }
    drawn[shown] |= {
        "attention": _attention(runs[shown], settings["symbols"]).round(4).tolist(),
        "second": np.asarray(runs[shown].weights.attention[1][0], float).round(3).tolist(),
        "readout": np.asarray(runs[shown].weights.readout, float).round(3).tolist(),
    }
    return drawn
