"""Composed permutations: the construction against loops, questions to train on, and claims."""

from __future__ import annotations

import itertools

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from foretell.constructions.hop_doubling import answers, build, composed, depth, word_places
from foretell.plain.errors import BadInput
from foretell.protocols._asking import Budget
from foretell.sandboxes import compare
from foretell.sandboxes.learning.composed_permutations import ComposedPermutations
from foretell.worlds.composition_training import lengths_asked, sample_question, shape_of


def _all_words(symbols: int, folds: int) -> tuple[np.ndarray, np.ndarray]:
    every = list(itertools.permutations(range(symbols)))
    outer = np.array(list(itertools.product(every, repeat=folds)))
    start = np.tile(np.arange(symbols), len(outer))
    return np.repeat(outer, symbols, axis=0), start


@pytest.mark.parametrize(("symbols", "folds"), [(2, 1), (3, 1), (2, 3), (2, 4), (3, 2), (3, 3)])
def test_enough_layers_are_right_on_every_word_and_more_do_no_harm(
    symbols: int, folds: int
) -> None:
    random = np.random.default_rng(symbols + folds)
    inner = random.permuted(np.tile(np.arange(symbols), (folds, 1)), axis=1)
    outer, start = _all_words(symbols, folds)
    right = composed(inner, outer, start)
    for layers in (depth(folds), depth(folds) + 1):
        said, _ = answers(build(inner, 80.0, layers), outer, start)
        np.testing.assert_allclose(said, np.eye(symbols)[right], atol=1e-14)
    if folds > 1:
        said, _ = answers(build(inner, 80.0, depth(folds) - 1), outer, start)
        assert np.mean(said.argmax(axis=1) == right) == pytest.approx(1 / symbols)


def test_blunt_attention_is_wrong() -> None:
    outer, start = _all_words(3, 2)
    inner = np.array([[0, 1, 2], [1, 2, 0]])
    said, _ = answers(build(inner, 1.0, 2), outer, start)
    assert np.abs(said - np.eye(3)[composed(inner, outer, start)]).max() > 0.3


def test_places_are_last_block_first() -> None:
    assert word_places(2, 2).tolist() == [[2, 0], [2, 1], [1, 0], [1, 1], [0, 0]]


def test_questions_to_train_on_have_the_answer_of_loops() -> None:
    inner = np.array([[1, 0, 2], [2, 1, 0], [0, 2, 1], [1, 2, 0]])
    keys = jax.random.split(jax.random.key(0), 30)
    which = np.arange(30) % 3
    draw = jax.jit(jax.vmap(lambda key, kind: sample_question(key, jnp.asarray(inner), kind)))
    words, wanted = map(np.asarray, draw(keys, jnp.asarray(which)))
    for word, answer, kind in zip(words, wanted, which, strict=True):
        outer = word[:-1].reshape(4, 3)[::-1] - 3 * np.arange(4)[:, None]
        assert (np.sort(outer, axis=1) == np.arange(3)).all()
        asked, (how_long, start) = lengths_asked(4)[kind], divmod(int(word[-1]) - 12, 3)
        assert how_long == kind
        expected = composed(inner[:asked], outer[None, :asked], np.array([start]))
        assert answer == expected[0]


def test_bad_input() -> None:
    with pytest.raises(BadInput, match="nothing to compose"):
        depth(0)
    with pytest.raises(BadInput, match="no permutations"):
        build(np.array([[0, 0]]), 10.0, 1)
    with pytest.raises(BadInput, match="no such composition"):
        shape_of({"folds": 3, "symbols": 4, "width": 8, "heads": 1})


def test_every_claim_holds() -> None:
    sandbox = ComposedPermutations()
    settings = sandbox.settings(Budget.CPU) | {"symbols": [2, 4]}
    rows = compare(sandbox.claims(settings), sandbox.measure(settings, lambda progress: None))
    assert not [row for row in rows if not row.agrees]


@pytest.mark.slow
def test_training_runs_and_its_claims_are_measured() -> None:
    sandbox = ComposedPermutations()
    plan = {"symbols": 2, "folds": 2, "width": 8, "heads": 1, "batch": 8, "rate": 1e-3}
    settings = sandbox.settings(Budget.SMOKE) | {"training": {**plan, "steps": 4, "watched": 16}}
    found = sandbox.measure(settings, lambda progress: None)
    assert len(compare(sandbox.claims(settings), found)) == 7
    assert found.curves["training"] is not None and found.curves["training"]["steps"][-1] == 4
