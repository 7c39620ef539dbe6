"""How much of a word is left in a state of few bits?

What: A recurrent network reads a word of n bits, and each number of its state is rounded to p bits
    after every step. Words that end in the same state are one to it from then on. Count the states
    that are reached, and ask the best possible decoder for every bit of the word: what it gets
    right is limited by the number of states, and that by width times precision. The same holds for
    what one layer of attention passes on, a rounded sum of values and of weights for each head. No
    training changes that; a shift register gets all that is allowed.
Definition: With acc_i the share of words whose i-th bit the best guess in each state gets right,
    Σ_i (1 - h₂(acc_i)) ≤ log₂ #states ≤ width × p, the width being the numbers kept: units, twice
    the units of an LSTM, H(m + 1) for attention. A guess of the whole word is right for exactly
    one word a state: n + log₂(share copied) = log₂ #states. If width × p < n, two words collide,
    and two sets that collide are told apart by some third set, so disjointness fails. A shift
    register of m one-bit units keeps the last m bits: all three numbers are m.
Example:
    >>> words = all_words(3)
    >>> last_two = known(same_state(words[None, :, 1:]), words)
    >>> int(last_two.states[0]), last_two.accuracies[0].tolist(), float(last_two.copied[0])
    (4, [0.5, 1.0, 1.0], 0.5)

Known limits: Every word is enumerated, so words are short. The bound is on information: it says
    nothing about how a decoder could be made, or about training, which rarely gets near it. A
    float of 32 bits is a state of 32 bits a number only in name: most of them are noise to a
    trained decoder. Rounding is uniform between -1 and 1 (for attention between the least and the
    largest value seen); another rounding gives other states and obeys the same bound.
Sources: Repeat after me (Jelassi and others, 2024); RNNs are not transformers yet (Wen, Dang, Lyu,
    2024); the tutorial Sandbox for the Blackbox, part I
"""

from __future__ import annotations

import functools
from collections.abc import Mapping
from typing import Any, final

import jax
import jax.numpy as jnp
import numpy as np
import optax
from jaxtyping import Array, Bool, Float, Int, Key

from foretell.models.recurrent import CELLS, Cell
from foretell.numerics.keys import key_for, root_key
from foretell.plain.errors import BadInput
from foretell.protocols._asking import Budget
from foretell.sandboxes import Claim, Findings, Sandbox, Show, require_among
from foretell.worlds.communication import Size
from foretell.worlds.descent import descend
from foretell.worlds.state_fleets import (
    Sizes,
    attention_summaries,
    random_cells,
    shift_registers,
)
from foretell.worlds.state_partitions import (
    Known,
    all_words,
    known,
    read_words,
    same_state,
    wrong_disjoint,
)

EXACT = 1e-9
KINDS = ("random cells", "shift registers", "attention", "trained")
ELEMENTS = 6  # of the sets that are tested for being disjoint


