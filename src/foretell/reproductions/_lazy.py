"""Finite transformers and their infinite-width limit, trained on the same inputs by the same steps.

The network is the one whose limit `kernels.transformer` computes: one block, all weights standard
normal in the NTK parametrisation, no mask, no norm, no output matrix, read at the last token. Heads
and the width of keys grow with the width, as the limit asks. Outputs are taken less those at the
start, so that the limit begins at 0, and training is plain gradient descent on all inputs, whose
steps the limit takes exactly: by eigenvalues of the NTK.
"""

from __future__ import annotations

import functools
import math
from dataclasses import dataclass
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float, Int, Key

from foretell.kernels.transformer import KernelTransformer, gram
from foretell.numerics.keys import key_for, root_key
from foretell.plain.errors import BadInput

SHARE = 4  # the width over the number of heads, and over the width of keys
RATE = 0.5  # learning rate times the largest eigenvalue of the limit's NTK; 2 would diverge


@dataclass(frozen=True, kw_only=True)
class Lesson:
    """A task at one small size, and how much of it is seen."""

    task: str
    length: int
    symbols: int
    train: int
    test: int
    steps: int
    draws: int  # of attention scores, for the kernel


class Inputs(NamedTuple):
    """One-hot tokens and positions beside each other, and one row of labels an input."""

    features: Float[np.ndarray, "batch length part"]
    labels: Float[np.ndarray, "batch label"]


class Limit(NamedTuple):
    """What the infinitely wide network answers, and the rate of the steps it took."""

    tested: Float[np.ndarray, "batch label"]
    error: float  # root mean square between two halves of the draws, over two
    rate: float


class Weights(NamedTuple):
    """All of them standard normal at the start."""

    embedding: Float[Array, "part width"]
    query: Float[Array, "head width key"]
    key: Float[Array, "head width key"]
    value: Float[Array, "head width hidden"]
    last: Float[Array, "hidden label"]


def draw_inputs(lesson: Lesson, seed: int) -> tuple[Inputs, Inputs]:
    """Different inputs for training and for testing, each once."""
    rng = np.random.default_rng(seed)
    wanted = lesson.train + lesson.test
    many = 64 * wanted
    draw = _induction if lesson.task == "induction" else _majority
    words, labels = draw(rng, many, lesson)
    _, first = np.unique(words, axis=0, return_index=True)
    if len(first) < wanted:
        raise BadInput(
            f"{lesson.task} has not so many different inputs",
            seen=wanted,
            why=f"of length {lesson.length} there are {len(first)}",
        )
    chosen = rng.permutation(np.sort(first))[:wanted]
    tokens = np.eye(lesson.symbols)[words[chosen]]
    places = np.broadcast_to(np.eye(lesson.length), (len(chosen), lesson.length, lesson.length))
    features, told = np.concatenate([tokens, places], axis=2), labels[chosen]
    cut = lesson.train
    return Inputs(features[:cut], told[:cut]), Inputs(features[cut:], told[cut:])


def _induction(
    rng: np.random.Generator, count: int, lesson: Lesson
) -> tuple[Int[np.ndarray, "batch length"], Float[np.ndarray, "batch label"]]:
    """The token after the other place of the last token; labels are one-hot, less their mean."""
    length, symbols, rows = lesson.length, lesson.symbols, np.arange(count)
    words = rng.integers(symbols, size=(count, length))
    trigger = rng.integers(symbols, size=count)
    words = np.where(words == trigger[:, None], (words + 1) % symbols, words)
    place = rng.integers(length - 2, size=count)
    words[rows, place] = words[:, -1] = trigger
    return words, np.eye(symbols)[words[rows, place + 1]] - 1 / symbols


def _majority(
    rng: np.random.Generator, count: int, lesson: Lesson
) -> tuple[Int[np.ndarray, "batch length"], Float[np.ndarray, "batch label"]]:
    """Which of two symbols occurs more often, as a sign; ties are left out."""
    words = rng.integers(2, size=(count, lesson.length))
    excess = 2 * words.sum(axis=1) - lesson.length
    kept = excess != 0
    return words[kept], np.sign(excess[kept])[:, None].astype(float)


def limit(lesson: Lesson, train: Inputs, test: Inputs) -> Limit:
    """The NTK among all inputs, then the same number of steps of gradient descent."""
    features = np.concatenate([train.features, test.features])
    halves = [
        gram(KernelTransformer(), features, draws=lesson.draws, key=root_key(half), kind="ntk")
        for half in (0, 1)
    ]
    tangents = [each.value for each in halves]
    whole = (tangents[0] + tangents[1]) / 2
    rate = RATE / float(np.linalg.eigvalsh(whole[: lesson.train, : lesson.train])[-1])
    answers = [_descend(each, train.labels, rate, lesson.steps) for each in (*tangents, whole)]
    apart = float(np.sqrt(np.mean((answers[0] - answers[1]) ** 2)) / 2)
    return Limit(answers[2], apart, rate)


