"""A transformer of two layers that evaluates any circuit it is shown, one gate a step.

The prompt is a constant 0, the inputs and a description of every gate; then the transformer writes
the gates' answers. At each step layer 1 fetches the description of the gate whose turn it is;
layer 2 has three heads, each of which fetches the value that one of the description's pointers
names; the MLP adds them up and applies the gate. Values and gates are known by codes of -1 and 1,
the digits of their numbers, so that the width grows with the logarithm of the circuit's size.
One and the same weights run all circuits of a size.
"""

from __future__ import annotations

from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Bool, Float, Int

from foretell.constructions.circuits import KINDS, Circuit
from foretell.constructions.induction_head import bits_for, sign_codes
from foretell.constructions.k_gram_layers import slots_of, wiring
from foretell.plain.errors import BadInput

HEADS = max(KINDS.values())
Either = Array | np.ndarray
OFF = 10.0  # more than any sum: switches off the units of other kinds


class Weights(NamedTuple):
    """Scores and values of both layers, and the MLP that applies a gate."""

    find: Float[Either, "width width"]
    fetch: Float[Either, "width width"]
    point: Float[Either, "head width width"]
    carry: Float[Either, "head width width"]
    first: Float[Either, "width hidden"]
    bias: Float[Either, " hidden"]
    second: Float[Either, " hidden"]


class Prompt(NamedTuple):
    """Rows of the prompt, and the rows of the steps but for the bits that will be written."""

    rows: Float[Either, "length width"]
    steps: Float[Either, "size width"]


class Written(NamedTuple):
    """What each step wrote, and the number it was rounded from."""

    bits: Int[Either, " size"]
    raw: Float[Either, " size"]


def slots_for(values: int) -> tuple[dict[str, slice], int]:
    """The stream: what a token is (number, value), what it describes, what has been fetched."""
    code = bits_for(values)
    names = {"number": code, "value": 1, "describes": code, "turn": code}
    names |= {f"pointer {head}": code for head in range(HEADS)} | {"kind": len(KINDS)}
    names |= {f"fetched {head}": code for head in range(HEADS)} | {"gate": len(KINDS)}
    return slots_of(names | {"sum": 1, "one": 1})


def gate_by_gate(values: int) -> Weights:
    """Weights for circuits of at most so many values: the constant, the inputs and the gates.

    >>> gate_by_gate(8).find.shape
    (36, 36)
    """
    slots, width = slots_for(values)
    pointers = [(f"pointer {head}", f"fetched {head}", 1.0) for head in range(HEADS)]
    find = wiring(width, slots, [("turn", "describes", 1.0)])
    fetch = wiring(width, slots, [*pointers, ("kind", "gate", 1.0)])
    point = [wiring(width, slots, [(f"fetched {head}", "number", 1.0)]) for head in range(HEADS)]
    carry = [wiring(width, slots, [("value", "sum", 1.0)])] * HEADS
    return Weights(find, fetch, np.stack(point), np.stack(carry), *_gates(slots, width))


def _gates(
    slots: dict[str, slice], width: int
) -> tuple[
    Float[np.ndarray, "width hidden"], Float[np.ndarray, " hidden"], Float[np.ndarray, " hidden"]
]:
    """ReLUs for [sum ≥ k] of each kind: NAND is 1 - [≥ 2], XOR [≥ 1] - [≥ 2], MAJ3 [≥ 2]."""
    steps = {"NAND": {0: 1, 2: -1}, "XOR": {1: 1, 2: -1}, "MAJ3": {2: 1}}
    columns, biases, heights = [], [], []
    for place, kind in enumerate(KINDS):
        for least, height in steps[kind].items():
            for corner, sign in ((least - 1, 1), (least, -1)):
                column = np.zeros(width)
                column[slots["sum"]] = 1.0
                column[slots["gate"].start + place] = OFF
                columns.append(column)
                biases.append(-corner - OFF)
                heights.append(float(sign * height))
    return np.stack(columns, axis=1), np.array(biases), np.array(heights)


