"""Both ways to look up rows give the same rows and the same gradient."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from foretell.models.lookup import lookup
from foretell.numerics.keys import root_key


@pytest.mark.parametrize("backend", ["cpu", "gpu"])
@pytest.mark.parametrize("rows", [7, 100])
def test_rows_and_gradient(monkeypatch, backend, rows):
    monkeypatch.setattr(jax, "default_backend", lambda: backend)
    table = jax.random.normal(root_key(0), (rows, 3))
    ids = jax.random.randint(root_key(1), (2, 20), 0, rows)
    np.testing.assert_array_equal(lookup(table, ids), table[ids])
    slope = jax.grad(lambda table: lookup(table, ids).sum())(table)
    np.testing.assert_allclose(slope[:, 0], np.bincount(ids.ravel(), minlength=rows))


@pytest.mark.parametrize("backend", ["cpu", "gpu"])
def test_past_the_table_is_finite(monkeypatch, backend):
    monkeypatch.setattr(jax, "default_backend", lambda: backend)
    assert jnp.isfinite(lookup(jnp.ones((4, 2)), jnp.array([[9]]))).all()
