"""Filling gaps in documents: the value matrix learns which words share a topic.

What: A document has a few topics and every word belongs to one topic; some words are hidden and
    have to be guessed. One layer of attention that looks everywhere alike can only use how often
    each word occurs, through its value matrix. The best it can do is to let every word vote for
    all words of its own topic: the matrix, sorted by topic, has blocks along the diagonal.
Definition: A token is chosen with chance p_m; then it is kept (p_c), replaced by any word (p_r)
    or masked. The model predicts W x̂, with x̂ the frequencies of the tokens seen, under squared
    loss, which is convex. In a long document a word of topic t, of v words, has frequency
    θ_t/v, of which α = 1 - p_m(1 - p_c) is seen, so that words of one topic exceed those of
    others in W by exactly c = 1/(αv), whatever the law of θ, the number of topics, and how many
    a document has. The smallest best W has entries b + c, b and, for the mask, m, where
    v(b+c)² + (T-1)v b² + m² is least under b(α + p_m p_r) + mγ = -p_m p_r c/T with
    γ = p_m(1 - p_c - p_r).
Example:
    >>> block = block_solution(Corpus(topics=10, words=10, few=2), Masking())
    >>> f"{block.same - block.other:.4f}"
    '0.1156'

Known limits: Only the gap is fixed by long documents: b and m are those of the smallest matrix,
    found exactly from frequencies of endless documents and not by training. There is no bias,
    which would share their work. Under cross-entropy nothing is finite, since words outside a
    document's topics shall get chance 0: there the gap is only known to be above 0. In short
    documents frequencies are noise as well as signal, and the gap comes out smaller.
Sources: How do transformers learn topic structure (Li, Li, Risteski, 2023); Latent Dirichlet
    allocation (Blei, Ng, Jordan, 2003); the tutorial Sandbox for the Blackbox, part II
"""

from __future__ import annotations

import functools
from collections.abc import Mapping
from typing import Any, final

import jax
import jax.numpy as jnp
import numpy as np
import optax
from jaxtyping import Array, Float, Int, Key

from foretell.numerics.keys import key_for, root_key
from foretell.protocols._asking import Budget
from foretell.sandboxes import Claim, Findings, Sandbox, Show
from foretell.worlds.descent import Trained, descend
from foretell.worlds.topics import (
    Corpus,
    Masking,
    block_solution,
    document,
    endless_documents,
    gap_in,
    mask,
    require_lengths,
    split_by_topic,
    topic_gap,
    word_laws,
)

EXACT, FITTED, TRAINED = 1e-6, 0.015, 0.10
RIDGE = 1e-7


def _case(
    topics: int, words: int, few: int, chosen: float, kept: float, replaced: float
) -> dict[str, Any]:
    masking = {"chosen": chosen, "kept": kept, "replaced": replaced}
    return {"corpus": {"topics": topics, "words": words, "few": few}, "masking": masking}


CASES = (
    _case(10, 10, 2, 0.15, 0.1, 0.1),
    _case(10, 10, 3, 0.15, 0.1, 0.1),
    _case(5, 4, 2, 0.3, 0.0, 0.0),
    _case(10, 10, 2, 0.5, 0.3, 0.2),
)


