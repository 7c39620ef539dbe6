"""What size means for parity: words, shares of variance; the training itself is slow."""

from __future__ import annotations

import jax
import numpy as np
import pytest

from foretell.numerics.keys import root_key
from foretell.plain.errors import BadInput
from foretell.protocols._asking import Budget
from foretell.sandboxes import compare
from foretell.sandboxes.representation.parity_size import ParitySize
from foretell.worlds.parity_grid import (
    draw_sizes,
    explained,
    paired,
    place_ones,
    require_sizes,
)

SANDBOX = ParitySize()


def test_ones_are_as_many_as_asked_and_anywhere_in_the_word() -> None:
    drawn = jax.jit(jax.vmap(lambda key, length, ones: place_ones(key, length, ones, 9), (0, 0, 0)))
    lengths = np.repeat([1, 4, 9], 1000)
    ones = np.minimum(np.tile([0, 1, 3, 9], 750), lengths)
    words = np.asarray(drawn(jax.random.split(root_key(0), 3000), lengths, ones))
    np.testing.assert_array_equal(words.sum(axis=1), ones)
    assert not words[np.arange(9) >= lengths[:, None]].any()
    where = words[(lengths == 9) & (ones == 3)].mean(axis=0)
    np.testing.assert_allclose(where, 1 / 3, atol=0.12)


def test_sizes_are_uniform_within_bounds() -> None:
    keys = jax.random.split(root_key(1), 4000)
    lengths, ones = map(np.asarray, jax.jit(jax.vmap(lambda key: draw_sizes(key, 6, 3)))(keys))
    np.testing.assert_allclose(np.bincount(lengths)[1:] / 4000, 1 / 6, atol=0.03)
    assert (ones <= np.minimum(lengths, 3)).all()
    np.testing.assert_allclose(
        np.bincount(ones[lengths == 6]) / (lengths == 6).sum(), 0.25, atol=0.07
    )


def test_shares_are_those_of_a_balanced_analysis_of_variance() -> None:
    grid = np.random.default_rng(0).random((4, 7))
    total = np.square(grid - grid.mean()).sum()
    rows = 7 * np.square(grid.mean(axis=1) - grid.mean()).sum() / total
    columns = 4 * np.square(grid.mean(axis=0) - grid.mean()).sum() / total
    np.testing.assert_allclose(explained(grid), (rows, columns), atol=1e-12)


def test_missing_cells_favour_neither_size() -> None:
    by_ones = np.tile([1.0, 1, 1, 0.5, 0.5, 0.5], (4, 1))
    by_ones[0, 3:] = np.nan  # short words have no room for many ones
    length, ones = explained(by_ones)
    assert length == pytest.approx(0, abs=1e-9) and ones > 0.85
    assert explained(np.full((3, 4), 0.5)) == (0.0, 0.0)


def test_a_constant_answer_has_nothing_to_explain() -> None:
    always_odd = np.tile(np.arange(9) % 2, (5, 1)).astype(float)
    assert explained(always_odd)[1] == pytest.approx(1)  # the label's own pattern, not a border
    assert explained(paired(always_odd)) == (0.0, 0.0)


def test_bad_sizes_are_refused() -> None:
    for longest, most in ((0, 0), (5, 6), (5, 0)):
        with pytest.raises(BadInput, match="no such words"):
            require_sizes(longest, most)
    settings = SANDBOX.settings(Budget.SMOKE) | {"trained": [2, 4]}
    with pytest.raises(BadInput, match="no such words"):
        SANDBOX.claims(settings)


@pytest.mark.slow
def test_every_claim_holds_on_a_processor() -> None:
    settings = SANDBOX.settings(Budget.CPU)
    rows = compare(SANDBOX.claims(settings), SANDBOX.measure(settings, lambda progress: None))
    assert [row for row in rows if not row.agrees] == []
