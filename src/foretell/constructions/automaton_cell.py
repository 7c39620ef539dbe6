"""A recurrent cell that follows any automaton, weight by weight, at every length.

One unit for every state and letter: it is on exactly if the letter was just read and led to that
state. Who was on before tells the state before, so a unit sums what leads to it: one for a fitting
state, one for its letter, and both are needed. A hyperbolic tangent that is steep enough is a
switch, and a switch forgets the small errors of the switches before it: nothing adds up.
Sources: Minsky, Computation: finite and infinite machines, 1967, Section 3.5 (threshold units).
"""

from __future__ import annotations

from typing import NamedTuple

import equinox as eqx
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float, Int

from foretell.languages.dfa import DFA
from foretell.models.layers import Linear
from foretell.models.recurrent import Elman
from foretell.plain.errors import BadInput

GAIN = 8.0  # a unit that is on is 1 - 2e^-16
MOST_UNITS = 4_096


class AutomatonCell(NamedTuple):
    """The cell, and for each of its units the state that it stands for."""

    cell: Elman
    reached: Int[np.ndarray, " hidden"]

    def states(self, words: Int[np.ndarray, "batch length"]) -> Int[np.ndarray, "batch length"]:
        """The automaton's state after every letter of words that are letter indices."""
        letters = self.cell.inputs.weight.shape[0]
        read = np.concatenate([np.full((len(words), 1), letters - 1), words], axis=1)
        most = _most_active(self.cell, np.eye(letters, dtype=np.float32)[read])
        return self.reached[np.asarray(most)[:, 1:]]


@eqx.filter_jit
def _most_active(
    cell: Elman, stream: Float[Array | np.ndarray, "batch length width"]
) -> Int[Array, "batch length"]:
    return jnp.argmax(cell(jnp.asarray(stream)), axis=-1)


def units_needed(dfa: DFA) -> int:
    """A unit for every state and letter, and one for the beginning."""
    return len(dfa.delta) * len(dfa.alphabet.symbols) + 1


def automaton_cell(dfa: DFA) -> AutomatonCell:
    """The cell whose most active unit names the state of the automaton after every letter.

    >>> from foretell.languages.regular import RegularLanguage
    >>> even = RegularLanguage.from_regex("(b|ab*a)*").dfa
    >>> automaton_cell(even).states(np.array([[0, 1, 0, 0]])).tolist()
    [[1, 1, 0, 1]]
    """
    units, delta = units_needed(dfa), np.array(dfa.delta)
    if units > MOST_UNITS:
        raise BadInput("the automaton is too large for a cell", seen=f"{units:,} units")
    states, letters = delta.shape
    reached = np.concatenate([[dfa.start], np.repeat(np.arange(states), letters)])
    letter = np.concatenate([[letters], np.tile(np.arange(letters), states)])
    leads = np.zeros((units, units))
    leads[:, 1:] = delta[reached[:, None], letter[None, 1:]] == reached[None, 1:]
    # Unit j is on if one that leads to it was on and its letter is read: two of two.
    read = 2 * GAIN * (np.arange(letters + 1)[:, None] == letter[None])
    read[letters] = 2 * GAIN * units * np.where(np.arange(units) == 0, 1, -1)  # whatever was on
    read[:letters, 0] = -2 * GAIN
    bias = GAIN * (leads.sum(axis=0) - 3)
    cell = Elman(
        Linear(jnp.asarray(read, jnp.float32), jnp.asarray(bias, jnp.float32)),
        jnp.asarray(GAIN * leads, jnp.float32),
    )
    return AutomatonCell(cell, reached)
