import jax
import jax.numpy as jnp
import numpy as np
import pytest

from foretell.numerics.curvature import (
    by_block,
    estimate,
    exact_trace,
    gradient_norms,
    hessian_diagonal,
    hessian_product,
    in_blocks,
    traces,
)
from foretell.numerics.keys import key_for, root_key
from foretell.numerics.precision import double_precision
from foretell.plain.errors import BadInput


def network(parameters, x):
    hidden = jnp.tanh(parameters["first"] @ x + parameters["second"]["bias"])
    return parameters["second"]["out"] @ hidden


def loss(parameters, data):
    inputs, targets = data
    values = jax.vmap(network, (None, 0))(parameters, inputs)
    return jnp.mean(jnp.square(values - targets))


def quadratic(parameters, matrix):
    return parameters @ matrix @ parameters / 2


def member(seed):
    generator = np.random.default_rng(seed)
    return {
        "first": generator.normal(size=(5, 3)),
        "second": {"bias": generator.normal(size=5), "out": generator.normal(size=5)},
    }


def problem(seed=0):
    generator = np.random.default_rng(100 + seed)
    return generator.normal(size=(11, 3)), generator.normal(size=11)


def dense(parameters, data):
    """The whole Hessian, by JAX's own reverse and forward passes."""
    flat, rebuild = jax.flatten_util.ravel_pytree(parameters)
    return np.asarray(jax.hessian(lambda vector: loss(rebuild(vector), data))(flat))


def test_products_and_diagonal_are_those_of_the_whole_matrix():
    with double_precision():
        parameters, data = member(0), problem()
        whole = dense(parameters, data)
        product, start = hessian_product(loss, parameters, data)
        direction = np.random.default_rng(5).normal(size=start.size)
        np.testing.assert_allclose(product(jnp.asarray(direction)), whole @ direction, atol=1e-10)
        found = hessian_diagonal(loss, parameters, data, at_once=4)  # does not divide 25
        np.testing.assert_allclose(found, np.diag(whole), atol=1e-10)


def test_blocks_are_top_level_fields_and_add_up():
    with double_precision():
        parameters, data = member(0), problem()
        diagonal = np.diag(dense(parameters, data))
        found = exact_trace(loss, parameters, data)
        assert list(found.blocks) == ["first", "second"]
        assert float(found.blocks["first"]) == pytest.approx(diagonal[:15].sum())
        assert float(found.blocks["second"]) == pytest.approx(diagonal[15:].sum())
        assert float(found.value) == pytest.approx(diagonal.sum())
        assert float(found.error) == 0 and float(found.low) == float(found.high)


@pytest.mark.parametrize("count", [1, 4, 5, 7, 12, 13])
def test_blocks_of_cases_leave_none_out(count):
    cases = {"a": jnp.arange(count), "b": jnp.arange(2.0 * count).reshape(count, 2)}
    found = in_blocks(lambda case: case["a"] + case["b"], cases, 4)
    np.testing.assert_array_equal(found, cases["a"][:, None] + cases["b"])


def test_a_bare_array_is_one_block():
    assert list(by_block(jnp.ones(3), jnp.ones(3))) == ["all"]


@pytest.mark.parametrize("method", ["hutchinson", "hutch++"])
def test_estimates_are_unbiased_in_total_and_by_block(method):
    with double_precision():
        parameters, data = member(1), problem(1)
        exact = exact_trace(loss, parameters, data)
        keys = jax.vmap(lambda n: key_for(root_key(0), n))(jnp.arange(400))
        found = jax.vmap(lambda key: estimate(loss, parameters, data, key, 12, method))(keys)
        pairs = {"all": (found.value, exact.value)}
        pairs |= {name: (found.blocks[name], exact.blocks[name]) for name in exact.blocks}
        for values, truth in pairs.values():
            error = np.std(values) / np.sqrt(len(values))
            assert abs(np.mean(values) - truth) < 4 * error
        spread = float(np.std(found.value))
        assert float(np.sqrt(np.mean(found.error**2))) == pytest.approx(spread, rel=0.2)
        inside = np.mean((found.low <= exact.value) & (exact.value <= found.high))
        assert inside > 0.85  # of 95 %: few draws, and not normal ones
        np.testing.assert_allclose(sum(found.blocks.values()), found.value)


