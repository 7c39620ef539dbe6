"""Filling gaps in documents, second stage: attention turns to words of the same topic.

What: Once the value matrix sorts words by topic (`topic-values`), attention begins to learn. A word
    that was chosen and left as it is tells the topic of what is asked there, so it pays to look at
    words of that topic. The mask tells nothing and goes on looking everywhere alike. If every
    chosen word is masked, no word is ever asked at, and attention between words has no reason to
    change at all.
Definition: f = W_V Z softmax((W_K Z)ᵀ W_Q Z) with one-hot words and squared loss, W_V at its best
    for uniform attention, W_K and W_Q almost 0 at the start. Let s be how much higher the score
    of a word of the same topic is than that of another topic. In a long document of τ topics the
    share of attention on the same topic is then e^s/(e^s + τ - 1). Topics are interchangeable to
    the mask, which therefore attends to every place alike: half the sum over tokens of how far
    its attention is from their frequency is 0. Without kept and replaced
    words (p_c = p_r = 0) the query of every word has gradient 0 and stays exactly where it was.
    Descending in all matrices together, W_V has 90 % of its final size before W_KᵀW_Q has 10 %.
Example:
    >>> f"{share_on_topic(0.0, 3):.4f} {share_on_topic(1.0, 3):.4f}"
    '0.3333 0.5761'

Known limits: How large s becomes has no formula here; it is measured, and only the share that
    follows from it is predicted. Shares are taken among words, leaving the mask out, on the
    frequencies of endless documents, where a few random words blur them a little. The mask's row
    would hold before training, too: it says something beside the row of words, whose attention
    does not stay there. That
    values come first is a matter of plain gradient descent from small weights: Adam gives every
    entry the same pace, and then the size of W_KᵀW_Q jumps as early as that of W_V.
    In the full preset (`results/sandboxes/learning-h200.json`) two rows differ, both because
    training goes on: the norm of W_V, at rest at 3.8, rises to 10 once attention has turned, so
    that 90 % of its final size comes last; and scores within a topic spread, so that their mean
    gap gives a share of 0.67 where 0.85 is measured.
Sources: How do transformers learn topic structure (Li, Li, Risteski, 2023); the tutorial Sandbox
    for the Blackbox, part II
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, final

import jax
import jax.numpy as jnp
import numpy as np
import optax
from jaxtyping import Array, Float, Int, Key

from foretell.numerics.keys import key_for, root_key
from foretell.numerics.stages import crossing
from foretell.protocols._asking import Budget
from foretell.sandboxes import Claim, Findings, Sandbox, Show
from foretell.sandboxes.learning.topic_values import library
from foretell.worlds.descent import Trained, descend
from foretell.worlds.topics import (
    Corpus,
    Masking,
    block_solution,
    endless_documents,
    gap_in,
    mask,
)

USUAL, ALL_MASKED = Masking(), Masking(0.15, 0.0, 0.0)
Weights = dict[str, dict[str, Array]]


@final
class TopicAttention(Sandbox):
    """Three models at once: values held at their best, that without kept words, and all free."""

    name = "topic-attention"
    essential = False
    title = "Topics, second stage: attention finds its own kind"
    lesson = (
        "Words come to attend to words of their own topic, by the share that follows from their "
        "scores; the mask attends to all alike. Trained together, values grow first and attention "
        "long after."
    )
    caveat = "It shows one layer with one-hot words; how strong attention gets is not predicted."

    def settings(self, budget: Budget) -> dict[str, Any]:
        """A small corpus, or the published one."""
        small, large = budget is Budget.SMOKE, budget is Budget.GPU
        return {
            "topics": 10 if large else 5,
            "words": 10 if large else 4,
            "few": 2,
            "documents": 100 if small else 10_000,
            "length": 60 if small else 120,
            "batch": 8 if small else 40 if large else 20,
            "steps": 40 if small else 20_000 if large else 2400,
            "rate": 0.003,
            "plain_rate": 12.0 if large else 5.0,
            "start": 1e-3,
            "seed": 0,
        }

    def claims(self, settings: Mapping[str, Any]) -> tuple[Claim, ...]:
        """What follows from symmetry, and what was found by others."""
        _corpus(settings)  # refuses what cannot be
        first = ("values", "attention")
        return (
            Claim("attention on a word: same over other topic", 1.2, ">=", 0.0, "theorem"),
            Claim("share on the same topic less its formula", 0.0, "=", 0.05, "derived"),
            Claim(
                "the mask: largest distance of its attention from uniform",
                0.0,
                "=",
                0.05,
                "derived",
            ),
            Claim("all masked: change of the words' queries", 0.0, "=", 1e-6, "derived"),
            Claim("trained together: order", first, "order", 0.0, "empirical"),
        )

    def measure(self, settings: Mapping[str, Any], show: Show) -> Findings:
        """Train, then look at the scores of every pair of tokens."""
        corpus = _corpus(settings)
        trained = _train(corpus, settings, show)
        held = trained.weights["held"]
        scores = np.asarray(held["keys"].T @ held["queries"], float)
        shares, likely = topic_shares_of(scores, corpus)
        gap = gap_in(scores.T, corpus)
        sizes = {name: trained.watched[name] for name in ("values", "attention")}
        times = {
            name: _or_never(crossing(trained.steps.astype(float), size, part * float(size[-1])))
            for (name, size), part in zip(sizes.items(), (0.9, 0.1), strict=True)
        }
        values: dict[str, Any] = {
            "attention on a word: same over other topic": likely,
            "share on the same topic less its formula": float(
                np.mean(shares) - share_on_topic(gap, settings["few"])
            ),
            "the mask: largest distance of its attention from uniform": float(
                distance_from_uniform(scores[:, -1], corpus).max()
            ),
            "all masked: change of the words' queries": float(trained.watched["moved"].max()),
            "trained together: order": tuple(
                sorted((name for name in times if times[name] < math.inf), key=times.__getitem__)
            ),
        }
        return Findings(values, _curves(corpus, trained, scores, shares, gap))


def share_on_topic(gap: float, few: int) -> float:
    """Attention on words of the query's topic, in a long document of so many topics."""
    return math.exp(gap) / (math.exp(gap) + few - 1)


