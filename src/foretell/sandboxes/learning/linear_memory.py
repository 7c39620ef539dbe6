"""One matrix as a memory: how many random associations can it hold?

What: Fact x is a random direction e_x that shall lead to its own random direction u_y. A matrix W
    of d rows and columns holds it if u_y is, of all N answers, the one nearest to W e_x. Add up
    the outer products u_y e_xᵀ, as Hebb's rule does, and the facts lie on top of each other:
    each is heard through the noise of the others, and how many can be told apart grows with the
    number of entries of W, d². With one-hot vectors nothing overlaps, and only d facts fit. A
    trained W holds several times what Hebb's rule does.
Definition: Hebb: W = Σ u_y e_xᵀ. The right answer scores about 1 + √v₀ z and each of the others
    √v₁ z', with v₀ = N/d² and v₁ = N/d² + 1/d, so that a fact is right with probability
    ∫ φ(z) Φ((1 + √v₀ z)/√v₁)^(N-1) dz, which falls to 99 % near N = 0.028 d². Trained with
    cross-entropy, the number N₉₉ at which the expected share right falls below 99 % follows
    N ln N ≈ d²: the slope of log(N ln N) against log d² is 1.
Example:
    >>> f"{hebbian_share(facts=409, width=64):.3f}"
    '0.490'
    >>> round(hebbian_capacity(width=64))
    119

Known limits: The formula takes scores for independent and normal: simulated shares are up to 0.04
    lower, and more below 32 dimensions. N₉₉ is what Adam reaches in the steps it is given, with
    few seeds, and the constant in N ln N ≈ d² depends on that; the theorem fixes neither constant
    nor logarithm. The mean share over seeds decides; averaging each seed's own number instead
    gives more at d = 8 and slopes of 0.92 to 0.94. The largest budget stops at d = 128, half
    of what was published. Nothing here is correlated or written with few bits.
Sources: Understanding factual recall in transformers via associative memories (Nichani, Lee,
    Bietti, 2024); Scaling laws for associative memories (Cabannes, Dohmatob, Bietti, 2024); the
    tutorial Sandbox for the Blackbox, part II
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, final

import numpy as np
from jaxtyping import Array, Float, Int
from scipy import optimize, special

from foretell.protocols._asking import Budget
from foretell.sandboxes import Claim, Findings, Sandbox, Show, require_growing
from foretell.worlds.memory_capacity import (
    ALMOST_ALL,
    Associations,
    Tuning,
    associations,
    capacity,
    fewest_first,
    fleet_of_facts,
    require_memory,
    require_scores,
    rounded,
    search,
    train,
)

HEBBIAN = ((32, 51), (32, 102), (64, 204), (64, 409), (64, 819), (128, 819), (128, 1638))
SIMULATED, SLOPE = 0.05, 0.08
NODES, WEIGHTS = np.polynomial.hermite_e.hermegauss(120)


@final
class LinearMemory(Sandbox):
    """Hebb's rule simulated, and a search for the number of facts that training holds."""

    name = "linear-memory"
    title = "One matrix as a memory: N ln N grows as d²"
    lesson = (
        "Facts that a trained matrix holds follow the dashed line N ln N = d², far above Hebb's "
        "rule and above one fact a dimension. Simulated shares under Hebb's rule lie on the curves "
        "of the formula."
    )
    caveat = "It shows random, unrelated facts; what a language model stores is neither."

    def settings(self, budget: Budget) -> dict[str, Any]:
        """Widths, and a window of N ln N / d² to search in; seeds are those of the largest."""
        widths, seeds, rate, scale, steps = {
            Budget.SMOKE: ([4, 8], 1, 0.03, 30.0, 100),
            Budget.CPU: ([8, 16, 24, 32], 3, 0.03, 30.0, 1500),
            Budget.GPU: ([round(2 ** (3 + k / 2)) for k in range(9)], 5, 1000.0, 1.0, 4096),
        }[budget]
        return {
            "hebbian": [list(each) for each in HEBBIAN[: 1 if budget is Budget.SMOKE else None]],
            "draws": 2 if budget is Budget.SMOKE else 12,
            "widths": widths,
            "seeds": seeds,
            "window": [0.5, 1.7],
            "tries": 3 if budget is Budget.SMOKE else 6,
            "tuning": {"rate": rate, "scale": scale, "steps": steps},
            "seed": 0,
        }

    def require(self, settings: Mapping[str, Any]) -> None:
        """Refuse what does not go together, or does not fit."""
        require_growing("widths", settings["widths"])
        require_growing("window", settings["window"])
        for width in settings["widths"]:
            numbers = _numbers(width, settings)
            require_memory(width, int(numbers.min()))
            seeds = settings["seeds"] * min(4, max(settings["widths"]) // width)
            require_scores(seeds * len(numbers), int(numbers.max()))

    def claims(self, settings: Mapping[str, Any]) -> tuple[Claim, ...]:
        """Quadrature, counting, and the exponent."""
        hebbian = [
            Claim(
                _hebbian_label(width, facts),
                hebbian_share(facts=facts, width=width),
                tolerance=SIMULATED,
                evidence="derived",
            )
            for width, facts in settings["hebbian"]
        ]
        widths = settings["widths"]
        most = max(widths)
        order = ("Hebb", "trained")
        return (
            *hebbian,
            Claim("slope of log(N ln N) against log d²", 1.0, "=", SLOPE, "numeric"),
            Claim(f"d={most}: facts held to 99 %, fewest first", order, "order", 0.0, "numeric"),
            Claim(f"d={widths[0]}: one-hot inputs: facts held", float(widths[0]), "<="),
        )

    def measure(self, settings: Mapping[str, Any], show: Show) -> Findings:
        """Simulate, then search every width with all seeds and numbers of facts at once."""
        shares = _simulate(settings)
        values: dict[str, Any] = {
            _hebbian_label(*each): share
            for each, share in zip(settings["hebbian"], shares, strict=True)
        }
        found = [_held(width, settings) for width in settings["widths"]]
        held = np.array(found)
        squares = np.log(np.square(settings["widths"]))
        values["slope of log(N ln N) against log d²"] = float(
            np.polyfit(squares, np.log(held * np.log(held)), 1)[0]
            if np.isfinite(held).all()
            else np.nan
        )
        most, least = max(settings["widths"]), settings["widths"][0]
        both = {"Hebb": _simulated_capacity(most, settings), "trained": float(held[-1])}
        values[f"d={most}: facts held to 99 %, fewest first"] = fewest_first(both)
        values[f"d={least}: one-hot inputs: facts held"] = _one_hot(least, settings)
        return Findings(values, _curves(settings, shares, found, both["Hebb"]))


def hebbian_share(*, facts: int, width: int) -> float:
    """Chance that a fact written by Hebb's rule beside the others is read back right."""
    require_memory(width, facts)
    return _share(float(facts), width)


def hebbian_capacity(*, width: int) -> float:
    """Facts at which that chance is 99 %, not rounded."""

    def above(log_facts: float) -> float:
        return _share(math.exp(log_facts), width) - ALMOST_ALL

    return math.exp(optimize.brentq(above, math.log(1.001), math.log(width**2)))


def _share(facts: float, width: int) -> float:
    own = facts / width**2
    rest = own + 1 / width
    nearest = special.log_ndtr((1 + math.sqrt(own) * NODES) / math.sqrt(rest))
    return float(np.exp((facts - 1) * nearest) @ WEIGHTS / math.sqrt(2 * math.pi))


def _hebbian_label(width: int, facts: int) -> str:
    return f"d={width}, N={facts}: share right by Hebb's rule"


def linear(weights: Float[Array, "width width"], inputs: Array) -> Array:
    """The memory: one matrix."""
    return inputs @ weights.T


def hebbian_shares(
    seed: tuple[int, ...], width: int, numbers: Int[np.ndarray, " size"], draws: int
) -> Float[np.ndarray, " size"]:
    """Simulated: shares right by number of facts, the mean over so many memories."""
    found = np.zeros((draws, len(numbers)))
    for draw, place in np.ndindex(found.shape):  # one large matrix at a time is memory enough
        facts = associations((*seed, draw), width, int(numbers[place]))
        memory = facts.outputs.T @ facts.inputs
        nearest = np.argmax(facts.inputs @ memory.T @ facts.outputs.T, axis=1)
        found[draw, place] = np.mean(nearest == facts.answers)
    return found.mean(axis=0)


def _simulate(settings: Mapping[str, Any]) -> list[float]:
    return [
        float(
            hebbian_shares((settings["seed"], width), width, np.array([facts]), settings["draws"])[
                0
            ]
        )
        for width, facts in settings["hebbian"]
    ]


def _simulated_capacity(width: int, settings: Mapping[str, Any]) -> float:
    """By Hebb's rule, of numbers up to a fifth of d²."""
    numbers = np.unique(np.geomspace(2, width**2 / 5, 32).astype(int))
    shares = hebbian_shares((settings["seed"], width), width, numbers, settings["draws"])
    return capacity(numbers, shares)


def facts_for(product: float) -> int:
    """The number of facts N with that N ln N.

    >>> facts_for(1024.0)
    194
    """
    return round(product / float(special.lambertw(product).real))


def _numbers(width: int, settings: Mapping[str, Any]) -> Int[np.ndarray, " size"]:
    """Numbers of facts to try first."""
    low, high = settings["window"]
    products = np.geomspace(low, high, settings["tries"]) * width**2
    return np.array([facts_for(product) for product in products])


def _all_facts(width: int, most: int, settings: Mapping[str, Any]) -> list[Associations]:
    """A list each seed; narrow memories vary more and cost less, so there are more of them."""
    seeds = settings["seeds"] * min(4, max(settings["widths"]) // width)
    return [associations((settings["seed"], width, seed), width, most) for seed in range(seeds)]


def _train(fleet: Associations, settings: Mapping[str, Any]) -> Float[np.ndarray, " member"]:
    members, _, width = fleet.inputs.shape
    weights = np.zeros((members, width, width), np.float32)
    return np.asarray(train(linear, Tuning(**settings["tuning"]), weights, fleet)[1])


def _held(width: int, settings: Mapping[str, Any]) -> float:
    """Facts at which the mean share right over seeds falls below 99 %."""
    numbers = _numbers(width, settings)
    facts = _all_facts(width, int(numbers.max()), settings)

    def shares_of(numbers: Int[np.ndarray, " size"]) -> Float[np.ndarray, " size"]:
        rows = np.tile(numbers, (len(facts), 1))
        return _train(fleet_of_facts(facts, rows), settings).reshape(rows.shape).mean(axis=0)

    return search(numbers, shares_of)


def _one_hot(width: int, settings: Mapping[str, Any]) -> float:
    """The most held of any seed when only d different inputs are to be had."""
    numbers = _numbers(width, settings)
    most = int(numbers.max())
    facts = _all_facts(width, most, settings)
    fleet = fleet_of_facts(facts, np.full((len(facts), len(numbers)), most))
    shared = np.resize(np.eye(width, dtype=np.float32), fleet.inputs.shape[1:])
    fleet = fleet._replace(inputs=np.broadcast_to(shared, fleet.inputs.shape))
    return float(np.round(most * _train(fleet, settings).max()))


def _curves(
    settings: Mapping[str, Any], shares: list[float], found: list[float], hebb: float
) -> dict[str, Any]:
    widths = settings["widths"]
    simulated = [
        {"width": width, "facts": facts, "share": round(share, 4)}
        for (width, facts), share in zip(settings["hebbian"], shares, strict=True)
    ]
    formulas = []
    for width in sorted({width for width, _ in settings["hebbian"]}):
        numbers = np.unique(np.geomspace(4, width**2 / 2, 60).astype(int))
        heights = [round(hebbian_share(facts=int(n), width=width), 4) for n in numbers]
        formulas.append({"width": width, "facts": numbers.tolist(), "share": heights})
    return {
        "widths": widths,
        "held": [rounded(each) for each in found],
        "hebbian": [round(hebbian_capacity(width=width), 2) for width in widths],
        "hebbian_simulated": {"width": max(widths), "held": rounded(hebb)},
        "simulated": simulated,
        "formulas": formulas,
    }
