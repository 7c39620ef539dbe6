"""The transform against its definition, and what it refuses."""

import time
import tracemalloc

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.linalg import hadamard

from foretell.boolean.transform import (
    MOST_BITS,
    bits_of_table,
    check_bits,
    memory_needed,
    walsh_hadamard,
    walsh_hadamard_jax,
)
from foretell.plain.errors import BadInput


def drawn(bits, seed=0, rows=()):
    return np.random.default_rng(seed).standard_normal((*rows, 1 << bits))


@pytest.mark.parametrize("bits", range(1, 11))
def test_it_is_the_product_with_the_hadamard_matrix(bits):
    table = drawn(bits, rows=(3,))
    assert np.allclose(walsh_hadamard(table), table @ hadamard(1 << bits), atol=1e-11)


def test_the_lowest_index_bit_is_the_first_input():
    table = np.array([(-1.0) ** (x & 1) for x in range(8)])  # the parity of the first bit
    assert walsh_hadamard(table).tolist() == [0, 8, 0, 0, 0, 0, 0, 0]


@given(st.integers(1, 16), st.integers(0, 2**32 - 1))
@settings(max_examples=25, deadline=None)
def test_twice_is_the_identity_and_lengths_are_kept(bits, seed):
    table = drawn(bits, seed)
    spectrum = walsh_hadamard(table)
    assert np.abs(walsh_hadamard(spectrum) / len(table) - table).max() <= 1e-12
    assert np.sum(spectrum**2) / len(table) == pytest.approx(np.sum(table**2), rel=1e-12)


@pytest.mark.parametrize("bits", [1, 3, 4, 5, 8, 13, 17])
def test_on_the_device_it_is_the_same(bits):
    table = drawn(bits, rows=(2,)).astype(np.float32)
    found = jax.jit(jax.vmap(walsh_hadamard_jax))(jnp.asarray(table))
    scale = 1e-6 * 2 ** (bits / 2) * bits
    assert found.dtype == jnp.float32
    assert np.allclose(found, walsh_hadamard(table.astype(float)), atol=scale)


def test_single_precision_stays_and_the_input_is_left_alone():
    table = drawn(12).astype(np.float32)
    before = table.copy()
    found = walsh_hadamard(table)
    assert found.dtype == np.float32 and (table == before).all()
    assert walsh_hadamard(np.array([True, False])).tolist() == [1.0, 1.0]
    assert walsh_hadamard(np.arange(4)[::-1]).tolist() == [6.0, 2.0, 4.0, 0.0]
    assert np.allclose(walsh_hadamard(table), walsh_hadamard(before.astype(float)), atol=1e-3)


@pytest.mark.parametrize("entries", [0, 1, 3, 6])
def test_other_sizes_are_refused(entries):
    with pytest.raises(BadInput, match="2, 4, 8"):
        walsh_hadamard(np.zeros(entries))
    with pytest.raises(BadInput, match="2, 4, 8"):
        bits_of_table(entries)


def test_too_many_bits_name_the_memory_and_the_testers():
    with pytest.raises(BadInput) as caught:
        check_bits(40)
    assert "16 TiB" in str(caught.value) and "find_degree" in str(caught.value)
    assert memory_needed(MOST_BITS) == "1 GiB"
    check_bits(MOST_BITS)
    for wrong in (0, -1, True):
        with pytest.raises(BadInput, match="at least one bit"):
            check_bits(wrong)


@pytest.mark.parametrize("wrong", [np.nan, np.inf, -np.inf])
def test_values_that_are_not_finite_are_refused(wrong):
    table = np.zeros((2, 8))
    table[1, 5] = wrong
    with pytest.raises(BadInput, match="not finite"):
        walsh_hadamard(table)
    with pytest.raises(BadInput, match="not finite"):
        walsh_hadamard(np.array([np.inf, -np.inf]))


@pytest.mark.parametrize("wrong", [np.zeros(4, complex), np.array("ab"), np.array(["a", "b"])])
def test_what_is_no_table_of_numbers_is_refused(wrong):
    with pytest.raises(BadInput, match="real numbers"):
        walsh_hadamard(wrong)


def peak_bytes(table):
    tracemalloc.start()
    walsh_hadamard(table)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return peak


def test_memory_is_one_copy_and_a_block():
    table = drawn(18).astype(np.float32)
    assert peak_bytes(table) < 1.2 * table.nbytes


@pytest.mark.slow
def test_24_bits_take_less_than_two_seconds_and_a_gigabyte():
    table = np.random.default_rng(0).standard_normal(1 << 24, np.float32)
    began = time.perf_counter()
    walsh_hadamard(table)
    assert time.perf_counter() - began < 2
    assert table.nbytes + peak_bytes(table) < 1e9
