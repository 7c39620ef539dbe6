"""Transformers of several depths trained to follow automata: does the algebra show?

What: A construction shows that weights exist (`scan-transformer`) and algebra sorts automata by the
    depth that is known to be enough (`automata-algebra`). Does training find such shortcuts, and
    does it need more layers for automata of a higher class? Transformers of several depths are
    trained to say the state after every letter, beside a GRU, for which the task is easy because it
    may compute one transition after the other. If algebra decided, the least depth that works would
    rise from counters and flip-flops over corridors to permutations of four and of five points, and
    for the latter with the length of the words.
Definition: Words of T uniform letters, fresh at every step; the loss is the cross-entropy of the
    state after every letter, and accuracy the share of right states on new words. The least depth
    of an automaton is the first of the depths tried with an accuracy of 0.99, or twice the largest
    if none has it. Claims: the rank correlation of least depth with the class of `automata-algebra`
    (commutative 0, aperiodic 1, solvable 2, non-solvable 3) is at least 0.5, and 0.7 at full size;
    permutations of five points need more layers for all T letters than for the first T/2; parity
    loses at least 0.1 of accuracy when nine letters in ten are 1, not five, at the same length, so
    that what was learnt is not the parity; the GRU is right everywhere.
Example:
    >>> ShortcutTraining().settings(Budget.CPU)["depths"]
    [1, 2, 4]
    >>> least_depth([0.7, 0.995, 0.98], [1, 2, 4]), least_depth([0.7, 0.8, 0.98], [1, 2, 4])
    (2, 8)

Known limits: The order of the classes is not what training shows: parity breaks it. One layer of
    uniform attention is enough for it (`scan-transformer` builds it), yet to find the weights is as
    hard as for permutations: at 16 letters four layers reach 0.97, the rank correlation is 0.29 and
    the claim fails. What can be represented need not be
    learnt. That the order holds without commutative automata, 0.89, was seen in trials before it
    became a row: it describes these runs and predicts nothing until it is tried elsewhere. On a CPU
    the width is 32 and there are 1500 steps, so that the permutations fall just short of 0.99 with
    four layers and count as not solved; one seed a cell; states of permutations are the five (or
    four) points, not the 120 (or 24) permutations that the paper follows. The first T/2 letters are
    read off the same models; none were trained on shorter words. The size on an accelerator is the
    paper's and has not been timed.
Sources: Transformers Learn Shortcuts to Automata (Liu, Ash, Goel, Krishnamurthy and Zhang, 2023);
    the tutorial Sandbox for the Blackbox, part I
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, final

import numpy as np
from jaxtyping import Float

from foretell.languages.algebra.depth import RUNGS
from foretell.models.small_decoder import Shape
from foretell.numerics.ranks import spearman
from foretell.plain.errors import BadInput
from foretell.plain.wording import counted
from foretell.protocols._asking import Budget
from foretell.sandboxes import Claim, Findings, Sandbox, Show
from foretell.sandboxes.representation.automata_algebra import expected
from foretell.worlds.automaton_training import (
    Machines,
    decoder_reader,
    fresh_decoder,
    fresh_recurrent,
    machines,
    recurrent_reader,
    right,
    train,
)

BAR = 0.99
HARDEST, SHIFTED, ONES = "symmetric-5", "parity", 0.9


@final
class ShortcutTraining(Sandbox):
    """A fleet for each depth, a member for each automaton, and one fleet of GRUs."""

    name = "shortcut-training"
    title = "Trained depth against the class of the automaton"
    lesson = (
        "Share of right states by automaton and number of layers, a GRU beside them. Rows go up "
        "the ladder of `automata-algebra`; if class decided, the frames that mark the least depth "
        "would move to the right from row to row."
    )
    caveat = "One recipe and one seed a cell: what training finds, not what the depth allows."
    essential = False

    def settings(self, budget: Budget) -> dict[str, Any]:
        """On an accelerator the paper's size."""
        names = ["parity", "flip-flop", "gridworld-5", "symmetric-4", HARDEST]
        shared = {"automata": names, "seed": 0}
        if budget is Budget.SMOKE:
            small = {"length": 4, "depths": [1], "width": 8, "heads": 2, "hidden": 8}
            tiny = {"automata": [SHIFTED, HARDEST], "steps": 2, "batch": 2, "rate": 3e-3}
            return shared | small | tiny | {"recurrent": 8, "agreement": 0.5}
        if budget is Budget.GPU:
            names = [
                *names[:3],
                "dihedral-4",
                "symmetric-3",
                "symmetric-4",
                "alternating-5",
                HARDEST,
            ]
            size = {"length": 100, "depths": [1, 2, 3, 4, 6, 8, 12, 16], "width": 512, "heads": 8}
            plan = {"hidden": 2048, "steps": 10_000, "batch": 64, "rate": 3e-4, "recurrent": 64}
            return {**size, **plan, "automata": names, "seed": 0, "agreement": 0.7}
        size = {"length": 16, "depths": [1, 2, 4], "width": 32, "heads": 4, "hidden": 64}
        plan = {"steps": 1500, "batch": 32, "rate": 3e-3, "recurrent": 64, "agreement": 0.5}
        return shared | size | plan

    def claims(self, settings: Mapping[str, Any]) -> tuple[Claim, ...]:
        """Orders only: no formula says what training finds."""
        _require(settings)
        return (
            Claim(RANKS, settings["agreement"], ">=", evidence="empirical"),
            Claim(FORGETFUL, settings["agreement"], ">=", evidence="empirical"),
            Claim(_growth(settings), 1.0, ">=", evidence="empirical"),
            Claim(SHIFT, 0.1, ">=", evidence="empirical"),
            Claim(RECURRENT, 1.0, "=", 1e-3, "empirical"),
        )

    def measure(self, settings: Mapping[str, Any], show: Show) -> Findings:
        """A fleet a depth, and one of GRUs."""
        names, depths, length = settings["automata"], settings["depths"], settings["length"]
        simulated = machines(names)
        fleets = [_decoders(depth, simulated, settings, show) for depth in depths]
        fleets.append(_recurrent(simulated, settings, show))
        found, odd = np.stack(fleets, axis=1).astype(
            float
        )  # each by depth (last the GRU), automaton, position
        *rows, recurrent = found.mean(axis=-1)
        table, shifted = np.array(rows).T, odd[:, names.index(SHIFTED)].mean(axis=-1)
        least = [least_depth(row, depths) for row in table.tolist()]
        hardest = found[:-1, names.index(HARDEST)]
        early = least_depth(hardest[:, : length // 2].mean(axis=-1).tolist(), depths)
        classes = [RUNGS.index(expected(name).rung) for name in names]
        usual, pairs = table[names.index(SHIFTED)], list(zip(classes, least, strict=True))
        values = {
            RANKS: _agreement(classes, least),
            FORGETFUL: _agreement(*zip(*filter(lambda pair: pair[0] > 0, pairs), strict=True)),
            _growth(settings): float(least[names.index(HARDEST)] - early),
            SHIFT: float(usual[-1] - shifted[-2]),
            RECURRENT: float(recurrent.min()),
        }
        curves = {
            "automata": [{"name": name, "rung": expected(name).rung} for name in names],
            "depths": depths,
            "accuracy": table.round(4).tolist(),
            "recurrent": recurrent.round(4).tolist(),
            "least": least,
            "shifted": {
                "usual": found[:, names.index(SHIFTED)].mean(axis=-1).round(4).tolist(),
                "odd": shifted.round(4).tolist(),
            },
            "places": hardest.round(4).tolist(),
            "bar": BAR,
        }
        return Findings(values, curves)


RANKS = "rank correlation of least depth and class"
FORGETFUL = "the same without commutative automata (row added after a first run)"
SHIFT = f"{SHIFTED}: accuracy lost when 90 % of the letters are 1"
RECURRENT = "GRU: least accuracy of all automata"


def _growth(settings: Mapping[str, Any]) -> str:
    length = settings["length"]
    return f"{HARDEST}: least depth for {length} letters less that for {length // 2}"


def _agreement(classes: Sequence[int], least: Sequence[int]) -> float:
    """Spearman's; nothing agrees with depths that are all the same."""
    return spearman(classes, least).value if min(len(set(classes)), len(set(least))) > 1 else 0.0


def _require(settings: Mapping[str, Any]) -> None:
    missing = {HARDEST, SHIFTED} - set(settings["automata"])
    if missing or not settings["depths"] or settings["length"] < 2:
        raise BadInput(
            "these automata cannot be compared",
            seen=f"{settings['automata']}, depths {settings['depths']}, T = {settings['length']}",
            why=f"{HARDEST} and {SHIFTED} are among the claims; words have two letters at least",
        )


def least_depth(accuracy: Sequence[float], depths: Sequence[int]) -> int:
    """The first depth that is good enough; twice the largest if none is."""
    good = [depth for depth, each in zip(depths, accuracy, strict=True) if each >= BAR]
    return good[0] if good else 2 * max(depths)


def _decoders(
    depth: int, simulated: Machines, settings: Mapping[str, Any], show: Show
) -> Float[np.ndarray, "draw member length"]:
    """Share of right states by position, on words as in training and on words of many ones."""
    shape = Shape(
        tokens=simulated.tokens,
        length=settings["length"],
        width=settings["width"],
        heads=settings["heads"],
        layers=depth,
        hidden=settings["hidden"],
    )
    reader, plan = decoder_reader(shape), {**settings, "phase": counted(depth, "layer")}
    weights = train(reader, fresh_decoder(shape), simulated, plan, show)
    return right(reader, weights, simulated, plan, ONES)


def _recurrent(
    simulated: Machines, settings: Mapping[str, Any], show: Show
) -> Float[np.ndarray, "draw member length"]:
    """The same of the GRU."""
    plan = {**settings, "phase": "GRU"}
    fresh = fresh_recurrent(simulated.tokens, settings["recurrent"])
    weights = train(recurrent_reader, fresh, simulated, plan, show)
    return right(recurrent_reader, weights, simulated, plan, ONES)
