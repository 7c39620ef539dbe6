"""Bigram-backcopy words, what is measured of a head, and the run on a CPU."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from foretell.plain.errors import BadInput
from foretell.protocols._asking import Budget
from foretell.sandboxes import compare
from foretell.sandboxes.learning.attention_sink import AttentionSink, peak
from foretell.worlds.descent import Trained
from foretell.worlds.k_gram_backcopy import draw_backcopy, next_laws, sample_backcopy


def test_words_follow_the_law_and_copy_after_triggers() -> None:
    law = draw_backcopy(0, 5, 2, 0.5)
    keys = jax.random.split(jax.random.key(0), 400)
    words = np.asarray(jax.jit(jax.vmap(lambda key: sample_backcopy(law, 40, key)))(keys))
    trigger, rows = np.asarray(law.triggers), np.asarray(law.rows)
    assert trigger.sum() == 2
    assert (words[:, 0] == 5).all() and not trigger[words[:, 1]].any()
    before, now, after = words[:, 1:-2], words[:, 2:-1], words[:, 3:]
    assert (after[trigger[now]] == before[trigger[now]]).all()
    for symbol in np.flatnonzero(~trigger):
        followed = np.bincount(words[:, 2:][words[:, 1:-1] == symbol], minlength=5)
        np.testing.assert_allclose(followed / followed.sum(), rows[symbol], atol=0.04)


def test_laws_of_the_next_symbol() -> None:
    law = draw_backcopy(0, 5, 2, 0.5)
    trigger = int(np.flatnonzero(law.triggers)[0])
    other = int(np.flatnonzero(~np.asarray(law.triggers))[0])
    laws = np.asarray(next_laws(law, jnp.array([5, other, trigger, other])))
    np.testing.assert_allclose(laws[0], law.first, atol=1e-6)
    np.testing.assert_allclose(laws[1], law.rows[other], atol=1e-6)
    assert laws[2].tolist() == np.eye(5)[other].tolist()
    np.testing.assert_allclose(laws.sum(axis=1), 1, atol=1e-5)


def test_three_layers_have_a_peak_between_them_and_one_has_none() -> None:
    streams = np.array([[9.0, 9.0, 9.0, 9.0], [1.0, 2.5, 3.5, 7.0]])  # at two times, by layer
    deep = Trained(None, np.arange(2), {"streams": streams})
    assert peak(deep) == 3.5  # at the end, and neither before the first layer nor after the last
    assert peak(Trained(None, np.arange(2), {"streams": streams[:, :2]})) == 0


def test_a_small_run_of_every_training_has_every_claim_of_the_full_preset() -> None:
    sandbox = AttentionSink()
    settings = sandbox.settings(Budget.SMOKE) | {"kinds": sandbox.settings(Budget.GPU)["kinds"]}
    findings = sandbox.measure(settings, lambda progress: None)
    assert len(compare(sandbox.claims(settings), findings)) == 12
    assert {kind: len(found) for kind, found in findings.curves["streams"].items()} == {
        "three layers": 4,
        "three layers, SGD": 4,
    }
    assert [*findings.curves["kinds"]] == ["softmax", "relu", "SGD"]


def test_bad_input() -> None:
    with pytest.raises(BadInput, match="number of triggers"):
        draw_backcopy(0, 4, 4, 0.3)
    with pytest.raises(BadInput, match="Dirichlet"):
        draw_backcopy(0, 4, 1, 0.0)


@pytest.mark.slow
def test_the_run_on_a_cpu_holds_every_claim() -> None:
    sandbox = AttentionSink()
    settings = sandbox.settings(Budget.CPU)
    rows = compare(sandbox.claims(settings), sandbox.measure(settings, lambda progress: None))
    assert [row.claim.quantity for row in rows if not row.agrees] == []
