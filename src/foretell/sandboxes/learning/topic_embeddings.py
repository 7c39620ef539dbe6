"""Filling gaps in documents: embeddings of words that share a topic turn towards each other.

What: Documents are mixtures of topics and some words are hidden, as in `topic-values`, but here
    attention is uniform, the value matrix is the identity, and only the embeddings learn. They
    have to do both: a word's vector is what it adds to the mean of the document, and also what
    that mean is compared with when the word is guessed. So the products of vectors take over the
    part of the value matrix: words of one topic have larger products than words of different
    topics, and the latter are nearly all the same.
Definition: With e_w the vector of word w and x̂ the frequencies of the tokens seen, word w is given
    Σ_z x̂_z <e_w, e_z>: a value matrix E Eᵀ, symmetric and of no more rank than the vectors have
    dimensions. A token is chosen with chance p_m, then kept (p_c), replaced (p_r) or masked. Under
    squared loss the best value matrix for long documents exceeds by 1/(αv), α = 1 - p_m(1 - p_c),
    at words of one topic, of v words, and is the same for all others; it has the rank of the
    topics, so that vectors with more dimensions than that can have those products. Under
    cross-entropy the gap is above 0. It is measured over pairs of different words and in
    standard errors, √(var/n of one topic + var/n of different topics).
Example:
    >>> corpus = Corpus(topics=2, words=2)
    >>> one, two = [1.0, 0.0], [0.0, 1.0]
    >>> same, other = pairs(np.array([one, one, two, two]), corpus)
    >>> same.tolist(), other.mean().tolist()
    ([1.0, 1.0, 1.0, 1.0], 0.0)

Known limits: Words have one topic each. Pairs that share a word are not independent, so standard
    errors are too small by a factor of a few; the gap is hundreds of them. The gap comes out a few
    per cent below 1/(αv), since in documents of finite length frequencies are noise as well as
    signal. Vectors begin small; from large ones, products of chance remain for long.
Sources: How do transformers learn topic structure (Li, Li, Risteski, 2023); the tutorial Sandbox
    for the Blackbox, part II
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, final

import jax
import jax.numpy as jnp
import numpy as np
import optax
from jaxtyping import Array, Float, Key

from foretell.numerics.keys import key_for, root_key
from foretell.plain.errors import BadInput
from foretell.protocols._asking import Budget
from foretell.sandboxes import Claim, Findings, Sandbox, Show
from foretell.sandboxes.learning.topic_values import frequencies, library
from foretell.worlds.descent import Trained, descend
from foretell.worlds.topics import Corpus, Masking, require_lengths, topic_gap

LOSSES = {"squared": "squared loss", "cross": "cross-entropy"}
ERRORS, TRAINED, CONSTANT = 5.0, 0.10, 0.10  # standard errors; shares of the gap


@final
class TopicEmbeddings(Sandbox):
    """Both losses on the same documents, masked anew at every step."""

    name = "topic-embeddings"
    essential = False
    title = "Topics in embeddings: words of one topic lean together"
    lesson = (
        "Products of the trained word vectors, sorted by topic: a block for every topic, and "
        "nearly one number everywhere else. Under squared loss the blocks stand out by 1/(αv), "
        "the dashed line."
    )
    caveat = "It shows words with one topic each, with attention and value matrix held fixed."

    def settings(self, budget: Budget) -> dict[str, Any]:
        """The published corpus, and more dimensions than topics."""
        small = budget is Budget.SMOKE
        return {
            "topics": 4 if small else 10,
            "words": 3 if small else 10,
            "width": 8 if small else 32,
            "documents": 50 if small else 10_000,
            "shortest": 20 if small else 100,
            "longest": 30 if small else 150,
            "batch": 8 if small else 40,
            "steps": {Budget.SMOKE: 10, Budget.CPU: 3000, Budget.GPU: 20_000}[budget],
            "rate": 0.01,
            "start": 0.05,
            "seed": 0,
        }

    def require(self, settings: Mapping[str, Any]) -> None:
        """Refuse documents that end before they begin."""
        require_lengths(settings["shortest"], settings["longest"])

    def claims(self, settings: Mapping[str, Any]) -> tuple[Claim, ...]:
        """A gap for certain; its size, and that the rest is constant, under squared loss."""
        gap = topic_gap(_corpus(settings), Masking())
        return (
            *(
                Claim(f"{name}: gap in standard errors", ERRORS, ">=", 0.0, "theorem")
                for name in LOSSES.values()
            ),
            Claim("squared loss: gap", gap, "=", TRAINED * gap, "derived"),
            Claim(
                "squared loss: spread over different topics, in gaps", 0.0, "=", CONSTANT, "theorem"
            ),
        )

    def measure(self, settings: Mapping[str, Any], show: Show) -> Findings:
        """Train, and take all products."""
        corpus, trained = _corpus(settings), _train(settings, show)
        values: dict[str, float] = {}
        for loss, name in LOSSES.items():
            same, other = pairs(np.asarray(trained.weights[loss], float), corpus)
            gap = float(same.mean() - other.mean())
            error = np.sqrt(same.var() / same.size + other.var() / other.size)
            values[f"{name}: gap in standard errors"] = gap / float(error)
            values[f"{name}: gap"] = gap
            values[f"{name}: spread over different topics, in gaps"] = float(other.std()) / gap
        return Findings(values, _curves(settings, trained))


def _corpus(settings: Mapping[str, Any]) -> Corpus:
    corpus = Corpus(topics=settings["topics"], words=settings["words"])
    if corpus.words < 2 or settings["width"] <= corpus.topics:
        raise BadInput(
            "embeddings have no room for the topics",
            seen=f"{corpus.topics} topics of {corpus.words} words, width {settings['width']}",
            why="a topic needs two words, and vectors more dimensions than there are topics",
        )
    return corpus


def pairs(
    vectors: Float[np.ndarray, "token width"], corpus: Corpus
) -> tuple[Float[np.ndarray, " size"], Float[np.ndarray, " size"]]:
    """Products of vectors of different words: of the same topic, and of different topics."""
    words = vectors[: corpus.vocabulary]
    topic = np.arange(corpus.vocabulary) // corpus.words
    products, together = words @ words.T, topic[:, None] == topic
    return products[together & ~np.eye(len(words), dtype=bool)], products[~together]


def given(
    vectors: Float[Array, "token width"], seen: Float[Array, "batch token"]
) -> Float[Array, "batch label"]:
    """What every word is given; the mask, the last vector, is seen and never said."""
    return seen @ vectors @ vectors[:-1].T


def _train(settings: Mapping[str, Any], show: Show) -> Trained:
    corpus, masking = _corpus(settings), Masking()
    root = key_for(root_key(settings["seed"]), "topic-embeddings")
    words = library(root, corpus, settings["documents"], settings["longest"])
    random = np.random.default_rng(settings["seed"])
    ends = (settings["shortest"], settings["longest"] + 1)
    lengths = jnp.asarray(random.integers(*ends, len(words)))

    def loss(weights: dict[str, Array], key: Key[Array, ""]) -> Float[Array, ""]:
        drawn = jax.random.randint(key_for(key, "which"), (settings["batch"],), 0, len(words))
        seen, wanted = frequencies(
            key_for(key, "mask"), words[drawn], lengths[drawn], masking, corpus.vocabulary
        )
        far = jnp.square(given(weights["squared"], seen) - wanted).sum(axis=1)
        said = jax.nn.log_softmax(given(weights["cross"], seen))
        return jnp.mean(far) - jnp.mean(jnp.sum(said * wanted, axis=1))

    shape = (corpus.vocabulary + 1, settings["width"])
    start = jnp.asarray(settings["start"] * random.normal(size=shape).astype(np.float32))
    schedule = optax.cosine_decay_schedule(settings["rate"], settings["steps"])
    return descend(
        loss,
        dict.fromkeys(LOSSES, start),
        optax.adam(schedule),
        steps=settings["steps"],
        key=root,
        every=max(1, settings["steps"] // 60),
        watch=lambda weights, key: dict(weights),
        show=show,
        phase="embeddings",
    )


def _curves(settings: Mapping[str, Any], trained: Trained) -> dict[str, Any]:
    """Final products for both losses, and how the two kinds of pairs part."""
    corpus = _corpus(settings)
    found: dict[str, Any] = {
        "topics": corpus.topics,
        "words": corpus.words,
        "gap": topic_gap(corpus, Masking()),
        "steps": trained.steps.tolist(),
    }
    for loss in LOSSES:
        words = np.asarray(trained.weights[loss], float)[:-1]
        parts = [pairs(vectors.astype(float), corpus) for vectors in trained.watched[loss]]
        ends = [[np.quantile(kind, [0.1, 0.9]) for kind in both] for both in parts]
        found[loss] = {
            "products": np.round(words @ words.T, 3 if loss == "squared" else 1).tolist(),
            "means": np.round([[kind.mean() for kind in both] for both in parts], 4).tolist(),
            "ends": np.round(ends, 4).tolist(),
        }
    return found