@final
class TopicValues(Sandbox):
    """Exact frequencies, long documents fitted by ridge regression, and training."""

    name = "topic-values"
    title = "Topics, first stage: the value matrix sorts words"
    lesson = (
        "Trained on short documents of random mixtures, the value matrix has a block for every "
        "topic. Words of one topic stand above the others by 1/(αv), the dashed line, however "
        "many topics there are."
    )
    caveat = (
        "It shows words with one topic each and attention held uniform; `topic-attention` lets "
        "attention learn. Real words belong to many topics."
    )

    def settings(self, budget: Budget) -> dict[str, Any]:
        """The published corpus is trained on; the cases are fitted to long documents."""
        small = budget is Budget.SMOKE
        return {
            "cases": [dict(case) for case in (CASES[2:3] if small else CASES)],
            "documents": 100 if small else 800,
            "length": 150 if small else 2000,
            "training": {
                "topics": 5 if small else 10,
                "words": 4 if small else 10,
                "few": 2 if small else None,  # none: mixtures from a Dirichlet law, as published
                "documents": 100 if small else 10_000,
                "shortest": 100,
                "longest": 150,
                "batch": 40,
                "steps": {"smoke": 60, "cpu": 3000, "gpu": 20_000}[budget.value],
                "rate": 0.01,
            },
            "seed": 0,
        }

    def require(self, settings: Mapping[str, Any]) -> None:
        """Refuse documents that end before they begin."""
        require_lengths(settings["training"]["shortest"], settings["training"]["longest"])

    def claims(self, settings: Mapping[str, Any]) -> tuple[Claim, ...]:
        """One over α times words of a topic."""
        found = []
        for case in settings["cases"]:
            corpus, masking = _read(case)
            gap, label = topic_gap(corpus, masking), _label(case)
            found += [
                Claim(f"{label}: gap, endless documents", gap, "=", EXACT, "derived"),
                Claim(f"{label}: distance from b, c and m", 0.0, "=", EXACT, "derived"),
                Claim(f"{label}: gap, fitted", gap, "=", FITTED * gap, "derived"),
            ]
        corpus, masking = _trained_corpus(settings)
        gap = topic_gap(corpus, masking)
        return (
            *found,
            Claim("trained, squared loss: gap", gap, "=", TRAINED * gap, "derived"),
            Claim("trained, cross-entropy: gap", 0.0, ">=", 0.0, "theorem"),
        )

    def measure(self, settings: Mapping[str, Any], show: Show) -> Findings:
        """Solve, fit, train."""
        values: dict[str, float] = {}
        rows = []
        for number, case in enumerate(settings["cases"]):
            corpus, masking = _read(case)
            solved = smallest_fit(*endless_documents(corpus, masking))
            fitted = gap_in(_fit(corpus, masking, settings, number), corpus)
            block = block_solution(corpus, masking).matrix(corpus)
            label = _label(case)
            values |= {
                f"{label}: gap, endless documents": gap_in(solved, corpus),
                f"{label}: distance from b, c and m": float(np.abs(solved - block).max()),
                f"{label}: gap, fitted": fitted,
            }
            rows.append([label, round(topic_gap(corpus, masking), 5), round(fitted, 5)])
        trained = _train(settings, show)
        corpus, masking = _trained_corpus(settings)
        for loss, name in (("squared", "squared loss"), ("cross", "cross-entropy")):
            values[f"trained, {name}: gap"] = gap_in(np.asarray(trained.weights[loss]), corpus)
        return Findings(values, {"cases": rows, **_curves(corpus, masking, trained)})


def _read(case: Mapping[str, Any]) -> tuple[Corpus, Masking]:
    return Corpus(**case["corpus"]), Masking(**case["masking"])


def _label(case: Mapping[str, Any]) -> str:
    corpus, masking = _read(case)
    shape = f"T={corpus.topics}, v={corpus.words}, τ={corpus.few}"
    return f"{shape}, p={masking.chosen:g}/{masking.kept:g}/{masking.replaced:g}"


def _trained_corpus(settings: Mapping[str, Any]) -> tuple[Corpus, Masking]:
    training = settings["training"]
    shape = {name: training[name] for name in ("topics", "words", "few")}
    return Corpus(**shape), Masking()


def smallest_fit(
    seen: Float[np.ndarray, "batch token"], wanted: Float[np.ndarray, "batch label"]
) -> Float[np.ndarray, "label token"]:
    """The least squares solution of least size: ridge regression as the ridge vanishes."""
    return (np.linalg.pinv(seen, rcond=1e-10) @ wanted).T


def frequencies(
    key: Key[Array, ""],
    words: Int[Array, "batch length"],
    lengths: Int[Array, " batch"],
    masking: Masking,
    vocabulary: int,
) -> tuple[Float[Array, "batch token"], Float[Array, "batch label"]]:
    """Of the tokens seen, and of the words asked for, in as much of a document as counts."""
    seen, chosen = mask(key, words, masking, vocabulary)
    there = jnp.arange(words.shape[1]) < lengths[:, None]
    asked = there & chosen
    count = jax.vmap(
        lambda tokens, which, most: jnp.zeros(most).at[tokens].add(which), (0, 0, None)
    )
    tokens = count(seen, there, vocabulary + 1) / lengths[:, None]
    return tokens, count(words, asked, vocabulary) / jnp.maximum(jnp.sum(asked, 1), 1)[:, None]


