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


def test_a_budget_for_an_accelerator_says_that_there_is_none(monkeypatch, capsys):
    monkeypatch.setattr(jax, "default_backend", lambda: "cpu")
    monkeypatch.setenv("JAX_COMPILATION_CACHE_DIR", "elsewhere")
    _start.prepare_jax("cpu")
    assert capsys.readouterr().err == ""
    _start.prepare_jax("gpu")
    assert "no accelerator" in capsys.readouterr().err
