"""First the relation, then the subject: the spec's times, levels and the dictionary."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from foretell.numerics.keys import root_key
from foretell.plain.errors import BadInput
from foretell.protocols._asking import Budget
from foretell.sandboxes import compare
from foretell.sandboxes.learning.hallucination_stage import (
    HallucinationStage,
    growth_rates,
    half_times,
)
from foretell.worlds.memory_facts import (
    LENGTH,
    NOISE,
    Attention,
    draw,
    facts_of,
    log_chances,
    stages,
)


@pytest.mark.parametrize(
    "sizes, start, relation, subject",
    [
        ((16, 4, 8), 1e-5, 1595, 4176),
        ((16, 4, 8), 1e-3, 993, 2600),
        ((32, 4, 8), 1e-5, 1595, 8351),
        ((16, 8, 4), 1e-5, 2088, 6378),
        ((8, 2, 4), 1e-5, 690, 1595),
        ((2, 16, 2), 1e-5, 2852, 1381),
        ((4, 16, 4), 1e-5, 4034, 2255),
    ],
)
def test_half_times_are_those_of_the_specification(sizes, start, relation, subject) -> None:
    found = half_times(*sizes, start=start, rate=0.1)
    assert [round(time) for time in found] == [relation, subject]


def test_growth_rates_are_the_lengths_of_the_first_gradient() -> None:
    sizes = (8, 2, 4)
    facts = facts_of(*sizes)
    tokens, labels = facts.counts.shape[1], facts.of_relation.shape[1]
    start = Attention(jnp.ones(tokens), jnp.zeros((tokens, labels)))

    def loss(model: Attention) -> jax.Array:
        said = log_chances(model, jnp.asarray(facts.counts))
        return -jnp.mean(jnp.take_along_axis(said, jnp.asarray(facts.answers)[:, None], axis=1))

    lengths = np.linalg.norm(np.asarray(jax.grad(loss)(start).values), axis=1)
    relation, subject = growth_rates(*sizes)
    np.testing.assert_allclose(lengths[:8], subject, rtol=1e-5)
    np.testing.assert_allclose(lengths[8:10], relation, rtol=1e-5)
    np.testing.assert_allclose(lengths[10:], 0, atol=1e-6)  # noise and the end say nothing


def test_every_answer_of_a_relation_is_equally_common() -> None:
    facts = facts_of(16, 4, 8)
    assert np.bincount(facts.answers).tolist() == [2] * 32
    assert (facts.of_relation[np.arange(64), facts.answers] == 1).all()
    np.testing.assert_allclose(facts.counts.sum(axis=1), LENGTH, rtol=1e-6)


def test_the_parts_add_up_and_the_law_of_the_relation_has_distance_zero() -> None:
    facts = facts_of(8, 2, 4)
    looks = np.zeros(facts.counts.shape[1])
    looks[8:10] = 1.0
    values = np.zeros((len(looks), 8))
    values[8:10] = 30 * np.repeat(np.eye(2), 4, axis=1)  # a relation says: one of my answers
    found = stages(Attention(jnp.asarray(looks), jnp.asarray(values)), facts)
    assert float(found["loss"]) == pytest.approx(np.log(4), abs=1e-5)
    assert float(found["relation"]) == pytest.approx(0, abs=1e-5)
    assert float(found["distance"]) == pytest.approx(0, abs=1e-5)


def test_drawn_contexts_have_their_length_and_mean_noise() -> None:
    facts = facts_of(8, 2, 4)
    counts, answers = map(np.asarray, draw(facts, 4000, root_key(0)))
    np.testing.assert_allclose(counts.sum(axis=1), LENGTH, rtol=1e-6)
    noise = counts[:, -1 - NOISE : -1]
    np.testing.assert_allclose(noise.mean(axis=0), (LENGTH - 3) / NOISE, atol=0.1)
    subject, relation = counts[:, :8].argmax(axis=1), counts[:, 8:10].argmax(axis=1)
    assert (answers == 4 * relation + subject // 2).all()


@pytest.mark.parametrize("sizes", [(4, 2, 8), (6, 2, 4), (8, 1, 4), (8, 2, 1)])
def test_an_uneven_dictionary_is_refused(sizes) -> None:
    with pytest.raises(BadInput, match="as many subjects"):
        facts_of(*sizes)


@pytest.mark.slow
def test_every_claim_holds() -> None:
    sandbox = HallucinationStage()
    settings = sandbox.settings(Budget.CPU)
    rows = compare(sandbox.claims(settings), sandbox.measure(settings, lambda progress: None))
    assert not [row for row in rows if not row.agrees]
