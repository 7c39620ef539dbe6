"""The loss of one layer on a Markov chain, around the point where it forgets the last symbol.

What: A binary chain switches from 0 to 1 with probability p and back with q. A single-layer
    transformer whose weights are all zero, but for the bias that gives the stationary
    probability, predicts the marginal and nothing more. Is that point a trap? It is stationary
    always. With the output vector tied to the embedding it is a minimum if p + q > 1 and has
    downhill directions if p + q < 1; with separate vectors it is a saddle always.
Definition: Symbol x becomes x·e + position; y adds attention, z adds a ReLU layer, and the logit
    is <a, z> + b with a = e if tied. At the point, e = a = 0, every matrix is 0 and
    b = log(p/q). The loss there is the entropy of the stationary law, h(p/(p+q)), above the
    entropy rate by the mutual information of neighbours. With π₀π₁ = pq/(p+q)² the Hessian has
    π₀π₁ for b, and for the embedding 2π₀π₁(p+q-1) in every direction if tied, and pairs
    ±π₀π₁|p+q-1| if not; all else is 0. With value matrix M and uniform attention the embedding's
    block is -2π₀π₁(λ + c·sym(M)), λ = 1-p-q, c the mean over positions of the mean of λ^lag.
Example:
    >>> sandbox = MarkovLandscape()
    >>> claims = sandbox.claims(sandbox.settings(Budget.SMOKE))
    >>> f"{claims[0].quantity}: {claims[0].predicted:.10f}"
    'p=0.5, q=0.8: loss at the point: 0.6662784424'

Known limits: Six symbols, four dimensions, all sequences enumerated: exact, and about one point.
    That it is a minimum does not say how large its basin is; `markov-flow` says that.
Sources: Attention with Markov (Makkuva and others, 2024); the tutorial Sandbox for the Blackbox,
    part II
"""

from __future__ import annotations

import functools
import itertools
from collections.abc import Mapping
from typing import Any, NamedTuple, final

import jax
import jax.numpy as jnp
import numpy as np
from jax.flatten_util import ravel_pytree
from jaxtyping import Array, Float, Int

from foretell.numerics.precision import double_precision
from foretell.protocols._asking import Budget
from foretell.sandboxes import Claim, Findings, Sandbox, Show
from foretell.worlds.binary_chain import entropy, entropy_rate, require_chain

LENGTH, WIDTH, HIDDEN = 6, 4, 8
CHAINS = ((0.5, 0.8), (0.2, 0.3), (0.9, 0.9), (0.4, 0.6))
EXACT = 1e-8


class Layer(NamedTuple):
    """Weights of the single layer; with `output` empty it is tied to the embedding."""

    embedding: Float[Array, " width"]
    positions: Float[Array, "length width"]
    value: Float[Array, "width width"]
    query_key: Float[Array, "width width"]
    first: Float[Array, "hidden width"]
    second: Float[Array, "width hidden"]
    bias: Float[Array, ""]
    output: Float[Array, " width"] | None = None


@final
class MarkovLandscape(Sandbox):
    """Loss, gradient and Hessian at the point, by enumeration."""

    name = "markov-landscape"
    title = "One layer on a Markov chain: is forgetting a trap?"
    lesson = (
        "The loss along random directions through the point where the layer predicts the marginal. "
        "Tied and p + q > 1: a bowl. Tied and p + q < 1, or separate vectors: a way down."
    )
    caveat = "It shows the surroundings of one point, not where training starts or ends."

    def settings(self, budget: Budget) -> dict[str, Any]:
        """Exact and quick: every budget has the same chains but for the smallest."""
        chains = CHAINS[:1] if budget is Budget.SMOKE else CHAINS
        return {"chains": [list(chain) for chain in chains], "directions": 12, "seed": 0}

    def claims(self, settings: Mapping[str, Any]) -> tuple[Claim, ...]:
        """Closed forms."""
        return tuple(
            claim for p, q in settings["chains"] for claim in _claims(*require_chain(p, q))
        )

    def measure(self, settings: Mapping[str, Any], show: Show) -> Findings:
        """All sequences with their probabilities: no sampling error anywhere."""
        values: dict[str, float] = {}
        curves = []
        for p, q in settings["chains"]:
            found, around = _measure(p, q, settings["directions"], settings["seed"])
            values |= {f"{_label(p, q)}: {name}": value for name, value in found.items()}
            curves.append({"p": p, "q": q, **around})
        return Findings(values, {"chains": curves})


