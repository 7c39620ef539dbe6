import jax.numpy as jnp
import numpy as np
import pytest

from foretell.constructions.chain_of_thought import build_chain, chain_result, run_chain
from foretell.constructions.flat import squared_norm
from foretell.plain.errors import BadInput


@pytest.mark.parametrize("ramp", ["narrow", "wide"])
@pytest.mark.parametrize("bits", range(4, 13))
def test_parity_is_right_on_all_inputs(bits, ramp):
    found = chain_result(bits, 2, ramp)
    assert found.accuracy == 1.0
    others = 2 * bits - 2  # positions that the last step should not look at
    assert found.step_error == pytest.approx(others / (2 * bits**2 + others), rel=1e-9)


@pytest.mark.parametrize(("bits", "expected"), [(4, 1.2e-2), (12, 5.3e-4)])
def test_a_larger_scale_makes_steps_exact(bits, expected):
    found = chain_result(bits, 4)
    assert found.accuracy == 1.0
    assert found.step_error == pytest.approx(expected, rel=0.05)


@pytest.mark.parametrize("bits", [4, 6, 8, 10, 12])
def test_a_scale_of_one_is_chance(bits):
    assert chain_result(bits, 1).accuracy < 0.6


def test_each_step_writes_the_parity_so_far():
    chain = run_chain(build_chain(6, 4), jnp.array([1, 0, 1, 1, 0, 1]))
    assert chain.written.tolist() == [1, 1, 0, 1, 1, 0]
    assert np.array_equal(chain.written, chain.raw < 0.5)


def test_the_chain_is_as_flat_as_two_bits():
    """Only the two attentions know the length: their norm grows with T ln² T."""
    found = [squared_norm(build_chain(bits)) - 8 * bits * np.log(bits) ** 2 for bits in (4, 20)]
    assert found[0] == pytest.approx(found[1])


def test_bad_input():
    with pytest.raises(BadInput, match="two bits or more"):
        build_chain(1)
    with pytest.raises(BadInput, match="too many bits"):
        chain_result(13)
