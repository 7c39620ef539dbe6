from __future__ import annotations

import numpy as np
import pytest

from foretell.boolean.bounds.covering import QUOTED, Reading, covering
from foretell.boolean.bounds.function_class import FunctionClass
from foretell.boolean.bounds.pac_bayes import truncated
from foretell.boolean.bounds.risk_bound import Setting
from foretell.boolean.bounds.terms import Form
from foretell.plain.errors import BadInput

TILING = FunctionClass(degree=2, sparsity=10, bits=20)


@pytest.mark.parametrize("reading", list(Reading))
def test_sharpness_wins_over_covering_in_the_example(reading: Reading) -> None:
    cover = covering(TILING, 1e6, reading)
    sharp = truncated(TILING, Setting(samples=1e6, constant=0.01), Form.PUBLISHED)
    assert sharp.value < QUOTED < cover.value / 100, "the quoted number is far below ours"
    assert cover.vacuous


def test_the_readings_in_order() -> None:
    known, norms = (covering(TILING, 1e6, reading) for reading in Reading)
    assert [each.name for each in known.layers] == [each.name for each in norms.layers]
    pairs = zip(known.layers, norms.layers, strict=True)
    assert all(a.product <= b.product for a, b in pairs)
    assert known.value < norms.value


def test_it_falls_like_the_root_and_wins_in_the_end() -> None:
    few, many = covering(TILING, 1e6), covering(TILING, 1e8)
    log = np.log(22 * 1e8 * 21) / np.log(22 * 1e6 * 21)
    assert many.value == pytest.approx(few.value / 10 * np.sqrt(log))
    far = Setting(samples=1e30, constant=0.01)
    assert covering(TILING, 1e30).value < truncated(TILING, far).value


def test_the_split_of_the_error_is_the_best_one() -> None:
    """C/ln(·) is the least Σ (B·M/ε)² over errors with Σ ρ·ε = 1."""
    cover = covering(TILING, 1e6)
    lipschitz, inputs, weights = (
        np.array([layer[column] for layer in cover.layers]) for column in (1, 2, 3)
    )
    best = cover.complexity / np.log(22 * 1e6 * 21)
    errors = np.cbrt((inputs * weights) ** 2 / lipschitz)
    errors /= lipschitz @ errors
    assert np.sum((inputs * weights / errors) ** 2) == pytest.approx(best)
    random = np.random.default_rng(0)
    for _ in range(50):
        other = errors * np.exp(0.3 * random.normal(size=len(errors)))
        other /= lipschitz @ other
        assert np.sum((inputs * weights / other) ** 2) >= best


def test_no_samples() -> None:
    with pytest.raises(BadInput, match="at least one sample"):
        covering(TILING, 0)
