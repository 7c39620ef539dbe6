"""Recurrences written down by hand: one signed unit is parity, a register keeps its last bits."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np

from foretell.models.state_space import linear_recurrence
from foretell.worlds.state_fleets import shift_registers
from foretell.worlds.state_partitions import all_words, read_words, same_state

PARITY_LENGTH, PARITY_WORDS = 300, 64


def wrong_parities() -> float:
    """Of a unit that a one turns over and a zero leaves, after every token of random words."""
    bits = np.random.default_rng(0).integers(2, size=(PARITY_WORDS, PARITY_LENGTH, 1))
    beginning = np.zeros((PARITY_WORDS, 1, 1), np.float32)
    gates = np.concatenate([beginning, 1.0 - 2.0 * bits], axis=1).astype(np.float32)
    drives = np.concatenate([beginning + 1, np.zeros(bits.shape)], axis=1).astype(np.float32)
    states = np.asarray(jax.jit(linear_recurrence)(gates, drives))[:, 1:]
    return float(np.sum((states < 0) != (np.cumsum(bits, axis=1) % 2 == 1)))


def confused_words(bits: int) -> tuple[float, float]:
    """Words that end where another ends, in a register of so many units and in one with a less."""
    words = all_words(bits)
    registers = shift_registers(bits)
    units = jnp.arange(bits) < jnp.array([[bits], [bits - 1]])
    chosen = jax.tree.map(lambda own: own[:2], registers)
    read = jax.jit(jax.vmap(read_words, (0, 0, None, None)))
    states = read(chosen, units, jnp.int32(1), words)
    groups = same_state(np.asarray(states))
    whole, less = (float(len(words) - len(np.unique(row))) for row in groups)
    return whole, less
