"""Documents made of topics, their masking, and what a value matrix must be to fill the gaps.

A topic is a law over words. With topics of `words` words each and none shared, word w belongs to
topic w // words. The token after the last word is the mask.
"""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass
from typing import NamedTuple, final

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Bool, Float, Int, Key

from foretell.numerics.keys import key_for
from foretell.numerics.stochastic import require_chances
from foretell.plain.errors import BadInput
from foretell.worlds.chains import require_memory

MOST_SETS = 20_000  # sets of topics that are enumerated; a row of the vocabulary's width each


@final
@dataclass(frozen=True)
class Corpus:
    """How documents come about: a few topics equally often, or shares from a Dirichlet law.

    `few` topics a document (then `concentration` is not used); with `shared` above 0 words belong
    to all topics, by laws drawn from a Dirichlet law of that concentration.
    """

    topics: int = 10
    words: int = 10
    few: int | None = None
    concentration: float = 0.1
    shared: float = 0.0

    def __post_init__(self) -> None:
        if self.topics < 2 or self.words < 1:
            raise BadInput(
                "topics are two or more, of one word or more",
                seen=f"{self.topics} topics of {self.words} words",
            )
        if self.few is not None and not 1 <= self.few <= self.topics:
            raise BadInput(
                "a document cannot have more topics than there are, nor none",
                seen=f"{self.few} topics a document, of {self.topics}",
                hint=f"a number from 1 to {self.topics}",
            )
        if not (self.concentration > 0 and self.shared >= 0):
            raise BadInput(
                "concentrations of Dirichlet laws are above 0",
                seen=f"{self.concentration:g} of topics, {self.shared:g} of words",
            )
        require_memory(8 * self.vocabulary**2, f"a matrix of all {self.vocabulary:,} words")

    @property
    def vocabulary(self) -> int:
        """All words; also the number of the mask."""
        return self.topics * self.words


@final
@dataclass(frozen=True)
class Masking:
    """A token is chosen with chance `chosen`; then it is kept, replaced by any word, or masked."""

    chosen: float = 0.15
    kept: float = 0.1
    replaced: float = 0.1

    def __post_init__(self) -> None:
        rest = 1 - self.kept - self.replaced
        if not 0 < self.chosen < 1 or min(self.kept, self.replaced, rest + 1e-12) < 0:
            raise BadInput(
                "masking takes chances",
                seen=f"chosen {self.chosen:g}, kept {self.kept:g}, replaced {self.replaced:g}",
                why="some tokens must be chosen and some not, and the three ways add up to 1",
            )

    @property
    def original(self) -> float:
        """Chance α that a token is still what it was, and not by accident."""
        return 1 - self.chosen * (1 - self.kept)

    @property
    def masked(self) -> float:
        """Chance γ that a token is the mask."""
        return self.chosen * (1 - self.kept - self.replaced)


def topic_shares(key: Key[Array, ""], corpus: Corpus) -> Float[Array, " set"]:
    """Of one document."""
    if corpus.few is None:
        return jax.random.dirichlet(key, jnp.full(corpus.topics, corpus.concentration))
    rank = jnp.argsort(jnp.argsort(jax.random.uniform(key, (corpus.topics,))))
    return jnp.where(rank < corpus.few, 1 / corpus.few, 0.0)


def word_laws(key: Key[Array, ""], corpus: Corpus) -> Float[Array, "set token"]:
    """The law of every topic, the same for all documents."""
    if corpus.shared:
        law = jnp.full(corpus.vocabulary, corpus.shared)
        return jax.random.dirichlet(key, law, (corpus.topics,))
    return jnp.repeat(jnp.eye(corpus.topics), corpus.words, axis=1) / corpus.words


def document(
    key: Key[Array, ""], laws: Float[Array, "set token"], corpus: Corpus, length: int
) -> Int[Array, " length"]:
    """One document: for each word a topic, then a word of it.

    The topic of a word is not kept, so the word is drawn from the mixture at once.
    """
    require_chances(laws)
    mixture = topic_shares(key_for(key, "topics"), corpus) @ laws
    drawn = jax.random.uniform(key_for(key, "words"), (length,)) * jnp.sum(mixture)
    found = jnp.searchsorted(jnp.cumsum(mixture), drawn, side="right")
    return jnp.minimum(found, corpus.vocabulary - 1)


