from __future__ import annotations

import numpy as np
import pytest

from foretell.boolean.bounds.function_class import FunctionClass
from foretell.boolean.bounds.notebook import notebook_parts, notebook_samples
from foretell.boolean.bounds.perturbation import (
    analytic_perturbation,
    parameter_count,
    projected_width,
)
from foretell.boolean.bounds.risk_bound import Setting
from foretell.boolean.bounds.terms import Form

PARITY = FunctionClass(degree=1, sparsity=1, bits=50)
SETTING = Setting(samples=1e7, constant=0.01, delta=0.01)


def test_the_stored_numbers() -> None:
    found = notebook_parts(PARITY, SETTING, 1e-5, width=52)
    assert found.complexity == pytest.approx(2.376740233010865, abs=1e-12)
    assert found.sharpness == pytest.approx(0.07327617350512963, abs=1e-12)
    restored = notebook_parts(PARITY, SETTING, 1e-5, 52, Form.CORRECTED).sharpness
    assert restored == pytest.approx(2.43090e-5, rel=1e-5)


def test_the_perturbation_vanishes_with_the_noise_only_when_corrected() -> None:
    noise = np.logspace(-3, -9, 7)
    corrected = analytic_perturbation(PARITY, noise).total
    published = analytic_perturbation(PARITY, noise, Form.PUBLISHED).total
    assert np.all(np.diff(corrected) < 0)
    assert corrected[-1] == pytest.approx(corrected[-2] / 10, rel=1e-3), "linear near 0"
    assert published[-1] == pytest.approx(published[-2], rel=1e-2)
    assert published[-1] > 1e6 * corrected[-1]


def test_parameters_are_counted() -> None:
    width, k = 22, 2
    by_hand = 3 * width**2 + width + 4 * (k + 1) * (2 * width + 1)
    assert parameter_count(k, width - 1) == by_hand == 2014
    assert by_hand - parameter_count(k, width - 1, Form.PUBLISHED) == 6 * (k + 1)


def test_a_projection_only_helps_in_long_contexts() -> None:
    assert projected_width(50) == 50
    assert projected_width(100_000) == pytest.approx(800 * np.log(100_000))


def test_samples_are_where_the_parts_reach_the_target() -> None:
    noise, width = 1e-5, 52
    change = float(analytic_perturbation(PARITY, noise, Form.CORRECTED, width).total)
    samples = notebook_samples(PARITY, SETTING, noise, change, target=1.0)
    there = Setting(samples=samples, constant=0.01, delta=0.01)
    assert sum(notebook_parts(PARITY, there, noise, width, Form.CORRECTED)) == pytest.approx(1.0)
    assert notebook_samples(PARITY, SETTING, 1.0, change) == np.inf
