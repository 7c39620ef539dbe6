"""Truth tables of callables, and answers that are refused."""

import jax.numpy as jnp
import numpy as np
import pytest

from foretell.boolean import asking
from foretell.boolean.asking import ask
from foretell.boolean.drawing import draw_expansion
from foretell.boolean.spectrum import Spectrum
from foretell.boolean.truth_table import every_input, inputs_between, truth_table
from foretell.plain.errors import BadInput


def test_rows_are_binary_digits_lowest_first():
    rows = every_input(5)
    assert rows.shape == (32, 5)
    assert (rows @ (1 << np.arange(5)) == np.arange(32)).all()
    assert (inputs_between(7, 20, 5) == rows[7:20]).all()


def test_blocks_give_the_same_as_one_call(monkeypatch):
    function = draw_expansion(9, 3, 5)
    whole = function(every_input(9))
    monkeypatch.setattr("foretell.boolean.truth_table.ROWS_AT_ONCE", 64)
    monkeypatch.setattr(asking, "ROWS_AT_ONCE", 24)
    seen = []

    def watched(rows):
        seen.append(len(rows))
        return function(rows)

    assert (truth_table(watched, 9) == whole).all()
    assert max(seen) <= 24 and sum(seen) == 512


def test_a_device_function_and_single_precision():
    found = truth_table(lambda rows: jnp.asarray(rows).sum(axis=1) % 2, 4, single=True)
    assert found.dtype == np.float32 and found.sum() == 8


def test_it_is_the_transform_of_the_expansion():
    function = draw_expansion(10, 4, 9, seed=3)
    assert (
        np.abs(truth_table(function, 10) - Spectrum.of_expansion(function).values()).max() < 1e-12
    )


@pytest.mark.parametrize(
    ("function", "message"),
    [
        (lambda rows: rows.sum(), "wrong shape"),
        (lambda rows: rows, "wrong shape"),
        (lambda rows: rows.sum(axis=1, keepdims=True), "wrong shape"),
        (lambda rows: np.log(rows[:, 0] - 1.0), "not finite"),
        (lambda rows: np.where(rows[:, 1], np.inf, 0.0), "inf at bits 010"),
        (lambda rows: ["yes"] * len(rows), "real numbers"),
        (lambda rows: rows[:, 0] + 1j, "real numbers"),
        (lambda rows: None, "real numbers"),
        (lambda rows: [[1], [2, 3]], "real numbers"),
    ],
)
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_answers_that_cannot_be_used(function, message):
    with pytest.raises(BadInput, match=message):
        truth_table(function, 3)
    with pytest.raises(BadInput, match=message):
        ask(function, every_input(3))


def test_too_many_bits_and_other_dimensions():
    with pytest.raises(BadInput, match="memory"):
        truth_table(lambda rows: rows[:, 0], 60)
    with pytest.raises(BadInput, match="memory"):
        every_input(60)
    with pytest.raises(BadInput, match="another number of bits"):
        truth_table(draw_expansion(5, 2, 2), 6)
    with pytest.raises(BadInput, match="at least one bit"):
        truth_table(lambda rows: rows[:, 0], 0)
