"""Constructed weights count k-grams, the plateau detector, and the run on a CPU."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from foretell.plain.errors import BadInput
from foretell.protocols._asking import Budget
from foretell.sandboxes import compare
from foretell.sandboxes.learning.sub_n_gram_plateaus import SubNGramPlateaus
from foretell.worlds.chains import Prior
from foretell.worlds.n_gram_model import counting, predict
from foretell.worlds.n_grams import counted_levels, finite_level, last_counts, raw


def test_constructed_weights_say_the_raw_k_gram() -> None:
    word = np.random.default_rng(1).integers(2, size=40).astype(np.int32)
    # The first symbols' heads cannot look two back: keep them from matching the last ones.
    word[:2], word[-2:] = (0, 0), (1, 1)
    said = jax.jit(predict, static_argnums=2)
    for size in (1, 2, 3):
        model = counting(size, 2, 2, 40, 60.0)
        counted = last_counts(jnp.asarray(word), size - 1, 2)
        assert counted.sum() > 3
        assert np.allclose(said(model, jnp.asarray(word), 2), raw(counted), atol=1e-5)


def test_levels_after_a_finite_word_agree_with_the_formula() -> None:
    found = counted_levels(1, 2, Prior(), 64, 20_000)
    for context, level in enumerate((0.563827, 0.480889)):
        said = finite_level(level, context, 2, 64)
        assert abs(found.mean[context] - said) < 4 * found.error[context]
    assert (
        np.abs(counted_levels(2, 3, Prior(), 64, 20_000).mean - [1.062, 1.011, 0.911]).max() < 0.01
    )


def test_more_context_than_heads_is_refused() -> None:
    with pytest.raises(BadInput, match="cannot count that far back"):
        counting(4, 2, 3, 16, 8.0)
    with pytest.raises(BadInput, match="longer than the sequence"):
        counting(2, 2, 3, 2, 8.0)


@pytest.mark.slow
def test_every_claim_holds_on_a_cpu() -> None:
    sandbox = SubNGramPlateaus()
    settings = sandbox.settings(Budget.CPU)
    rows = compare(sandbox.claims(settings), sandbox.measure(settings, lambda progress: None))
    assert [row.claim.quantity for row in rows if not row.agrees] == []
