"""Facts in one layer: attention by counts against attention by position, bits, and the trade."""

from __future__ import annotations

import jax
import numpy as np
import pytest

from foretell.plain.errors import BadInput
from foretell.protocols._asking import Budget
from foretell.sandboxes import compare
from foretell.sandboxes.learning.fact_capacity import (
    BOUND,
    SLOPE,
    FactCapacity,
    largest_fall,
    recalled_bits,
    slope_of,
)
from foretell.worlds.memory_recall import (
    Book,
    Recall,
    Sizes,
    World,
    book,
    counts,
    create,
    draw,
    logits,
    parameters,
    require_world,
)

WORLD = World(subjects=3, relations=2, answers=4, noise=5, length=9)
WIDTH, PART = 6, 2


def _sizes(heads: int, hidden: int) -> Sizes:
    return Sizes(np.int32(heads), np.int32(hidden), np.int32(3), np.float32(0.01))


def _one() -> tuple[Recall, Sizes]:
    """A member that lacks one head of three and two hidden units of five."""
    fleet = Sizes(np.array([2, 3]), np.array([3, 5]), np.array([3, 3]), np.array([0.1, 0.1]))
    model = create(fleet, WIDTH, PART, seed=0)
    return jax.tree.map(lambda each: each[0], model), _sizes(2, 3)


def _by_position(model: Recall, known: Book, word: np.ndarray) -> np.ndarray:
    """The same member from a word: softmax over positions, only the heads and units it has."""
    model = jax.tree.map(lambda each: np.asarray(each, float), model)
    stream, vectors = np.zeros(WIDTH), known.tokens[word].astype(float)
    for head in range(2):
        asked = vectors[-1] @ model.query[head]
        scores = vectors @ model.key[head] @ asked / np.sqrt(PART)
        weights = np.exp(scores) / np.exp(scores).sum()
        stream = stream + weights @ vectors @ model.value[head] @ model.output[head]
    inner = np.maximum(stream @ model.first[:, :3], 0) @ model.second[:3]
    return known.outputs @ (stream + inner)


def test_counts_do_what_positions_would() -> None:
    model, sizes = _one()
    known = book(WORLD, WIDTH, (0,))
    context = draw(WORLD, jax.random.key(1), 2)
    subject = np.floor(np.asarray(context.subject) * 3).astype(int)
    found = np.asarray(counts(WORLD, subject, context))
    assert found.sum(axis=1).tolist() == [WORLD.length] * 2
    said = np.asarray(logits(model, sizes, known, found))
    for row in range(2):
        word = np.repeat(np.arange(WORLD.tokens), found[row].astype(int))
        word = np.append(np.random.default_rng(row).permutation(word[:-1]), word[-1])
        np.testing.assert_allclose(said[row], _by_position(model, known, word), atol=1e-5)


def test_answers_belong_to_their_relation() -> None:
    known = book(WORLD, WIDTH, (3,))
    assert known.answers.shape == (3, 2)
    assert (known.answers // WORLD.answers == np.arange(2)).all()
    assert known.outputs.shape == (8, WIDTH) and known.tokens.shape == (WORLD.tokens, WIDTH)
    assert int(parameters(2, 32, 16, 4)) == 4 * 2 * 4 * 16 + 2 * 32 * 16


def test_bits_recalled_are_those_of_fano() -> None:
    assert recalled_bits(np.array([0.1, 0.25]), 64, 4).tolist() == [0, 0]
    assert recalled_bits(np.array([0.5]), 10, 2)[0] == pytest.approx(0)  # no better than a coin
    three = np.log2(8) - 1 - 0.5 * np.log2(7)
    assert recalled_bits(np.array([0.5]), 10, 8)[0] == pytest.approx(10 * three)


def test_falls_and_slopes_are_read_off() -> None:
    assert largest_fall(np.array([[0.2, 0.5], [0.3, 0.9]])) == 0
    assert largest_fall(np.array([[0.9], [0.5], [0.7]])) == pytest.approx(0.4)
    held = np.array([[100, 7], [200, 14], [400, np.nan], [800, 56.0]])
    assert slope_of(held) == pytest.approx(1)
    assert np.isnan(slope_of(held[2:3]))


def test_what_is_claimed() -> None:
    sandbox = FactCapacity()
    small, full = (sandbox.claims(sandbox.settings(each)) for each in (Budget.CPU, Budget.GPU))
    assert SLOPE not in [claim.quantity for claim in small]
    slope = next(claim for claim in full if claim.quantity == SLOPE)
    assert slope.holds(0.86) and not slope.holds(1.2)
    bound = next(claim for claim in small if claim.quantity == BOUND)
    assert not bound.holds(1.001)


def test_a_world_without_facts_is_refused() -> None:
    with pytest.raises(BadInput, match="two answers or more"):
        require_world(WORLD._replace(answers=1))
    with pytest.raises(BadInput, match="too short"):
        require_world(WORLD._replace(length=2))


@pytest.mark.slow
def test_every_claim_holds() -> None:
    sandbox = FactCapacity()
    settings = sandbox.settings(Budget.CPU)
    rows = compare(sandbox.claims(settings), sandbox.measure(settings, lambda progress: None))
    assert not [row for row in rows if not row.agrees]