@final
class StateBits(Sandbox):
    """Partitions of all words by states, for cells of every kind."""

    name = "state-bits"
    title = "Bits of a state: no cell knows more of a word than its state can hold"
    lesson = (
        "Every dot is a cell that read all words. What can still be known of the word lies below "
        "the logarithm of its states, which lies below width times precision; shift registers lie "
        "on the line."
    )
    caveat = "It shows a limit to every cell, trained or not; it does not show what training finds."

    def settings(self, budget: Budget) -> dict[str, Any]:
        """Words of so many bits, cells up to a width and a precision, and what is trained."""
        bits, cells, steps = {
            Budget.SMOKE: (7, 20, 20),
            Budget.CPU: (10, 200, 1200),
            Budget.GPU: (12, 1000, 4000),
        }[budget]
        return {
            "bits": bits,
            "cells": cells,
            "precision": [1, 4],
            "trained": {
                "cell": "gru",
                "units": 8,
                "steps": steps,
                "precisions": [1, 2] if budget is Budget.SMOKE else [1, 2, 3, 4, 6, 8, 10],
                "compared": 2 if budget is Budget.SMOKE else 4,
                "rate": 0.01,
                "batch": 128,
            },
            "seed": 0,
        }

    def claims(self, settings: Mapping[str, Any]) -> tuple[Claim, ...]:
        """Two inequalities for everything, and what follows from them."""
        _require(settings)
        ceilings = [
            Claim(f"{kind}: {above}", 0.0, "<=", EXACT)
            for kind in KINDS
            for above in ("information above log₂ states", "log₂ states above width × precision")
        ]
        bits = float(settings["bits"])
        return (
            *ceilings,
            Claim("shift register of n units: information", bits, tolerance=EXACT),
            Claim("shift registers: largest slack of either inequality", 0.0, "=", EXACT),
            Claim("cells of fewer bits than the word without a collision", 0.0),
            Claim("cells with a collision of sets that never fail at disjointness", 0.0),
            Claim("cells without a collision of sets that fail at disjointness", 0.0),
            Claim("attention that adds up a binary number: information", bits, tolerance=EXACT),
            Claim(
                _compared(settings),
                ("before training", "after training"),
                "order",
                evidence="empirical",
            ),
        )

    def measure(self, settings: Mapping[str, Any], show: Show) -> Findings:
        """Read all words with every cell, then count."""
        _require(settings)
        words = all_words(settings["bits"])
        found: dict[str, tuple[Sizes, Known]] = {}
        groups, sizes = _read_elman(words, settings)
        drawn = settings["cells"]
        for kind, chosen in (
            ("random cells", slice(drawn)),
            ("shift registers", slice(drawn, None)),
        ):
            own = Sizes(sizes.numbers[chosen], sizes.precision[chosen])
            found[kind] = own, known(groups[chosen], words)
        summed, own = attention_summaries(words, drawn, settings["precision"], settings["seed"])
        found["attention"] = own, known(same_state(summed), words)
        before, found["trained"] = _read_trained(words, settings, show)
        values: dict[str, Any] = {}
        for kind, (own, what) in found.items():
            values |= _slacks(kind, own, what)
        values |= _tight(found) | _collisions(groups, sizes, words)
        ends = {"before training": before, "after training": found["trained"][1].information}
        place = settings["trained"]["precisions"].index(settings["trained"]["compared"])
        # of two equal ones the first name goes first, which is the order that is not claimed
        values[_compared(settings)] = tuple(
            sorted(sorted(ends), key=lambda name: ends[name][place])
        )
        return Findings(values, _curves(settings, found, before))


def _require(settings: Mapping[str, Any]) -> None:
    """Words that can be enumerated, numbers of at least one bit, a cell that there is."""
    own, (low, high) = settings["trained"], settings["precision"]
    require_among("recurrent cell", [own["cell"]], list(CELLS))
    if own["compared"] not in own["precisions"] or low > high:
        raise BadInput(
            "no such precisions",
            seen=f"{low} to {high}; {own['compared']} of {own['precisions']}",
            why="the first two go up, and the one compared is among those of the trained cell",
        )
    all_words(settings["bits"])
    for precision in (*settings["precision"], *settings["trained"]["precisions"]):
        Size(width=settings["trained"]["units"], precision=precision)


def _compared(settings: Mapping[str, Any]) -> str:
    return f"information at {settings['trained']['compared']} bits a unit, least first"


@functools.cache
def _reader(members: bool) -> Any:
    """One program for a fleet, or for one cell at several precisions."""
    return jax.jit(jax.vmap(read_words, (0, 0, 0, None) if members else (None, None, 0, None)))


def _read_elman(
    words: Int[np.ndarray, "batch bit"], settings: Mapping[str, Any]
) -> tuple[Int[np.ndarray, "member batch"], Sizes]:
    """Random cells first, then a register of each width up to the word's length."""
    hidden, count = words.shape[1], settings["cells"]
    drawn = np.random.default_rng(settings["seed"])
    low, high = settings["precision"]
    widths = np.concatenate([drawn.integers(1, hidden + 1, count), np.arange(1, hidden + 1)])
    precision = np.concatenate([drawn.integers(low, high + 1, count), np.ones(hidden, int)])
    cells = jax.tree.map(
        lambda *both: jnp.concatenate(both),
        random_cells(count, hidden, settings["seed"]),
        shift_registers(hidden),
    )
    units = np.arange(hidden) < widths[:, None]
    states = _reader(members=True)(cells, units, precision, words)
    return same_state(np.asarray(states)), Sizes(widths, precision)


