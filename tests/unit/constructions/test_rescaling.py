import math

import numpy as np
import pytest

from foretell.constructions.flat import build_flat, squared_norm
from foretell.constructions.flat_forward import flat_outputs
from foretell.constructions.rescaling import (
    best_rescaling,
    curvature_shares,
    norm_shares,
    rescaled,
)
from foretell.numerics.precision import double_precision
from foretell.plain.errors import BadInput

INPUTS = np.random.default_rng(0).integers(0, 2, (512, 20))


@pytest.mark.parametrize(
    ("degree", "sparsity", "factor", "times"), [(3, 7, 1.886, 2.5), (5, 20, 2.45, 4.0)]
)
def test_one_factor_lowers_norm_and_curvature(drawn, degree, sparsity, factor, times):
    weights = build_flat(drawn(20, degree, sparsity, 0), ramp="wide")
    best = best_rescaling(weights, INPUTS)
    norm, curvature = norm_shares(weights), curvature_shares(weights, INPUTS)
    assert best.smallest_norm == pytest.approx(factor, abs=0.01)
    for alpha in best:
        assert norm.at(alpha) < norm.at(1.0)
        assert curvature.at(alpha) * times <= curvature.at(1.0)
    products = [norm.at(alpha) * curvature.at(alpha) for alpha in best]
    assert min(products) == products[2]


@pytest.mark.parametrize("alpha", [0.3, 1.7, 2.7])
def test_the_output_stays_and_the_shares_are_right(drawn, alpha):
    weights = build_flat(drawn(20, 3, 7, 0), ramp="wide")
    other = rescaled(weights, alpha)
    with double_precision():
        change = flat_outputs(weights, INPUTS) - flat_outputs(other, INPUTS)
        assert np.abs(np.asarray(change)).max() < 1e-12
    assert norm_shares(weights).at(alpha) == pytest.approx(squared_norm(other))
    after = curvature_shares(other, INPUTS).at(1.0)
    assert curvature_shares(weights, INPUTS).at(alpha) == pytest.approx(after)


@pytest.mark.parametrize("alpha", [0.0, -1.0, math.inf, math.nan])
def test_only_positive_factors(published, alpha):
    with pytest.raises(BadInput, match="cannot rescale"):
        rescaled(build_flat(published), alpha)