def _label(p: float, q: float) -> str:
    return f"p={p:g}, q={q:g}"


def _claims(p: float, q: float) -> list[Claim]:
    spread = p * q / (p + q) ** 2
    bend, label = spread * (p + q - 1), _label(p, q)

    def exact(quantity: str, value: float) -> Claim:
        return Claim(f"{label}: {quantity}", float(value), "=", EXACT, "derived")

    return [
        exact("loss at the point", entropy(p / (p + q))),
        exact("loss above the entropy rate", entropy(p / (p + q)) - entropy_rate(p, q)),
        exact("length of the gradient", 0.0),
        exact("tied: smallest eigenvalue", min(2 * bend, 0.0)),
        exact("tied: second largest eigenvalue", sorted([2 * bend] * WIDTH + [spread, 0.0])[-2]),
        Claim(
            f"{label}: tied: downhill directions",
            float(WIDTH if p + q < 1 else 0),
            evidence="theorem",
        ),
        exact("separate: smallest eigenvalue", -abs(bend)),
        Claim(
            f"{label}: separate: downhill directions",
            float(WIDTH if p + q != 1 else 0),
            evidence="theorem",
        ),
        exact("value matrix: largest difference from the formula", 0.0),
    ]


def sequences(p: float, q: float) -> tuple[Int[np.ndarray, "batch length"], np.ndarray]:
    """All words of one symbol more than are predicted from, and their probabilities."""
    words = np.array(list(itertools.product((0, 1), repeat=LENGTH + 1)))
    moves = np.array([[1 - p, p], [q, 1 - q]])
    start = np.array([q, p]) / (p + q)
    return words, start[words[:, 0]] * moves[words[:, :-1], words[:, 1:]].prod(axis=1)


def logits(layer: Layer, word: Int[Array, " length"]) -> Float[Array, " length"]:
    """Of a 1 as the next symbol, at every position of one word."""
    stream = word[:, None] * layer.embedding + layer.positions
    scores = stream @ layer.query_key @ stream.T
    causal = jnp.tril(jnp.ones(scores.shape, bool))
    attention = jax.nn.softmax(jnp.where(causal, scores, -jnp.inf), axis=-1)
    stream = stream + attention @ stream @ layer.value.T
    stream = stream + jax.nn.relu(stream @ layer.first.T) @ layer.second.T
    return stream @ (layer.embedding if layer.output is None else layer.output) + layer.bias


def at_the_point(p: float, q: float, *, tied: bool) -> Layer:
    """All zero but for the bias."""
    zeros = jnp.zeros
    return Layer(
        zeros(WIDTH),
        zeros((LENGTH, WIDTH)),
        zeros((WIDTH, WIDTH)),
        zeros((WIDTH, WIDTH)),
        zeros((HIDDEN, WIDTH)),
        zeros((WIDTH, HIDDEN)),
        jnp.log(jnp.asarray(p / q)),
        None if tied else zeros(WIDTH),
    )


def _loss(layer: Layer, words: Array, chances: Array) -> Float[Array, ""]:
    said = jax.vmap(lambda word: logits(layer, word[:-1]))(words)
    right = jnp.where(words[:, 1:] == 1, said, -said)
    return -jnp.sum(chances * jnp.mean(jax.nn.log_sigmoid(right), axis=1))


