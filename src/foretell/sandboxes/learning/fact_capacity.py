"""How many facts one layer holds: heads and hidden units can be exchanged for each other.

What: A context names a subject and a relation among noise; after its end the answer is due, which
    only the weights can know. All embeddings are random and never trained, so tokens overlap and
    nothing is stored twice for free. One layer of attention, with or without a ReLU layer behind
    it, learns S·R such facts. It holds them if it has parameters enough, and it hardly matters
    where: more heads make up for fewer hidden units, and enough heads need none.
Definition: S subjects, R relations, D answers a relation, each fact's answer drawn at random. From
    the end's embedding, H heads of d_h dimensions attend to the context; then
    F = y + Vᵀ relu(W y) with m hidden units, and the answer is that with the largest u_a · F. It
    trains P = 4 H d_h d + 2 m d numbers. Up to logarithms, attention with a ReLU layer holds all
    facts if H d_h ≥ C(S+R) and m d ≥ C·S R; attention alone if d ≥ C(R+D) and H d_h ≥ C·S. Either
    way facts grow like P, which is the most there can be: S R facts are S R log₂ D bits, and P
    numbers of b bits cannot keep more than b·P. Of a share p right, Fano's inequality makes at
    least S R (log₂ D - h₂(p) - (1-p) log₂(D-1)) bits.
Example:
    >>> recalled_bits(np.array([1.0, 0.25]), facts=64, answers=4).tolist()
    [128.0, 0.0]
    >>> int(parameters(heads=4, hidden=32, width=16, part=4))
    2048

Known limits: Shares are means over a few seeds of what Adam finds at the best of the rates tried,
    not what the best weights could do: with one or two heads it often stays stuck, and two trained
    models of one size differ by a tenth. On a CPU 64 facts are too few to measure a slope of facts
    in parameters: only the largest budget searches for the number held. The bound counts
    32 bits a number and is far from tight here.
Sources: Understanding factual recall in transformers via associative memories (Nichani, Lee,
    Bietti, 2024); the tutorial Sandbox for the Blackbox, part II
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping
from typing import Any, final

import jax
import numpy as np
from jaxtyping import Float, Int

from foretell.numerics.keys import key_for, root_key
from foretell.protocols._asking import Budget
from foretell.sandboxes import Claim, Findings, Sandbox, Show
from foretell.worlds.memory_capacity import ALMOST_ALL, capacity, rounded
from foretell.worlds.memory_recall import (
    Sizes,
    World,
    book,
    parameters,
    require_world,
    train,
)

BITS = 32  # of a trained number
NOISE = 0.03  # shares of cells that differ by less are the same
HEADS, HIDDEN = "fall of the share right as heads are added", "fall as hidden units are added"
TRADE = "rise of the hidden units needed as heads are added"
BOUND, SLOPE = "bits recalled over bits of the parameters", "slope of log facts in log parameters"
ENOUGH = 4  # heads' dimensions a subject, with which attention alone is expected to hold all
SMALL = {"subjects": 8, "relations": 8, "answers": 4, "noise": 16, "length": 32}
LARGE = {"subjects": 32, "relations": 32, "answers": 8, "noise": 64, "length": 32}


@final
class FactCapacity(Sandbox):
    """All numbers of heads and hidden units trained side by side."""

    name = "fact-capacity"
    essential = False
    title = "How many facts one layer holds: heads against hidden units"
    lesson = (
        "The share of facts right grows with heads and with hidden units, and the cells that hold "
        "all facts lie beyond a line of equal parameters, 4 H d_h d + 2 m d. No cell recalls more "
        "bits than its parameters have."
    )
    caveat = "It shows one layer on random facts; real facts share structure and need fewer bits."

    def settings(self, budget: Budget) -> dict[str, Any]:
        """Sixty-four facts, or the published thousand with a search for the number held."""
        grids: dict[Budget, dict[str, Any]] = {
            Budget.SMOKE: {"heads": [1, 2], "hidden": [0, 4], "steps": 3, "batch": 8, "seeds": 1},
            Budget.CPU: {"heads": [1, 2, 4, 8], "hidden": [0, 4, 32], "steps": 1500, "seeds": 3},
            Budget.GPU: {
                "heads": [1, 2, 4, 8, 16, 32],
                "hidden": [0, *(2**k for k in range(8))],
                "steps": 2**14,
                "batch": 1024,
                "seeds": 1,
                "rates": [1e-3, 3e-3, 1e-2],
                "held": {
                    "sizes": [[2, 16], [4, 32], [8, 64], [16, 128]],
                    "window": [0.02, 0.15],
                    "tries": 9,
                },
            },
        }
        world, width, part = (LARGE, 32, 8) if budget is Budget.GPU else (SMALL, 16, 4)
        shape = {"world": dict(world), "width": width, "part": part}
        common = {"batch": 256, "rates": [1e-2], "held": None, "seed": 0}
        return {**shape, **common, **grids[budget]}

    def claims(self, settings: Mapping[str, Any]) -> tuple[Claim, ...]:
        """More is never worse, heads make up for hidden units, and bits are not made of nothing."""
        world = require_world(World(**settings["world"]))
        found = [
            Claim(HEADS, 0.0, "<=", NOISE, "empirical"),
            Claim(HIDDEN, 0.0, "<=", NOISE, "empirical"),
            Claim(TRADE, 0.0, "<=", 0.0, "empirical"),
            Claim(BOUND, 1.0, "<=", 0.0, "theorem"),
        ]
        # Theorems say that there are such weights: the best of the seeds is what they speak of.
        if attention_suffices(world, max(settings["heads"]), settings["width"], settings["part"]):
            found.append(Claim(_alone(settings), ALMOST_ALL, ">=", 0.0, "empirical"))
        if settings["held"]:
            found.append(Claim(SLOPE, 1.0, "=", 0.15, "theorem"))
        return tuple(found)

    def measure(self, settings: Mapping[str, Any], show: Show) -> Findings:
        """Train the grid, and where it is asked for, search for the number of facts held."""
        world, heads, hidden = World(**settings["world"]), settings["heads"], settings["hidden"]
        cells = np.array(list(itertools.product(heads, hidden, [world.subjects])))
        right = shares_right(settings, cells, show).reshape(len(heads), len(hidden), -1)
        shares = right.mean(axis=2)
        facts = world.subjects * world.relations
        many, units = np.meshgrid(heads, hidden, indexing="ij")
        size = parameters(many, units, settings["width"], settings["part"])
        bits = recalled_bits(shares, facts, world.answers)
        held = _held(settings, show) if settings["held"] else np.zeros((0, 2))
        values = {
            HEADS: largest_fall(shares),
            HIDDEN: largest_fall(shares.T),
            TRADE: largest_fall(-_needed(shares)[:, None]),
            BOUND: float((bits / (BITS * size)).max()),
            _alone(settings): float(right[-1, hidden.index(0)].max()) if 0 in hidden else np.nan,
            SLOPE: slope_of(held),
        }
        curves = {
            **{name: settings[name] for name in ("heads", "hidden", "width", "part")},
            "facts": facts,
            "all_bits": float(facts * np.log2(world.answers)),
            "shares": shares.round(4).tolist(),
            "parameters": size.tolist(),
            "bits": bits.round(2).tolist(),
            "held": [[float(number), rounded(float(most))] for number, most in held],
        }
        return Findings(values, curves)


def attention_suffices(world: World, heads: int, width: int, part: int) -> bool:
    """Has attention alone room for all facts, with the constants taken here?

    >>> attention_suffices(World(**SMALL), heads=8, width=16, part=4)
    True
    """
    return width >= world.relations + world.answers and heads * part >= ENOUGH * world.subjects


def recalled_bits(
    shares: Float[np.ndarray, "..."], facts: int, answers: int
) -> Float[np.ndarray, "..."]:
    """The least information about the answers that so large a share right betrays."""
    right = np.clip(shares, 1 / answers, 1.0)
    wrong = 1 - right
    unsure = -(right * np.log2(right) + wrong * np.log2(np.where(wrong > 0, wrong, 1.0)))
    kept = np.log2(answers) - unsure - wrong * np.log2(max(answers - 1, 1))
    return facts * np.maximum(kept, 0.0)


def largest_fall(rows: Float[np.ndarray, "size size"]) -> float:
    """The most by which an entry is below one above it.

    >>> round(largest_fall(np.array([[0.5, 0.6], [0.7, 0.55], [0.9, 0.58]])), 2)
    0.05
    """
    return float((np.maximum.accumulate(rows, axis=0) - rows).max())


def slope_of(held: Float[np.ndarray, "size part"]) -> float:
    """Of log facts in log parameters; not a number without two sizes that are known."""
    known = held[np.isfinite(held).all(axis=1)]
    size, facts = np.log(known).T
    return float(np.polyfit(size, facts, 1)[0]) if len(known) > 1 else float("nan")


def _alone(settings: Mapping[str, Any]) -> str:
    return f"attention alone, {max(settings['heads'])} heads: best share right"


def _needed(shares: Float[np.ndarray, "head hidden"]) -> Float[np.ndarray, " head"]:
    """The place in the row at which all facts are held for the first time; its end if nowhere."""
    holds = np.maximum.accumulate(shares >= ALMOST_ALL, axis=1)
    return shares.shape[1] - holds.sum(axis=1, dtype=float)


def shares_right(
    settings: Mapping[str, Any], cells: Int[np.ndarray, "size part"], show: Show
) -> Float[np.ndarray, "size draw"]:
    """Of cells (heads, hidden units, subjects), seed by seed, at the best of the rates."""
    most = int(cells[:, 2].max())
    world = require_world(World(**{**settings["world"], "subjects": most}))
    seeds, rates = settings["seeds"], np.array(settings["rates"], np.float32)
    each = len(rates) * seeds
    rows = np.repeat(cells, each, axis=0).astype(np.int32)
    heads, hidden, subjects = rows.T
    sizes = Sizes(heads, hidden, subjects, np.tile(np.repeat(rates, seeds), len(cells)))
    books = [book(world, settings["width"], (settings["seed"], seed)) for seed in range(seeds)]
    known = jax.tree.map(
        lambda *own: np.tile(np.stack(own), (len(rates) * len(cells), 1, 1)), *books
    )
    trained = train(
        world,
        known,
        sizes,
        width=settings["width"],
        part=settings["part"],
        batch=settings["batch"],
        steps=settings["steps"],
        key=key_for(root_key(settings["seed"]), "fact-capacity", most),
        seed=settings["seed"],
        show=show,
    )
    right = trained.watched["right"][-1].reshape(len(cells), len(rates), seeds)
    return right.max(axis=1).astype(float)


def _held(settings: Mapping[str, Any], show: Show) -> Float[np.ndarray, "size part"]:
    """Parameters, and facts at which the share right falls below 99 %, size by size."""
    plan, relations = settings["held"], settings["world"]["relations"]
    low, high = plan["window"]
    row = np.geomspace(low, high, plan["tries"])
    heads, hidden = np.array(plan["sizes"]).T
    sizes = parameters(heads, hidden, settings["width"], settings["part"])
    subjects = np.maximum(np.round(row * sizes[:, None] / relations), 1).astype(int)
    models = np.repeat(np.array(plan["sizes"]), plan["tries"], axis=0)
    cells = np.column_stack([models, subjects.ravel()])
    shares = shares_right(settings, cells, show).mean(axis=1)
    rows = zip(subjects, shares.reshape(subjects.shape), strict=True)
    most = [relations * capacity(*each) for each in rows]
    return np.column_stack([sizes, most]).astype(float)
