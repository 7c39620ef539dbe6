from __future__ import annotations

import numpy as np
import pytest

from foretell.boolean.bounds.function_class import FunctionClass
from foretell.boolean.bounds.pac_bayes import (
    MESH,
    analytic,
    analytic_change,
    fewest_samples,
    optimum_in_closed_form,
    parts,
    semi_analytic,
    truncated,
)
from foretell.boolean.bounds.perturbation import analytic_perturbation
from foretell.boolean.bounds.risk_bound import Setting
from foretell.boolean.bounds.terms import Form, flattest, norm_term, sharpness_term, sizes_of
from foretell.plain.errors import BadInput

TILING = FunctionClass(degree=2, sparsity=10, bits=20)
MANY = Setting(samples=1e6, constant=0.01)
FEW = Setting(samples=8192, constant=0.01)
PUBLISHED = sizes_of(TILING, Form.PUBLISHED)


def test_the_worked_example() -> None:
    found = truncated(TILING, MANY, Form.PUBLISHED)
    assert found.noise == pytest.approx(2.26568e-3, rel=1e-4)
    assert found.sharpness == pytest.approx(0.07969, abs=1e-5)
    assert found.norm == pytest.approx(0.15938, abs=1e-5)
    assert found.value == pytest.approx(0.23907, abs=1e-5)
    assert found.norm / found.sharpness == pytest.approx(2, abs=1e-3)
    assert 0 < found.confidence < 1e-6 and found.perturbation == 0
    assert not found.vacuous
    assert float(parts(1.0, PUBLISHED, MANY).norm) == pytest.approx(3.6110e-4, rel=1e-4)


def test_the_worked_example_corrected() -> None:
    found = truncated(TILING, MANY)
    assert found.noise == pytest.approx(2.3501e-3, rel=1e-4)
    assert found.value == pytest.approx(0.25721, abs=1e-5)
    assert found.vacuous and not found.beyond_one


def test_the_published_mesh() -> None:
    assert MESH[1] == pytest.approx(0.00947421, abs=1e-8)
    assert np.diff(MESH) == pytest.approx(-5.2579e-4, rel=1e-4)
    found = semi_analytic(TILING, MANY, np.zeros(20), form=Form.PUBLISHED)
    assert found.noise == pytest.approx(0.00211316, abs=1e-8)
    assert found.value == pytest.approx(0.24020, abs=1e-5)


def test_the_published_semi_analytic_value_needs_an_implausible_perturbation() -> None:
    """0.327 at the truncated optimum takes P of 3.4e4; measured ones are 31 to 180."""
    least = truncated(TILING, MANY, Form.PUBLISHED)
    implied = 2 * (0.327 - least.value) / least.noise**2
    assert implied == pytest.approx(2 * 1.71e4, rel=5e-3), "half of it where P is weighed twice"

    def at(change: float) -> float:
        mesh = np.array([least.noise])
        return semi_analytic(TILING, MANY, np.array([change]), mesh, Form.PUBLISHED).value

    assert at(implied) == pytest.approx(0.327)
    assert [at(31.0), at(180.0)] == pytest.approx([0.23915, 0.23953], abs=1e-5)


@pytest.mark.parametrize(
    ("bits", "degree", "sparsity", "sharpness", "norm", "noise", "value"),
    [
        (20, 1, 20, 5364, 1504.91, 3.3068e-3, 0.1760),
        (20, 4, 5, 51324, 2223.44, 1.6623e-3, 0.4255),
        (20, 5, 4, 76916, 3314.54, 1.5526e-3, 0.5562),
        (40, 2, 20, 31044, 3502.88, 2.1203e-3, 0.4187),
        (100, 2, 50, 77604, 12991.56, 1.9437e-3, 0.8796),
    ],
)
def test_other_tilings(bits, degree, sparsity, sharpness, norm, noise, value) -> None:
    family = FunctionClass(degree=degree, sparsity=sparsity, bits=bits)
    found = truncated(family, MANY, Form.PUBLISHED)
    assert sharpness_term(family) == sharpness
    assert norm_term(family, Form.PUBLISHED) == pytest.approx(norm, abs=5e-3)
    assert found.noise == pytest.approx(noise, rel=5e-5)
    assert found.value == pytest.approx(value, abs=5e-5)


GRID = """
.1398 .4423 .6914 .8729
.3469 .9567 1.4602 1.8287
.6601 1.6296 2.4135 2.9889
1.0830 2.4826 3.5716 4.3691
1.6165 3.5293 4.9531 5.9883
"""


def test_truncated_optima_at_the_size_of_the_experiments() -> None:
    expected = np.array([row.split() for row in GRID.split("\n")[1:-1]], float)
    families = [
        [FunctionClass(degree=k, sparsity=w, bits=20) for w in (1, 7, 14, 20)] for k in range(1, 6)
    ]
    found = [[truncated(each, FEW, Form.PUBLISHED).value for each in row] for row in families]
    assert np.array(found) == pytest.approx(expected, abs=5.1e-5)
    vacuous = [[truncated(each, FEW).vacuous for each in row] for row in families]
    assert np.sum(vacuous) == 19, "only degree 1, sparsity 1 beats a constant"


