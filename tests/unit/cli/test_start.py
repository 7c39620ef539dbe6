"""What commands prepare before they compute."""

import jax
import jax.numpy as jnp
import pytest

from foretell.cli import _start


@pytest.mark.parametrize(("backend", "precise"), [("gpu", True), ("cpu", False)])
def test_float32_is_float32_on_an_accelerator(monkeypatch, backend, precise):
    monkeypatch.setattr(jax, "default_backend", lambda: backend)
    monkeypatch.setenv("JAX_COMPILATION_CACHE_DIR", "elsewhere")
    before = jax.config.jax_default_matmul_precision
    try:
        _start.prepare_jax()
        square = jnp.ones((2, 2))
        assert ("HIGHEST" in str(jax.make_jaxpr(jnp.matmul)(square, square))) is precise
    finally:
        jax.config.update("jax_default_matmul_precision", before)
