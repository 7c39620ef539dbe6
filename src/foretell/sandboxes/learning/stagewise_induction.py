"""A transformer on Markov chains learns in stages: uniform, then unigram, then bigram.

What: Each word comes from a binary chain of its own, and two layers of attention predict every
    next symbol. The answer is an induction head: find earlier copies of the current symbol, say
    what followed. On the way the model first says uniform chances, then those of each symbol in
    the word so far (the unigram), and only then counts pairs (the bigram). If chains are doubly
    stochastic the unigram is no better than uniform; that detour is not taken and the induction
    head comes sooner.
Definition: Attention-only transformer, two layers of one head; a score is a query against a key
    plus a query against a learnt vector for the lag. Loss: -log chance of the next symbol, mean
    over positions. Read at the last position, after T symbols: levels L_k + 2^(k-1)/(2T) with
    L_1 = 0.563827, L_2 = 0.480889 (rows uniform), and L_1 = ln 2 if doubly stochastic; KL from
    the model's law to the uniform one and to the smoothed unigram and bigram. Alignment is the
    first layer's weight on the symbol just before; matching is the second layer's weight on
    places that follow a copy of the last symbol, above the share of such places.
Example:
    >>> sandbox = StagewiseInduction()
    >>> levels_of(Prior(), length=64).round(4).tolist()
    [0.6931, 0.5716, 0.4965]

Known limits: One width, one learning rate, few seeds. The stages overlap: the unigram is passed,
    not rested at, and its depth in KL depends on the learning rate. The second layer starts to
    match while the first is not yet aligned, each helping the other; half-times show that order,
    not its cause. The model ends slightly above the bigram, whose smoothing it must approximate.
Sources: Evolution of Statistical Induction Heads (Edelman and others, 2024); the tutorial Sandbox
    for the Blackbox, part II
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple, final

import jax
import jax.numpy as jnp
import numpy as np
import optax
from jaxtyping import Array, Float, Int, Key

from foretell.numerics.keys import key_for, root_key
from foretell.numerics.stages import crossing, half_time
from foretell.protocols._asking import Budget
from foretell.sandboxes import Claim, Findings, Sandbox, Show
from foretell.worlds.chains import Prior, balance, sample_rows, sample_words
from foretell.worlds.descent import Trained, descend
from foretell.worlds.n_gram_attention import Reader, fresh, read
from foretell.worlds.n_grams import (
    balanced_levels,
    binary_levels,
    cross_entropy,
    finite_level,
    last_counts,
    smoothed,
)

SYMBOLS = 2
PRIORS = {"dirichlet": Prior(), "doubly stochastic": Prior("doubly-stochastic")}
NAMES = ("uniform", "unigram", "bigram")
CLOSE = 0.02  # in KL: as good as the same
LEAST = "least KL to the unigram before the bigram is reached"
BEFORE = "within 0.02 in KL, one before the other"
SOONER = "halfway from unigram to bigram, which prior first"
GROWTH = "half of the matching, nine tenths of the alignment"


@final
class StagewiseInduction(Sandbox):
    """Train under both priors at once and compare with three references all along."""

    name = "stagewise-induction"
    title = "Induction heads come in stages"
    lesson = (
        "Loss at the last position with its three levels dashed, and KL from the model to each "
        "reference: the minimum moves from uniform to unigram to bigram. With doubly stochastic "
        "chains uniform and unigram fall together, and the drop comes earlier."
    )
    caveat = "Two symbols and memory one; that real models pass the same stages is not shown."

    def settings(self, budget: Budget) -> dict[str, Any]:
        """`every`: how many steps from one look to the next."""
        run: dict[str, Any]
        shared: dict[str, Any] = {"seed": 0, "width": 16, "scale": 0.1, "rate": 0.002, "batch": 64}
        if budget is Budget.SMOKE:
            run = {"width": 4, "batch": 4, "length": 8, "steps": 4, "every": 2, "watched": 32}
        elif budget is Budget.GPU:
            run = {"length": 100, "steps": 2000, "every": 10, "watched": 8192, "rate": 0.001}
        else:
            run = {"length": 64, "steps": 700, "every": 20, "watched": 2048}
        return shared | run

    def claims(self, settings: Mapping[str, Any]) -> tuple[Claim, ...]:
        """The order of stages, and the level that is the same as uniform."""
        balanced = levels_of(PRIORS["doubly stochastic"], settings["length"])
        return (
            Claim("order of the least KL", NAMES, "order", 0.0, "empirical"),
            Claim(LEAST, CLOSE, "<=", 0.0, "empirical"),
            Claim(BEFORE, NAMES[1:], "order", 0.0, "empirical"),
            Claim("loss at the end above the bigram's", 0.0, "<=", 0.015, "empirical"),
            Claim(SOONER, ("doubly stochastic", "dirichlet"), "order", 0.0, "empirical"),
            Claim(GROWTH, ("matching", "alignment"), "order", 0.0, "empirical"),
            Claim(
                "doubly stochastic: loss of the unigram", float(balanced[1]), "=", 0.01, "derived"
            ),
        )

    def measure(self, settings: Mapping[str, Any], show: Show) -> Findings:
        """Both priors in one program; what is watched has the prior as its first axis."""
        examples = _watched(settings)
        trained = _train(settings, examples, show)
        steps, seen = trained.steps.astype(float), trained.watched
        references = np.asarray(examples.losses, float)
        apart = seen["apart"][:, :, 0].astype(float)
        values = _stages(steps, apart) | {
            "loss at the end above the bigram's": float(seen["loss"][-1, 0] - references[2, 0]),
            "doubly stochastic: loss of the unigram": float(references[1, 1]),
            SOONER: _sooner(steps, seen["loss"].astype(float), references),
            GROWTH: _growth(steps, seen["matching"][:, 0], seen["alignment"][:, 0]),
        }
        return Findings(values, _curves(settings, trained))


class Examples(NamedTuple):
    """Words to watch, by prior; true rows at their ends; what references say there, and lose."""

    words: Int[Array, "member batch length"]
    rows: Float[Array, "member batch letter"]
    references: Float[Array, "set member batch letter"]
    losses: Float[Array, "set member"]


def levels_of(prior: Prior, length: int) -> Float[np.ndarray, " size"]:
    """Losses of the uniform law, the unigram and the bigram after `length` symbols."""
    balanced = prior.kind == "doubly-stochastic"
    endless = balanced_levels(prior.alpha) if balanced else binary_levels(prior.alpha)
    finite = [finite_level(float(level), k, SYMBOLS, length) for k, level in enumerate(endless)]
    return np.array([np.log(SYMBOLS), *finite])


def _words(key: Key[Array, ""], count: int, length: int) -> tuple[Array, Array]:
    """So many words of each prior, with the rows of their chains."""

    rows_keys, word_keys = jax.random.split(key, (2, count))
    # The same draws for both: chains differ by the prior alone, and half as much is compiled.
    drawn = jax.vmap(lambda key: sample_rows(key, 1, SYMBOLS, Prior()))(rows_keys)
    rows = jnp.stack([drawn, jax.vmap(balance)(drawn)])

    def one(key: Key[Array, ""], rows: Float[Array, "state letter"]) -> Int[Array, " length"]:
        return sample_words(key, rows, length, SYMBOLS, "stationary")

    words = jax.vmap(jax.vmap(one), (None, 0))(word_keys, rows)
    return words, rows


def _watched(settings: Mapping[str, Any]) -> Examples:
    @jax.jit
    def draw(key: Key[Array, ""]) -> Examples:
        words, rows = _words(key, settings["watched"], settings["length"])
        last = jnp.take_along_axis(rows, words[:, :, -1:, None], axis=2)[:, :, 0]
        each = [
            jax.vmap(jax.vmap(lambda word, k=k: last_counts(word, k, SYMBOLS)))(words)
            for k in (0, 1)
        ]
        said = [jnp.zeros_like(each[0]), *each]  # nothing counted and smoothed is uniform
        references = smoothed(jnp.stack(said), 1.0)
        return Examples(words, last, references, cross_entropy(last, references).mean(axis=-1))

    return draw(key_for(root_key(settings["seed"]), "watched"))


def _look(model: Reader, words: Int[Array, "batch length"]) -> dict[str, Array]:
    """The law said last, alignment of the first layer, and matching of the second."""

    def one(word: Int[Array, " length"]) -> tuple[Array, Array, Array]:
        said, (first, second) = read(model, word)
        copies = (word[:-1] == word[-1]).astype(float)  # what comes after them is looked for
        matching = second[-1, 1:] @ copies - copies.mean()
        return said[-1], jnp.diagonal(first, -1).mean(), matching

    said, alignment, matching = jax.vmap(one)(words)
    return {"said": said, "alignment": alignment.mean(), "matching": matching.mean()}


def _train(settings: Mapping[str, Any], examples: Examples, show: Show) -> Trained:
    root, length = root_key(settings["seed"]), settings["length"]

    def one_loss(model: Reader, words: Int[Array, "batch length"]) -> Float[Array, ""]:
        said = jax.vmap(lambda word: read(model, word[:-1])[0])(words)
        return -jnp.take_along_axis(said, words[:, 1:, None], axis=-1).mean()

    def loss(models: Reader, key: Key[Array, ""]) -> Float[Array, ""]:
        words, _ = _words(key, settings["batch"], length + 1)
        return jax.vmap(one_loss)(models, words).sum()

    def watch(models: Reader, _: Key[Array, ""]) -> dict[str, Array]:
        seen = jax.vmap(_look)(models, examples.words)
        said = jnp.exp(seen["said"])
        ratio = seen["said"] - jnp.log(examples.references)
        return {
            "loss": -jnp.sum(examples.rows * seen["said"], axis=-1).mean(axis=-1),
            "apart": jnp.sum(said * ratio, axis=-1).mean(axis=-1),
            "alignment": seen["alignment"],
            "matching": seen["matching"],
        }

    @jax.jit
    def begin(key: Key[Array, ""]) -> Reader:
        one = fresh(key, SYMBOLS, settings["width"], length, settings["scale"])
        return jax.tree.map(lambda part: jnp.stack([part] * len(PRIORS)), one)

    start = begin(key_for(root, "weights"))
    plan = {"steps": settings["steps"], "every": settings["every"], "show": show}
    optimizer = optax.adam(settings["rate"])
    return descend(loss, start, optimizer, key=key_for(root, "train"), watch=watch, **plan)


def _stages(
    steps: Float[np.ndarray, " size"], apart: Float[np.ndarray, "size set"]
) -> dict[str, Any]:
    """From KL to each reference along the run."""
    least = apart.argmin(axis=0)
    order = tuple(NAMES[i] for i in np.argsort(least)) if len(set(least)) == 3 else ("no order",)
    close = apart[:, 1:] <= CLOSE
    unigram, bigram = np.where(close.any(axis=0), close.argmax(axis=0), len(steps)).tolist()
    before = NAMES[1:] if unigram < bigram else NAMES[:0:-1]
    return {
        "order of the least KL": order,
        LEAST: float(apart[: max(1, bigram), 1].min()),
        BEFORE: before if close.any(axis=0).all() else ("not reached",),
    }


def _sooner(
    steps: Float[np.ndarray, " size"],
    losses: Float[np.ndarray, "size member"],
    references: Float[np.ndarray, "set member"],
) -> tuple[str, ...]:
    """Priors by when the loss is halfway to the bigram's from the unigram's, or uniform if less."""
    middle = (references[:2].min(axis=0) + references[2]) / 2
    times = [crossing(steps, losses[:, i], float(middle[i])) for i in range(len(PRIORS))]
    reached = {name: time for name, time in zip(PRIORS, times, strict=True) if time is not None}
    return tuple(sorted(reached, key=lambda name: reached[name])) or ("not reached",)


def _growth(steps: Any, matching: Any, alignment: Any) -> tuple[str, ...]:
    first = half_time(steps, matching.astype(float))
    change = alignment[0] + 0.9 * (alignment[-1] - alignment[0])
    second = crossing(steps, alignment.astype(float), float(change))
    if first is None or second is None or first >= second:
        return ("alignment", "matching")
    return ("matching", "alignment")


def _curves(settings: Mapping[str, Any], trained: Trained) -> dict[str, Any]:
    seen = {name: each.round(5) for name, each in trained.watched.items()}
    return {
        "steps": trained.steps.tolist(),
        "priors": [
            {
                "name": name,
                "levels": levels_of(prior, settings["length"]).round(5).tolist(),
                "loss": seen["loss"][:, i].tolist(),
                "apart": seen["apart"][:, :, i].tolist(),
                "alignment": seen["alignment"][:, i].tolist(),
                "matching": seen["matching"][:, i].tolist(),
            }
            for i, (name, prior) in enumerate(PRIORS.items())
        ],
    }