def _descend(
    tangent: Float[np.ndarray, "_ _"],
    labels: Float[np.ndarray, "batch label"],
    rate: float,
    steps: int,
) -> Float[np.ndarray, "_ label"]:
    """After so many steps from 0: each direction of the NTK is learned at its own rate."""
    seen = len(labels)
    sizes, axes = np.linalg.eigh(tangent[:seen, :seen])
    learned = -np.expm1(steps * np.log1p(-rate * np.clip(sizes, 0, None)))
    gained = np.where(sizes > 1e-12, learned / np.maximum(sizes, 1e-12), steps * rate)
    return tangent[seen:, :seen] @ (axes @ (gained[:, None] * (axes.T @ labels)))


def begin(key: Key[Array, ""], width: int, features: int, labels: int) -> Weights:
    """Standard normal weights."""
    heads = max(1, width // SHARE)
    shapes = {
        "embedding": (features, width),
        "query": (heads, width, heads),
        "key": (heads, width, heads),
        "value": (heads, width, width),
        "last": (width, labels),
    }
    drawn = {name: jax.random.normal(key_for(key, name), shape) for name, shape in shapes.items()}
    return Weights(**drawn)


def run(weights: Weights, word: Float[Array, "length part"]) -> Float[Array, " label"]:
    """The answer at the last token of one input."""
    width = weights.embedding.shape[1]
    stream = word @ weights.embedding / math.sqrt(word.shape[1])
    scale = 1 / math.sqrt(width)
    query = scale * jnp.einsum("w,hwk->hk", stream[-1], weights.query)
    key = scale * jnp.einsum("tw,hwk->htk", stream, weights.key)
    scores = jnp.einsum("hk,htk->ht", query, key) / math.sqrt(weights.query.shape[2])
    mixed = jax.nn.softmax(scores, axis=-1) @ stream
    value = scale * jnp.einsum("hw,hwn->n", mixed, weights.value)
    return jax.nn.relu(value / math.sqrt(len(weights.query))) @ weights.last * scale


def compare(
    lesson: Lesson, limited: Limit, train: Inputs, test: Inputs, width: int, seeds: int
) -> dict[str, Any]:
    """Networks of one width beside their limit, by seed; plain enough for JSON."""
    arrays = [jnp.asarray(each, jnp.float32) for each in (*train, test.features)]
    rate = jnp.asarray(limited.rate, jnp.float32)
    found = np.asarray(
        answers(width, lesson.steps, jnp.arange(seeds), rate, (arrays[0], arrays[1]), arrays[2])
    )
    apart = np.sqrt(np.mean((found - limited.tested) ** 2, axis=(1, 2)))
    return {
        "distances": apart.tolist(),
        "distance_of_mean": float(np.sqrt(np.mean((found.mean(axis=0) - limited.tested) ** 2))),
        "errors": np.mean((found - test.labels) ** 2, axis=(1, 2)).tolist(),
        "right": _right(found, test.labels).tolist(),
        "kernel_error": float(np.mean((limited.tested - test.labels) ** 2)),
        "kernel_right": float(_right(limited.tested, test.labels)),
        "kernel_size": float(np.sqrt(np.mean(limited.tested**2))),
        "sampling": limited.error,
        "constant": float(np.mean(test.labels**2)),
    }


def _right(
    said: Float[np.ndarray, "*member batch label"], labels: Float[np.ndarray, "batch label"]
) -> Float[np.ndarray, "*member"]:
    """Share of right answers: the sign of one number, or the largest of several."""
    if labels.shape[1] == 1:
        return np.asarray(np.mean(said[..., 0] * labels[:, 0] > 0, axis=-1))
    return np.asarray(np.mean(said.argmax(axis=-1) == labels.argmax(axis=-1), axis=-1))


@functools.partial(jax.jit, static_argnums=(0, 1))
def answers(
    width: int,
    steps: int,
    seeds: Int[Array, " member"],
    rate: Float[Array, ""],
    train: tuple[Float[Array, "batch length part"], Float[Array, "batch label"]],
    test: Float[Array, "_ length part"],
) -> Float[Array, "member _ label"]:
    """What networks of that width answer to the test inputs after training; one a seed."""
    features, labels = train

    def one(seed: Int[Array, ""]) -> Float[Array, "_ label"]:
        root = key_for(root_key(seed), "lazy")
        begun = begin(root, width, features.shape[2], labels.shape[1])
        forward = jax.vmap(run, in_axes=(None, 0))
        offset = forward(begun, features) + labels

        def cost(weights: Weights) -> Float[Array, ""]:
            return 0.5 * jnp.sum(jnp.square(forward(weights, features) - offset))

        def step(_: Int[Array, ""], weights: Weights) -> Weights:
            slope = jax.grad(cost)(weights)
            return jax.tree.map(lambda weight, part: weight - rate * part, weights, slope)

        ended = jax.lax.fori_loop(0, steps, step, begun)
        return forward(ended, test) - forward(begun, test)

    return jax.lax.map(one, seeds)