def test_hutch_plus_plus_is_exact_where_few_eigenvalues_carry_all():
    with double_precision():
        rows = np.random.default_rng(0).normal(size=(4, 40))
        matrix = jnp.asarray(rows.T @ rows)
        start = jnp.zeros(40)
        sure = estimate(quadratic, start, matrix, root_key(0), 30, "hutch++")
        unsure = estimate(quadratic, start, matrix, root_key(0), 30, "hutchinson")
        assert float(sure.value) == pytest.approx(float(jnp.trace(matrix)), rel=1e-9)
        assert float(sure.error) < 1e-9 < float(unsure.error)


def test_more_draws_than_parameters_are_exact():
    with double_precision():
        matrix = jnp.asarray(np.diag([1.0, -2.0, 5.0]))
        found = estimate(quadratic, jnp.zeros(3), matrix, root_key(0), 30, "hutch++")
        assert float(found.value) == pytest.approx(4.0)


@pytest.mark.parametrize(
    ("method", "own_data"), [("exact", True), ("hutchinson", False), ("hutch++", True)]
)
def test_a_fleet_is_its_members_one_by_one(method, own_data):
    with double_precision():
        members = jax.tree.map(lambda *each: jnp.stack(each), *map(member, range(3)))
        own = [problem(number if own_data else 9) for number in range(3)]
        data = jax.tree.map(lambda *each: jnp.stack(each), *own) if own_data else own[0]
        found = traces(loss, members, data, root_key(3), 12, method=method, own_data=own_data)
        for number in range(3):
            key = key_for(root_key(3), "member", number)
            alone = estimate(loss, member(number), own[number], key, 12, method)
            for left, right in zip(jax.tree.leaves(found), jax.tree.leaves(alone), strict=True):
                np.testing.assert_allclose(left[number], right, rtol=1e-9, atol=1e-12)


def test_a_fleet_is_compiled_once():
    seen = []

    def counted(parameters, data):
        seen.append(None)
        return loss(parameters, data)

    members = jax.tree.map(lambda *each: jnp.stack(each), *map(member, range(4)))
    traces(counted, members, problem(), root_key(0), 8)
    traced = len(seen)
    traces(counted, jax.tree.map(lambda each: 2 * each, members), problem(1), root_key(1), 8)
    assert len(seen) == traced > 0


def test_twice_the_squared_gradients_is_the_trace_where_the_loss_is_0():
    with double_precision():
        parameters, (inputs, _) = member(0), problem()
        values = jax.vmap(network, (None, 0))(parameters, inputs)
        exact = exact_trace(loss, parameters, (inputs, values))
        norms = gradient_norms(network, parameters, inputs, at_once=4)
        assert float(2 * norms.total.mean()) == pytest.approx(float(exact.value))
        for name, each in norms.mean.items():
            assert float(2 * each) == pytest.approx(float(exact.blocks[name]))
            assert norms.largest[name] >= each
        gradient = jax.grad(network)(parameters, inputs[3])
        assert float(norms.blocks["first"][3]) == pytest.approx(
            float((gradient["first"] ** 2).sum())
        )


def test_single_precision_is_near():
    exact = exact_trace(loss, jax.tree.map(jnp.float32, member(0)), problem())
    with double_precision():
        double = exact_trace(loss, member(0), problem())
    assert exact.value.dtype == np.float32
    assert float(exact.value) == pytest.approx(float(double.value), rel=1e-4)


def test_bad_input():
    with pytest.raises(BadInput, match="needs more draws"):
        estimate(loss, member(0), problem(), root_key(0), 1)
    with pytest.raises(BadInput, match="needs more draws"):
        estimate(loss, member(0), problem(), root_key(0), 5, "hutch++")
    with pytest.raises(BadInput, match="no such estimate"):
        estimate(loss, member(0), problem(), root_key(0), 5, "lanczos")
