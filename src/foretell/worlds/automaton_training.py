"""Fleets that learn to follow automata: a member for each automaton, all of one shape.

Words are uniform and fresh at every step; the state after every letter is asked. Tables are padded
to one size.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
import optax
from jaxtyping import Array, Float, Int, Key

from foretell.languages.algebra.maps import letter_maps
from foretell.models import small_decoder
from foretell.models.recurrent import Cell, Gru
from foretell.models.small_decoder import Decoder, Shape
from foretell.numerics.keys import key_for, root_key
from foretell.plain.errors import BadInput
from foretell.worlds.automata import automaton
from foretell.worlds.descent import Show, descend, rise_and_fall

Words = Int[Array, "batch length"]
Reader = Callable[[Any, Words], Float[Array, "batch length token"]]
TESTED = 512  # words for each member


class Machines(NamedTuple):
    """What the members simulate: padded tables, where they start, and how many letters count."""

    tables: Int[np.ndarray, "member letter state"]
    starts: Int[np.ndarray, " member"]
    letters: Int[np.ndarray, " member"]

    @property
    def tokens(self) -> int:
        """Enough for the letters that are read and the states that are said."""
        return max(self.tables.shape[1:])


class Recurrent(NamedTuple):
    """A gated cell between an embedding and one output for each state."""

    embedding: Float[Array, "token width"]
    cell: Cell
    output: Float[Array, "hidden token"]


def machines(names: Sequence[str]) -> Machines:
    """Of automata by name."""
    if not names:
        raise BadInput("there is no automaton to simulate", hint="parity")
    every = [automaton(name) for name in names]
    maps = [letter_maps(dfa).astype(int) for dfa in every]
    tables = np.zeros((len(maps), *np.max([each.shape for each in maps], axis=0)), int)
    for table, each in zip(tables, maps, strict=True):
        table[: each.shape[0], : each.shape[1]] = each
    starts = np.array([dfa.start for dfa in every])
    return Machines(tables, starts, np.array([len(each) for each in maps]))


def states_after(
    table: Int[Array, "letter state"], start: Int[Array, ""], word: Int[Array, " length"]
) -> Int[Array, " length"]:
    """The state after every letter."""

    def step(state: Array, letter: Array) -> tuple[Array, Array]:
        after = table[letter, state]
        return after, after

    return jax.lax.scan(step, start, word)[1]


def decoder_reader(shape: Shape) -> Reader:
    """A small decoder, read everywhere."""
    return jax.vmap(lambda weights, word: small_decoder.logits(shape, weights, word), (None, 0))


def fresh_decoder(shape: Shape) -> Callable[[Key[Array, ""]], Decoder]:
    """New weights from a key."""
    return lambda key: small_decoder.create(shape, key)


def recurrent_reader(weights: Recurrent, words: Words) -> Float[Array, "batch length token"]:
    """The state of the cell after every letter, through the output."""
    return weights.cell(weights.embedding[words]) @ weights.output


def fresh_recurrent(tokens: int, hidden: int) -> Callable[[Key[Array, ""]], Recurrent]:
    """A GRU, as wide inside as outside."""

    def fresh(key: Key[Array, ""]) -> Recurrent:
        read, said = (
            jax.random.normal(key_for(key, name), size)
            for name, size in (("embedding", (tokens, hidden)), ("output", (hidden, tokens)))
        )
        return Recurrent(read, Gru.create(hidden, hidden, key_for(key, "cell")), said / hidden**0.5)

    return fresh


def train(
    reader: Reader,
    fresh: Callable[[Key[Array, ""]], Any],
    simulated: Machines,
    plan: Mapping[str, Any],
    show: Show,
) -> Any:
    """All members as one program; their weights at the end.

    `plan` has length, steps, batch, rate, seed and the phase to show.
    """
    root = key_for(root_key(plan["seed"]), "automata")
    given = tuple(map(jnp.asarray, simulated))
    count, size = len(simulated.letters), (plan["batch"], plan["length"])

    def member_loss(weights: Any, key: Key[Array, ""], *one: Array) -> Float[Array, ""]:
        table, start, letters = one
        words = jax.random.randint(key, size, 0, letters)
        truth = jax.vmap(lambda word: states_after(table, start, word))(words)
        said = reader(weights, words)
        return optax.softmax_cross_entropy_with_integer_labels(said, truth).mean()

    def loss(weights: Any, key: Key[Array, ""]) -> Float[Array, ""]:
        return jax.vmap(member_loss)(weights, jax.random.split(key, count), *given).sum()

    keys = jnp.stack([key_for(root, "weights", member) for member in range(count)])
    trained = descend(
        loss,
        jax.jit(jax.vmap(fresh))(keys),
        optax.adam(rise_and_fall(plan["rate"], plan["steps"])),
        steps=plan["steps"],
        key=key_for(root, "train"),
        show=show,
        phase=plan["phase"],
    )
    return trained.weights


def right(
    reader: Reader, weights: Any, simulated: Machines, plan: Mapping[str, Any], ones: float
) -> Float[np.ndarray, "draw member length"]:
    """Share of new words on which each state is right, twice: uniform letters, then so many ones.

    The second kind has letters 0 and 1 only.
    """
    key, size = key_for(root_key(plan["seed"]), "automata", "test"), (TESTED, plan["length"])

    def member(weights: Any, key: Key[Array, ""], *one: Array) -> Float[Array, "draw length"]:
        table, start, letters = one
        usual = jax.random.randint(key, size, 0, letters)
        odd = (jax.random.uniform(key, size) < ones).astype(usual.dtype)
        words = jnp.concatenate([usual, odd])
        truth = jax.vmap(lambda word: states_after(table, start, word))(words)
        found = reader(weights, words).argmax(axis=-1) == truth
        return found.reshape(2, *size).mean(axis=1)

    keys = jax.random.split(key, len(simulated.letters))
    run = jax.jit(jax.vmap(member, out_axes=1))
    return np.asarray(run(weights, keys, *map(jnp.asarray, simulated)))
