"""Two layers as a memory: facts held grow with the product of width and hidden width.

What: Random directions shall lead to other random directions, as in `linear-memory`, but through a
    ReLU layer of m hidden units. The number of facts it can hold is no longer tied to d²: it grows
    with the number m d of weights, so that twice the hidden units hold about twice the facts. To
    have only the tangent at the start, which is linear in its weights, holds fewer; one-hot
    inputs hold d. Without the ReLU the two layers are one matrix of rank m, which also holds as
    many facts as m d: twice the width hold twice, where a free matrix holds four times as many.
Definition: F(z) = Vᵀ relu(W z + a), V and W of m rows and d columns; fact x is right if u_y is, of
    all N answers, the one with the largest u_y · F(e_x). Some weights hold all of N facts if N is
    at most m d up to logarithms, and no memory of that many weights holds more. N₉₉ is the
    number at which training leaves more than 1 % wrong: N₉₉(2m)/N₉₉(m) is near 2. The tangent is
    F(z; θ₀) + DF(z; θ₀)·(θ - θ₀), with θ₀ the random start. One-hot inputs repeat after d facts:
    input x is unit vector x mod d. The matrix of rank m is F(z) = Vᵀ W z, with m below d.
Example:
    >>> sandbox = MlpMemory()
    >>> [claim.quantity for claim in sandbox.claims(sandbox.settings(Budget.SMOKE))][0]
    'd=4: facts held, 8 over 4 hidden units'

Known limits: The constant depends on how long and how well one trains, and the logarithm does not
    show between two sizes a factor of two apart. Ratios of 1.7 to 2.6 are called two here, which
    is what others found with other steps. Few seeds, small widths. Of a matrix of rank m only the
    width is doubled: as m comes near d the count must turn from m d to d², and when twice the rank
    was tried at these widths (not kept) it held clearly less than twice the facts.
Sources: Understanding factual recall in transformers via associative memories (Nichani, Lee,
    Bietti, 2024); the tutorial Sandbox for the Blackbox, part II
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Mapping, Sequence
from typing import Any, final

import jax
import numpy as np
from jaxtyping import Array, Float, Int

from foretell.plain.errors import BadInput
from foretell.protocols._asking import Budget
from foretell.sandboxes import Claim, Findings, Sandbox, Show, require_growing
from foretell.worlds.memory_capacity import (
    Associations,
    Memory,
    Tuning,
    associations,
    fewest_first,
    fleet_of_facts,
    require_memory,
    require_scores,
    rounded,
    search,
    train,
)

LOWEST, HIGHEST = 1.7, 2.6  # ratios of facts held that agree with twice as many


@final
class MlpMemory(Sandbox):
    """A search for the number of facts held, by width and hidden width."""

    name = "mlp-memory"
    essential = False
    title = "Two layers as a memory: facts grow with m·d"
    lesson = (
        "Twice the hidden units hold about twice the facts, whatever the width: the points lie "
        "along a line of slope 1 in the number of weights. The tangent at the start holds fewer, "
        "one-hot inputs fewer still. A matrix of low rank lies along that line, too (dotted)."
    )
    caveat = "It shows what Adam finds for random facts, not the most that any weights could hold."

    def settings(self, budget: Budget) -> dict[str, Any]:
        """Widths, hidden widths, and a window of N / (m d) to search in."""
        widths, hidden, seeds, steps = {
            Budget.SMOKE: ([4], [4, 8], 1, 200),
            Budget.CPU: ([8, 16], [16, 32], 1, 3000),
            Budget.GPU: ([8, 16, 32], [16, 32, 64, 128], 5, 2**15),
        }[budget]
        rank, ranked = {
            Budget.SMOKE: (2, [4, 8]),
            Budget.CPU: (4, [16, 32]),
            Budget.GPU: (8, [32, 64, 128]),
        }[budget]
        return {
            "widths": widths,
            "hidden": hidden,
            "seeds": seeds,
            "window": [0.2, 1.5] if budget is Budget.SMOKE else [0.4, 0.95],
            "tries": 2 if budget is Budget.SMOKE else 5,
            "rank": rank,
            "ranked_widths": ranked,
            "ranked_window": [0.3, 3.0] if budget is Budget.SMOKE else [0.2, 0.95],
            "tuning": {"rate": 0.03, "scale": 5.0, "steps": steps},
            "seed": 0,
        }

    def require(self, settings: Mapping[str, Any]) -> None:
        """Refuse what does not go together, or does not fit."""
        widths, hidden, rank = settings["widths"], settings["hidden"], settings["rank"]
        require_growing("hidden", hidden, 1)
        require_growing("ranked_widths", settings["ranked_widths"], 1)
        _require_rank(rank, settings["ranked_widths"])
        require_memory(widths[0], widths[0] // 2)  # facts that one-hot inputs begin with
        units = [width * many for width in widths for many in hidden]
        ranked = [width * rank for width in settings["ranked_widths"]]
        for name, sizes in (("window", units), ("ranked_window", ranked)):
            require_growing(name, settings[name])
            low, high = settings[name]
            require_memory(1, round(low * min(sizes)))
            require_scores(settings["seeds"] * settings["tries"], round(high * max(sizes)))

    def claims(self, settings: Mapping[str, Any]) -> tuple[Claim, ...]:
        """Twice as many for twice the units, or width, and the order of the three."""
        _require_rank(settings["rank"], settings["ranked_widths"])
        middle, reach = (LOWEST + HIGHEST) / 2, (HIGHEST - LOWEST) / 2
        ratios = [
            Claim(_ratio(width, *pair), middle, "=", reach, "numeric")
            for width in settings["widths"]
            for pair in itertools.pairwise(settings["hidden"])
        ]
        ratios += [
            Claim(_ranked(settings["rank"], *pair), middle, "=", reach, "numeric")
            for pair in itertools.pairwise(settings["ranked_widths"])
        ]
        order = ("one-hot", "tangent", "trained")
        width, hidden = settings["widths"][0], settings["hidden"][0]
        return (*ratios, Claim(_order(width, hidden), order, "order", 0.0, "empirical"))

    def measure(self, settings: Mapping[str, Any], show: Show) -> Findings:
        """Search every pair of widths, then the smallest again by its tangent."""
        held = {
            (width, hidden): held_by(network, width, hidden, settings)
            for width in settings["widths"]
            for hidden in settings["hidden"]
        }
        values: dict[str, Any] = {
            _ratio(width, *pair): held[width, pair[1]] / held[width, pair[0]]
            for width in settings["widths"]
            for pair in itertools.pairwise(settings["hidden"])
        }
        width, hidden = settings["widths"][0], settings["hidden"][0]
        by_tangent = held_by(tangent, width, hidden, settings)
        window = (0.5 / hidden, 2.0 / hidden)  # around d, in parts of m d
        by_one_hot = held_by(network, width, hidden, settings, window, one_hot)
        three = {"one-hot": by_one_hot, "tangent": by_tangent, "trained": held[width, hidden]}
        values[_order(width, hidden)] = fewest_first(three)
        ranked = _held_by_rank(settings)
        values |= {
            _ranked(settings["rank"], *pair): ranked[pair[1]] / ranked[pair[0]]
            for pair in itertools.pairwise(settings["ranked_widths"])
        }
        curves = {
            "held": [[*place, rounded(number)] for place, number in held.items()],
            "tangent": [width, hidden, rounded(by_tangent)],
            "one-hot": [width, hidden, rounded(by_one_hot)],
            "rank": [[each, settings["rank"], rounded(number)] for each, number in ranked.items()],
        }
        return Findings(values, curves)


def _held_by_rank(settings: Mapping[str, Any]) -> dict[int, float]:
    """By width, with the same rank."""
    low, high = settings["ranked_window"]
    return {
        width: held_by(ranked_matrix, width, settings["rank"], settings, (low, high))
        for width in settings["ranked_widths"]
    }


def _require_rank(rank: int, widths: Sequence[int]) -> None:
    if not 0 < rank < min(widths):
        raise BadInput(
            "a rank that is no restriction",
            seen=f"rank {rank}, widths {', '.join(map(str, widths))}",
            why="it has to be over 0 and below every width",
        )


def _ratio(width: int, few: int, many: int) -> str:
    return f"d={width}: facts held, {many} over {few} hidden units"


def _ranked(rank: int, narrow: int, wide: int) -> str:
    return f"matrix of rank {rank}: facts held, d={wide} over d={narrow}"


def _order(width: int, hidden: int) -> str:
    return f"d={width}, m={hidden}: facts held, fewest first"


def network(weights: Mapping[str, Array], inputs: Float[Array, "token width"]) -> Array:
    """Two layers with a ReLU between."""
    return _layers(weights["now"], inputs)


def ranked_matrix(weights: Mapping[str, Array], inputs: Float[Array, "token width"]) -> Array:
    """The same without the ReLU and the bias: a product of two matrices."""
    return inputs @ weights["now"]["first"].T @ weights["now"]["second"]


def one_hot(facts: Associations) -> Associations:
    """The same answers, asked for by unit vectors, of which there are no more than dimensions."""
    number, width = facts.inputs.shape
    return facts._replace(inputs=np.eye(width, dtype=np.float32)[np.arange(number) % width])


def tangent(weights: Mapping[str, Array], inputs: Float[Array, "token width"]) -> Array:
    """The network's linear model around its start; what does not change gets no gradient."""
    start = jax.lax.stop_gradient(weights["start"])
    change = jax.tree.map(lambda now, then: now - then, weights["now"], start)
    value, slope = jax.jvp(lambda place: _layers(place, inputs), (start,), (change,))
    return value + slope