def _read_trained(
    words: Int[np.ndarray, "batch bit"], settings: Mapping[str, Any], show: Show
) -> tuple[Float[np.ndarray, " size"], tuple[Sizes, Known]]:
    """A cell trained to give all bits back, before and after, at every precision."""
    own, bits = settings["trained"], words.shape[1]
    key = root_key(settings["seed"])
    create = functools.partial(CELLS[own["cell"]].create, 1, own["units"])
    cell = jax.jit(create)(key_for(key, "trained"))
    decoder = jnp.zeros((own["units"], bits))

    def loss(weights: tuple[Cell, Array], key: Key[Array, ""]) -> Float[Array, ""]:
        drawn = jax.random.bernoulli(key, shape=(own["batch"], bits))
        state = weights[0](jnp.where(drawn, 1.0, -1.0)[..., None])[:, -1]
        return optax.sigmoid_binary_cross_entropy(state @ weights[1], drawn).mean()

    trained = descend(
        loss,
        (cell, decoder),
        optax.adam(optax.linear_schedule(own["rate"], 0.0, own["steps"])),
        steps=own["steps"],
        key=key_for(key, "words"),
        every=max(1, own["steps"] // 4),
        watch=lambda weights, key: {"loss": loss(weights, key)},
        show=show,
        phase="training the cell",
    )
    precision = np.array(own["precisions"])
    units, read = np.ones(own["units"], bool), _reader(members=False)
    before, after = (
        known(same_state(np.asarray(read(each, units, precision, words))), words)
        for each in (cell, trained.weights[0])
    )
    numbers = np.full(len(precision), own["units"] * cell.memories)
    return before.information, (Sizes(numbers, precision), after)


def _slacks(kind: str, sizes: Sizes, what: Known) -> dict[str, float]:
    information = np.max(what.information - what.state_bits)
    return {
        f"{kind}: information above log₂ states": float(information),
        f"{kind}: log₂ states above width × precision": float(np.max(what.state_bits - sizes.bits)),
    }


def _tight(found: Mapping[str, tuple[Sizes, Known]]) -> dict[str, float]:
    """Where nothing is lost: registers and the binary number."""
    sizes, registers = found["shift registers"]
    slack = np.abs([registers.information - sizes.bits, registers.state_bits - sizes.bits])
    return {
        "shift register of n units: information": float(registers.information[-1]),
        "shift registers: largest slack of either inequality": float(slack.max()),
        "attention that adds up a binary number: information": float(
            found["attention"][1].information[-1]
        ),
    }


def _collisions(
    groups: Int[np.ndarray, "member batch"], sizes: Sizes, words: Int[np.ndarray, "batch bit"]
) -> dict[str, float]:
    """Whole words, and sets that are the last bits of words that begin with zeros."""
    collided: Bool[np.ndarray, " member"] = groups.max(axis=1) + 1 < len(words)
    sets = same_state(groups[:, :: len(words) >> ELEMENTS, None])
    wrong = wrong_disjoint(sets)
    mixed = sets.max(axis=1) + 1 < sets.shape[1]
    few = sizes.bits < words.shape[1]
    return {
        "cells of fewer bits than the word without a collision": float(np.sum(few & ~collided)),
        "cells with a collision of sets that never fail at disjointness": float(
            np.sum(mixed & (wrong == 0))
        ),
        "cells without a collision of sets that fail at disjointness": float(
            np.sum(~mixed & (wrong > 0))
        ),
    }


def _curves(
    settings: Mapping[str, Any],
    found: Mapping[str, tuple[Sizes, Known]],
    before: Float[np.ndarray, " size"],
) -> dict[str, Any]:
    dots = {
        kind: {
            "bits": sizes.bits[-400:].tolist(),
            "states": what.state_bits[-400:].round(4).tolist(),
            "information": what.information[-400:].round(4).tolist(),
        }
        for kind, (sizes, what) in found.items()
    }
    own = settings["trained"]
    return {
        "word": settings["bits"],
        "dots": dots,
        "before": before.round(4).tolist(),
        "trained": {"units": own["units"], "cell": own["cell"], "precisions": own["precisions"]},
    }