def topic_shares_of(
    scores: Float[np.ndarray, "token label"], corpus: Corpus
) -> tuple[Float[np.ndarray, " size"], float]:
    """Endless documents: share on the same topic for every word that is there, and its odds.

    The odds compare a single word of the same topic with one of another that is there.
    """
    seen, law = endless_documents(corpus, USUAL)
    words = corpus.vocabulary
    weighted = seen[:, :words, None] * np.exp(scores[:words, :words])  # document, key, query
    topic = np.arange(words) // corpus.words
    same = (topic[:, None] == topic)[None] * weighted
    share = same.sum(axis=1) / weighted.sum(axis=1)
    there = law > 0
    among = weighted * there[:, :, None]
    inside = (among * (topic[:, None] == topic)).sum(axis=1)
    rest = among.sum(axis=1) - inside
    odds = inside / rest * ((corpus.few or 1) - 1)
    return share[there], float(odds[there].mean())


def distance_from_uniform(
    scores: Float[np.ndarray, " token"], corpus: Corpus
) -> Float[np.ndarray, " batch"]:
    """Of one query's attention in every endless document: half the sum of all differences.

    Uniform attention gives every token, the mask among them, as much as it is frequent.
    """
    seen, _ = endless_documents(corpus, USUAL)
    weighted = seen * np.exp(scores - scores.max())
    attention = weighted / weighted.sum(axis=1, keepdims=True)
    return np.abs(attention - seen).sum(axis=1) / 2


