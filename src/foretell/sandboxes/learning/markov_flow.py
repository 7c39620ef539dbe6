"""Gradient flow of one layer on a Markov chain: which starts are trapped, and how likely they are.

What: `markov-landscape` finds a trap but not how large it is. Confine the layer to rank-one
    weights along one direction, as trained layers are found to be, and three numbers remain:
    e, the length of the embedding, w, the strength of the ReLU layer, and a, that of attention.
    With a = 0 gradient flow can be solved: it moves along curves of constant energy, and one
    curve, through the saddle, parts the starts that learn the chain from those that end as if
    there were no last symbol. A small Gaussian start is trapped surely if p + q > 1, and never
    if p + q < 1: the very same start, on chains that switch often or seldom.
Definition: With s = (x - ½) + a(m - ½), m the mean of the symbols so far, the logit is
    e²[s + 4w|w|·ReLU(s)] + b, and b is always the best one. At a = 0 it rises from x = 0 to x = 1
    by u = e²(1 + 2w|w|). With G = π₁(P̂(1|1) - (1-q)) the gradient is 2e(1 + 2w|w|)G in e and
    4|w|e²G in w, so that E = e² - w² - sgn(w)·log|w| is conserved. Minima have
    u = log((1-p)(1-q)/(pq)); points with e = 0 are stationary with the marginal's entropy as
    their loss, and at w = -1/√2, where E = -(1 + log 2)/2, they turn from attracting to
    repelling. Below that energy are trapped: for p + q < 1 the starts with w < -1/√2; for
    p + q > 1 those with -1/√2 < w < 0, and, whatever their energy, all with w ≥ 0. Integrating
    a normal law over that set gives the chance of a trap, the same for all chains on one side.
Example:
    >>> from foretell.worlds.markov_energy import trap_probability
    >>> for spread in (0.1, 1.0):
    ...     often, seldom = (trap_probability(spread, switching=it) for it in (True, False))
    ...     print(f"start {spread:g}: trapped {often:.3f} if p + q > 1, {seldom:.3f} if p + q < 1")
    start 0.1: trapped 1.000 if p + q > 1, 0.000 if p + q < 1
    start 1: trapped 0.619 if p + q > 1, 0.113 if p + q < 1

Known limits: Two numbers, population loss, and the best bias at every moment: with a bias that is
    itself trained the energy drifts. The plane a = 0 is not quite kept: the loss's slope in a
    there is of order log(N)/N for N symbols if p = q or w = 0, and has a limit that is not 0
    otherwise.
Sources: Local to Global: learning dynamics and effect of initialization for transformers (Makkuva
    and others, 2024); the tutorial Sandbox for the Blackbox, part II
"""

from __future__ import annotations

import functools
from collections.abc import Mapping
from typing import Any, final

import jax
import numpy as np
from jaxtyping import Float

from foretell.numerics.precision import double_precision
from foretell.numerics.stages import crossing
from foretell.plain.errors import BadInput
from foretell.protocols._asking import Budget
from foretell.sandboxes import Claim, Findings, Sandbox, Show
from foretell.worlds.binary_chain import entropy, entropy_rate, require_chain
from foretell.worlds.markov_energy import (
    SADDLE,
    SADDLE_ENERGY,
    attention_slope,
    border_line,
    energy,
    long_attention_slope,
    minima_line,
    trap_probability,
    trapped,
)
from foretell.worlds.markov_plane import follow, loss_and_gradients, read_attention_slope, stuck_at

CHAINS = ((0.1, 0.1), (0.9, 0.9), (0.2, 0.3), (0.5, 0.8))  # the first two are drawn
GOOD = (0.5, -1.0)  # a start that learns either kind of chain
WINDOW = (1.5, 1.7)  # half of the picture: e across, w upwards
BALL = 0.1  # spread of the starts that are drawn
CLEAR = 0.05  # nearer to the saddle's energy than this, the end is not asked for
PROBE, LEVEL = (0.3, -0.4), (0.3, 0.0)  # where the slope along attention is read
ARROWS = 14


