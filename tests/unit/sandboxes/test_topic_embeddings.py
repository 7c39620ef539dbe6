"""Topics in embeddings: pairs, what is given, and what is claimed."""

from __future__ import annotations

import jax.numpy as jnp
import numpy as np
import pytest

from foretell.plain.errors import BadInput
from foretell.protocols._asking import Budget
from foretell.sandboxes import compare
from foretell.sandboxes.learning.topic_embeddings import TopicEmbeddings, given, pairs
from foretell.worlds.topics import Corpus, Masking, block_solution, endless_documents

CORPUS = Corpus(topics=3, words=2, few=2)


def _best_vectors() -> np.ndarray:
    """Vectors whose products are the best value matrix: its words, then one for the mask."""
    block = block_solution(CORPUS, Masking())
    words = block.matrix(CORPUS)[:, :-1]
    sizes, directions = np.linalg.eigh(words)
    vectors = directions * np.sqrt(np.maximum(sizes, 0))
    mask = np.linalg.pinv(vectors) @ np.full(len(words), block.mask)
    return np.concatenate([vectors, mask[None]])


def test_vectors_can_have_the_products_of_the_best_value_matrix() -> None:
    vectors, block = _best_vectors(), block_solution(CORPUS, Masking())
    seen, wanted = endless_documents(CORPUS, Masking())
    np.testing.assert_allclose(given(jnp.asarray(vectors), jnp.asarray(seen)), wanted, atol=1e-5)
    same, other = pairs(vectors, CORPUS)
    np.testing.assert_allclose(same, block.same, atol=1e-8)
    np.testing.assert_allclose(other, block.other, atol=1e-8)


def test_pairs_leave_out_the_mask_and_a_word_with_itself() -> None:
    vectors = np.random.default_rng(0).normal(size=(7, 4))
    same, other = pairs(vectors, CORPUS)
    assert same.size == 6 and other.size == 24
    assert same[0] == pytest.approx(vectors[0] @ vectors[1])


def test_what_is_claimed() -> None:
    sandbox = TopicEmbeddings()
    claims = {each.quantity: each for each in sandbox.claims(sandbox.settings(Budget.CPU))}
    assert claims["squared loss: gap"].predicted == pytest.approx(0.1156, abs=1e-4)
    assert not claims["squared loss: gap"].holds(0.13)
    assert not claims["cross-entropy: gap in standard errors"].holds(4.9)


@pytest.mark.parametrize("changed", [{"width": 10}, {"words": 1}])
def test_vectors_without_room_are_refused(changed: dict[str, int]) -> None:
    sandbox = TopicEmbeddings()
    with pytest.raises(BadInput, match="no room"):
        sandbox.claims({**sandbox.settings(Budget.CPU), **changed})


@pytest.mark.slow
def test_every_claim_holds() -> None:
    sandbox = TopicEmbeddings()
    settings = sandbox.settings(Budget.CPU)
    rows = compare(sandbox.claims(settings), sandbox.measure(settings, lambda progress: None))
    assert not [row for row in rows if not row.agrees]