def loss_of(
    weights: dict[str, Array],
    values: Float[Array, "label token"],
    seen: Int[Array, " length"],
    words: Int[Array, " length"],
    chosen: Array,
) -> Float[Array, ""]:
    """Mean squared error at the chosen places of one document."""
    queries, keys = weights["queries"][:, seen], weights["keys"][:, seen]
    attention = jax.nn.softmax(keys.T @ queries, axis=0)
    said = values[:, seen] @ attention
    wanted = jax.nn.one_hot(words, len(values), axis=0)
    errors = jnp.sum(jnp.square(said - wanted), axis=0)
    return jnp.sum(errors * chosen) / jnp.maximum(jnp.sum(chosen), 1)


def _corpus(settings: Mapping[str, Any]) -> Corpus:
    return Corpus(settings["topics"], settings["words"], settings["few"])


def _start(corpus: Corpus, settings: Mapping[str, Any]) -> Weights:
    random, tokens = np.random.default_rng(settings["seed"]), corpus.vocabulary + 1

    def small() -> Array:
        return jnp.asarray(settings["start"] * random.normal(size=(tokens, tokens)), jnp.float32)

    both = {name: {"keys": small(), "queries": small()} for name in ("held", "masked", "free")}
    return {**both, "free": {**both["free"], "values": jnp.zeros((corpus.vocabulary, tokens))}}


def _train(corpus: Corpus, settings: Mapping[str, Any], show: Show) -> Trained:
    root = key_for(root_key(settings["seed"]), "topic-attention")
    documents = library(root, corpus, settings["documents"], settings["length"])
    start = _start(corpus, settings)
    best = {
        masking: jnp.asarray(block_solution(corpus, masking).matrix(corpus), jnp.float32)
        for masking in (USUAL, ALL_MASKED)
    }
    losses = jax.vmap(loss_of, (None, None, 0, 0, 0))

    def loss(weights: Weights, key: Key[Array, ""]) -> Float[Array, ""]:
        which = jax.random.randint(key_for(key, "which"), (settings["batch"],), 0, len(documents))
        words, blank = documents[which], corpus.vocabulary
        usual = mask(key_for(key, "mask"), words, USUAL, blank)
        masked = mask(key_for(key, "mask"), words, ALL_MASKED, blank)
        held = losses(weights["held"], best[USUAL], usual[0], words, usual[1])
        blind = losses(weights["masked"], best[ALL_MASKED], masked[0], words, masked[1])
        free = losses(weights["free"], weights["free"]["values"], usual[0], words, usual[1])
        return jnp.mean(held + blind + free)

    def watch(weights: Weights, key: Key[Array, ""]) -> dict[str, Array]:
        queries = weights["masked"]["queries"] - start["masked"]["queries"]
        free = weights["free"]
        return {
            "values": jnp.linalg.norm(free["values"]),
            "attention": jnp.linalg.norm(free["keys"].T @ free["queries"]),
            "moved": jnp.max(jnp.abs(queries[:, :-1])),
        }

    return descend(
        loss,
        start,
        optax.multi_transform(
            {"adam": optax.adam(settings["rate"]), "plain": optax.sgd(settings["plain_rate"])},
            {"held": "adam", "masked": "adam", "free": "plain"},
        ),
        steps=settings["steps"],
        key=root,
        every=max(1, settings["steps"] // 100),
        watch=watch,
        show=show,
        phase="attention",
    )


def _or_never(time: float | None) -> float:
    return math.inf if time is None else time


def _curves(
    corpus: Corpus,
    trained: Trained,
    scores: Float[np.ndarray, "token label"],
    shares: Float[np.ndarray, " size"],
    gap: float,
) -> dict[str, Any]:
    return {
        "topics": corpus.topics,
        "words": corpus.words,
        "few": corpus.few,
        "scores": np.round(scores, 3).tolist(),
        "shares": np.round(np.histogram(shares, 40, (0, 1))[0] / len(shares), 4).tolist(),
        "share": float(np.mean(shares)),
        "gap": gap,
        "predicted": share_on_topic(gap, corpus.few or 1),
        "steps": trained.steps.tolist(),
        **{
            name: np.round(trained.watched[name].astype(float), 4).tolist()
            for name in ("values", "attention")
        },
    }
