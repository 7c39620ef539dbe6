"""Damped information of sets of lags, against counting in a long word; who has the most."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from foretell.plain.errors import BadInput
from foretell.worlds.graph_sets import damped_information, most_informative


def test_it_is_what_a_long_word_shows() -> None:
    lags, window, length = (1, 3), 3, 400_000
    drawn = np.random.default_rng(0)
    rows, uniform = drawn.dirichlet(np.ones(2), 4), drawn.random(length)
    word = [0, 1, 0]
    for place in range(3, length):
        word.append(int(uniform[place] >= rows[word[place - 1] + 2 * word[place - 3], 0]))
    seen, found = np.array(word), damped_information(rows[None], lags, window)
    assert len(found) == 7
    after = seen[window:]
    for chosen in found:
        contexts = [seen[window - lag : length - lag] for lag in chosen]
        slow = 0.0
        for symbols in itertools.product(range(2), repeat=len(chosen)):
            here = np.all([c == s for c, s in zip(contexts, symbols, strict=True)], axis=0)
            inner = sum(
                np.mean(after[here] == e) ** 2 / np.mean(after == e) if here.any() else 0.0
                for e in range(2)
            )
            slow += np.mean(here) ** 2 * (inner - 1)
        assert found[chosen][0] == pytest.approx(slow, abs=0.003)


@pytest.mark.parametrize("lags", [(1,), (2, 4), (1, 2, 3)])
def test_parents_are_the_set_of_most_information(lags: tuple[int, ...]) -> None:
    assert most_informative(lags, 2, 4, 300) == lags


def test_symbols_that_depend_on_nothing_carry_none() -> None:
    rows = np.broadcast_to(np.array([0.3, 0.7]), (1, 4, 2))
    found = damped_information(rows, (1, 2), 3)
    np.testing.assert_allclose(np.array(list(found.values())), 0, atol=1e-12)


def test_bad_input() -> None:
    with pytest.raises(BadInput, match="not stochastic"):
        damped_information(np.array([[[0.5, 0.6], [0.5, 0.5]]]), (1,), 2)
    with pytest.raises(BadInput, match="not the rows"):
        damped_information(np.full((1, 2, 2), 0.5), (1, 2), 2)
    with pytest.raises(BadInput, match="outside the window"):
        damped_information(np.full((1, 2, 2), 0.5), (3,), 2)
    with pytest.raises(BadInput, match="too large"):
        damped_information(np.full((1, 2, 2), 0.5), (1,), 40)