def test_the_example_says_nothing_at_8192_samples() -> None:
    found = truncated(TILING, FEW, Form.PUBLISHED)
    assert found.value == pytest.approx(1.186, abs=5e-4)
    assert found.beyond_one


def test_closed_form_and_search_agree() -> None:
    samples = np.array([1e3, 1e5, 1e7])
    closed = optimum_in_closed_form(PUBLISHED, samples, 0.01)
    for n, noise, value in zip(samples, closed.noise, closed.value, strict=True):
        found = truncated(TILING, Setting(samples=n, constant=0.01), Form.PUBLISHED)
        assert found.noise == pytest.approx(noise, rel=1e-5)
        assert found.value == pytest.approx(value, rel=1e-5)
    g, size = PUBLISHED.sharpness, PUBLISHED.norm
    law = 3 * 2 ** (-2 / 3) * np.cbrt(g * 1e-4 * size / samples)
    assert closed.value == pytest.approx(law, rel=1e-12)


def test_fewest_samples() -> None:
    assert fewest_samples(PUBLISHED, 0.01, 1.0).samples == pytest.approx(13664, abs=2)
    assert fewest_samples(PUBLISHED, 0.01).samples == pytest.approx(
        27 / 4 * 15524 * 0.1303929 * 64, rel=1e-4
    )
    on_mesh = fewest_samples(PUBLISHED, 0.01, mesh=MESH)
    assert on_mesh.samples == pytest.approx(8.94e5, rel=1e-3)
    for target in (0.25, 1.0):
        needed = fewest_samples(PUBLISHED, 0.01, target).samples
        just = Setting(samples=needed, constant=0.01)
        less = Setting(samples=needed * 0.999, constant=0.01)
        assert truncated(TILING, just, Form.PUBLISHED).value <= target * (1 + 1e-9)
        assert truncated(TILING, less, Form.PUBLISHED).value > target


def test_fewest_samples_of_the_analytic_bound() -> None:
    free = [
        fewest_samples(PUBLISHED, 0.01, 1.0, change=analytic_change(TILING, width=width)).samples
        for width in (20, 21, 22)
    ]
    assert free == pytest.approx([4.33e7, 4.63e7, 4.94e7], rel=5e-3)
    mesh = fewest_samples(PUBLISHED, 0.01, 1.0, change=analytic_change(TILING), mesh=MESH)
    assert mesh.noise == MESH[-1], "no other point of the mesh is small enough"
    assert mesh.samples == pytest.approx(1.30e9, rel=5e-3)
    nothing = analytic_change(TILING, Form.PUBLISHED)
    assert fewest_samples(PUBLISHED, 0.01, 1.0, change=nothing, mesh=MESH).samples == np.inf


def test_the_kinds_of_bounds_in_order() -> None:
    least = truncated(TILING, MANY).value
    measured = semi_analytic(TILING, MANY, lambda noise: 2e4 * noise).value
    most = analytic(TILING, MANY)
    assert least <= measured <= most.value
    assert most.perturbation > most.sharpness
    assert analytic(TILING, MANY, Form.PUBLISHED).value > most.value, "P without its noise"
    assert truncated(TILING, MANY, sizes=flattest(TILING)).value == pytest.approx(0.18604, abs=1e-5)


def test_with_a_constant_that_the_prior_allows() -> None:
    honest = truncated(TILING, Setting(samples=1e6, constant=0.5))
    assert honest.value == pytest.approx(0.25721 * 50 ** (2 / 3), rel=1e-4)
    assert honest.beyond_one


@pytest.mark.parametrize("noise", [0.0, -1e-3, np.nan, np.inf])
def test_noise_that_is_no_deviation(noise: float) -> None:
    with pytest.raises(BadInput, match="standard deviation"):
        parts(noise, PUBLISHED, MANY)
    with pytest.raises(BadInput, match="standard deviation"):
        truncated(TILING, MANY, noise=noise)
    with pytest.raises(BadInput, match="standard deviation"):
        semi_analytic(TILING, MANY, np.zeros(2), np.array([1e-3, noise]))


def test_other_bad_input() -> None:
    with pytest.raises(BadInput, match="one number for each noise"):
        semi_analytic(TILING, MANY, np.zeros(19))
    with pytest.raises(BadInput, match="not negative"):
        semi_analytic(TILING, MANY, np.full(20, -1.0))
    with pytest.raises(BadInput, match="target"):
        fewest_samples(PUBLISHED, 0.01, 0.0)
    with pytest.raises(BadInput, match="standard deviation"):
        analytic_perturbation(TILING, 0.0)
    with pytest.raises(BadInput, match="width"):
        analytic_perturbation(TILING, 1e-3, width=0.0)
