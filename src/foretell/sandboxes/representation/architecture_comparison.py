"""Transformers, recurrent networks, state spaces and a hybrid, at one number of parameters.

What: Attention keeps every token and looks them up; a recurrence keeps a state of fixed size and
    updates it. So attention recalls and copies what does not fit into a state, and a recurrence
    tracks what attention of fixed depth cannot: a task by architecture matrix whose signs theory
    predicts. A hybrid, state spaces with one layer of attention, recalls like a transformer.
Definition: Recall: n pairs of key and value (a pair is one token), then keys, whose values are
    asked for. Copy: L symbols out of D, then once more. Index: n bits, then places. Each takes a
    state of n log₂ D or L log₂ D - 1 bits; a fixed state is expected to fail when that is more
    than one bit a unit. Parity, sums modulo 3 and products of permutations are asked after every
    token and tested on words twice as long as in training; flip-flops and brackets of depth 3 at
    the length of training. A state space is h' = a(x) h + s(x) B x, unit by unit, where the share
    s is 1 - a, or half of it with signs: see `models/state_space.py`. With a in [0, 1] it
    comes to rest when a word is repeated, so it fails at parity; with a = 1 - 2x in [-1, 1] one
    unit is parity, but no real gate goes around in threes. A cell follows any automaton. ✓ means
    at least 95 % right. Widths are chosen so that all models have as many parameters.
Example:
    >>> sandbox = ArchitectureComparison()
    >>> claims = sandbox.claims(sandbox.settings(Budget.CPU))
    >>> [claim.predicted for claim in claims if claim.quantity.startswith("register")]
    [0.0, 128.0]

Known limits: That a fixed state fails where the bits exceed one a unit is what is seen in training,
    not the bound: float32 has room for 32 bits a unit, and the bound speaks only beyond that. That
    transformers fail at parity on longer words is observed, not proved; that they and state spaces
    fail at products of permutations is conditional (TC0 is not NC1) and about growing length. With
    pairs as tokens, binding a key to its value is no part of recall. Few seeds, short training: a
    cell that fails may only be slow. Nothing is predicted for a hybrid on parity or sums. Its
    recall differs in the CPU's preset, and is only slow: with 12,000 steps instead of 700 and a
    width of 32 it is right (`results/sandboxes/architecture-comparison-recall-cpu.json`), while
    recurrent models are not. An index into bits is then learned by the hybrid, not yet by the
    transformer (0.77).
Sources: Jelassi and others 2024 (copying), Wen and others 2024 (one layer of attention), Sarrof and
    others 2024, Grazzi and others 2025 (state spaces); the tutorial Sandbox for the Blackbox, part
    I; see `foretell explain fixed-state` and `communication-bounds`
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from typing import Any, final

import numpy as np
from jaxtyping import Float

from foretell.core.architecture import Architecture
from foretell.models.sequence_model import KINDS
from foretell.plain.errors import BadInput
from foretell.protocols._asking import Budget
from foretell.sandboxes import Claim, Findings, Sandbox, Show
from foretell.worlds.architecture_fleet import (
    BYTES,
    FIRST,
    cost_of,
    matched,
    parameters,
    remembered,
    trained_accuracies,
)
from foretell.worlds.architecture_tasks import Game, game
from foretell.worlds.recurrent_constructions import PARITY_LENGTH, confused_words, wrong_parities

SOLVED, CLOSE, AGREEING = 0.95, 0.1, 0.9
REGISTER = 8
RECALLING = ("transformer", "hybrid")
TURNED, NEVER_TURNED = ("parity", "ssm-signed"), ("parity", "ssm")
COMPARED = ("transformer", "gru", "ssm", "ssm-signed", "hybrid")  # on a CPU
Sizes = tuple[tuple[str | float, ...], ...]
SMALL: Sizes = (("recall", 20, 8), ("copy", 12, 32), ("counting", 2, 24), ("flip-flop", 24, 0.7))
WHOLE: Sizes = (
    *(("recall", 40, 16), ("copy", 32, 26), ("index", 160), ("counting", 2, 64)),
    *(("counting", 3, 64), ("permutations", 32), ("brackets", 64), ("flip-flop", 64, 0.8)),
)


@final
class ArchitectureComparison(Sandbox):
    """The matrix, what a GRU remembers by width, and constructions that are exact."""

    name = "architecture-comparison"
    essential = False
    title = "Attention, recurrence, both: who solves what at one size?"
    lesson = (
        "Tasks by architectures of as many parameters: share of right answers, green where it is "
        "at least 95 %, with the predicted sign over it. What does not fit into a state takes "
        "attention; what must be turned takes a recurrence with signs. One layer of attention "
        "could recall; whether training finds it is another matter."
    )
    caveat = (
        "Small models and short training: a cross says that this training failed, not that no "
        "weights exist. Costs are counted, not timed."
    )

    def settings(self, budget: Budget) -> dict[str, Any]:
        """Four tasks at short lengths and five kinds on a CPU; all eight and all seven on a GPU."""
        common: dict[str, Any] = {"seed": 0, "rate": 3e-3, "bits": REGISTER}
        if budget is Budget.SMOKE:
            games = [["recall", 4, 2], ["counting", 2, 6]]
            common |= {"kinds": ["elman"], "layers": 1, "width": 8, "games": games, "seeds": 1}
            common |= {"steps": 2, "batch": 4, "memory_steps": 0}
            return {**common, "widths": [2, 4], "lengths": [2, 4]}
        if budget is Budget.CPU:
            games = [list(each) for each in SMALL]
            common |= {"kinds": list(COMPARED), "layers": 2, "width": 24, "games": games}
            common |= {"seeds": 1, "steps": 700, "batch": 16, "memory_steps": 1_500}
            return {**common, "widths": [8, 16, 32], "lengths": [2, 3, 4, 5, 6, 8, 10, 12, 16]}
        games = [list(each) for each in WHOLE]
        common |= {"kinds": list(KINDS), "layers": 2, "width": 64, "games": games, "seeds": 3}
        common |= {"steps": 20_000, "batch": 64, "memory_steps": 10_000}
        lengths = [*range(2, 13), 14, 16, 20, 24, 28, 32, 40, 48]
        return {**common, "widths": [8, 16, 32, 64], "lengths": lengths}

    def require(self, settings: Mapping[str, Any]) -> None:
        """Refuse what does not go together."""
        shapes_of(settings)

    def claims(self, settings: Mapping[str, Any]) -> tuple[Claim, ...]:
        """Signs and constructions."""
        widths = require_widths(settings["widths"])
        few, bits = f"{widths[0]}", settings["bits"]
        return (
            Claim(f"one signed unit: wrong parities at length {PARITY_LENGTH}", 0.0),
            Claim(f"register of {bits} units: words of {bits} bits that it confuses", 0.0),
            Claim(
                f"register of {bits - 1} units: words of {bits} bits that it confuses",
                float(2 ** (bits - 1)),
            ),
            Claim("parameters: largest difference from the transformer", 0.0, "<=", CLOSE),
            Claim("agreement of signs", AGREEING, ">=", 0.0, "empirical"),
            *_promises(settings),
            Claim(
                "GRU: recall grows with width", tuple(map(str, widths)), "order", 0.0, "empirical"
            ),
            Claim(
                f"GRU: recall of {widths[-1]} units over that of {few}", 2.0, ">=", 0.0, "empirical"
            ),
        )

    def measure(self, settings: Mapping[str, Any], show: Show) -> Findings:
        """Train a fleet a kind, one for memory, and run the constructions."""
        games, widths = games_of(settings), require_widths(settings["widths"])
        shapes = shapes_of(settings)
        found = {
            kind: trained_accuracies(shape, games, settings, show).mean(axis=1)
            for kind, shape in shapes.items()
        }
        lengths = list(settings["lengths"])
        known = remembered(widths, lengths, settings, show)
        reach = [recall_length(lengths, row) for row in known]
        curves = _curves(settings, shapes, found)
        curves["memory"] = {
            "widths": list(widths),
            "lengths": lengths,
            "known": known.astype(float).round(4).tolist(),
            "reach": reach,
        }
        bits = settings["bits"]
        values: dict[str, Any] = {
            f"one signed unit: wrong parities at length {PARITY_LENGTH}": wrong_parities(),
            "parameters: largest difference from the transformer": _difference(curves),
            "agreement of signs": agreement(curves),
            "GRU: recall grows with width": _ranked(widths, reach),
            f"GRU: recall of {widths[-1]} units over that of {widths[0]}": reach[-1]
            / max(reach[0], 1),
        }
        for units, confused in zip((bits, bits - 1), confused_words(bits), strict=True):
            values[f"register of {units} units: words of {bits} bits that it confuses"] = confused
        for number, each in enumerate(games):
            for kind in settings["kinds"]:
                values[f"{each.name}: {kind}"] = float(found[kind][number])
        return Findings(values, curves)


def games_of(settings: Mapping[str, Any]) -> tuple[Game, ...]:
    """The tasks at their sizes."""
    return tuple(game(*each) for each in settings["games"])


def require_widths(widths: Sequence[int]) -> tuple[int, ...]:
    """At least two, growing."""
    if len(widths) < 2 or any(b <= a for a, b in itertools.pairwise(widths)):
        raise BadInput("memories of at least two growing widths are compared", seen=list(widths))
    return tuple(widths)


def shapes_of(settings: Mapping[str, Any]) -> dict[str, Architecture]:
    """Every kind at the width that has about as many parameters as the transformer."""
    unknown = [kind for kind in settings["kinds"] if kind not in KINDS]
    if unknown:
        raise BadInput("unknown architecture", seen=unknown[0], hint=", ".join(KINDS))
    tokens, labels = _table(settings)
    size = (settings["layers"], settings["width"], tokens, labels)
    return {kind: matched(kind, *size) for kind in settings["kinds"]}


def _table(settings: Mapping[str, Any]) -> tuple[int, int]:
    games = games_of(settings)
    return max(game.tokens for game in games), max(game.labels for game in games)


def _promises(settings: Mapping[str, Any]) -> tuple[Claim, ...]:
    """Single cells that are promised: attention recalls, and parity takes signs."""
    recalled = ("recall", "copy", "index")
    found = []
    for each, kind in itertools.product(games_of(settings), settings["kinds"]):
        cell = f"{each.name}: {kind}"
        if (kind in RECALLING and each.name in recalled) or (each.name, kind) == TURNED:
            found.append(Claim(cell, SOLVED, ">=", 0.0, "empirical"))
        if (each.name, kind) == NEVER_TURNED:
            found.append(Claim(cell, SOLVED, "<=", 0.0, "empirical"))
    return tuple(found)


def recall_length(lengths: Sequence[int], known: Float[np.ndarray, " size"]) -> int:
    """The largest length up to which nearly all bits are known.

    >>> recall_length([2, 4, 8], np.array([1.0, 0.97, 0.8]))
    4
    """
    good = [length for length, share in zip(lengths, known, strict=True) if share < SOLVED]
    before = [length for length in lengths if length < min(good, default=max(lengths) + 1)]
    return max(before, default=0)


def _ranked(widths: Sequence[int], reach: Sequence[int]) -> tuple[str, ...]:
    """Widths by what they recall; those that recall as much stand together."""
    levels = sorted(set(reach))
    return tuple(
        " = ".join(str(width) for width, own in zip(widths, reach, strict=True) if own == level)
        for level in levels
    )


def _curves(
    settings: Mapping[str, Any],
    shapes: Mapping[str, Architecture],
    found: Mapping[str, Float[np.ndarray, " member"]],
) -> dict[str, Any]:
    """The matrix with predicted signs, and a row of costs for each kind."""
    games, table = games_of(settings), _table(settings)
    aim = parameters(matched(FIRST, settings["layers"], settings["width"], *table), *table)
    kinds = []
    for kind, shape in shapes.items():
        cost = cost_of(shape, max(game.length for game in games))
        kinds.append(
            {
                "kind": kind,
                "label": shape.label,
                "parameters": parameters(shape, *table),
                "state": cost.state,
                "operations": cost.operations,
                "order": cost.order,
                "signs": [game.sign(kind, cost.state // BYTES) for game in games],
                "accuracy": found[kind].astype(float).round(4).tolist(),
            }
        )
    told = [
        {"name": game.name, "bits": round(game.bits, 1), "longer": game.longer} for game in games
    ]
    return {"games": told, "kinds": kinds, "aim": aim, "bar": SOLVED}


def _difference(curves: Mapping[str, Any]) -> float:
    return max(abs(own["parameters"] / curves["aim"] - 1) for own in curves["kinds"])


def agreement(curves: Mapping[str, Any]) -> float:
    """Share of cells with a predicted sign in which it is the measured one."""
    cells = [
        sign == (accuracy >= curves["bar"])
        for own in curves["kinds"]
        for sign, accuracy in zip(own["signs"], own["accuracy"], strict=True)
        if sign is not None
    ]
    return sum(cells) / len(cells)
