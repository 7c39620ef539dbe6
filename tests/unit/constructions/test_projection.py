import numpy as np
import pytest

from foretell.boolean.expansion import Expansion
from foretell.constructions.flat import build_flat
from foretell.constructions.flat_forward import flat_outputs
from foretell.constructions.projection import (
    expected_squared_norm,
    johnson_lindenstrauss_size,
    projected,
)
from foretell.numerics.precision import double_precision
from foretell.plain.errors import BadInput


@pytest.mark.parametrize("size", [30, 100])
def test_the_norm_of_a_projected_product_is_its_formula_on_average(drawn, size):
    weights = build_flat(drawn(10, 2, 5, 0))
    diagonal = np.diag([*np.arange(1.0, 12.0), 0.0])
    for matrix in (weights.attention1, weights.attention2[0], diagonal):
        generator = np.random.default_rng(0)
        draws = generator.normal(size=(4000, 11, size)) / np.sqrt(size)
        inner = np.einsum("nia,ij,njb->nab", draws, matrix[:-1, :-1], draws, optimize=True)
        norms = np.square(inner).sum(axis=(1, 2))
        error = norms.std() / np.sqrt(len(norms))
        assert abs(norms.mean() - expected_squared_norm(matrix, size)) < 4 * error


def typical_error(expansion, size):
    """Median over five projections of the largest error over some inputs."""
    inputs = np.random.default_rng(0).integers(0, 2, (32, expansion.bits))
    weights, found = build_flat(expansion, (2, 4), "wide"), []
    for seed in range(5):
        small = projected(weights, size, seed)
        with double_precision():
            values = flat_outputs(small.weights, inputs, small.positions)
        found.append(float(np.abs(np.asarray(values) - expansion(inputs)).max()))
    return float(np.median(found))


def test_small_projections_spoil_the_function_and_larger_ones_less(drawn):
    expansion = drawn(12, 2, 4, 0)
    small, large = typical_error(expansion, 50), typical_error(expansion, 1000)
    assert small > 0.5 and small > 1.5 * large


@pytest.mark.slow
def test_the_error_falls_with_the_root_of_the_size(drawn):
    expansion = drawn(12, 2, 4, 0)
    assert 1.4 < typical_error(expansion, 800) / typical_error(expansion, 3200) < 2.9


def test_the_size_is_capped_by_the_bits():
    assert johnson_lindenstrauss_size(20) == 20
    assert johnson_lindenstrauss_size(100_000, 0.5) == 369


def test_bad_input(drawn):
    with pytest.raises(BadInput, match="at least one coordinate"):
        projected(build_flat(drawn(4, 1, 1, 0)), 0, 0)
    with pytest.raises(BadInput, match="constant"):
        projected(build_flat(Expansion(3, ((0,),), (1.0,), 0.5)), 8, 0)
    with pytest.raises(BadInput, match="distortion"):
        johnson_lindenstrauss_size(20, 0.0)
    with pytest.raises(BadInput, match="only a product of positions"):
        expected_squared_norm(np.eye(4), 3)
