"""Tasks on which kinds of sequence models part ways, and what theory says of each pair.

Recall, copy and index ask for more bits than a state of fixed size may have; parity, counting by
threes and products of permutations ask to turn a state around; flip-flops and brackets of bounded
depth only to set and reset it. One word at a time: `vmap` for a batch. All are padded to a length.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import NamedTuple, final

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Bool, Int, Key

from foretell.core.architecture import FIXED_STATE
from foretell.plain.errors import BadInput
from foretell.worlds.communication import copy_bits, index_bits

WRITE, IGNORE, READ = 0, 2, 3  # writing a 1 is token 1
BITS_A_UNIT = 1.0  # that training makes use of; float32 would have room for 32
DEPTH = 3  # of brackets


class Word(NamedTuple):
    """What is read, what is right after each token, and where that counts."""

    tokens: Int[Array, " length"]
    targets: Int[Array, " length"]
    scored: Bool[Array, " length"]


Draw = Callable[[Key[Array, ""], int], Word]


@final
@dataclass(frozen=True)
class Game:
    """One task at one size.

    `draw(key, length)` gives a word of that length. `longer` says that it is tested on words twice
    as long as those it was trained on, in their second half. `bits` are what a state must hold in
    the middle of a word; `signs` is what is known of each kind, where `bits` do not decide.
    """

    name: str
    draw: Draw
    length: int
    tokens: int
    labels: int
    bits: float
    signs: Mapping[str, bool]
    longer: bool = False

    def sign(self, kind: str, units: int) -> bool | None:
        """Does theory expect it to be solved? None: nothing is known."""
        if kind in FIXED_STATE and self.bits > BITS_A_UNIT * units:
            return False
        family = "state" if kind in FIXED_STATE else kind
        return self.signs.get(kind, self.signs.get(family))


def recall(pairs: int, values: int) -> Game:
    """Pairs of a key and a value, each pair one token, then keys: their values are asked for."""
    asked = pairs // 2

    def draw(key: Key[Array, ""], length: int) -> Word:
        own, order, later = jax.random.split(key, 3)
        value = jax.random.randint(own, (pairs,), 0, values)
        # One sort each: the permutations of `jax.random` sort several times, and compile as long.
        keys = jnp.argsort(jax.random.uniform(order, (pairs,)))
        queries = jnp.argsort(jax.random.uniform(later, (pairs,)))[:asked]
        tokens = jnp.concatenate([keys * values + value[keys], pairs * values + queries])
        targets = jnp.concatenate([jnp.zeros(pairs, jnp.int32), value[queries]])
        return _padded(tokens, targets, jnp.arange(pairs + asked) >= pairs, length)

    solves = {"transformer": True, "hybrid": True}
    tokens = pairs * values + pairs
    return Game("recall", draw, pairs + asked, tokens, values, pairs * math.log2(values), solves)


def copy(symbols: int, alphabet: int) -> Game:
    """A word, a mark, and the word again: each of its symbols is predicted from those before."""

    def draw(key: Key[Array, ""], length: int) -> Word:
        word = jax.random.randint(key, (symbols,), 0, alphabet)
        tokens = jnp.concatenate([word, jnp.array([alphabet]), word[:-1]])
        targets = jnp.concatenate([word, word])
        return _padded(tokens, targets, jnp.arange(2 * symbols) >= symbols, length)

    solves = {"transformer": True, "hybrid": True}
    bits = copy_bits(symbols, alphabet)
    return Game("copy", draw, 2 * symbols, alphabet + 1, alphabet, bits, solves)


def index(bits: int, asked: int = 8) -> Game:
    """Bits, then places: the bit at each of these places is asked for."""

    def draw(key: Key[Array, ""], length: int) -> Word:
        own, later = jax.random.split(key)
        word = jax.random.bits(own, (bits,)).astype(jnp.int32) & 1
        places = jax.random.randint(later, (asked,), 0, bits)
        tokens = jnp.concatenate([word, 2 + places])
        targets = jnp.concatenate([word, word[places]])
        return _padded(tokens, targets, jnp.arange(bits + asked) >= bits, length)

    solves = {"transformer": True, "hybrid": True}
    return Game("index", draw, bits + asked, bits + 2, 2, index_bits(bits), solves)


def counting(modulus: int, length: int) -> Game:
    """The sum so far, modulo something: parity for 2."""

    def draw(key: Key[Array, ""], length: int) -> Word:
        tokens = jax.random.randint(key, (length,), 0, modulus)
        return Word(tokens, jnp.cumsum(tokens) % modulus, jnp.ones(length, bool))

    power_of_two = modulus & (modulus - 1) == 0
    signs = {"state": True, "ssm": False, "ssm-signed": power_of_two, "transformer": False}
    name = "parity" if modulus == 2 else f"sum mod {modulus}"
    return Game(name, draw, length, modulus, modulus, math.log2(modulus), signs, longer=True)


def flip_flop(length: int, ignoring: float) -> Game:
    """Write a bit, let others pass, read it: after a read the bit written last is asked for."""

    def draw(key: Key[Array, ""], length: int) -> Word:
        ends = jnp.array([(1 - ignoring) / 4, (1 - ignoring) / 2, (1 + ignoring) / 2])
        drawn = jnp.sum(jax.random.uniform(key, (length, 1)) >= ends, axis=1)
        tokens = drawn.at[0].set(drawn[0] & 1).at[-1].set(READ)
        place = jnp.arange(length)
        last = jax.lax.cummax(jnp.where(tokens < IGNORE, place, 0))
        return Word(tokens, tokens[last], tokens == READ)

    signs = {"state": True, "transformer": True, "hybrid": True}
    return Game("flip-flop", draw, length, 4, 2, 1.0, signs)


def brackets(length: int) -> Game:
    """How deep the brackets are that never close too soon, nor open more than so deep."""

    def draw(key: Key[Array, ""], length: int) -> Word:
        coins = jax.random.bits(key, (length,)).astype(jnp.int32) & 1

        def step(depth: Int[Array, ""], coin: Int[Array, ""]) -> tuple[Array, tuple[Array, Array]]:
            opens = jnp.where(depth == 0, 1, jnp.where(depth == DEPTH, 0, coin))
            depth = depth + 2 * opens - 1
            return depth, (1 - opens, depth)

        _, (tokens, depths) = jax.lax.scan(step, jnp.int32(0), coins)
        return Word(tokens, depths, jnp.ones(length, bool))

    signs = {"state": True, "transformer": True, "hybrid": True}
    return Game("brackets", draw, length, 2, DEPTH + 1, math.log2(DEPTH + 1), signs)


def permutations(length: int) -> Game:
    """Products of all 120 permutations of five things, from a swap, a turn and standing still."""
    elements = np.array(list(itertools.permutations(range(5))))
    number = {tuple(row): place for place, row in enumerate(elements.tolist())}
    moves = np.array([[0, 1, 2, 3, 4], [1, 0, 2, 3, 4], [1, 2, 3, 4, 0]])
    after = np.array([[number[tuple(row[move])] for move in moves] for row in elements])

    def draw(key: Key[Array, ""], length: int) -> Word:
        tokens = jax.random.randint(key, (length,), 0, len(moves))

        def step(state: Int[Array, ""], letter: Int[Array, ""]) -> tuple[Array, Array]:
            state = jnp.asarray(after)[state, letter]
            return state, state

        _, states = jax.lax.scan(step, jnp.int32(0), tokens)
        return Word(tokens, states, jnp.ones(length, bool))

    signs = {"state": True, "ssm": False, "ssm-signed": False}
    signs |= {"transformer": False, "hybrid": False}
    return Game("permutations", draw, length, 3, 120, math.log2(120), signs, longer=True)


GAMES: dict[str, Callable[..., Game]] = {
    "recall": recall,
    "copy": copy,
    "index": index,
    "counting": counting,
    "flip-flop": flip_flop,
    "brackets": brackets,
    "permutations": permutations,
}


def game(name: str, *sizes: float) -> Game:
    """The task of that name at these sizes."""
    if name not in GAMES:
        raise BadInput("unknown task to compare on", seen=name, hint=", ".join(GAMES))
    if any(size <= 0 for size in sizes):
        raise BadInput("sizes of a task are positive", seen=list(sizes))
    return GAMES[name](*sizes)


def _padded(tokens: Array, targets: Array, scored: Array, length: int) -> Word:
    """To a length at least as large; what stands behind is not scored."""
    if length < len(tokens):
        raise BadInput("the word does not fit", seen=f"{len(tokens)} tokens in {length}")
    room = (0, length - len(tokens))
    return Word(*(jnp.pad(part, room) for part in (tokens, targets, scored)))