@functools.partial(jax.jit, static_argnums=(1, 2, 3))
def library(key: Array, corpus: Corpus, count: int, length: int) -> Int[Array, "batch length"]:
    """So many documents of that length."""
    laws = word_laws(key_for(key, "laws"), corpus)
    keys = jax.random.split(key_for(key, "documents"), count)
    return jax.vmap(lambda key: document(key, laws, corpus, length))(keys)


_frequencies = jax.jit(frequencies, static_argnums=(3, 4))


def _fit(
    corpus: Corpus, masking: Masking, settings: Mapping[str, Any], number: int
) -> Float[np.ndarray, "label token"]:
    """Ridge regression on drawn documents."""
    key = key_for(root_key(settings["seed"]), "topic-values", number)
    words = library(key, corpus, settings["documents"], settings["length"])
    lengths = jnp.full(len(words), settings["length"])
    found = _frequencies(key_for(key, "mask"), words, lengths, masking, corpus.vocabulary)
    seen, wanted = (np.asarray(each, float) for each in found)
    square = seen.T @ seen / len(seen) + RIDGE * np.eye(seen.shape[1])
    fitted: Float[np.ndarray, "label token"] = np.linalg.solve(
        square, seen.T @ wanted / len(seen)
    ).T
    return fitted


def _train(settings: Mapping[str, Any], show: Show) -> Trained:
    """Both losses at once on the same documents, masked anew at every step."""
    training, (corpus, masking) = settings["training"], _trained_corpus(settings)
    root = key_for(root_key(settings["seed"]), "topic-values", "training")
    words = library(root, corpus, training["documents"], training["longest"])
    ends = (training["shortest"], training["longest"] + 1)
    lengths = jnp.asarray(np.random.default_rng(settings["seed"]).integers(*ends, len(words)))

    def batch(key: Array) -> tuple[Array, Array]:
        drawn = jax.random.randint(key_for(key, "which"), (training["batch"],), 0, len(words))
        return frequencies(
            key_for(key, "mask"), words[drawn], lengths[drawn], masking, corpus.vocabulary
        )

    def loss(weights: dict[str, Array], key: Array) -> Float[Array, ""]:
        seen, wanted = batch(key)
        far = jnp.square(seen @ weights["squared"].T - wanted).sum(axis=1)
        said = jax.nn.log_softmax(seen @ weights["cross"].T)
        return jnp.mean(far) - jnp.mean(jnp.sum(said * wanted, axis=1))

    start = jnp.zeros((corpus.vocabulary, corpus.vocabulary + 1))
    return descend(
        loss,
        {"squared": start, "cross": start},
        optax.adam(training["rate"]),
        steps=training["steps"],
        key=root,
        every=max(1, training["steps"] // 60),
        watch=lambda weights, key: {"values": weights["squared"]},
        show=show,
        phase="value matrix",
    )


def _curves(corpus: Corpus, masking: Masking, trained: Trained) -> dict[str, Any]:
    """The final matrix, and how its two kinds of entries part."""
    parts = [split_by_topic(values, corpus) for values in trained.watched["values"]]
    ends = [[np.quantile(kind, [0.1, 0.5, 0.9]) for kind in both] for both in parts]
    block = block_solution(corpus, masking)
    return {
        "topics": corpus.topics,
        "words": corpus.words,
        "steps": trained.steps.tolist(),
        "same": np.round(np.array([each[0] for each in ends], float), 4).tolist(),
        "other": np.round(np.array([each[1] for each in ends], float), 4).tolist(),
        "means": np.round(
            np.array([[kind.mean() for kind in both] for both in parts], float), 5
        ).tolist(),
        "gap": topic_gap(corpus, masking),
        "block": [round(entry, 6) for entry in block],
        "values": np.round(np.asarray(trained.weights["squared"], float), 3).tolist(),
    }
