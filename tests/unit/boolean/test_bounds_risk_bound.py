from __future__ import annotations

import json

import numpy as np
import pytest

from foretell.boolean.bounds.function_class import FunctionClass
from foretell.boolean.bounds.pac_bayes import analytic, semi_analytic, truncated
from foretell.boolean.bounds.risk_bound import (
    GRADIENT,
    INTERPOLATION,
    NORM,
    PRIOR_TAIL,
    SHARPNESS,
    TRAINED_TAIL,
    TRIVIAL,
    RiskBound,
    Setting,
)
from foretell.boolean.bounds.terms import Form, flattest
from foretell.core.prediction import Standing
from foretell.plain.errors import BadInput

FAMILY = FunctionClass(degree=3, sparsity=7, bits=20)
SETTING = Setting(samples=8192, constant=0.01)


def standing(bound: RiskBound, text: str) -> Standing:
    return next(each.standing for each in bound.assumptions if each.text == text)


@pytest.mark.parametrize("form", list(Form))
def test_domination_is_assumed_until_someone_measures(form: Form) -> None:
    bounds = (
        truncated(FAMILY, SETTING, form),
        semi_analytic(FAMILY, SETTING, np.zeros(20), form=form),
        analytic(FAMILY, SETTING, form),
    )
    for bound in bounds:
        assert {standing(bound, text) for text in (NORM, SHARPNESS, INTERPOLATION)} == {"assumed"}
        assert "norm term" in bound.reason
    assert "variance" in bounds[1].reason and "forgets a factor" in bounds[2].reason


def test_the_forms_ask_for_different_things() -> None:
    published = truncated(FAMILY, SETTING, Form.PUBLISHED)
    assert standing(published, TRAINED_TAIL) is Standing.ASSUMED
    assert not published.violated
    corrected = truncated(FAMILY, SETTING)
    assert standing(corrected, PRIOR_TAIL) is Standing.VIOLATED, "0.01 < 1/2"
    assert corrected.violated
    honest = truncated(FAMILY, Setting(samples=8192, constant=0.5))
    assert standing(honest, PRIOR_TAIL) is Standing.ASSUMED
    assert not honest.violated


def test_whether_a_gradient_is_left_out_is_decided_where_it_can_be() -> None:
    assert standing(truncated(FAMILY, SETTING), GRADIENT) is Standing.CHECKED
    many = FunctionClass(degree=1, sparsity=20, bits=20)
    assert standing(truncated(many, SETTING), GRADIENT) is Standing.ASSUMED
    flat = truncated(many, SETTING, sizes=flattest(many))
    assert standing(flat, GRADIENT) is Standing.CHECKED


def test_trained_networks_decide() -> None:
    bound = truncated(FAMILY, SETTING, Form.PUBLISHED)
    logged = bound.against(norm=20.9, trace=915, training_loss=0.0194, tolerance=0.02)
    assert {standing(logged, text) for text in (NORM, SHARPNESS, INTERPOLATION)} == {"checked"}
    assert standing(bound, NORM) is Standing.ASSUMED, "the bound itself has not changed"
    assert standing(bound.against(training_loss=0.0194), INTERPOLATION) is Standing.VIOLATED
    one_too_large = bound.against(norm=[20.9, 1.01 * bound.norm_limit**0.5])
    assert standing(one_too_large, NORM) is Standing.VIOLATED
    assert standing(one_too_large, SHARPNESS) is Standing.ASSUMED
    at_limit = bound.against(trace=[bound.trace_limit])
    assert standing(at_limit, SHARPNESS) is Standing.CHECKED
    with pytest.raises(BadInput, match="no number"):
        bound.against(norm=float("nan"))


def test_the_limit_of_the_trace_is_twice_the_gradient() -> None:
    assert truncated(FAMILY, SETTING).trace_limit == 64800


def test_vacuous_against_the_best_constant() -> None:
    easy = FunctionClass(degree=1, sparsity=1, bits=20)
    found = truncated(easy, SETTING, Form.PUBLISHED)
    assert found.value < TRIVIAL and not found.vacuous and not found.beyond_one
    assert not found.as_bound().vacuous
    assert truncated(FAMILY, SETTING).as_bound().vacuous
    assert truncated(FAMILY, SETTING).beyond_one


def test_the_parts_add_up_and_the_value_is_plain_json() -> None:
    found = analytic(FAMILY, SETTING)
    whole = found.sharpness + found.perturbation + found.norm + found.confidence
    assert found.value == whole
    shown = json.loads(json.dumps(found.as_json()))
    assert shown["value"] == whole and shown["form"] == "corrected"
    assert shown["vacuous"] is True and len(shown["assumptions"]) == 6


@pytest.mark.parametrize("delta", [0.0, 1.0, -0.1, 1.5, float("nan")])
def test_delta_outside_the_open_interval(delta: float) -> None:
    with pytest.raises(BadInput, match="delta lies strictly between"):
        Setting(samples=100, constant=0.01, delta=delta)


@pytest.mark.parametrize("samples", [0, 0.5, -3, float("inf"), float("nan")])
def test_too_few_samples(samples: float) -> None:
    with pytest.raises(BadInput, match="at least one sample"):
        Setting(samples=samples, constant=0.01)


@pytest.mark.parametrize("constant", [0.0, -0.01, float("nan")])
def test_the_constant_is_positive(constant: float) -> None:
    with pytest.raises(BadInput, match="larger than 0"):
        Setting(samples=100, constant=constant)