def mask(
    key: Key[Array, ""], words: Int[Array, "*batch length"], masking: Masking, vocabulary: int
) -> tuple[Int[Array, "*batch length"], Bool[Array, "*batch length"]]:
    """What the model sees of a document, or of many, and at which places it is asked."""
    which, how, other = jax.random.uniform(key, (3, *words.shape))  # one draw: quick to compile
    chosen = which < masking.chosen
    random = jnp.floor(other * vocabulary).astype(words.dtype)
    changed = jnp.where(how < masking.kept + masking.replaced, random, vocabulary)
    return jnp.where(chosen & (how >= masking.kept), changed, words), chosen


class Block(NamedTuple):
    """A value matrix with three entries: a word of the same topic, of another, and the mask."""

    same: float
    other: float
    mask: float

    def matrix(self, corpus: Corpus) -> Float[np.ndarray, "label token"]:
        """In full: a row each word said, a column each token seen."""
        topic = np.arange(corpus.vocabulary) // corpus.words
        words = np.where(topic[:, None] == topic, self.same, self.other)
        return np.concatenate([words, np.full((len(words), 1), self.mask)], axis=1)


def topic_gap(corpus: Corpus, masking: Masking) -> float:
    """Same less other topic in the best value matrix for long documents: 1/(αv).

    >>> round(topic_gap(Corpus(), Masking()), 4)
    0.1156
    """
    return 1 / (masking.original * corpus.words)


def block_solution(corpus: Corpus, masking: Masking) -> Block:
    """Of all value matrices that predict long documents best, the smallest.

    It minimises v(b+c)² + (T-1)v b² + m² where b(α+ρ) + mγ = -ρc/T, with ρ the chance that a
    token is random: the condition under which absent topics are given nothing.
    """
    gap, number = topic_gap(corpus, masking), corpus.topics
    random = masking.chosen * masking.replaced
    words, hidden = masking.original + random, masking.masked
    wanted = -random * gap / number
    share = (wanted + words * gap / number) / (words**2 / corpus.vocabulary + hidden**2)
    other = (share * words - corpus.words * gap) / corpus.vocabulary
    return Block(other + gap, other, share * hidden)


def endless_documents(
    corpus: Corpus, masking: Masking
) -> tuple[Float[np.ndarray, "batch token"], Float[np.ndarray, "batch label"]]:
    """Frequencies seen, and laws of the hidden words, for every set of topics; no sampling."""
    few = corpus.few or 1
    count = math.comb(corpus.topics, few)
    if count > MOST_SETS:
        raise BadInput(
            "too many sets of topics to enumerate",
            seen=f"{few} of {corpus.topics}: {count}",
            why=f"they would take {count * corpus.vocabulary * 16 / 2**20:.0f} MiB",
            hint=f"at most {MOST_SETS} sets",
        )
    sets = np.array(list(itertools.combinations(range(corpus.topics), few)))
    shares = np.zeros((count, corpus.topics))
    np.put_along_axis(shares, sets, 1 / few, axis=1)
    law = np.repeat(shares, corpus.words, axis=1) / corpus.words
    random = masking.chosen * masking.replaced / corpus.vocabulary
    seen = masking.original * law + random
    return np.concatenate([seen, np.full((count, 1), masking.masked)], axis=1), law


def gap_in(values: Float[np.ndarray, "label token"], corpus: Corpus) -> float:
    """Mean entry for words of the same topic less that for words of another."""
    same, other = split_by_topic(values, corpus)
    return float(same.mean() - other.mean())


def split_by_topic(
    values: Float[np.ndarray, "label token"], corpus: Corpus
) -> tuple[Float[np.ndarray, " size"], Float[np.ndarray, " size"]]:
    """Entries for words of the same topic, and of another; the mask is left out."""
    topic = np.arange(corpus.vocabulary) // corpus.words
    together = topic[:, None] == topic
    words = values[: corpus.vocabulary, : corpus.vocabulary]
    return words[together], words[~together]


def require_lengths(shortest: int, longest: int) -> None:
    """Documents between two lengths, the shortest first."""
    if not 1 <= shortest <= longest:
        raise BadInput(
            "documents have no such lengths",
            seen=f"{shortest} to {longest} words",
            why="the shortest is no longer than the longest",
        )
