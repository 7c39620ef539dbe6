from __future__ import annotations

import numpy as np
import pytest

from foretell.boolean.bounds.function_class import FunctionClass
from foretell.boolean.bounds.terms import (
    Form,
    Ramp,
    activation_energy,
    flattest,
    full_sharpness,
    last_row_sharpness,
    norm_blocks,
    norm_term,
    older_norm_term,
    sharpness_blocks,
    sharpness_term,
    sizes_of,
)
from foretell.plain.errors import BadInput

TILING = FunctionClass(degree=2, sparsity=10, bits=20)


@pytest.mark.parametrize(
    ("sparsity", "degree", "expected"),
    [(1, 1, 272), (10, 2, 15524), (7, 3, 32400), (20, 5, 384564)],
)
def test_sharpness_term(sparsity: int, degree: int, expected: int) -> None:
    family = FunctionClass(degree=degree, sparsity=sparsity, bits=20)
    assert sharpness_term(family) == expected


@pytest.mark.parametrize("degree", [1, 2, 3, 5, 20])
def test_the_blocks_of_the_sharpness_add_up_to_the_polynomial(degree: int) -> None:
    family = FunctionClass(degree=degree, sparsity=1, bits=20)
    assert set(sharpness_blocks(family)) <= set(norm_blocks(family))
    k = degree
    assert sharpness_term(family) == 4 + 4 * (2 + k + 32 * k**2 + 32 * k**3)


def test_norm_term() -> None:
    assert norm_term(TILING, Form.PUBLISHED) == pytest.approx(1303.9294, abs=1e-4)
    assert norm_term(TILING, Form.CORRECTED) == pytest.approx(1623.9294, abs=1e-4)
    ones = FunctionClass(degree=1, sparsity=20, bits=20)
    assert norm_term(ones, Form.PUBLISHED) == pytest.approx(1504.91, abs=5e-3)
    assert older_norm_term(TILING) == pytest.approx(1349.83, abs=5e-3)


def test_only_the_output_block_differs_between_the_forms() -> None:
    published, corrected = (norm_blocks(TILING, form) for form in Form)
    different = [name for name in published if published[name] != corrected[name]]
    assert different == ["output"]
    assert (published["output"], corrected["output"]) == (192, 512)
    assert norm_blocks(TILING, ramp=Ramp.WIDE)["output"] == 128


def test_activation_energy() -> None:
    wide = [activation_energy(k, Ramp.WIDE) for k in range(1, 6)]
    narrow = [activation_energy(k, Ramp.NARROW) for k in range(1, 6)]
    assert wide == pytest.approx([5.875, 5.78, 6.71, 7.85, 9.08], abs=6e-3)
    assert narrow == pytest.approx([4.94, 5.39, 6.47, 7.68, 8.94], abs=6e-3)


def test_which_sharpness_is_sharper() -> None:
    assert last_row_sharpness(TILING) < sharpness_term(TILING)
    assert full_sharpness(TILING) < sharpness_term(TILING)
    many = FunctionClass(degree=1, sparsity=64, bits=64)
    assert full_sharpness(many) > sharpness_term(many)
    assert last_row_sharpness(many) < sharpness_term(many)
    assert flattest(TILING).sharpness < full_sharpness(TILING)
    assert flattest(TILING).norm < sizes_of(TILING).norm


def test_a_known_sum_of_coefficients_gives_less() -> None:
    assert full_sharpness(TILING, coefficient_sum=np.sqrt(10)) == full_sharpness(TILING)
    assert full_sharpness(TILING, coefficient_sum=2.0) < full_sharpness(TILING)
    for wrong in (0.5, 4.0):
        with pytest.raises(BadInput, match="have that sum"):
            full_sharpness(TILING, coefficient_sum=wrong)
    with pytest.raises(BadInput, match="not negative"):
        full_sharpness(TILING, attention=(-1.0, 1.0))


@pytest.mark.parametrize(
    ("degree", "sparsity", "bits", "message"),
    [
        (5, 1, 4, "larger than the number of bits"),
        (3, 2, 3, "not that many different parities"),
        (2, 11, 10, "more components than bits"),
        (0, 1, 4, "the degree is a whole number"),
        (1, 0, 4, "the sparsity is a whole number"),
        (1, 1, 0, "the number of bits is a whole number"),
        (True, 1, 4, "the degree is a whole number"),
    ],
)
def test_classes_that_do_not_exist(degree, sparsity, bits, message: str) -> None:
    with pytest.raises(BadInput, match=message):
        FunctionClass(degree=degree, sparsity=sparsity, bits=bits)