@functools.cache
def _programs(*, tied: bool) -> tuple[Any, Any]:
    """Value, gradient and Hessian in one compiled program for all chains, and the loss alone."""
    back = ravel_pytree(at_the_point(0.5, 0.5, tied=tied))[1]

    def loss(vector: Array, words: Array, chances: Array) -> Array:
        return _loss(back(vector), words, chances)

    def all_orders(*given: Array) -> tuple[Array, Array, Array]:
        return loss(*given), jax.grad(loss)(*given), jax.hessian(loss)(*given)

    along = jax.vmap(jax.vmap(loss, (0, None, None)), (0, None, None))
    return jax.jit(all_orders), jax.jit(along)


def _measure(p: float, q: float, directions: int, seed: int) -> tuple[dict[str, float], Any]:
    with double_precision():
        words, chances = map(jnp.asarray, sequences(p, q))
        found: dict[str, float] = {}
        distance = np.linspace(-2, 2, 41)
        around: dict[str, Any] = {"distance": distance.tolist()}
        for name, tied in (("tied", True), ("separate", False)):
            orders, along = _programs(tied=tied)
            point = at_the_point(p, q, tied=tied)
            flat = ravel_pytree(point)[0]
            loss, gradient, hessian = map(np.asarray, orders(flat, words, chances))
            eigenvalues = np.linalg.eigvalsh(hessian)
            found |= {
                f"{name}: smallest eigenvalue": float(eigenvalues[0]),
                f"{name}: second largest eigenvalue": float(eigenvalues[-2]),
                f"{name}: downhill directions": float(np.sum(eigenvalues < -EXACT)),
                "loss at the point": float(loss),
                "loss above the entropy rate": float(loss) - entropy_rate(p, q),
                "length of the gradient": float(np.linalg.norm(gradient)),
            }
            points = np.asarray(flat) + distance[:, None] * _directions(point, directions, seed)
            around[name] = {
                "eigenvalues": eigenvalues.tolist(),
                "losses": np.asarray(along(points, words, chances)).round(6).tolist(),
            }
        found["value matrix: largest difference from the formula"] = _value_block(p, q, seed)
        around["levels"] = [found["loss at the point"], entropy_rate(p, q)]
    return found, around


def _directions(
    point: Layer, count: int, seed: int
) -> Float[np.ndarray, " draw #length parameter"]:
    """Unit vectors that move the embedding and the output only: the rest is flat."""
    moved = jax.tree.map(jnp.zeros_like, point)._replace(embedding=jnp.ones(WIDTH))
    if moved.output is not None:
        moved = moved._replace(output=jnp.ones(WIDTH))
    mask = np.asarray(ravel_pytree(moved)[0])
    drawn = np.random.default_rng(seed).normal(size=(count, 1, len(mask))) * mask
    return drawn / np.linalg.norm(drawn, axis=-1, keepdims=True)


@jax.jit
def _embedding_block(layer: Layer, words: Array, chances: Array) -> Float[Array, "width width"]:
    return jax.hessian(lambda e: _loss(layer._replace(embedding=e), words, chances))(
        layer.embedding
    )


def _value_block(p: float, q: float, seed: int) -> float:
    """The embedding's block of the Hessian with a random value matrix, against its formula."""
    words, chances = map(jnp.asarray, sequences(p, q))
    value = np.random.default_rng(seed).normal(size=(WIDTH, WIDTH))
    layer = at_the_point(p, q, tied=True)._replace(value=jnp.asarray(value))
    measured = np.asarray(_embedding_block(layer, words, chances))
    rate, spread = 1 - p - q, p * q / (p + q) ** 2
    lags = [np.mean(rate ** np.arange(1.0, n + 1)) for n in range(1, LENGTH + 1)]
    formula = -2 * spread * (rate * np.eye(WIDTH) + np.mean(lags) * (value + value.T) / 2)
    return float(np.abs(measured - formula).max())
