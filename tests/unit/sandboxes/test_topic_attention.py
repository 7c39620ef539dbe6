"""Topics, second stage: the share that follows from scores, and queries nobody asks."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from foretell.plain.errors import BadInput
from foretell.protocols._asking import Budget
from foretell.sandboxes import compare
from foretell.sandboxes.learning.topic_attention import (
    TopicAttention,
    distance_from_uniform,
    loss_of,
    share_on_topic,
    topic_shares_of,
)
from foretell.worlds.topics import Corpus


def test_equal_scores_look_at_all_topics_alike_and_a_gap_at_its_own() -> None:
    corpus = Corpus(5, 4, 3)
    topic = np.arange(21) // 4
    for gap in (0.0, 1.5):
        scores = np.where(topic[:, None] == topic, gap, 0.0)
        shares, odds = topic_shares_of(scores, corpus)
        np.testing.assert_allclose(shares, share_on_topic(gap, 3), atol=0.015)  # random words
        assert odds == pytest.approx(np.exp(gap))


def test_only_equal_scores_are_uniform_attention() -> None:
    corpus = Corpus(5, 4, 2)
    np.testing.assert_allclose(distance_from_uniform(np.full(21, 7.0), corpus), 0, atol=1e-12)
    one_word = distance_from_uniform(50.0 * (np.arange(21) == 3), corpus)
    assert one_word.min() > 0.8  # all on one word, which at most an eighth of places carry
    the_mask = distance_from_uniform(1.0 * (np.arange(21) == 20), corpus)
    share = 0.15 * 0.8  # of places that carry the mask
    tilted = share * np.e / (share * np.e + 1 - share)
    np.testing.assert_allclose(the_mask, tilted - share)


def test_words_are_never_asked_when_all_chosen_are_masked() -> None:
    random, blank = np.random.default_rng(0), 6
    words = random.integers(0, 6, 12)
    chosen = np.arange(12) < 4
    seen = np.where(chosen, blank, words)
    weights = {name: jnp.asarray(random.normal(size=(7, 7))) for name in ("keys", "queries")}
    values = jnp.asarray(random.normal(size=(6, 7)))
    slope = jax.grad(loss_of)(weights, values, seen, words, chosen)["queries"]
    assert (np.asarray(slope[:, :-1]) == 0).all()
    assert np.abs(np.asarray(slope[:, -1])).max() > 1e-3


def test_more_topics_a_document_than_topics_are_refused() -> None:
    sandbox = TopicAttention()
    with pytest.raises(BadInput, match="more topics than there are"):
        sandbox.claims({**sandbox.settings(Budget.SMOKE), "few": 9})


@pytest.mark.slow
def test_every_claim_holds() -> None:
    sandbox = TopicAttention()
    settings = sandbox.settings(Budget.CPU)
    rows = compare(sandbox.claims(settings), sandbox.measure(settings, lambda progress: None))
    assert not [row for row in rows if not row.agrees]
