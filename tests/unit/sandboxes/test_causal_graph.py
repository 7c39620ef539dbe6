"""Trees, their words and their information against slow versions; training marked slow."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from foretell.plain.errors import BadInput
from foretell.protocols._asking import Budget
from foretell.sandboxes import compare
from foretell.sandboxes.learning.causal_graph import (
    PROBE,
    CausalGraph,
    cosine_with_matching,
)
from foretell.worlds.chains import Prior
from foretell.worlds.graph_information import (
    chi_square,
    counted_information,
    edge_mean,
    first_gradient,
    kinship,
    parent_share,
)
from foretell.worlds.graph_trees import counted, require_parents, sample_examples, tree

TABLE = np.array([[0.6, 0.3, 0.1], [0.2, 0.5, 0.3], [0.25, 0.25, 0.5]])


def joint_by_recursion(table: np.ndarray, parents: tuple[int, ...]) -> np.ndarray:
    """P(s_i, s_j): a later symbol depends on an earlier one through its parent alone."""
    law = np.linalg.matrix_power(table, 200)[0]
    nodes, symbols = len(parents), len(law)
    joint = np.zeros((nodes, nodes, symbols, symbols))
    for i, parent in enumerate(parents):
        for j in range(i):
            joint[i, j] = np.outer(law, law) if parent < 0 else table.T @ joint[parent, j]
            joint[j, i] = joint[i, j].T
        joint[i, i] = np.diag(law)
    return joint


@pytest.mark.parametrize("parents", [PROBE, tree("random", 8, 1), tree("pairs", 6)])
def test_the_closed_form_is_the_recursion(parents: tuple[int, ...]) -> None:
    joint = joint_by_recursion(TABLE, parents)
    law = np.linalg.matrix_power(TABLE, 200)[0]
    slow = (joint**2 / np.outer(law, law)).sum(axis=(-1, -2)) - 1
    np.testing.assert_allclose(chi_square(TABLE, parents), slow, atol=1e-10)
    assert parent_share(slow, parents) == 1  # the data processing inequality


def test_two_symbols_on_a_chain() -> None:
    leave, back = 0.3, 0.6
    table = np.array([[1 - leave, leave], [back, 1 - back]])
    found = chi_square(table, tree("chain", 4))[3, :3]
    np.testing.assert_allclose(found, (1 - leave - back) ** (2 * np.array([3, 2, 1])), atol=1e-12)


def test_information_counted_in_words() -> None:
    exact = edge_mean(chi_square(TABLE, PROBE), PROBE)
    found = edge_mean(counted_information(TABLE, PROBE, 200_000, 0), PROBE)
    assert found == pytest.approx(exact, rel=0.03)


def test_words_follow_their_tree() -> None:
    parents = tree("random", 6, 5)
    drawn = jax.jit(lambda key: sample_examples(key, jnp.array([parents]), 30_000, 2, Prior()))(
        jax.random.key(0)
    )
    words, rows = np.asarray(drawn.word[0]), np.asarray(drawn.row[0])
    assert rows.sum(axis=1) == pytest.approx(np.ones(len(rows)), abs=1e-5)
    assert words[:, -1].mean() == pytest.approx(0.5, abs=0.01)  # the question is uniform
    # of a child whose parent equals the question, the shown row is the law: both means agree
    for place, parent in enumerate(parents):
        if parent >= 0:
            same = words[:, parent] == words[:, -1]
            mean = (words[same, place] == 1).mean()
            assert mean == pytest.approx(rows[same, 1].mean(), abs=0.015)
    best = jax.jit(jax.vmap(lambda word: counted(word, jnp.array(parents), 2, 1.0)))
    for word, said in zip(words[:50], best(words[:50]), strict=True):
        below = [word[i] for i, p in enumerate(parents) if p >= 0 and word[p] == word[-1]]
        slow = np.bincount(np.array(below, int), minlength=2) + 1
        np.testing.assert_allclose(said, slow / slow.sum(), rtol=1e-5)


def test_the_first_gradient_points_at_parents() -> None:
    gradient = first_gradient(PROBE, 3, 4096, jax.random.key(0))
    assert parent_share(gradient, PROBE) == 1


def test_the_cosine_of_matching_sees_what_softmax_sees() -> None:
    """Two symbols and one place: rows 0-1 ask, columns 3-4 are copied symbols."""

    def cosine(block: np.ndarray, elsewhere: float = 0.0) -> float:
        matrix = np.full((6, 6), elsewhere)
        matrix[:2, 3:5] = block
        return cosine_with_matching(matrix, 2)

    assert cosine(3 * np.eye(2)) == pytest.approx(1)
    assert cosine(3 * np.eye(2) + np.array([[5.0], [-2.0]]), 9.0) == pytest.approx(1)
    assert cosine(-3 * np.eye(2)) == pytest.approx(-1)  # unlike with unlike
    assert cosine(np.array([[1.0, 0.0], [1.0, 0.0]])) == pytest.approx(0)
    assert cosine(np.ones((2, 2))) == 0
    random = np.random.default_rng(0).normal(size=(20_000, 8, 8))
    share = np.mean([cosine_with_matching(one, 3) >= 0.95 for one in random])
    assert share < 0.002  # what the claim asks for does not come about by chance


def test_kin() -> None:
    kin = kinship((-1, 0, 0, 1, -1))
    assert (kin.first[3, 2], kin.second[3, 2]) == (2, 1)
    assert not kin.related[4, 0] and kin.related[2, 1]


def test_families() -> None:
    assert tree("manual", 0) == (-1, 0, 0, 1, 2)
    assert tree("chain", 3) == (-1, 0, 1)
    assert require_parents(tree("random", 30, 4)) == tree("random", 30, 4)
    with pytest.raises(BadInput, match="unknown family"):
        tree("ring", 4)


@pytest.mark.parametrize("parents", [(), (0,), (-1, 1), (-1, 2, 0), (-1, -2), (-1, 0.5), (True,)])
def test_what_is_no_parent_map(parents: tuple[int, ...]) -> None:
    with pytest.raises(BadInput, match="parent"):
        require_parents(parents)


def test_nothing_to_recover() -> None:
    with pytest.raises(BadInput, match="no place has a parent"):
        parent_share(np.zeros((2, 2)), (-1, -1))


@pytest.mark.slow
def test_every_claim_holds_on_a_cpu() -> None:
    sandbox = CausalGraph()
    settings = sandbox.settings(Budget.CPU)
    rows = compare(sandbox.claims(settings), sandbox.measure(settings, lambda progress: None))
    assert [row for row in rows if not row.agrees] == []
