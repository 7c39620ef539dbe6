"""Cells and state spaces: a scan is a loop, starts are fresh memories, parity takes a sign."""

import functools

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import pytest

from foretell.models.layers import Linear
from foretell.models.recurrent import CELLS, Elman, Gru, Lstm
from foretell.models.state_space import StateSpace, linear_recurrence
from foretell.plain.errors import BadInput

BATCH, LENGTH, WIDTH, HIDDEN = 2, 7, 3, 5
STARTS = np.array([[0, 0, 0, 3, 3, 3, 3], [0, 0, 0, 0, 0, 5, 5]])


def stream(seed=0):
    return np.random.default_rng(seed).normal(size=(BATCH, LENGTH, WIDTH)).astype(np.float32)


def logistic(values):
    return 1 / (1 + np.exp(-values))


def elman(state, kept, read, stated):
    return np.tanh(read + stated), kept


def gru(state, kept, read, stated):
    see, keep, new = np.split(read, 3)
    own_see, own_keep, own_new = np.split(stated, 3)
    share = logistic(keep + own_keep)
    return share * state + (1 - share) * np.tanh(new + logistic(see + own_see) * own_new), kept


def lstm(state, kept, read, stated):
    enter, keep, new, leave = np.split(read + stated, 4)
    kept = logistic(keep) * kept + logistic(enter) * np.tanh(new)
    return logistic(leave) * np.tanh(kept), kept


ORACLES = {"elman": elman, "gru": gru, "lstm": lstm}


@functools.cache
def made(name):
    def create():
        if name in CELLS:
            return CELLS[name].create(WIDTH, HIDDEN, jax.random.key(1))
        return StateSpace.create(WIDTH, HIDDEN, name == "ssm-signed", jax.random.key(1))

    rng = np.random.default_rng(1)
    return jax.tree.map(
        lambda own: rng.normal(size=own.shape).astype(np.float32), jax.eval_shape(create)
    )


def by_hand(name, cell, rows):
    """One input after another, in NumPy."""
    weight, bias, states = (
        np.asarray(own) for own in (cell.inputs.weight, cell.inputs.bias, cell.states)
    )
    found = np.zeros((len(rows), LENGTH, HIDDEN))
    for row, inputs in enumerate(rows):
        state, kept = np.zeros(HIDDEN), np.zeros(HIDDEN)
        for place, vector in enumerate(inputs):
            state, kept = ORACLES[name](state, kept, vector @ weight + bias, state @ states)
            found[row, place] = state
    return found


@pytest.mark.parametrize("name", CELLS)
def test_a_scan_is_a_loop(name):
    cell, rows = made(name), stream()
    assert np.allclose(eqx.filter_jit(cell)(rows), by_hand(name, cell, rows), atol=1e-5)


def state_by_hand(model, rows):
    gate, drive = (
        rows @ np.asarray(own.weight) + np.asarray(own.bias) for own in (model.gate, model.drive)
    )
    gate = np.tanh(gate) if model.signed else logistic(gate)
    entering = (1 - gate) / 2 if model.signed else 1 - gate
    state, found = np.zeros((BATCH, HIDDEN)), []
    for place in range(LENGTH):
        state = gate[:, place] * state + entering[:, place] * drive[:, place]
        found.append(state)
    return np.stack(found, axis=1)


@pytest.mark.parametrize("signed", [False, True])
def test_an_associative_scan_is_a_loop(signed):
    model, rows = made("ssm-signed" if signed else "ssm"), stream()
    assert model.signed == signed
    states = state_by_hand(model, rows)
    read = rows @ np.asarray(model.reading.weight) + np.asarray(model.reading.bias)
    found = eqx.filter_jit(model)(rows)
    assert np.allclose(found, read * logistic(read) * states, atol=1e-5)


@pytest.mark.parametrize("name", [*CELLS, "ssm", "ssm-signed"])
def test_nothing_of_an_earlier_input_is_left_where_one_starts(name):
    def all_ways(model, rows):
        apart = model(rows[:1, 3:]), model(rows[1:, 5:]), model(rows[:, :3])
        return model(rows, jnp.asarray(STARTS)), *apart

    packed, first, second, before = eqx.filter_jit(all_ways)(made(name), stream())
    assert np.allclose(packed[0, 3:], first[0], atol=1e-6)
    assert np.allclose(packed[1, 5:], second[0], atol=1e-6)
    assert np.allclose(packed[:, :3], before, atol=1e-6)


