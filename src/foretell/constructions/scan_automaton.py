"""Transformers that simulate any automaton in ⌈log₂ T⌉ layers, with every weight written down.

A position holds the map of its letter, as a one-hot matrix of states by states. Layer ℓ looks 2^ℓ
positions back, or at the start symbol (whose map is the identity) if the word does not reach that
far, and its MLP composes what it read with what it holds: from then on a position knows the map of
its last 2^(ℓ+1) letters, and after ⌈log₂ T⌉ layers of all of them. `looped_scan` does the same with
one layer used again and again: a position also holds a pointer, reads the pointer of where it
points, and so jumps twice as far every time. Automata that need no scan: `counting_automaton.py`.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float, Int

from foretell.constructions.k_gram_layers import (
    HARD,
    Feed,
    Layer,
    Network,
    Slots,
    slots_of,
    wiring,
)
from foretell.languages.algebra.maps import letter_maps
from foretell.languages.dfa import DFA
from foretell.numerics.precision import double_precision
from foretell.plain.errors import BadInput

Wire = tuple[str, str, float]


def layers_for(length: int) -> int:
    """⌈log₂ T⌉, in integers.

    >>> [layers_for(length) for length in (1, 2, 7, 8, 64, 100, 130)]
    [0, 1, 3, 3, 6, 7, 8]
    """
    if length < 1:
        raise BadInput("a word has at least one letter", seen=length)
    return (length - 1).bit_length()


def enough_sharpness(length: int) -> float:
    """With attention this sharp the right state has more than half of the weight.

    A layer leaks at most T·exp(-κ), and composing adds the errors of both factors, so that after L
    layers (2^L - 1)·T·exp(-κ) is lost at most.
    """
    return math.log(2 * length * max(1, 2 ** layers_for(length) - 1))


def states_said(
    network: Network, words: Int[np.ndarray, "batch length"]
) -> Int[np.ndarray, "_layer batch length"]:
    """The likeliest state after every letter, as read before the first layer and after each.

    For networks whose layers differ in their lag scores only: one compiled layer does for all.
    """
    tokens = np.pad(words, ((0, 0), (1, 0)), constant_values=len(network.embedding) - 1)
    said = (network.embedding @ network.output)[words].argmax(axis=-1)[None]
    if not network.layers:
        return said
    length = tokens.shape[1]
    scores = np.stack([layer.lag_scores[0, :length] for layer in network.layers])
    with double_precision():
        later = _said_later(network.embedding, network.layers[0], network.output, scores, tokens)
        return np.concatenate([said, np.asarray(later)])


@jax.jit
def _said_later(
    embedding: Float[Array, "token width"],
    layer: Layer,
    output: Float[Array, "width letter"],
    scores: Float[Array, "_layer length"],
    tokens: Int[Array, "batch length"],
) -> Int[Array, "_layer batch _length"]:
    feed = layer.feed
    assert feed is not None and layer.normed is None  # what `scan` and `looped_scan` make

    def step(stream: Array, by_lag: Array) -> tuple[Array, Array]:
        attention = attention_of(stream, jnp.asarray(layer.query_key[0]), by_lag)
        stream = stream + attention @ stream @ layer.value[0]
        stream = stream + jax.nn.relu(stream @ feed.first + feed.bias) @ feed.second
        return stream, jnp.argmax(stream[1:] @ output, axis=-1)

    return jax.vmap(lambda word: jax.lax.scan(step, embedding[word], scores)[1], 0, 1)(tokens)


def attention_of(
    stream: Float[Array, "length width"],
    query_key: Float[Array, "width width"],
    by_lag: Float[Array, " length"],
) -> Float[Array, "length length"]:
    """Who looks where: a bilinear score of contents and one of the lag, later positions hidden."""
    place = jnp.arange(len(stream))
    lag = place[:, None] - place
    scores = stream @ query_key @ stream.T + by_lag[jnp.maximum(lag, 0)]
    return jax.nn.softmax(jnp.where(lag >= 0, scores, -jnp.inf), axis=-1)


def scan(dfa: DFA, length: int, sharpness: float = HARD, layers: int | None = None) -> Network:
    """A layer for each doubling; fewer, if so many are asked for.

    >>> from foretell.core.alphabet import Alphabet
    >>> parity = DFA(Alphabet("01"), ((0, 1), (1, 0)), 0, frozenset({0}))
    >>> states_said(scan(parity, 5), np.array([[1, 1, 0, 1, 0]]))[-1].tolist()
    [[1, 0, 0, 1, 1]]
    """
    states = _require(dfa, length, sharpness)
    slots, width = slots_of({"map": states**2, "read": states**2, "start": 1, "one": 1})
    rows = np.zeros((len(dfa.alphabet.symbols) + 1, width))
    rows[:, slots["map"]] = _one_hot_maps(dfa)
    rows[-1, slots["start"]] = 1.0
    rows[:, slots["one"]] = 1.0
    # The position sought has a score of 2κ, the start κ, all others 0: κ ahead in any case.
    query_key = wiring(width, slots, [("one", "start", sharpness)])[None]
    value = wiring(width, slots, [("map", "read", 1.0)])[None]
    feed = _composing(width, slots, states, [("map", "map", -1.0), ("read", "read", -1.0)])
    count = layers_for(length) if layers is None else layers
    scores = 2 * sharpness * np.eye(2**count + length + 1)[2 ** np.arange(count), : length + 1]
    made = tuple(Layer(query_key, row[None], value, feed) for row in scores)
    return Network(rows, made, _reading_map(width, slots, dfa))


def looped_scan(
    dfa: DFA, length: int, sharpness: float = HARD, rounds: int | None = None
) -> Network:
    """One and the same layer, as often as the word can be doubled; read words by `at_places`."""
    states = _require(dfa, length, sharpness)
    sizes = {"map": states**2, "read": states**2}
    sizes |= {"place": length + 1, "pointer": length + 1, "found": length + 1}
    slots, width = slots_of(sizes)
    letters = len(dfa.alphabet.symbols)
    rows = np.zeros((length * letters + 1, width))
    maps, places = _one_hot_maps(dfa), np.eye(length + 1)
    rows[:-1, slots["map"]] = np.tile(maps[:-1], (length, 1))
    rows[:-1, slots["place"]] = np.repeat(places[1:], letters, axis=0)
    rows[:-1, slots["pointer"]] = np.repeat(places[:-1], letters, axis=0)
    rows[-1, slots["map"]] = maps[-1]
    rows[-1, slots["place"]] = rows[-1, slots["pointer"]] = places[0]
    query_key = wiring(width, slots, [("pointer", "place", sharpness)])[None]
    value = wiring(width, slots, [("map", "read", 1.0), ("pointer", "found", 1.0)])[None]
    moved = [(name, name, -1.0) for name in ("map", "read", "pointer", "found")]
    feed = _composing(width, slots, states, [*moved, ("found", "pointer", 1.0)])
    layer = Layer(query_key, np.zeros((1, length + 1)), value, feed)
    count = layers_for(length) if rounds is None else rounds
    return Network(rows, (layer,) * count, _reading_map(width, slots, dfa))


def at_places(words: Int[np.ndarray, "... length"], letters: int) -> Int[np.ndarray, "... length"]:
    """Letters that also say where they stand, for a network without lag scores."""
    return words + letters * np.arange(words.shape[-1])


def blind_word(dfa: DFA, length: int, seen: int) -> tuple[int, ...] | None:
    """A word whose last state is another if only its last `seen` letters are read; none if none.

    >>> from foretell.core.alphabet import Alphabet
    >>> parity = DFA(Alphabet("01"), ((0, 1), (1, 0)), 0, frozenset({0}))
    >>> blind_word(parity, 5, 4), blind_word(parity, 4, 4)
    ((1, 0, 0, 0, 0), None)
    """
    letters = letter_maps(dfa).astype(int)
    apart = [~np.eye(letters.shape[1], dtype=bool)]  # pairs that some word of k letters keeps apart
    for _ in range(min(seen, length)):
        apart.append(apart[-1][letters[:, :, None], letters[:, None, :]].any(axis=0))
    reached = [np.arange(letters.shape[1]) == dfa.start]
    for _ in range(length - seen):
        reached.append(np.isin(np.arange(letters.shape[1]), letters[:, reached[-1]]))
    ends = np.flatnonzero(reached[-1] & apart[-1][dfa.start])
    if seen >= length or not len(ends):
        return None
    state, word = int(ends[0]), list[int]()
    for layer in reached[-2::-1]:  # back to the start
        letter, source = np.argwhere((letters == state) & layer)[0]
        state, word = int(source), [int(letter), *word]
    one, other = dfa.start, int(ends[0])
    for pairs in apart[-2::-1]:  # on to the end
        letter = int(np.flatnonzero(pairs[letters[:, one], letters[:, other]])[0])
        one, other, word = int(letters[letter, one]), int(letters[letter, other]), [*word, letter]
    return tuple(word)


def _require(dfa: DFA, length: int, sharpness: float) -> int:
    layers_for(length)
    if not 0 < sharpness < math.inf:
        raise BadInput("attention has no such sharpness", seen=sharpness, why="κ is above 0")
    return len(dfa.delta)


def _one_hot_maps(dfa: DFA) -> Float[np.ndarray, "token width"]:
    """A row for every letter: which state leads where; last the identity, for the start symbol."""
    every = np.vstack([letter_maps(dfa), np.arange(len(dfa.delta))]).astype(int)
    return np.eye(len(dfa.delta))[every].reshape(len(every), -1)


def _reading_map(width: int, slots: Slots, dfa: DFA) -> Float[np.ndarray, "width letter"]:
    """Where the start is led to."""
    states = len(dfa.delta)
    matrix = np.zeros((width, states))
    first = slots["map"].start + dfa.start * states
    matrix[first : first + states] = np.eye(states)
    return matrix


def _composing(width: int, slots: Slots, states: int, passed: Sequence[Wire]) -> Feed:
    """ReLUs that compose: relu(read[q, r] + map[r, s] - 1) goes to map[q, s].

    `passed` wires are ReLUs that hand on what is never negative: they clear and move slots.
    """
    count = states**3
    q, r, s = np.unravel_index(np.arange(count), (states,) * 3)
    first, second = np.zeros((width, count)), np.zeros((count, width))
    unit = np.arange(count)
    first[slots["read"].start + q * states + r, unit] = 1.0
    first[slots["map"].start + r * states + s, unit] = 1.0
    second[unit, slots["map"].start + q * states + s] = 1.0
    sources = dict.fromkeys(source for source, _, _ in passed)
    handed = np.concatenate([np.arange(width)[slots[source]] for source in sources])
    first = np.hstack([first, np.eye(width)[:, handed]])
    second = np.vstack([second, wiring(width, slots, passed)[handed]])
    bias = np.concatenate([np.full(count, -1.0), np.zeros(len(handed))])
    return Feed(first, bias, np.zeros((0, len(bias))), second)
