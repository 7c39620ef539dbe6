import jax
import jax.numpy as jnp
import numpy as np
import pytest

from foretell.numerics.eigenvalues import largest_eigenvalues
from foretell.numerics.keys import key_for, root_key
from foretell.numerics.precision import double_precision
from foretell.plain.errors import BadInput


def quadratic(parameters, matrix):
    flat, _ = jax.flatten_util.ravel_pytree(parameters)
    return flat @ matrix @ flat / 2


def with_eigenvalues(values, seed=0):
    size = len(values)
    turned = np.linalg.qr(np.random.default_rng(seed).normal(size=(size, size)))[0]
    return jnp.asarray(turned @ np.diag(values) @ turned.T)


PARAMETERS = {"a": np.zeros((4, 5)), "b": np.zeros(20)}


def test_all_steps_give_all_eigenvalues():
    with double_precision():
        values = np.sort(np.random.default_rng(0).normal(size=40))[::-1]
        found = largest_eigenvalues(
            quadratic, PARAMETERS, with_eigenvalues(values), root_key(0), 40, 40
        )
        np.testing.assert_allclose(found.values, values, atol=1e-9)


def test_few_steps_give_the_largest_within_their_residuals():
    with double_precision():
        values = np.concatenate([[50.0, 20.0, 9.0], np.linspace(1, -1, 37)])
        found = largest_eigenvalues(
            quadratic, PARAMETERS, with_eigenvalues(values), root_key(0), 3, 12
        )
        np.testing.assert_allclose(found.values, values[:3], rtol=1e-6)
        for value, residual in zip(found.values, found.residual, strict=True):
            assert np.abs(values - float(value)).min() <= float(residual) + 1e-9


@pytest.mark.parametrize("double", [False, True])
def test_repeated_and_zero_eigenvalues(double):
    values = np.array([3.0] * 4 + [1.0] * 3 + [0.0] * 33)
    if double:
        with double_precision():
            found = largest_eigenvalues(
                quadratic, PARAMETERS, with_eigenvalues(values), root_key(0), 8, 30
            )
            np.testing.assert_allclose(found.values, values[:8], atol=1e-8)
    else:
        matrix = with_eigenvalues(values).astype(jnp.float32)
        small = jax.tree.map(jnp.float32, PARAMETERS)
        found = largest_eigenvalues(quadratic, small, matrix, root_key(0), 8, 30)
        np.testing.assert_allclose(found.values, values[:8], atol=1e-4)


def test_a_zero_hessian():
    found = largest_eigenvalues(quadratic, jnp.zeros(6), jnp.zeros((6, 6)), root_key(0), 2, 6)
    assert found.values.tolist() == [0.0, 0.0]


def test_fleets():
    with double_precision():
        matrices = jnp.stack([with_eigenvalues(np.arange(40.0) * n, n) for n in (1, 2)])
        keys = jax.vmap(lambda n: key_for(root_key(0), n))(jnp.arange(2))
        found = jax.vmap(
            lambda matrix, key: largest_eigenvalues(quadratic, PARAMETERS, matrix, key, 2, 40)
        )(matrices, keys)
        np.testing.assert_allclose(found.values, [[39, 38], [78, 76]], atol=1e-8)


def test_bad_input():
    with pytest.raises(BadInput, match="so many eigenvalues"):
        largest_eigenvalues(quadratic, jnp.zeros(3), jnp.zeros((3, 3)), root_key(0), 4, 9)
