"""Several parents: words and counts against slow versions, heads at the parents count."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from foretell.plain.errors import BadInput
from foretell.protocols._asking import Budget
from foretell.sandboxes import compare
from foretell.sandboxes.learning.several_parents import LagHeads, SeveralParents, chances
from foretell.worlds.graph_parents import (
    counted_family,
    grow_family,
    require_parent_lags,
    sample_families,
)


def test_a_word_follows_its_parents() -> None:
    random = np.random.default_rng(0)
    rows, lags, first = random.dirichlet(np.ones(2), 4), np.array([1, 3]), 4
    uniform = random.random(40)
    found = jax.jit(lambda *given: grow_family(*given, first))(
        jnp.asarray(lags), jnp.asarray(rows, jnp.float32), jnp.asarray(uniform, jnp.float32)
    )
    word: list[int] = []
    for place, chance in enumerate(uniform):
        one = 0.5 if place < first else rows[word[place - 1] + 2 * word[place - 3], 0]
        word.append(int(chance >= one))
    assert np.asarray(found.word).tolist() == word
    np.testing.assert_allclose(found.row, rows[word[-1] + 2 * word[-3]], rtol=1e-5)


def test_heads_at_the_parents_count() -> None:
    lags, window = (1, 3), 4
    asked = jax.jit(lambda key: sample_families(key, jnp.array([lags]), 30, 2, 40, window))(
        jax.random.key(0)
    )
    words = np.asarray(asked.word[0])
    heads = LagHeads(60.0 * jnp.eye(window)[jnp.array(lags) - 1], 60.0 * jnp.eye(4))
    said = jax.jit(jax.vmap(lambda word: chances(heads, word, 2)))(words)
    for word, law in zip(words, np.asarray(said), strict=True):
        places = range(window, len(word))
        hits = [word[t] for t in places if all(word[t - k] == word[len(word) - k] for k in lags)]
        counts = np.bincount(np.array(hits, int), minlength=2)
        if len(hits):
            np.testing.assert_allclose(law, counts / counts.sum(), atol=1e-4)
        slow = (counts + 1) / (counts + 1).sum()
        np.testing.assert_allclose(counted_family(word[None], lags, 2, window)[0], slow)


@pytest.mark.parametrize("sets", [[], [[1], [1, 2]], [[1, 6]], [[0, 1]], [[2, 2]]])
def test_what_are_no_parents(sets: list[list[int]]) -> None:
    with pytest.raises(BadInput):
        require_parent_lags(sets, 5)


@pytest.mark.slow
def test_every_claim_holds_on_a_cpu() -> None:
    sandbox = SeveralParents()
    settings = sandbox.settings(Budget.CPU)
    rows = compare(sandbox.claims(settings), sandbox.measure(settings, lambda progress: None))
    assert [row for row in rows if not row.agrees] == []