@final
class MarkovFlow(Sandbox):
    """Integrates the flow and reads off energies, ends and the share of trapped starts."""

    name = "markov-flow"
    title = "Gradient flow of one layer: the basins of learning and of forgetting"
    lesson = (
        "Arrows are the flow, colours where it ended when integrated from there, thin lines the "
        "conserved energy; the thick line is the predicted border, the dashed one the minima. A "
        "small ball around the origin, where training starts, lies in the good basin if "
        "p + q < 1 and in the bad one if p + q > 1."
    )
    caveat = "Two parameters with the best bias at every moment; attention is held at zero."

    def settings(self, budget: Budget) -> dict[str, Any]:
        """Seconds, so that the larger budgets differ in the number of starts only."""
        small, large = budget is Budget.SMOKE, budget is Budget.GPU
        return {
            "chains": [list(chain) for chain in (CHAINS[:2] if small else CHAINS)],
            "spreads": [0.1, 1.0] if small else [0.02, 0.1, 0.5, 1.0, 2.0],
            "draws": 40 if small else 20_000 if large else 2_000,
            "trajectories": 10 if small else 240 if large else 60,
            "length": 64 if small else 1024,
            "grid": 12 if small else 60,
            "seed": 0,
        }

    def require(self, settings: Mapping[str, Any]) -> None:
        """Refuse what does not go together."""
        if BALL not in settings["spreads"]:
            raise BadInput("no starts to draw", seen=settings["spreads"], why=f"{BALL} is drawn")

    def claims(self, settings: Mapping[str, Any]) -> tuple[Claim, ...]:
        """Closed forms, and integrals of the normal law over the trapped set."""
        return tuple(
            claim
            for p, q in settings["chains"]
            for claim in _claims(*require_chain(p, q), settings)
        )

    def measure(self, settings: Mapping[str, Any], show: Show) -> Findings:
        """In 64 bits; all starts on all chains flow together."""
        pairs = settings["chains"]
        with double_precision():
            asked = [_starts(settings, number) for number in range(len(pairs))]
            counts = [sum(map(len, groups.values())) for groups in asked]
            everything = np.concatenate([each for groups in asked for each in groups.values()])
            reached = follow(everything, np.repeat(pairs, counts, axis=0))
            read = functools.partial(read_attention_slope, length=settings["length"])
            everywhere = jax.jit(jax.vmap(jax.vmap(read, (0, None, None)), (None, 0, 0)))
            along = np.asarray(everywhere(np.array([PROBE, LEVEL]), *np.transpose(pairs)))
            rows = zip(pairs, asked, np.split(reached, np.cumsum(counts)[:-1]), along, strict=True)
            chains: list[dict[str, Any]] = []
            values: dict[str, float] = {}
            for (p, q), groups, ends, slopes in rows:
                cuts = np.cumsum([len(each) for each in groups.values()])[:-1]
                led = dict(zip(groups, np.split(ends, cuts), strict=True))
                read_off, velocities = _read_slopes(p, q, slopes)
                found = _read_flow(p, q, settings, groups, led) | read_off
                values |= {f"{_label(p, q)}: {name}": value for name, value in found.items()}
                drawn = _curves(p, q, settings, groups, led) | _attention_curve(p, q, slopes)
                chains.append({"p": p, "q": q, "velocities": velocities.round(6).tolist(), **drawn})
        return Findings(values, {"chains": chains, **_theory(settings)})


def _label(p: float, q: float) -> str:
    return f"p={p:g}, q={q:g}"


def _claims(p: float, q: float, settings: Mapping[str, Any]) -> list[Claim]:
    length, draws, label = settings["length"], settings["draws"], _label(p, q)
    limit = long_attention_slope(LEVEL[0], p, q, length)

    def derived(quantity: str, value: float, tolerance: float) -> Claim:
        return Claim(f"{label}: {quantity}", float(value), "=", tolerance, "derived")

    def chance(spread: float) -> Claim:
        value = trap_probability(spread, switching=p + q > 1)
        error = float(np.sqrt(value * (1 - value) / draws))
        return Claim(f"{label}: trapped, start of spread {spread:g}", value, "=", 3 * error)

    return [
        derived("largest difference of the gradient from its formula", 0.0, 1e-8),
        derived("w where leaving e = 0 stops raising the loss, or starts", SADDLE, 1e-6),
        Claim(f"{label}: largest drift of the energy", 0.0, "<=", 1e-5),
        Claim(f"{label}: trajectories that end in the other basin", 0.0),
        derived("largest distance of a final loss from its level", 0.0, 1e-3),
        derived("loss reached from (e, w) = (0.5, -1)", entropy_rate(p, q), 1e-6),
        *map(chance, settings["spreads"]),
        derived("slope along attention: largest difference from its formula", 0.0, 1e-8),
        derived("slope along attention, w = 0, longest sequence", limit, abs(limit) / 50),
    ]


def _starts(
    settings: Mapping[str, Any], number: int
) -> dict[str, Float[np.ndarray, "draw parameter"]]:
    """From the window and clear of the border; the good one; Gaussian ones; a grid to colour."""
    random, spreads = np.random.default_rng([settings["seed"], number]), settings["spreads"]
    anywhere = random.uniform(-1, 1, size=(2 * settings["trajectories"] + 50, 2)) * WINDOW
    clear = np.abs(energy(*anywhere.T) - SADDLE_ENERGY) >= CLEAR
    drawn = random.normal(size=(len(spreads), settings["draws"], 2))
    return {
        "clear": anywhere[clear][: settings["trajectories"]],
        "good": np.array([GOOD]),
        "drawn": (drawn * np.reshape(spreads, (-1, 1, 1))).reshape(-1, 2),
        "grid": _grid(settings["grid"]) if number < 2 else np.empty((0, 2)),
    }


def _grid(count: int) -> Float[np.ndarray, "draw parameter"]:
    """Rows of constant w, upwards."""
    across, upwards = (np.linspace(-half, half, count) for half in WINDOW)
    return np.stack(np.meshgrid(across, upwards), axis=-1).reshape(-1, 2)


