"""Composing k permutations, half from the context and half from the weights, in log₂ k + 1 layers.

What: Starting from x, permutations are applied in turn: one the model knows, one that the context
    tells, one that it knows, and so on, k of either kind. Step by step that takes k layers. But
    every place of the context can follow its own chain, and a chain of 2^l steps that looks at the
    end of another becomes one of 2^(l+1): log₂ k layers of doubling, and one more that starts from
    x. With a layer fewer the chain ends halfway, and the answer is right by chance only.
Definition: f = σ_k∘π_k∘…∘σ_1∘π_1 on N symbols, the σ_i in the context, a token each value, the π_i
    in the weights. Place (i, j) begins with state "block i answered σ_i(j)", one-hot among
    (k+1)N. A layer sends state (b, y) to the place (b+1, π_{b+1}(y)) and copies what it finds
    there; it does so with score κ, against κ/2 for staying and 0 elsewhere, so that each layer
    misplaces less than Nk·e^{-κ/2}. Width is O(Nk log k), depth log₂ k + 1. With a layer fewer the
    rest of the chain is a uniform permutation: 1/N right. Learning f from the longest questions
    alone is hard (N^Ω(k) statistical queries); with shorter questions mixed in it is polynomial.
Example:
    >>> [depth(folds) for folds in (1, 2, 4)]
    [1, 2, 3]
    >>> print(f"{error_bound(folds=4, symbols=6, sharpness=80.0):.0e}")
    5e-16

Known limits: The construction is exact for random words up to six symbols and four permutations of
    either kind; that fewer layers would not do is shown for this construction, not for all weights.
    The lower bound is about statistical queries and hard data, and no small run can show it.
    Training runs on an accelerator only, for one size and one seed, and is not part of the
    smaller budgets.
Sources: Learning compositional functions with transformers from easy-to-hard data (Wang and others,
    2025); the tutorial Sandbox for the Blackbox, part II
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, final

import jax.numpy as jnp
import numpy as np
from jaxtyping import Float, Int

from foretell.constructions.hop_doubling import answers, build, composed, depth, word_places
from foretell.numerics.keys import key_for, root_key
from foretell.plain.wording import counted
from foretell.protocols._asking import Budget
from foretell.sandboxes import Claim, Findings, Sandbox, Show
from foretell.worlds.composition_training import DIETS, train_compositions

CHANCE, STUCK, LEARNT = 0.05, 0.05, 0.95  # of shares right, of ln N, share right when learnt
EASY, HARD = f"{DIETS[0]}: share right", f"{DIETS[1]}: loss"
TRAINING = {"symbols": 5, "folds": 4, "width": 128, "heads": 4, "batch": 512, "rate": 1e-3}


@final
class ComposedPermutations(Sandbox):
    """The construction at every depth, and on an accelerator training with and without help."""

    name = "composed-permutations"
    essential = False
    title = "Composing permutations: every layer doubles the hop"
    lesson = (
        "With log₂ k + 1 layers (the line) all compositions are right, with a layer fewer as many "
        "as by chance. Beside it, what the layers look at: places join their chains, then the "
        "question reads the end of its own."
    )
    caveat = "It shows that depth log₂ k + 1 is enough, not that less never is."

    def settings(self, budget: Budget) -> dict[str, Any]:
        """Sizes, words of each, and how sharp attention is."""
        small = budget is Budget.SMOKE
        full = {**TRAINING, "steps": 20_000, "watched": 4096}
        return {
            "symbols": [2, 3] if small else [2, 3, 4, 5, 6],
            "folds": [1, 2] if small else [1, 2, 4],
            "words": 50 if small else 1000,
            "sharpness": 80.0,
            "training": full if budget is Budget.GPU else None,
            "seed": 0,
        }

    def claims(self, settings: Mapping[str, Any]) -> tuple[Claim, ...]:
        """Exact where there are layers enough, chance where one is missing."""
        found = []
        for folds in settings["folds"]:
            bound = error_bound(folds, max(settings["symbols"]), settings["sharpness"])
            found += [
                Claim(_label(folds, depth(folds), "share right"), 1.0, "=", 0.0, "theorem"),
                Claim(_label(folds, depth(folds), "error"), 2 * bound, "<=", 0.0, "derived"),
            ]
            if folds > 1:
                short = _label(folds, depth(folds) - 1, "share right")
                chance = 1 / max(settings["symbols"])
                found.append(Claim(short, chance, "=", CHANCE, "derived"))
        if settings["training"]:
            level = math.log(settings["training"]["symbols"])
            found += [
                Claim(EASY, LEARNT, ">=", 0.0, "empirical"),
                Claim(HARD, level, "=", STUCK, "conjecture"),
            ]
        return tuple(found)

    def measure(self, settings: Mapping[str, Any], show: Show) -> Findings:
        """Random words at every size, number of permutations and depth."""
        values: dict[str, float] = {}
        grid, most = [], max(depth(folds) for folds in settings["folds"])
        for folds in settings["folds"]:
            found = {
                layers: [
                    _tried(settings, symbols, folds, layers) for symbols in settings["symbols"]
                ]
                for layers in range(1, most + 1)
            }
            enough = found[depth(folds)]
            values[_label(folds, depth(folds), "share right")] = min(share for share, _ in enough)
            values[_label(folds, depth(folds), "error")] = max(error for _, error in enough)
            if folds > 1:
                short = _label(folds, depth(folds) - 1, "share right")
                values[short] = found[depth(folds) - 1][-1][0]
            grid.append([round(tried[-1][0], 4) for tried in found.values()])
        training, curve = _trained(settings, show)
        curves = {
            "folds": settings["folds"],
            "layers": list(range(1, most + 1)),
            "symbols": max(settings["symbols"]),
            "right": grid,
            **_shown(settings),
            "training": curve,
        }
        return Findings(values | training, curves)


def error_bound(folds: int, symbols: int, sharpness: float) -> float:
    """What all layers together can misplace, of a total of 1."""
    return depth(folds) * folds * symbols * math.exp(-sharpness / 2) + 2e-16  # and one rounding


def _label(folds: int, layers: int, quantity: str) -> str:
    return f"k={folds}, {counted(layers, 'layer')}: {quantity}"


def _permutations(
    random: np.random.Generator, shape: tuple[int, ...], symbols: int
) -> Int[np.ndarray, "*batch label"]:
    return random.permuted(np.broadcast_to(np.arange(symbols), (*shape, symbols)), axis=-1)


def _tried(
    settings: Mapping[str, Any], symbols: int, folds: int, layers: int
) -> tuple[float, float]:
    """Share right, and the largest distance from a sure right answer."""
    random, count = np.random.default_rng((settings["seed"], symbols, folds)), settings["words"]
    inner = _permutations(random, (folds,), symbols)
    outer = _permutations(random, (count, folds), symbols)
    start = random.integers(0, symbols, count)
    said, _ = answers(build(inner, settings["sharpness"], layers), outer, start)
    right = composed(inner, outer, start)
    share = float(np.mean(said.argmax(axis=1) == right))
    return share, float(np.abs(said - np.eye(symbols)[right]).max())


def _shown(settings: Mapping[str, Any]) -> dict[str, Any]:
    """Attention on one word, small enough to follow with the eye."""
    folds, symbols = max(settings["folds"]), min(3, max(settings["symbols"]))
    random = np.random.default_rng(settings["seed"])
    inner, outer = (_permutations(random, shape, symbols) for shape in ((folds,), (1, folds)))
    model = build(inner, settings["sharpness"], depth(folds))
    _, seen = answers(model, outer, np.array([0]))
    places = word_places(folds, symbols)[:-1].tolist()
    labels = [f"σ{block}({argument})" for block, argument in places]
    return {"attention": _rounded(seen[:, 0]), "labels": [*labels, "x"]}


def _rounded(values: Float[np.ndarray, "..."]) -> Any:
    return np.round(values, 3).tolist()


def _trained(
    settings: Mapping[str, Any], show: Show
) -> tuple[dict[str, float], dict[str, Any] | None]:
    plan = settings["training"]
    if not plan:
        return {}, None
    random = np.random.default_rng(settings["seed"])
    inner = jnp.asarray(_permutations(random, (plan["folds"],), plan["symbols"]))
    key = key_for(root_key(settings["seed"]), "composed-permutations")
    trained = train_compositions(plan, inner, key, show)
    values = {
        EASY: float(trained.watched["right"][-1, 0]),
        HARD: float(trained.watched["loss"][-1, 1]),
    }
    losses = _rounded(trained.watched["loss"].T)
    return values, {
        "steps": trained.steps.tolist(),
        "diets": list(DIETS),
        "loss": losses,
        "level": math.log(plan["symbols"]),
    }
