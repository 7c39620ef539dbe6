"""Topics, first stage: generators against NumPy, masking, the closed form and what is refused."""

from __future__ import annotations

import jax
import numpy as np
import pytest

from foretell.numerics.keys import root_key
from foretell.plain.errors import BadInput
from foretell.protocols._asking import Budget
from foretell.sandboxes import compare
from foretell.sandboxes.learning.topic_values import (
    CASES,
    TopicValues,
    frequencies,
    library,
    smallest_fit,
)
from foretell.worlds.topics import (
    Corpus,
    Masking,
    block_solution,
    endless_documents,
    gap_in,
    mask,
    topic_gap,
)


@pytest.mark.parametrize("case, gap", [*zip(CASES, (0.1156, 0.1156, 0.3571, 0.1538), strict=True)])
def test_the_gap_of_the_specification_and_the_exact_block_solution(case, gap) -> None:
    corpus, masking = Corpus(**case["corpus"]), Masking(**case["masking"])
    assert topic_gap(corpus, masking) == pytest.approx(gap, abs=5e-5)
    seen, wanted = endless_documents(corpus, masking)
    np.testing.assert_allclose(seen.sum(axis=1), 1)
    block = block_solution(corpus, masking).matrix(corpus)
    np.testing.assert_allclose(seen @ block.T, wanted, atol=1e-12)  # it predicts exactly
    np.testing.assert_allclose(smallest_fit(seen, wanted), block, atol=1e-6)
    assert gap_in(block, corpus) == pytest.approx(topic_gap(corpus, masking))


def test_other_names_for_the_words_only_reorder_the_matrix() -> None:
    seen, wanted = endless_documents(Corpus(4, 3, 2), Masking())
    order = np.random.default_rng(0).permutation(12)
    columns = np.append(order, 12)
    renamed = smallest_fit(seen[:, columns], wanted[:, order])
    np.testing.assert_allclose(renamed, smallest_fit(seen, wanted)[order][:, columns], atol=1e-9)


def test_documents_have_few_topics_and_as_often_as_in_numpy() -> None:
    corpus, count = Corpus(5, 4, 2), 2000
    words = np.asarray(library(root_key(0), corpus, count, 60))
    topics = [len(set(row // 4)) for row in words]
    assert set(topics) == {2}
    random = np.random.default_rng(0)
    chosen = np.stack([random.permutation(5)[:2] for _ in range(count)])
    own = np.take_along_axis(chosen, random.integers(0, 2, (count, 60)), 1) * 4
    own = own + random.integers(0, 4, (count, 60))
    theirs, ours = (np.bincount(each.ravel(), minlength=20) / each.size for each in (own, words))
    np.testing.assert_allclose(ours, theirs, atol=0.006)
    pairs = [np.mean((each[:, 0] // 4) == (each[:, 1] // 4)) for each in (own, words)]
    assert pairs[0] == pytest.approx(pairs[1], abs=0.05)


@pytest.mark.slow
@pytest.mark.parametrize("shared", [0.0, 50.0])
def test_mixtures_from_dirichlet_laws_have_its_second_moment(shared) -> None:
    corpus = Corpus(5, 4, concentration=0.5, shared=shared)
    words = np.asarray(library(root_key(1), corpus, 3000, 8))
    together = np.mean((words[:, 0] // 4) == (words[:, 1] // 4))
    one_topic = (0.5 + 1) / (5 * 0.5 + 1)  # two words of a document share their topic
    expected = 0.2 if shared else one_topic  # laws close to uniform: no trace of topics
    assert together == pytest.approx(expected, abs=0.04)


def test_masking_follows_its_chances() -> None:
    words = np.zeros((100, 1000), np.int32)
    seen, chosen = map(np.asarray, mask(root_key(0), words, Masking(0.3, 0.2, 0.4), 20))
    assert chosen.mean() == pytest.approx(0.3, abs=0.01)
    assert (seen[~chosen] == 0).all()
    inside = seen[chosen]
    assert (inside == 20).mean() == pytest.approx(0.4, abs=0.01)
    assert (inside == 0).mean() == pytest.approx(0.2 + 0.4 / 20, abs=0.01)
    assert set(inside) == set(range(21))


def test_frequencies_count_only_what_is_there() -> None:
    words = np.array([[0, 1, 1, 3], [2, 2, 2, 0]])
    never = Masking(1e-9, 0.0, 0.0)
    seen, asked = frequencies(root_key(0), jax.numpy.asarray(words), np.array([3, 4]), never, 4)
    np.testing.assert_allclose(seen, [[1 / 3, 2 / 3, 0, 0, 0], [0.25, 0, 0.75, 0, 0]], rtol=1e-6)
    assert not np.asarray(asked).any()


@pytest.mark.parametrize("few", [0, 6])
def test_more_topics_a_document_than_topics_are_refused(few) -> None:
    with pytest.raises(BadInput, match="more topics than there are"):
        Corpus(5, 4, few)


def test_other_bad_input_is_refused() -> None:
    with pytest.raises(BadInput, match="two or more"):
        Corpus(1, 4)
    with pytest.raises(BadInput, match="above 0"):
        Corpus(concentration=0.0)
    with pytest.raises(BadInput, match="takes chances"):
        Masking(0.15, 0.6, 0.6)
    with pytest.raises(BadInput, match="too many sets"):
        endless_documents(Corpus(40, 2, 20), Masking())


@pytest.mark.slow
def test_every_claim_holds() -> None:
    sandbox = TopicValues()
    settings = sandbox.settings(Budget.CPU)
    rows = compare(sandbox.claims(settings), sandbox.measure(settings, lambda progress: None))
    assert not [row for row in rows if not row.agrees]
