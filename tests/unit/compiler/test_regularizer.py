import dataclasses

import numpy as np
import pytest
from compiler_programs import program

from foretell.compiler.compiling import compile_program
from foretell.compiler.regularizer import (
    Growth,
    bits_of,
    growth,
    limit_complexity,
    rank,
    regularizer,
    spectral,
)

CONTEXTS = (8, 12, 24, 48)


@pytest.mark.parametrize("name", ["dyck", "window", "even", "mixed"])
def test_r_stays_bounded(name):
    given = program(name)
    found = growth(lambda context: compile_program(given, context=context).transformer, CONTEXTS)
    assert found.bounded, found.growing
    totals = [row.total for row in found.rows]
    assert totals[1:] == pytest.approx([totals[1]] * 3)


def test_the_terms_of_a_small_network():
    model = compile_program(program("contains-ab"), context=10).transformer
    terms = regularizer(model)
    assert terms.layers_and_heads == 3 + 2
    assert terms.logit_bits == 1
    assert terms.parameter_bits == 3  # weights between −2 and 2
    assert terms.value_rank == 1
    assert terms.key_query_norm == pytest.approx(2)  # φ = 2 on one diagonal
    assert terms.position_products == pytest.approx(4)
    assert terms.position_norm == pytest.approx(1)
    assert terms.bias_norm == pytest.approx(1)
    assert terms.as_json()["total"] == pytest.approx(terms.total)


def test_what_grows_is_named():
    terms = regularizer(compile_program(program("dyck"), context=10).transformer)
    rows = [dataclasses.replace(terms, value_norm=float(n)) for n in range(1, 5)]
    found = Growth((1, 2, 3, 4), tuple(rows))
    assert found.growing == ("value_norm",)
    assert not found.bounded
    assert Growth((1,), (terms,)).bounded


def test_precision_counts_sign_whole_and_fractional_bits():
    assert bits_of([np.array([0.0, 1.0, -1.0])]) == 2
    assert bits_of([np.array([5.0]), np.array([[-2.0]])]) == 4
    assert bits_of([np.array([0.75])]) == 3
    assert bits_of([np.zeros((0, 3))]) == 1


def test_norms_of_zero_matrices_are_zero():
    assert spectral(np.zeros((4, 4))) == 0
    assert rank(np.zeros((4, 4))) == 0
    assert spectral(np.diag([3.0, 0, -5])) == pytest.approx(5)


def test_the_complexity_of_a_limit_transformer():
    limit = compile_program(program("contains-ab")).limit
    assert limit_complexity(limit) == {
        "layers_heads_and_width": 3 + 2 + 10,
        "parameter_bits": 3,
        "logit_bits": 1,
        "largest_entry": 2,
        "period": 1,
        "phi_norm": 4,
        "total": 26,
    }
