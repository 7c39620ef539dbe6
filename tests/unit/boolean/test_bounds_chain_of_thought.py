from __future__ import annotations

import numpy as np
import pytest

from foretell.boolean.bounds.chain_of_thought import (
    COIN,
    best_noise,
    compare,
    log10_error,
    samples_for_negative_exponent,
    table,
)
from foretell.boolean.bounds.function_class import FunctionClass
from foretell.boolean.bounds.pac_bayes import parts
from foretell.boolean.bounds.risk_bound import Setting
from foretell.boolean.bounds.terms import Form, sizes_of
from foretell.plain.errors import BadInput

SETTING = Setting(samples=8192, constant=0.01)
EXPECTED = """
4  241.06 1360.44  10268    6.595e-3 -2.040e6 1.024e7  2.40e3 8.94e4  3.766 4.192
8  269.89 9445.67  73772    6.783e-3 -1.900e6 9.932e7  2.69e3 4.46e6  9.124 15.43
16 310.25 70292.7  557132   7.024e-3 -1.716e6 7.734e8  3.09e3 2.51e8  20.48 59.11
20 325.69 135323.9 1075292  7.110e-3 -1.649e6 1.495e9  3.243e3 9.313e8 26.37 91.55
32 362.14 542523.5 4325516  7.301e-3 -1.497e6 6.017e9  3.61e3 1.50e10 44.57 231.3
48 397.83 1809667  14450892 7.474e-3 -1.355e6 2.010e10 nan    nan     69.72 516.6
64 425.56 4264859  34078988 7.601e-3 -1.249e6 4.738e10 4.24e3 9.30e11 95.58 915.2
"""


def test_the_table() -> None:
    expected = np.array([row.split() for row in EXPECTED.split("\n")[1:-1]], float)
    rows = table([int(each) for each in expected[:, 0]], SETTING)
    found = np.array(
        [
            [
                *(row.bits, row.chain.sizes.norm, row.one_pass.sizes.norm),
                *(row.one_pass.sizes.sharpness, row.chain.noise, row.chain.log10_published),
                *(row.one_pass.log10_published, row.chain.samples_published),
                *(row.one_pass.samples_published, row.chain.direct, row.one_pass.direct),
            ]
            for row in rows
        ]
    )
    known = ~np.isnan(expected)
    assert found[known] == pytest.approx(expected[known], rel=2.1e-3)
    assert {row.chain.sizes.sharpness for row in rows} == {1556}


def test_the_exponent_turns_negative_at_the_stated_number_of_samples() -> None:
    sizes = sizes_of(FunctionClass(degree=2, sparsity=1, bits=20), Form.PUBLISHED)
    edge = samples_for_negative_exponent(sizes, 0.01)
    for share, sign in ((0.99, 1), (1.01, -1)):
        setting = Setting(samples=share * edge, constant=0.01)
        at_best = log10_error(sizes, setting, best_noise(sizes, setting))
        assert np.sign(at_best - np.log10(4)) == sign


def test_the_best_noise_is_best_and_the_perturbation_only_hurts() -> None:
    sizes = sizes_of(FunctionClass(degree=2, sparsity=1, bits=20), Form.PUBLISHED)
    best = best_noise(sizes, SETTING)
    around = best * np.exp(np.linspace(-3, 3, 201))
    values = log10_error(sizes, SETTING, around)
    assert values.min() >= log10_error(sizes, SETTING, best) * (1 + 1e-12)
    assert np.all(log10_error(sizes, SETTING, around, change=10.0) > values)


def test_it_comes_from_the_risk_bound_solved_for_delta() -> None:
    """Where δ makes the risk bound 1/2: the published exponent differs by a dropped square."""
    sizes = sizes_of(FunctionClass(degree=2, sparsity=1, bits=4), Form.PUBLISHED)
    noise, log_delta = 0.01, -5.0
    left = 0.5 - noise**2 * sizes.sharpness
    samples = 2 * (sizes.norm / (2 * noise**2) - log_delta) / left**2
    setting = Setting(samples=samples, constant=1.0, delta=np.exp(log_delta))
    assert float(parts(noise, sizes, setting).total) == pytest.approx(0.5)
    exponent = log10_error(sizes, setting, noise) * np.log(10) - np.log(4)
    dropped = samples * (noise**2 * sizes.sharpness) ** 2 / 2
    assert exponent == pytest.approx(log_delta + dropped)


def test_the_core_inequality() -> None:
    for bits in range(4, 65):
        row = compare(bits, SETTING)
        assert row.one_pass.sizes.norm >= bits / 2 * row.chain.sizes.norm
        assert row.one_pass.sizes.sharpness >= bits / 2 * row.chain.sizes.sharpness


def test_the_corrected_gap_is_polynomial_and_all_of_it_vacuous_here() -> None:
    rows = table([16, 32, 64], SETTING)
    chain = np.array([row.chain.direct for row in rows])
    one_pass = np.array([row.one_pass.direct for row in rows])
    assert np.all(np.diff(np.log2(chain)) < 1.3), "about T"
    assert np.diff(np.log2(one_pass)) == pytest.approx(2.0, abs=0.05), "about T²"
    assert all(row.chain.vacuous and row.one_pass.vacuous for row in rows)


def test_samples_that_beat_a_coin() -> None:
    row = compare(8, SETTING)
    for name in ("chain", "one_pass"):
        route = getattr(row, name)
        enough = Setting(samples=route.samples_direct * 1.001, constant=0.01)
        assert getattr(compare(8, enough), name).direct < COIN
        short = Setting(samples=route.samples_direct * 0.99, constant=0.01)
        assert getattr(compare(8, short), name).direct > COIN


def test_bad_input() -> None:
    with pytest.raises(BadInput, match="at least two bits"):
        compare(1, SETTING)
    sizes = sizes_of(FunctionClass(degree=2, sparsity=1, bits=4))
    with pytest.raises(BadInput, match="standard deviation"):
        log10_error(sizes, SETTING, 0.0)
