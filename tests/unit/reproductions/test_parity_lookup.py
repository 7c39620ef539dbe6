"""Small models looked at from inside: what is counted, that it can fail, what training finds."""

from __future__ import annotations

import functools

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from foretell.boolean.drawing import draw_expansion
from foretell.boolean.expansion import Expansion
from foretell.models import scalar_lookup
from foretell.numerics.keys import root_key
from foretell.plain.errors import BadInput
from foretell.protocols._asking import Budget
from foretell.reproductions._looking import (
    Training,
    asked,
    component_rows,
    curve,
    key_of,
    levels,
    look,
    train,
    turning_points,
)
from foretell.reproductions.parity_lookup import KINDS, ParityLookup, function_of

pytestmark = pytest.mark.slow  # minutes together on two cores


def test_turning_points_are_those_of_a_zigzag_in_the_range_asked_for():
    numbers, values = list(range(7)), [0.0, 1.0, 0.0, 1.0, 0.0, 1.0, 0.0]
    assert turning_points(numbers, values, 0, 6) == 5
    assert turning_points(numbers, values, 0, 3) == 2
    assert turning_points(numbers, values, 0.5, 1.5) == 1
    assert turning_points(numbers, values, 0.25, 0.75) == 0
    assert turning_points(numbers, [3.0] * 7, 0, 6) == 0


def test_the_curve_is_the_mlp_between_its_hinges():
    model = scalar_lookup.create(6, root_key(3))
    numbers, values = curve(model, -1.5, 2.0)
    assert numbers[0] == -1.5 and numbers[-1] == 2.0
    between = np.linspace(-1.5, 2.0, 400)
    expected = scalar_lookup.look_up(model, jnp.asarray(between, jnp.float32))
    np.testing.assert_allclose(np.interp(between, numbers, values), expected, atol=1e-5)


def test_the_row_of_a_component_looks_at_all_of_its_bits():
    attention = np.array([[0.98, 0.0, 0.0, 0.02], [0.3, 0.3, 0.3, 0.1], [0.1, 0.1, 0.2, 0.6]])
    function = Expansion(3, ((0, 1), (0,)), (1.0, 1.0))
    assert component_rows(attention, function).tolist() == [1, 0]


def test_levels_are_means_by_the_number_of_ones():
    inputs = asked(3)
    function = Expansion(3, ((0, 2),), (1.0,))
    reads = np.stack([inputs[:, 0] + inputs[:, 2], np.zeros(8)], axis=1).astype(float)
    assert levels(reads, np.array([0]), function, inputs) == [[0.0, 1.0, 2.0]]


def test_many_bits_are_asked_at_random():
    assert asked(4).shape == (16, 4) and len(np.unique(asked(4), axis=0)) == 16
    assert asked(16).shape == (4096, 16)


def test_cells_are_the_whole_grid_and_bad_seeds_are_refused():
    cells = ParityLookup().cells(Budget.CPU)
    assert len({cell.hash for cell in cells}) == len(cells) == 2 * 3 * 6 * 2
    assert len(ParityLookup().cells(Budget.GPU)) == 3 * 2 * 3 * 32 * 4
    for part in ParityLookup().parts(cells):
        assert len({cell.settings["kind"] for cell in part}) == 1
    with pytest.raises(BadInput, match="seeds"):
        ParityLookup().cells(Budget.CPU, 0)
    assert function_of(cells[0].settings).degree == cells[0].settings["degree"]


@functools.cache
def briefly_trained(members: tuple[int, ...] = (0, 1), sees_bits: bool = False) -> list[dict]:
    functions = [draw_expansion(6, 2, 1, seed) for seed in members]
    training = Training(bits=6, sparsity=1, sees_bits=sees_bits, steps=3)
    keys = jnp.stack([key_of(0, seed) for seed in members])
    return look(train(training, functions, keys), functions)


def test_models_do_not_depend_on_their_neighbours():
    (first, _), (_, same) = briefly_trained(), briefly_trained((5, 0))
    np.testing.assert_allclose(same["attention"], first["attention"], atol=2e-4)
    np.testing.assert_allclose(same["error"], first["error"], rtol=1e-3)


def test_what_is_seen_of_an_untrained_model_is_nothing():
    found, _ = briefly_trained()
    assert found["error"] > 0.1 and abs(found["learned"][0]) < 0.1
    np.testing.assert_allclose(np.sum(found["attention"], axis=1), 1, atol=1e-3)
    assert sum(found["histogram"]) == 64 * 7
    assert max(found["moves"]) < 1e-6  # positions only
    seeing, _ = briefly_trained(sees_bits=True)
    assert max(seeing["moves"]) > 1e-3


@pytest.mark.slow
def test_positions_alone_need_a_curve_that_bends():
    """One parity of three bits: no sum of straight curves over positions is one."""
    functions = [draw_expansion(8, 3, 1, seed) for seed in range(8)]
    training = Training(bits=8, sparsity=1, sees_bits=False, steps=6_000)
    found = look(train(training, functions, jax.vmap(key_of)(jnp.arange(8))), functions)
    fitted = [each for each in found if each["error"] < 0.02]
    assert len(fitted) >= 3
    for each in fitted:
        straight = np.polyval(np.polyfit(*each["curve"], 1), each["curve"][0])
        bend = np.abs(straight - each["curve"][1]).max() / np.ptp(each["curve"][1])
        assert bend > 0.05
        assert each["learned"][0] == pytest.approx(0.5, abs=0.1)


def test_both_kinds_of_attention_are_there():
    assert KINDS == {"positions only": False, "positions and bits": True}