def prompt_for(circuit: Circuit, word: Int[np.ndarray, " bit"], values: int) -> Prompt:
    """Rows as the embedding makes them of tokens and positions: numbers are positions."""
    slots, width = slots_for(values)
    known, gates = 1 + circuit.inputs, len(circuit.gates)
    if known + gates > values:
        raise BadInput(
            "the circuit has more values than the weights have codes for",
            seen=known + gates,
            why=f"built for {values}",
        )
    codes = sign_codes(max(2, values))
    rows, steps = np.zeros((known + gates, width)), np.zeros((gates, width))
    rows[:, slots["one"]] = steps[:, slots["one"]] = 1.0
    rows[:known, slots["number"]] = codes[:known]
    rows[1:known, slots["value"]] = word[:, None]
    for number, gate in enumerate(circuit.gates):
        row = rows[known + number]
        row[slots["describes"]] = codes[known + number]
        row[slots["kind"].start + list(KINDS).index(gate.kind)] = 1.0
        # the value with number 0 is the constant: gates with two inputs read a 0 as their third
        pointers = [1 + source for source in gate.sources] + [0] * (HEADS - len(gate.sources))
        for head, pointer in enumerate(pointers):
            row[slots[f"pointer {head}"]] = codes[pointer]
    steps[:, slots["number"]] = codes[known : known + gates]
    rows[-1, slots["turn"]] = codes[known]  # after the last description comes the first gate
    steps[:-1, slots["turn"]] = codes[known + 1 : known + gates]
    return Prompt(rows, steps)


def run(values: int, weights: Weights, prompt: Prompt, sharpness: Float[Array, ""]) -> Written:
    """All steps, earlier rows kept as they were; an infinite sharpness is hard attention."""
    value = slots_for(values)[0]["value"].start
    length, width = prompt.rows.shape
    count = prompt.steps.shape[0]
    below = jnp.zeros((length + count, width), prompt.rows.dtype).at[:length].set(prompt.rows)
    place = jnp.arange(length + count)
    prefilled = jax.vmap(lambda row, own: _found(weights, row, below, place <= own, sharpness))
    above = jnp.zeros_like(below).at[:length].set(prefilled(prompt.rows, jnp.arange(length)))

    def step(
        kept: tuple[Array, Array], number: Int[Array, ""]
    ) -> tuple[tuple[Array, Array], Float[Array, ""]]:
        below, above = kept
        newest = length - 1 + number
        raw = _applied(weights, above[newest], above, place <= newest, sharpness)
        row = prompt.steps[number].at[value].set((raw > 0.5).astype(raw.dtype))
        below = below.at[newest + 1].set(row)
        seen = place <= newest + 1
        above = above.at[newest + 1].set(_found(weights, row, below, seen, sharpness))
        return (below, above), raw

    _, raw = jax.lax.scan(step, (below, above), jnp.arange(count))
    return Written((raw > 0.5).astype(jnp.int32), raw)


def _found(
    weights: Weights,
    row: Float[Array, " width"],
    rows: Float[Array, "length width"],
    seen: Bool[Array, " length"],
    sharpness: Float[Array, ""],
) -> Float[Array, " width"]:
    """Layer 1: the description whose turn it is, beside what the token was."""
    looked = _weighed(row @ weights.find @ rows.T, seen, sharpness)
    return row + looked @ rows @ weights.fetch


def _applied(
    weights: Weights,
    row: Float[Array, " width"],
    rows: Float[Array, "length width"],
    seen: Bool[Array, " length"],
    sharpness: Float[Array, ""],
) -> Float[Array, ""]:
    """Layer 2: the values pointed at, added up, and the gate applied."""
    looked = jax.vmap(lambda point: _weighed(row @ point @ rows.T, seen, sharpness))(weights.point)
    summed = row + jnp.einsum("hl,lw,hwv->v", looked, rows, weights.carry)
    return jax.nn.relu(summed @ weights.first + weights.bias) @ weights.second


def _weighed(
    scores: Float[Array, " length"], seen: Bool[Array, " length"], sharpness: Float[Array, ""]
) -> Float[Array, " length"]:
    """Softmax; with infinite sharpness all weight on the highest score, shared if it is tied."""
    scores = jnp.where(seen, scores, -jnp.inf)
    highest = (scores == scores.max()).astype(jnp.float_)
    soft = jax.nn.softmax(jnp.where(jnp.isinf(sharpness), 1.0, sharpness) * scores)
    return jnp.where(jnp.isinf(sharpness), highest / highest.sum(), soft)
