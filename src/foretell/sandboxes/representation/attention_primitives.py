"""What one head can do exactly: average everything, or select one position.

What: Every construction of this part uses attention in one of two ways. Uniform attention, with all
    scores equal, returns the mean of the values, and with the length known their sum: it counts.
    Sparse attention, with one score ahead of the others, returns one value: it selects. The first
    is exact. The second is not, because a softmax gives every position some weight; how far ahead
    the score must be depends on how many others there are.
Definition: Scores s_1, …, s_T and values v_1, …, v_T are read as Σ α_j v_j with α_j proportional to
    exp(s_j). Equal scores: α_j = 1/T. One score ahead of all others by κ at least: its weight is
    at least 1/(1 + (T-1)·exp(-κ)), with equality when the others are equal, and this is at least
    1 - (T-1)·exp(-κ). So a weight of 1-ε is certain from κ = ln((T-1)(1-ε)/ε) on, which grows with
    the logarithm of the length; and with κ fixed the weight falls to 0 as T grows. That is why a
    construction says what its sharpness is, and why bounded weights fail on long inputs.
Example:
    >>> round(float(selected_weight(5.0, 100)), 4), round(gap_for(0.01, 1025), 2)
    (0.5999, 11.53)

Known limits: Two primitives are not yet a transformer. That transformers approximate every
    continuous map from sequences to sequences (Yun and others, 2020) needs a number of layers
    exponential in dimension and length; that they are Turing complete (Pérez and others, 2021)
    needs numbers of unbounded precision. Neither says what a network of practical size can do,
    which is the question of the other sandboxes here, so they are quoted and not run.
Sources: Are Transformers Universal Approximators of Sequence-to-Sequence Functions? (Yun and
    others, 2020); Attention is Turing Complete (Pérez and others, 2021); the tutorial Sandbox for
    the Blackbox, part I
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, final

import jax
import numpy as np
from jaxtyping import Float
from scipy.optimize import brentq
from scipy.special import softmax

from foretell.constructions.scan_automaton import attention_of
from foretell.numerics.precision import double_precision
from foretell.plain.errors import BadInput
from foretell.protocols._asking import Budget
from foretell.sandboxes import Claim, Findings, Sandbox, Show
from foretell.worlds.chains import require_memory

EXACT = 1e-12
MISSED = 0.01
DRAWN = 10
CARDS = [
    ["universal approximation", "any continuous map of T vectors", "layers exponential in d and T"],
    ["Turing completeness", "any computation, step by step", "numbers of unbounded precision"],
]


@final
class AttentionPrimitives(Sandbox):
    """Means, counts and selections by softmax attention, against their formulas."""

    name = "attention-primitives"
    title = "Averaging and selecting"
    lesson = (
        "Uniform attention averages exactly. A score that is κ ahead selects with the weight "
        "1/(1 + (T-1)exp(-κ)) at least: dashed its bound, below which no point lies. The longer "
        "the input, the further ahead the score must be."
    )
    caveat = "Two building blocks; what can be built from them is the other sandboxes' question."
    essential = False

    def settings(self, budget: Budget) -> dict[str, Any]:
        """Lengths and gaps; random scores on top."""
        small = budget is Budget.SMOKE
        lengths = [8, 32] if small else [8, 64, 512, 2048 if budget is Budget.GPU else 1024]
        gaps = [round(0.5 * step, 1) for step in range(9 if small else 33)]
        return {"lengths": lengths, "gaps": gaps, "draws": 20 if small else 200, "seed": 0}

    def require(self, settings: Mapping[str, Any]) -> None:
        """Refuse more random scores than fit."""
        longest = max(settings["lengths"])
        require_memory(
            8 * settings["draws"] * longest, f"{settings['draws']:,} rows of {longest:,}"
        )

    def claims(self, settings: Mapping[str, Any]) -> tuple[Claim, ...]:
        """Closed forms of the softmax."""
        longest = max(settings["lengths"])
        gap = gap_for(MISSED, longest)
        return (
            Claim("uniform: largest difference from the mean", 0.0, "=", EXACT),
            Claim("uniform: counts that are wrong", 0.0),
            Claim("selection: largest difference from the formula", 0.0, "=", EXACT, "derived"),
            Claim("selection: least weight above 1 - (T-1)exp(-κ)", 0.0, ">=", EXACT),
            Claim("random scores: least weight above 1/(1 + (T-1)exp(-κ))", 0.0, ">=", EXACT),
            Claim(f"T = {longest}: gap for a weight of {1 - MISSED:g}", gap, "=", 1e-6, "derived"),
        )

    def measure(self, settings: Mapping[str, Any], show: Show) -> Findings:
        """Softmax attention in 64 bits."""
        lengths, gaps = settings["lengths"], np.array(settings["gaps"])
        longest = max(lengths)
        mean, counts = _uniform(longest, settings["seed"])
        curves, unlike, above = [], [], []
        for length in lengths:
            weights = _weights(gaps, length, longest)
            unlike.append(np.abs(weights - selected_weight(gaps, length)).max())
            bound = 1 - (length - 1) * np.exp(-gaps)
            above.append((weights - bound).min())
            shown = {"weights": weights.round(6).tolist(), "bound": bound.round(6).tolist()}
            curves.append({"length": length, **shown})
        found = [_gap_measured(length) for length in lengths]
        values = {
            "uniform: largest difference from the mean": mean,
            "uniform: counts that are wrong": counts,
            "selection: largest difference from the formula": float(max(unlike)),
            "selection: least weight above 1 - (T-1)exp(-κ)": float(min(above)),
            "random scores: least weight above 1/(1 + (T-1)exp(-κ))": _random_scores(settings),
            f"T = {longest}: gap for a weight of {1 - MISSED:g}": found[-1],
        }
        needed = {"lengths": lengths, "measured": found}
        drawn = {"gaps": gaps.tolist(), "selection": curves, "needed": needed, "missed": MISSED}
        return Findings(values, {**drawn, "patterns": _patterns(), "cards": CARDS})


def selected_weight(gap: Any, length: int) -> Any:
    """The weight of a position whose score is ahead of all other (equal) scores by `gap`."""
    return 1 / (1 + (length - 1) * np.exp(-np.asarray(gap)))


def gap_for(missed: float, length: int) -> float:
    """How far ahead a score must be for a weight of `1 - missed`."""
    if not 0 < missed < 1 or length < 2:
        raise BadInput(
            "nothing to be ahead of",
            seen=f"a share of {missed:g} missed, {length} positions",
            why="a share is between 0 and 1, and there are at least two positions",
        )
    return math.log((length - 1) * (1 - missed) / missed)


_look = jax.jit(attention_of)
_spread = jax.jit(jax.nn.softmax)


def _head(length: int, by_lag: Float[np.ndarray, " length"]) -> Float[np.ndarray, "length length"]:
    """The attention of a head that sees no contents, only how far back a position is."""
    return np.asarray(_look(np.zeros((length, 1)), np.zeros((1, 1)), by_lag))


def _uniform(length: int, seed: int) -> tuple[float, float]:
    """Means of all prefixes of some numbers; counts of all prefixes of some bits."""
    draw = np.random.default_rng(seed)
    numbers, bits = draw.normal(size=length), draw.integers(0, 2, length).astype(float)
    place = np.arange(1, length + 1)
    with double_precision():
        evenly = _head(length, np.zeros(length))
    unlike = np.abs(evenly @ numbers - np.cumsum(numbers) / place).max()
    return float(unlike), float((np.rint(evenly @ bits * place) != np.cumsum(bits)).sum())


def _weights(
    gaps: Float[np.ndarray, " size"], length: int, room: int
) -> Float[np.ndarray, " size"]:
    """Of the one position that is ahead, for every gap; `room` is the length that was compiled."""
    scores = np.where(np.arange(room) < length, gaps[:, None] * (np.arange(room) == 0), -np.inf)
    with double_precision():
        return np.asarray(_spread(scores))[:, 0]


def _gap_measured(length: int) -> float:
    """Where the weight crosses, by bisection on a softmax."""
    ahead = np.arange(length) == 0
    crossing = brentq(lambda gap: softmax(gap * ahead)[0] - (1 - MISSED), 0.0, 40.0, xtol=1e-9)
    return float(crossing)


def _random_scores(settings: Mapping[str, Any]) -> float:
    """Any scores, one of them ahead of the best of the others by κ."""
    length, draw = max(settings["lengths"]), np.random.default_rng(settings["seed"])
    gaps = draw.uniform(0.0, 12.0, settings["draws"])
    scores = draw.normal(size=(settings["draws"], length))
    scores[:, 0] = scores[:, 1:].max(axis=1) + gaps
    with double_precision():
        weights = np.asarray(_spread(scores))[:, 0]
    return float((weights - selected_weight(gaps, length)).min())


def _patterns() -> dict[str, Any]:
    """Small maps for the figure: all scores equal, and the position before ahead by 40."""
    with double_precision():
        lags = {"uniform": np.zeros(DRAWN), "sparse": 40.0 * (np.arange(DRAWN) == 1)}
        return {name: _head(DRAWN, by_lag).round(3).tolist() for name, by_lag in lags.items()}
