"""Counting what the bounds of `communication` are about, where everything can be enumerated.

Matrices of answers over all inputs of two parties, all encoders of a few bits, all noisy copies of
a bit, all orders of asking: none of it uses the formulas.
"""

from __future__ import annotations

import itertools
import math

import numpy as np
from jaxtyping import Bool, Float, Int
from scipy.special import softmax

from foretell.constructions.flat_error import all_inputs
from foretell.worlds.induction_words import follower, index_words

ENCODED = 3  # bits of which all encoders are tried


def disjoint(elements: int) -> Bool[np.ndarray, "set set"]:
    """The answer for every two subsets."""
    subsets = np.arange(2**elements)
    return (subsets[:, None] & subsets) == 0


def rank_bits(answers: Bool[np.ndarray, "set set"]) -> float:
    """Deterministic protocols exchange at least the logarithm of the rank."""
    return math.log2(np.linalg.matrix_rank(answers.astype(float)))


def kinds_bits(answers: Int[np.ndarray, "set query"]) -> float:
    """One way: inputs that some question tells apart need different messages."""
    return math.log2(len(np.unique(answers, axis=0)))


def induction_answers(length: int) -> Int[np.ndarray, "set query"]:
    """What the plain oracle says for all of Alice's bits and every place of Bob's marker."""
    count = (length - 1) // 2
    bits, asked = all_inputs(count), np.arange(count)
    words = index_words(np.repeat(bits, count, axis=0), np.tile(asked, len(bits)))
    return follower(words, none=-1).reshape(len(bits), count)


def compositions(values: int) -> Int[np.ndarray, "set query"]:
    """g(f(x)): a row for every g of Alice's, a column for every f and x of Bob's."""
    functions = np.array(list(itertools.product(range(values), repeat=values)))
    return functions[:, functions.ravel()]


def three_gram_is_zero(blocks: int) -> Bool[np.ndarray, "set set"]:
    """Has the symbol 2 never followed 2 1 1? Blocks are 2, Alice's bit, Bob's bit.

    In front stands 2 1 1 0, so that the estimate is defined, and 2 1 1 at the end asks for it.
    """
    bits = all_inputs(blocks)
    count = len(bits)
    words = np.full((count, count, 4 + 3 * blocks + 3), 2)
    words[..., :4], words[..., -3:] = (2, 1, 1, 0), (2, 1, 1)
    words[..., 5:-3:3], words[..., 6:-3:3] = bits[:, None], bits[None]
    windows = np.lib.stride_tricks.sliding_window_view(words, 4, axis=-1)
    asked = (windows[..., :3] == (2, 1, 1)).all(axis=-1)
    estimate = (asked & (windows[..., 3] == 2)).sum(axis=-1) / asked.sum(axis=-1)
    return estimate == 0


def least_information(accuracy: float) -> float:
    """Bits that a noisy copy of a fair bit carries at least, over all ways to be wrong so often."""
    wrong = np.linspace(0, min(1.0, 2 * (1 - accuracy)), 4001)
    other = 2 * (1 - accuracy) - wrong  # crossing from 0 and from 1; half their sum is the error
    kept = (other >= 0) & (other <= 1)
    joint = np.stack([1 - wrong, wrong, other, 1 - other])[:, kept] / 2
    said = joint[[0, 1]] + joint[[2, 3]]
    with np.errstate(divide="ignore", invalid="ignore"):
        terms = np.where(joint > 0, joint * np.log2(joint / (said[[0, 1, 0, 1]] / 2)), 0.0)
    return float(terms.sum(axis=0).min())


def encoder_accuracies(messages: int) -> Float[np.ndarray, " size"]:
    """Mean accuracies of the best decoder, for all ways to send 3 bits by so many messages."""
    bits = all_inputs(ENCODED)
    words = len(bits)
    encoders = np.arange(messages**words)[:, None] // messages ** np.arange(words) % messages
    chosen = (encoders[:, None] == np.arange(messages)[:, None]).astype(np.int32)
    ones, total = chosen @ bits, chosen.sum(axis=-1, keepdims=True)
    right = np.maximum(ones, total - ones).sum(axis=1) / words
    return np.unique(right.mean(axis=-1))


def copy_bits_by_counting(symbols: int, alphabet: int) -> int:
    """Fewest whole bits for being right at least half of the time.

    A message is decoded to one string, so that 2^b messages are right on at most 2^b of them.
    """
    strings = alphabet**symbols
    return next(bits for bits in itertools.count() if 2 * 2**bits >= strings)


def searched_rounds(hops: int) -> int:
    """Fewest rounds until k hops are known, trying every hop to ask at in every round."""
    reached, rounds = {frozenset({0, 1})}, 0
    while not any(hops in known for known in reached):
        reached = {known | {ask + had for had in known} for known in reached for ask in known}
        rounds += 1
    return rounds


def split_attention(heads: int, width: int, length: int, seed: int) -> tuple[int, float]:
    """One layer from sums over two sets of positions: numbers sent, and how far from the layer."""
    draw = np.random.default_rng(seed)
    scores = draw.normal(size=(heads, length))
    values = draw.normal(size=(heads, length, width))
    alice = draw.random(length) < 0.5

    def message(own: Bool[np.ndarray, " length"]) -> Float[np.ndarray, "head width"]:
        weights = np.exp(scores[:, own])
        sums = np.einsum("hj,hjm->hm", weights, values[:, own])
        return np.concatenate([sums, weights.sum(axis=1, keepdims=True)], axis=1)

    both = message(alice) + message(~alice)
    whole = np.einsum("hj,hjm->hm", softmax(scores, axis=1), values)
    return message(alice).size, float(np.abs(both[:, :-1] / both[:, -1:] - whole).max())
