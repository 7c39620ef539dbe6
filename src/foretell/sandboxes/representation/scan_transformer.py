"""A transformer of ⌈log₂ T⌉ layers that simulates any automaton, built weight by weight.

What: To follow an automaton through T letters is to compose T maps from states to states, and
    composition is associative: maps can be joined in pairs, pairs in fours, and so on, as in a
    tournament. Attention that looks 1, 2, 4, 8, … positions back does this for all prefixes at
    once, so that depth log T replaces T steps in a row. The network is written down rather than
    trained, for ten automata, and its states are compared with those of the automaton at every
    position of every length up to the longest. One layer fewer and a position has not seen its
    whole past; then a word is constructed for which that shows. Two kinds of automata are known to
    need no growing depth, and their networks are built too: counters (one layer of uniform
    attention) and flip-flops (two layers, the second looking for the last write).
Definition: Position n holds the map f_n of its letter as a one-hot matrix of |Q|² numbers; a start
    symbol holds the identity. Layer ℓ = 0, 1, … has one head. Its score is 2κ for the position 2^ℓ
    back, κ for the start symbol and 0 for all others, so that softmax picks the first, or the
    second where the first is missing, up to a share of T·exp(-κ). The MLP composes,
    f_n ← f_n ∘ f_{n-2^ℓ}, with a unit relu(f_{n-2^ℓ}[q,r] + f_n[r,s] - 1) for each q, r, s. The
    state is q_n = f_n(q_0). It is right for T letters with L = ⌈log₂ T⌉ layers; soft attention
    loses at most (2^L - 1)·T·exp(-κ) of the weight of the right state, so that
    κ > ln(2T(2^L - 1)) is sharp enough. With L - 1 layers a position sees 2^(L-1) letters, and
    fails on every word whose earlier letters matter. A looped version has one layer used L times:
    positions hold a pointer, follow it, and take over the pointer they find.
Example:
    >>> from foretell.constructions.scan_automaton import layers_for, scan
    >>> from foretell.worlds.automata import automaton
    >>> [layers_for(length) for length in (7, 8, 64, 100)]
    [3, 3, 6, 7]
    >>> network = scan(automaton("symmetric-5"), 100)
    >>> len(network.layers), network.width, network.layers[0].feed.second.shape[0]
    (7, 52, 175)

Known limits: A construction shows that weights exist, not that training finds them, and the words
    are as long as it was built for. The width is 2|Q|² + 2 and the MLP has |Q|³ + 2|Q|² units:
    fine for the automata here, and not the least possible (|Q| log |Q| bits hold a map). That one
    layer fewer fails is shown for this construction; that no other network of so few layers works
    is not, and for counters and flip-flops it is false. Random words hide the failure of automata
    that forget: their curves fall long before the last layer, and only chosen words show it.
Sources: Transformers Learn Shortcuts to Automata (Liu, Ash, Goel, Krishnamurthy and Zhang, 2023);
    Prefix sums and their applications (Blelloch, 1993); the tutorial Sandbox for the Blackbox,
    part I
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, NamedTuple, final

import jax
import numpy as np
from jaxtyping import Bool, Float, Int

from foretell.constructions.counting_automaton import flip_flop_lookup, uniform_counter
from foretell.constructions.k_gram_layers import HARD, Network, next_symbol
from foretell.constructions.scan_automaton import (
    at_places,
    attention_of,
    blind_word,
    enough_sharpness,
    layers_for,
    looped_scan,
    scan,
    states_said,
)
from foretell.languages.dfa import DFA
from foretell.numerics.precision import double_precision
from foretell.plain.errors import BadInput
from foretell.protocols._asking import Budget
from foretell.sandboxes import Claim, Findings, Sandbox, Show
from foretell.worlds.automata import BUILT_IN, automaton, follow

SHARPNESS = 40.0
DRAWN = 16  # positions of the word in the figure
RARE = 0.95  # share of letters that keep, in words for the flip-flop


class Tried(NamedTuple):
    """Words for one automaton, of which the last were made to fail, and what the network said."""

    dfa: DFA
    words: Int[np.ndarray, "batch length"]
    said: Int[np.ndarray, "_layer batch length"]
    wrong: Bool[np.ndarray, "_layer batch length"]


@final
class ScanTransformer(Sandbox):
    """Constructions, run on random words and on words made to fail."""

    name = "scan-transformer"
    title = "Any automaton in log T layers"
    lesson = (
        "Layer ℓ looks 2^ℓ positions back and composes the map it finds with its own, so a "
        "position knows twice as many of its last letters after every layer. Left of the dashed "
        "line all states must be right, and after ⌈log₂ T⌉ layers they are."
    )
    caveat = "Weights written down: nothing is trained, and no lower bound on depth is shown."

    def settings(self, budget: Budget) -> dict[str, Any]:
        """Every length up to the longest; on an accelerator words eight times as long."""
        names = list(BUILT_IN)
        traced, lengths = "symmetric-5", [7, 8, 64, 100]
        longest, words, short = 130, 16, list(range(2, 131))
        blunt = [1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 8.0]
        if budget is Budget.SMOKE:
            names, traced, lengths = ["symmetric-3"], "symmetric-3", [7, 8]
            longest, words, short, blunt = 10, 4, [2, 3, 9], [2.0]
        elif budget is Budget.GPU:
            longest, words, lengths = 1024, 8, [*lengths, 1024]
            short = [*(2**k for k in range(1, 11)), *(2**k + 1 for k in range(1, 10)), 100, 1000]
        shared = {"automata": names, "traced": traced, "lengths": lengths, "blunt": blunt}
        return {**shared, "longest": longest, "words": words, "short": sorted(short), "seed": 0}

    def claims(self, settings: Mapping[str, Any]) -> tuple[Claim, ...]:
        """Zero errors, ⌈log₂ T⌉ layers, and failure at every length with one layer fewer."""
        _require(settings)
        longest, traced = settings["longest"], settings["traced"]
        found = []
        for name in settings["automata"]:
            failing = float(len(settings["short"]))
            found += [
                Claim(f"{name}: wrong states, T = 1 to {longest}", 0.0),
                Claim(f"{name}: lengths where one layer fewer fails", failing, evidence="derived"),
            ]
        for length in settings["lengths"]:
            layers = float(math.ceil(math.log2(length)))
            found.append(Claim(f"{traced}, T = {length}: layers needed", layers))
        leak = longest * math.exp(-SHARPNESS)
        limit = enough_sharpness(longest)
        return (
            *found,
            Claim("soft attention, κ = 40: wrong states, all automata", 0.0),
            Claim(
                "soft attention, κ = 40: least weight on the right position", 1 - leak, ">=", 1e-12
            ),
            Claim(f"{traced}: wrong states at κ = {limit:.1f}", 0.0, evidence="derived"),
            Claim(f"{traced}: wrong states, one layer looped", 0.0, evidence="derived"),
            Claim("parity by one uniform layer: wrong states", 0.0),
            Claim("mod-7 by one uniform layer: wrong states", 0.0),
            Claim("flip-flop by two layers, hard: wrong states", 0.0),
            Claim("flip-flop by two layers, κ = 40: wrong states", 0.0),
        )

    def measure(self, settings: Mapping[str, Any], show: Show) -> Findings:
        """Build, run, compare with the automaton letter by letter."""
        longest, traced = settings["longest"], settings["traced"]
        values: dict[str, float] = {}
        soft, shares = 0.0, []
        for name in settings["automata"]:
            hard = tried(name, settings, HARD)
            values[f"{name}: wrong states, T = 1 to {longest}"] = _wrong_in_time(hard)
            values[f"{name}: lengths where one layer fewer fails"] = _failing(hard, settings)
            soft += _wrong_in_time(tried(name, settings, SHARPNESS))
            by_layer = hard.wrong[:, : settings["words"]].mean(axis=(1, 2))
            shares.append({"name": name, "wrong": by_layer.round(5).tolist()})
        values["soft attention, κ = 40: wrong states, all automata"] = soft
        hard = tried(traced, settings, HARD)
        needed = [_layers_needed(hard, length) for length in settings["lengths"]]
        for length, layers in zip(settings["lengths"], needed, strict=True):
            values[f"{traced}, T = {length}: layers needed"] = float(layers)
        pattern = attention(automaton(traced), longest, SHARPNESS)
        least = _least_on_target(pattern)
        values["soft attention, κ = 40: least weight on the right position"] = least
        limit = enough_sharpness(longest)
        sweep = [*settings["blunt"], limit]
        wrong = [float(tried(traced, settings, each).wrong[-1].sum()) for each in sweep]
        values[f"{traced}: wrong states at κ = {limit:.1f}"] = wrong[-1]
        values |= _shortcuts(settings)
        values[f"{traced}: wrong states, one layer looped"] = _looped(settings)
        curves = {
            **_trace(hard, pattern, traced),
            "longest": longest,
            "needed": {"lengths": settings["lengths"], "layers": needed},
            "sharpness": {"tried": sweep[:-1], "wrong": wrong[:-1], "limit": limit},
            "states": hard.wrong[-1].size,
            "by_layer": shares,
        }
        return Findings(values, curves)


def _require(settings: Mapping[str, Any]) -> None:
    for name in (*settings["automata"], settings["traced"]):
        automaton(name)
    most = max([*settings["short"], *settings["lengths"]])
    if settings["longest"] < most or min(settings["short"]) < 2:
        raise BadInput(
            "these lengths cannot be tried",
            seen=f"{most}, with words of at most {settings['longest']} letters",
            why="one layer fewer is asked for from 2 letters on, up to the longest",
        )


def tried(name: str, settings: Mapping[str, Any], sharpness: float) -> Tried:
    """Random words, and one for every length that one layer fewer must get wrong if any can be."""
    dfa, longest = automaton(name), settings["longest"]
    draw = np.random.default_rng(settings["seed"])
    words = draw.integers(0, len(dfa.alphabet.symbols), (settings["words"], longest))
    chosen = np.zeros((len(settings["short"]), longest), int)
    for row, length in zip(chosen, settings["short"], strict=True):
        row[:length] = blind_word(dfa, length, 2 ** (layers_for(length) - 1)) or 0
    every = np.concatenate([words, chosen])
    said = states_said(scan(dfa, longest, sharpness), every)
    return Tried(dfa, every, said, said != follow(dfa, every))


def _wrong_in_time(found: Tried) -> float:
    """Wrong states of all networks of ⌈log₂ T⌉ layers, at the positions that such a T has.

    Attention looks back only: the network for T letters is the one for more, on a prefix.
    """
    layers = np.arange(len(found.wrong))[:, None]
    in_time = np.arange(found.words.shape[1]) < 2**layers
    return float((found.wrong & in_time[:, None]).sum())


def _failing(found: Tried, settings: Mapping[str, Any]) -> float:
    lengths = np.array(settings["short"])
    layers = np.array([layers_for(int(length)) for length in lengths])
    rows = len(found.words) - len(lengths) + np.arange(len(lengths))
    return float(found.wrong[layers - 1, rows, lengths - 1].sum())


def _layers_needed(found: Tried, length: int) -> int:
    """The fewest layers without a wrong state; one more than there are if none are enough."""
    clean = np.flatnonzero(found.wrong[:, :, :length].sum(axis=(1, 2)) == 0)
    return int(clean[0]) if len(clean) else len(found.wrong)


def attention(dfa: DFA, length: int, sharpness: float) -> Float[np.ndarray, "_layer length length"]:
    """Of every layer: the letters make no difference to it."""
    network = scan(dfa, length, sharpness)
    stream = network.embedding[np.array([len(network.embedding) - 1] + [0] * length)]
    scores = np.stack([layer.lag_scores[0] for layer in network.layers])
    with double_precision():
        return np.asarray(_patterns(stream, network.layers[0].query_key[0], scores))


_patterns = jax.jit(jax.vmap(attention_of, (None, None, 0)))


def _least_on_target(pattern: Float[np.ndarray, "_layer length length"]) -> float:
    layers, places, _ = pattern.shape
    target = np.maximum(np.arange(places) - 2 ** np.arange(layers)[:, None], 0)
    return float(np.take_along_axis(pattern, target[..., None], axis=2).min())


def _wrong(network: Network, dfa: DFA, words: Int[np.ndarray, "batch length"]) -> float:
    return float((next_symbol(network, words).argmax(axis=-1) != follow(dfa, words)).sum())


def _shortcuts(settings: Mapping[str, Any]) -> dict[str, float]:
    """Counters and the flip-flop, whose depth does not grow."""
    longest, draw = settings["longest"], np.random.default_rng(settings["seed"])
    bits = draw.integers(0, 2, (settings["words"], longest))
    counted = {"parity": 2, "mod-7": 7}
    values = {
        f"{name} by one uniform layer: wrong states": _wrong(
            uniform_counter((0, 1), modulus, longest), automaton(name), bits
        )
        for name, modulus in counted.items()
    }
    chances = [(1 - RARE) / 2, (1 - RARE) / 2, RARE]
    rare = draw.choice(3, (settings["words"], longest), p=chances)
    letters = np.concatenate([rare, draw.integers(0, 3, rare.shape)])
    for word, sharpness in (("hard", HARD), ("κ = 40", SHARPNESS)):
        network = flip_flop_lookup((0, 1, None), 0, longest, sharpness)
        wrong = _wrong(network, automaton("flip-flop"), letters)
        values[f"flip-flop by two layers, {word}: wrong states"] = wrong
    return values


def _looped(settings: Mapping[str, Any]) -> float:
    """The looped network, on some of the words only: its width grows with the length."""
    dfa, longest = automaton(settings["traced"]), min(settings["longest"], 130)
    letters = len(dfa.alphabet.symbols)
    words = np.random.default_rng(settings["seed"]).integers(0, letters, (4, longest))
    said = states_said(looped_scan(dfa, longest, SHARPNESS), at_places(words, letters))
    return float((said[-1] != follow(dfa, words)).sum())


def _trace(
    found: Tried, pattern: Float[np.ndarray, "_layer length length"], name: str
) -> dict[str, Any]:
    """A short piece of the first word, for the figure: attention, states, where they are wrong."""
    drawn = min(DRAWN, found.words.shape[1])
    layers = layers_for(drawn)
    symbols = found.dfa.alphabet.symbols
    return {
        "name": name,
        "letters": [symbols[letter] for letter in found.words[0, :drawn]],
        "attention": pattern[:layers, : drawn + 1, : drawn + 1].round(3).tolist(),
        "said": found.said[: layers + 1, 0, :drawn].tolist(),
        "wrong": found.wrong[: layers + 1, 0, :drawn].tolist(),
    }