def _layers(weights: Any, inputs: Array) -> Array:
    return jax.nn.relu(inputs @ weights["first"].T + weights["bias"]) @ weights["second"]


def _start(members: int, width: int, hidden: int, seed: int) -> dict[str, Any]:
    random = np.random.default_rng((seed, width, hidden))

    def normal(*shape: int) -> Float[np.ndarray, "..."]:
        drawn = random.normal(size=(members, *shape)).astype(np.float32)
        return drawn / np.float32(np.sqrt(shape[-1]))

    now = {
        "first": normal(hidden, width),
        "bias": np.zeros((members, hidden), np.float32),
        "second": normal(width, hidden).swapaxes(1, 2),
    }
    return {"now": now, "start": now}


def held_by(
    memory: Memory,
    width: int,
    hidden: int,
    settings: Mapping[str, Any],
    window: tuple[float, float] | None = None,
    asked: Callable[[Associations], Associations] = lambda facts: facts,
) -> float:
    """Facts at which the mean share right over seeds falls below 99 %."""
    low, high = window or settings["window"]
    scaled = np.geomspace(low, high, settings["tries"]) * width * hidden
    numbers = np.round(scaled).astype(int)
    require_memory(width, int(numbers.min()))
    seeds, tuning = settings["seeds"], Tuning(**settings["tuning"])
    facts = [
        asked(associations((settings["seed"], width, seed), width, int(numbers.max())))
        for seed in range(seeds)
    ]

    def shares_of(numbers: Int[np.ndarray, " size"]) -> Float[np.ndarray, " size"]:
        rows = np.tile(numbers, (seeds, 1))
        weights = _start(rows.size, width, hidden, settings["seed"])
        shares = train(memory, tuning, weights, fleet_of_facts(facts, rows))[1]
        return np.asarray(shares).reshape(rows.shape).mean(axis=0)

    return search(numbers, shares_of)