@pytest.mark.parametrize("signed", [False, True])
def test_gates_stay_in_their_interval(signed):
    model = made("ssm-signed" if signed else "ssm")
    gates = np.asarray(eqx.filter_jit(lambda own, rows: own.gates(rows))(model, 1e3 * stream(4)))
    assert gates.max() <= 1
    assert gates.min() >= (-1 if signed else 0)
    assert (gates.min() < 0) == signed


def test_a_state_with_gates_in_zero_one_is_no_larger_than_what_was_read():
    model, rows = made("ssm"), np.tile(stream(6), (1, 50, 1))
    read = np.abs(rows @ np.asarray(model.drive.weight) + np.asarray(model.drive.bias))
    states = np.asarray(eqx.filter_jit(lambda own, rows: own.states(rows))(model, rows))
    assert (np.abs(states).max(axis=1) <= read.max(axis=1) + 1e-5).all()


def test_signed_gates_start_where_signs_last():
    fresh = StateSpace.create(64, 64, True, jax.random.key(0))
    rows = np.random.default_rng(0).normal(size=(1, 100, 64)).astype(np.float32)
    gates = np.asarray(eqx.filter_jit(lambda own, rows: own.gates(rows))(fresh, rows))
    assert (np.abs(gates) > 0.9).mean() > 0.5
    assert 0.4 < (gates < 0).mean() < 0.6


def test_one_signed_unit_computes_parity_at_length_300():
    bits = np.random.default_rng(0).integers(2, size=(64, 300))
    gates = (1 - 2 * bits).astype(np.float32)[..., None]
    driven = np.zeros_like(gates)
    gates = np.concatenate([np.zeros((64, 1, 1), np.float32), gates], axis=1)
    driven = np.concatenate([np.ones((64, 1, 1), np.float32), driven], axis=1)
    found = np.asarray(jax.jit(linear_recurrence)(gates, driven))[:, 1:, 0]
    assert (found == 1 - 2 * (np.cumsum(bits, axis=1) % 2)).all()


def test_weights_of_a_state_space_can_be_those_of_parity():
    """The same by the module: a one has the gate -1, a zero 1, and half a start enters."""
    gate = Linear(jnp.array([[20.0], [-20.0], [0.0]]), jnp.zeros(1))
    drive = Linear(jnp.array([[0.0], [0.0], [2.0]]), jnp.zeros(1))
    model = StateSpace(gate, drive, drive, signed=True)
    bits = np.random.default_rng(1).integers(2, size=(16, 300))
    read = np.concatenate([np.full((16, 1), 2), bits], axis=1)
    states = eqx.filter_jit(lambda own, rows: own.states(rows))
    found = np.asarray(states(model, np.eye(3, dtype=np.float32)[read]))[:, 1:, 0]
    assert (found == 1 - 2 * (np.cumsum(bits, axis=1) % 2)).all()


def test_an_lstm_keeps_and_its_state_is_float32():
    cell, fresh = made("lstm"), Lstm.create(WIDTH, HIDDEN, jax.random.key(0))
    assert np.asarray(fresh.inputs.bias)[HIDDEN : 2 * HIDDEN].tolist() == [1.0] * HIDDEN
    assert [kind.memories for kind in (Elman, Gru, Lstm)] == [1, 1, 2]
    both = eqx.filter_jit(lambda own, rows: (own(rows.astype(jnp.bfloat16)), own(rows)))
    low, exact = both(cell, stream())
    assert low.dtype == jnp.bfloat16
    assert np.allclose(np.asarray(low, np.float32), exact, atol=0.1)


def test_nothing_to_read_or_to_keep_is_bad_input():
    with pytest.raises(BadInput):
        Gru.create(0, 4, jax.random.key(0))
    with pytest.raises(BadInput):
        StateSpace.create(3, 0, True, jax.random.key(0))
