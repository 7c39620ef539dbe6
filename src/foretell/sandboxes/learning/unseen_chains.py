"""An induction head learnt on random chains also works on chains it could never have met.

What: Two layers of attention are trained on words of random chains, as in `causal-graph`. What
    they learn is a procedure, to count what followed earlier copies of the last symbol, and a
    procedure does not ask where a chain comes from. So they are tested on chains from outside:
    a cycle that almost always moves on by one, tables whose columns also sum to 1, and sparse
    rows. If the head counts, it stays as near to the counts there as at home, and its
    distance from the true row shrinks with the length of the word, in and out of the prior.
Definition: f is the trained model's answer, c the counts with the training prior's α added, π(·|s)
    the true row. Measured are the means over words of max|f - c| and of max|f - π(·|s)|, at
    home (rows from Dirichlet(α, ..., α)) and away, where every chance is at least γ/S:
    the cycle γ/S + (1-γ)·[next], balanced tables, and Dirichlet(0.1, ..., 0.1), the latter two
    mixed with γ. Theory: the second goes as T^(-cγ) for every chain with that floor.
Example:
    >>> cycle(3, 0.3).round(2).tolist()
    [[0.1, 0.8, 0.1], [0.1, 0.1, 0.8], [0.8, 0.1, 0.1]]

Known limits: Held against counts with α added, since raw counts say nothing where the last symbol
    is new; away from home, that is not the best answer, and the distance from the true row stays
    far above what someone who knew the chains would reach. Random rows are everywhere dense,
    so the sparse ones are rare at home rather than impossible.
Sources: How Transformers Learn Causal Structure with Gradient Descent (Nichani, Damian and Lee,
    2024); the tutorial Sandbox for the Blackbox, part II
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, final

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float

from foretell.models.disentangled import Disentangled
from foretell.numerics.keys import key_for, root_key
from foretell.numerics.stochastic import require_chances
from foretell.plain.errors import BadInput
from foretell.protocols._asking import Budget
from foretell.sandboxes import Claim, Findings, Sandbox, Show, require_among
from foretell.worlds.chains import Prior, sample_rows
from foretell.worlds.graph_training import Recipe, said, train_trees
from foretell.worlds.graph_trees import counted, grow, tree

HOME = "random rows (trained on)"
AWAY = ("cycle", "balanced", "sparse")
RATIO, SPARSE = 1.5, 0.1


@final
class UnseenChains(Sandbox):
    """Train at home, test at home and away."""

    name = "unseen-chains"
    title = "An induction head on chains it has never met"
    lesson = (
        "Trained on random rows only. Left: the answer stays near the in-context counts on "
        "chains from outside too. Right: its distance from the true row (full) follows that of the "
        "counts (dashed) down as words grow."
    )
    caveat = "Only the chain changes, not the graph, the length or the alphabet."
    essential = False

    def settings(self, budget: Budget) -> dict[str, Any]:
        """As `causal-graph`, at several lengths."""
        sizes: dict[str, Any] = {
            Budget.SMOKE: {"lengths": [6], "batch": 8, "steps": 4, "tests": 64},
            Budget.CPU: {"lengths": [8, 12, 16], "batch": 128, "steps": 4000, "tests": 8192},
            Budget.GPU: {"lengths": [10, 20, 40], "batch": 1024, "steps": 2**15, "tests": 2**15},
        }[budget]
        bound = 0.05 if budget is Budget.GPU else 0.15
        data = {"symbols": 3, "alpha": 1.0, "floor": 0.1, "bound": bound, "rate": 2.0}
        worlds = list(AWAY[:1] if budget is Budget.SMOKE else AWAY)
        return {**data, **sizes, "worlds": worlds, "seed": 0}

    def require(self, settings: Mapping[str, Any]) -> None:
        """Refuse what does not go together."""
        require_among("world of chains", settings["worlds"], AWAY)
        cycle(settings["symbols"], settings["floor"])

    def claims(self, settings: Mapping[str, Any]) -> tuple[Claim, ...]:
        """Nearness to the counts at the longest length, and the order in the length."""
        longest = max(settings["lengths"])
        order = tuple(f"T={length}" for length in sorted(settings["lengths"], reverse=True))
        found = []
        for world in settings["worlds"]:
            found += [
                Claim(
                    f"{world}, T={longest}: distance from counting",
                    settings["bound"],
                    "<=",
                    0.0,
                    "numeric",
                ),
                Claim(
                    f"{world}, T={longest}: distance from counting over that at home",
                    RATIO,
                    "<=",
                    0.0,
                    "numeric",
                ),
                Claim(f"{world}: least distance from the true row first", order, "order", 0.0),
            ]
        return tuple(found)

    def measure(self, settings: Mapping[str, Any], show: Show) -> Findings:
        """One training a length, all worlds on each."""
        rows: dict[str, list[dict[str, float]]] = {
            world: [] for world in (HOME, *settings["worlds"])
        }
        named = {name: settings[name] for name in ("symbols", "alpha", "batch", "rate", "steps")}
        recipe = Recipe(**named, tests=settings["tests"], seed=settings["seed"])
        for length in settings["lengths"]:
            parents = tree("chain", length - 1)
            (run,) = train_trees([parents], recipe, show, f"length {length}")
            found = _distances(run.weights, parents, settings)
            for world, distances in found.items():
                rows[world].append({"length": length, **distances})
        values: dict[str, Any] = {}
        longest = max(settings["lengths"])
        home = next(row for row in rows[HOME] if row["length"] == longest)
        for world in settings["worlds"]:
            last = next(row for row in rows[world] if row["length"] == longest)
            ranked = sorted(rows[world], key=lambda row: row["to truth"])
            values |= {
                f"{world}, T={longest}: distance from counting": last["to counts"],
                f"{world}, T={longest}: distance from counting over that at home": last["to counts"]
                / home["to counts"],
                f"{world}: least distance from the true row first": tuple(
                    f"T={row['length']}" for row in ranked
                ),
            }
        return Findings(values, {"worlds": rows, "bound": settings["bound"], "ratio": RATIO})


def cycle(symbols: int, floor: float) -> Float[np.ndarray, "token label"]:
    """On by one but for a share of `floor`, which goes anywhere."""
    if not 0 < floor < 1 or symbols < 2:
        raise BadInput(
            "no such cycle",
            seen=f"{symbols} symbols, floor {floor}",
            why="at least two symbols, and a floor between 0 and 1",
        )
    return floor / symbols + (1 - floor) * np.roll(np.eye(symbols), 1, axis=1)


def _distances(
    model: Disentangled, parents: tuple[int, ...], settings: Mapping[str, Any]
) -> dict[str, dict[str, float]]:
    """Mean largest differences between the answer, the counts and the true row, world by world."""
    places = jnp.array(parents)

    @jax.jit
    def compared(model: Disentangled, tables: Array, chances: Array) -> list[Array]:
        shown = jax.vmap(lambda table, chance: grow(places, table, chance))(tables, chances)
        answer = jnp.exp(said(model, shown.word))
        count = lambda word: counted(word, places, len(tables[0]), settings["alpha"])  # noqa: E731
        best = jax.vmap(count)(shown.word)
        pairs = ((answer, best), (answer, shown.row), (best, shown.row))
        return [jnp.mean(jnp.max(jnp.abs(one - other), axis=-1)) for one, other in pairs]

    found, names = {}, ("to counts", "to truth", "counts to truth")
    for number, world in enumerate((HOME, *settings["worlds"])):
        drawn = np.random.default_rng([settings["seed"], number])
        tables = _tables(world, drawn, settings)
        require_chances(tables, square=True)  # mapped over below, where nothing can be refused
        chances = drawn.random((len(tables), len(parents) + 1))
        values = compared(model, *(jnp.asarray(each, jnp.float32) for each in (tables, chances)))
        found[world] = {
            name: round(float(value), 5) for name, value in zip(names, values, strict=True)
        }
    return found


def _tables(
    world: str, drawn: np.random.Generator, settings: Mapping[str, Any]
) -> Float[np.ndarray, "batch token label"]:
    """Chains of one world, a table a word; away from home every chance has a floor."""
    symbols, floor, count = settings["symbols"], settings["floor"], settings["tests"]
    if world == "cycle":
        return np.stack([cycle(symbols, floor)] * count)
    if world == "balanced":
        keys = jax.random.split(key_for(root_key(settings["seed"]), world), count)
        prior = Prior("doubly-stochastic", settings["alpha"], floor)
        sample = jax.jit(jax.vmap(lambda key: sample_rows(key, 1, symbols, prior)))
        return np.asarray(sample(keys))
    if world not in (HOME, "sparse"):
        raise BadInput("unknown world of chains", seen=world, hint=", ".join(AWAY))
    home = world == HOME
    alpha, share = (settings["alpha"], 0.0) if home else (SPARSE, floor)
    rows = drawn.dirichlet(np.full(symbols, alpha), (count, symbols))
    return share / symbols + (1 - share) * rows