def _read_flow(
    p: float,
    q: float,
    settings: Mapping[str, Any],
    groups: Mapping[str, np.ndarray],
    led: Mapping[str, np.ndarray],
) -> dict[str, float]:
    """What the trajectories show: from the window, from the good start, from Gaussian ones."""
    stuck, (losses, drifts) = stuck_at(led["clear"], p, q), led["clear"][:, 2:].T
    levels = np.where(stuck, entropy(p / (p + q)), entropy_rate(p, q))
    other = stuck != trapped(*groups["clear"].T, switching=p + q > 1)
    shares = stuck_at(led["drawn"], p, q).reshape(-1, settings["draws"]).mean(axis=1)
    return {
        "largest drift of the energy": float(drifts.max()),
        "trajectories that end in the other basin": float(other.sum()),
        "largest distance of a final loss from its level": float(np.abs(losses - levels).max()),
        "loss reached from (e, w) = (0.5, -1)": float(led["good"][0, 2]),
        **{
            f"trapped, start of spread {spread:g}": float(share)
            for spread, share in zip(settings["spreads"], shares, strict=True)
        },
    }


def _read_slopes(
    p: float, q: float, along: Float[np.ndarray, "draw length"]
) -> tuple[dict[str, float], Float[np.ndarray, "draw parameter"]]:
    """Derivatives by differentiation beside their formulas, and where the saddle lies; arrows."""
    heights = np.linspace(-1.0, -0.4, 601)
    off, on = (np.stack([np.full(601, e), heights], axis=1) for e in (1e-3, 0.0))
    points = np.concatenate([off, on, _grid(ARROWS)])
    losses, slopes, formula = map(np.asarray, loss_and_gradients(points, p, q))
    turning = crossing(heights, losses[:601] - losses[601:1202], 0.0)
    predicted = [attention_slope(*probe, p, q, along.shape[1]) for probe in (PROBE, LEVEL)]
    found = {
        "largest difference of the gradient from its formula": np.abs(slopes - formula).max(),
        "w where leaving e = 0 stops raising the loss, or starts": turning or np.nan,
        "slope along attention: largest difference from its formula": np.abs(
            along - np.stack(predicted)
        ).max(),
        "slope along attention, w = 0, longest sequence": along[1, -1],
    }
    return {name: float(value) for name, value in found.items()}, -slopes[1202:]


def _attention_curve(p: float, q: float, along: Float[np.ndarray, "draw length"]) -> dict[str, Any]:
    """The slope out of the plane against the length, as read and as predicted."""
    length = along.shape[1]
    places = np.unique(np.geomspace(1, length, 40).astype(int))
    return {
        "lengths": places.tolist(),
        "attention": along[0, places - 1].tolist(),
        "attention_formula": attention_slope(*PROBE, p, q, length)[places - 1].tolist(),
    }


def _curves(
    p: float,
    q: float,
    settings: Mapping[str, Any],
    groups: Mapping[str, np.ndarray],
    led: Mapping[str, np.ndarray],
) -> dict[str, Any]:
    """What is drawn of one chain."""
    draws = settings["draws"]
    stuck = stuck_at(led["drawn"], p, q).reshape(-1, draws)
    ball = settings["spreads"].index(BALL)
    few = slice(ball * draws, ball * draws + min(40, draws))
    found: dict[str, Any] = {
        "trapped": stuck.mean(axis=1).tolist(),
        "draws": draws,
        "ball": groups["drawn"][few].round(4).tolist(),
        "ball_trapped": stuck[ball, :40].tolist(),
    }
    if len(groups["grid"]):
        rows = stuck_at(led["grid"], p, q).astype(int).reshape(settings["grid"], -1).tolist()
        low, high = (SADDLE, -1e-3) if p + q > 1 else (-WINDOW[1], SADDLE)
        border, minima = np.linspace(low, high, 160), np.linspace(-WINDOW[1], WINDOW[1], 400)
        found |= {
            "basins": ["".join(map(str, row)) for row in rows],
            "border": _inside(border_line(border), border),
            "minima": _inside(minima_line(minima, p, q), minima),
        }
    return found


def _inside(e: Float[np.ndarray, " size"], w: Float[np.ndarray, " size"]) -> list[list[float]]:
    """Pairs (e, w) in the window."""
    shown = e < 1.1 * WINDOW[0]
    pairs: list[list[float]] = np.stack([e, w], axis=1)[shown].round(4).tolist()
    return pairs


def _theory(settings: Mapping[str, Any]) -> dict[str, Any]:
    """What is drawn whatever the chain: the energy and the chance of a trap."""
    points, spreads = _grid(settings["grid"]), np.geomspace(0.02, 4, 40)
    return {
        "window": list(WINDOW),
        "energy": energy(*points.T).round(3).reshape(settings["grid"], -1).tolist(),
        "saddle": [float(SADDLE), float(SADDLE_ENERGY)],
        "good": list(GOOD),
        "probe": list(PROBE),
        "arrows": _grid(ARROWS).round(4).tolist(),
        "spreads": settings["spreads"],
        "chance": {
            "spread": spreads.round(4).tolist(),
            **{
                name: [round(trap_probability(each, switching=it), 5) for each in spreads.tolist()]
                for name, it in (("often", True), ("seldom", False))
            },
        },
    }
