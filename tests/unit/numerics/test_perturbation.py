import jax
import jax.numpy as jnp
import numpy as np
import pytest

from foretell.numerics.keys import root_key
from foretell.numerics.perturbation import perturbed_losses, perturbed_traces
from foretell.numerics.precision import double_precision


def cubic(parameters, scale):
    """Its Hessian is diagonal, with 6 · scale · parameter as entries."""
    return scale * jnp.sum(parameters**3)


MEMBERS = np.array([[1.0, 2.0, 3.0], [0.0, 1.0, -1.0]])
DEVIATIONS = np.array([0.001, 0.01, 0.1])


@pytest.mark.parametrize("method", ["exact", "hutchinson"])
def test_a_cubic_changes_in_proportion_to_the_noise(method):
    """Random signs do not matter to a diagonal Hessian: the estimate is exact as well."""
    with double_precision():
        found = perturbed_traces(
            cubic, jnp.asarray(MEMBERS), 2.0, root_key(0), jnp.asarray(DEVIATIONS), 5, method=method
        )
        assert found.change.shape == found.losses.shape == (2, 3, 5)
        np.testing.assert_allclose(found.trace, 12 * MEMBERS.sum(axis=1), atol=1e-9)
        np.testing.assert_allclose(found.loss, 2 * (MEMBERS**3).sum(axis=1))
        np.testing.assert_allclose(
            found.change / DEVIATIONS[:, None],
            np.broadcast_to(found.change[:, :1] / DEVIATIONS[0], (2, 3, 5)),
            rtol=1e-6,
        )
        assert len(np.unique(np.asarray(found.change[:, 0]).round(12))) == 10


def test_noise_has_the_stated_deviation():
    def square(parameters, _):
        return jnp.sum(jnp.square(parameters)) / parameters.size

    with double_precision():
        members = jnp.zeros((1, 400))
        found = perturbed_traces(square, members, 0.0, root_key(0), jnp.array([0.1, 0.3]), 20)
        means = np.asarray(found.losses).mean(axis=-1)[0]
        np.testing.assert_allclose(means, [0.01, 0.09], rtol=0.05)
        np.testing.assert_allclose(found.change, 0.0, atol=1e-12)


def test_members_with_their_own_data():
    with double_precision():
        found = perturbed_traces(
            cubic,
            jnp.asarray(MEMBERS),
            jnp.array([1.0, 3.0]),
            root_key(0),
            jnp.asarray(DEVIATIONS),
            2,
            own_data=True,
        )
        np.testing.assert_allclose(found.trace, [36.0, 0.0], atol=1e-12)
    assert not jax.config.jax_enable_x64


def test_losses_alone_are_the_same_losses():
    with double_precision():
        options = (cubic, jnp.asarray(MEMBERS), 2.0, root_key(0), jnp.asarray(DEVIATIONS))
        few = perturbed_traces(*options, 3)
        many = perturbed_losses(*options, 20)
        assert many.shape == (2, 3, 20)
        np.testing.assert_allclose(many[..., :3], few.losses)
