from __future__ import annotations

import dataclasses

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from foretell.boolean.bounds.covering import Reading, covering
from foretell.boolean.bounds.function_class import FunctionClass
from foretell.boolean.bounds.pac_bayes import MESH, analytic, parts, semi_analytic, truncated
from foretell.boolean.bounds.risk_bound import RiskBound, Setting
from foretell.boolean.bounds.terms import Form, flattest, sizes_of
from foretell.plain.errors import BadInput


@st.composite
def families(draw: st.DrawFn) -> FunctionClass:
    bits = draw(st.integers(2, 60))
    degree, sparsity = draw(st.integers(1, bits)), draw(st.integers(1, bits))
    try:
        return FunctionClass(degree=degree, sparsity=sparsity, bits=bits)
    except BadInput:
        return FunctionClass(degree=degree, sparsity=1, bits=bits)


SETTINGS = st.builds(
    Setting,
    samples=st.floats(1, 1e12),
    constant=st.floats(1e-3, 10),
    delta=st.floats(1e-9, 0.999),
)
FORMS = st.sampled_from(list(Form))
KINDS = st.sampled_from([truncated, analytic])


@settings(max_examples=30, deadline=None)
@given(families(), SETTINGS, FORMS, KINDS, st.floats(1.01, 100))
def test_more_samples_and_less_confidence_lower_the_bound(
    family: FunctionClass, setting: Setting, form: Form, kind, factor: float
) -> None:
    here: RiskBound = kind(family, setting, form)
    more = dataclasses.replace(setting, samples=setting.samples * factor)
    rough = dataclasses.replace(setting, constant=setting.constant * factor)
    surer = dataclasses.replace(setting, delta=setting.delta / factor)
    assert kind(family, more, form).value < here.value
    assert kind(family, rough, form).value > here.value
    assert kind(family, surer, form).value >= here.value * (1 - 1e-12)


@settings(max_examples=30, deadline=None)
@given(families(), SETTINGS, FORMS, KINDS, st.sampled_from(["degree", "sparsity", "bits"]))
def test_harder_classes_raise_the_bound(
    family: FunctionClass, setting: Setting, form: Form, kind, what: str
) -> None:
    try:
        harder = dataclasses.replace(family, **{what: getattr(family, what) + 1})
    except BadInput:
        assume(False)
    assert kind(harder, setting, form).value > kind(family, setting, form).value
    assert flattest(harder).norm > flattest(family).norm
    assert covering(harder, 1e6).value > covering(family, 1e6).value
    assert covering(harder, 1e6, Reading.NORMS).value > covering(family, 1e6, Reading.NORMS).value


@settings(max_examples=50, deadline=None)
@given(families(), SETTINGS, FORMS)
def test_the_optimum_beats_every_point_of_the_mesh(
    family: FunctionClass, setting: Setting, form: Form
) -> None:
    best = truncated(family, setting, form)
    sizes = sizes_of(family, form)
    mesh = np.concatenate([MESH, best.noise * np.exp(np.linspace(-9, 9, 1001))])
    assert best.value <= parts(mesh, sizes, setting).total.min() * (1 + 1e-12)
    assert best.value <= semi_analytic(family, setting, np.zeros(20), form=form).value * (1 + 1e-12)


@settings(max_examples=50, deadline=None)
@given(families(), SETTINGS, st.floats(0, 1e7), st.floats(0, 1e7))
def test_a_larger_perturbation_raises_the_semi_analytic_bound(
    family: FunctionClass, setting: Setting, one: float, other: float
) -> None:
    low, high = sorted((one, other))
    small = semi_analytic(family, setting, np.full(20, low))
    large = semi_analytic(family, setting, np.full(20, high))
    assert small.value <= large.value
    assert large.noise <= small.noise
    assert small.noise in MESH


@settings(max_examples=50, deadline=None)
@given(families(), SETTINGS)
def test_the_corrected_form_is_never_below_the_published_one(
    family: FunctionClass, setting: Setting
) -> None:
    published, corrected = (truncated(family, setting, form) for form in Form)
    assert corrected.value >= published.value
    assert corrected.sharpness >= published.sharpness * (1 - 1e-6)


def test_scaling_in_degree_and_sparsity() -> None:
    """Optimised over the noise: at least k^(4/3) in the degree, but only w^(2/3) in sparsity."""
    setting = Setting(samples=1e6, constant=0.01)
    values = {
        (k, w): truncated(FunctionClass(degree=k, sparsity=w, bits=500), setting).value
        for k in (8, 16)
        for w in (125, 250, 500)
    }
    degree = np.log2(values[16, 250] / values[8, 250])
    sparsity = np.log2(values[8, 500] / values[8, 250])
    assert 4 / 3 - 0.1 < degree <= 2
    assert sparsity == pytest.approx(2 / 3, abs=0.02)
