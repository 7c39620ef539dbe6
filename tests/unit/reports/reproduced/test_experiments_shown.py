"""Every experiment has a way of being shown; the two about parities say what they found."""

from __future__ import annotations

import io
import json

import numpy as np
import pytest
from rich.console import Console

from foretell.plain import catalogue
from foretell.protocols._asking import Budget
from foretell.reports.landscape import (
    looked_inside,
    looked_inside_shown,
    perturbed,
    perturbed_shown,
)
from foretell.reports.reproduced import fitted
from foretell.reproductions import Experiment, load
from foretell.reproductions._looking import component_rows
from foretell.reproductions.parity_lookup import ParityLookup, function_of
from foretell.reproductions.perturbed_trace import PerturbedTrace
from foretell.training.store import Store

PROVENANCE = {"device": "a machine", "commit": "abc"}


def printed(whole) -> str:
    text = io.StringIO()
    fitted.show(Console(file=text, width=100), whole)
    return " ".join(text.getvalue().split())


def inside(cell, *, good: bool) -> dict:
    """A model as the construction has it, or one that looks everywhere and does not turn."""
    function, degree = function_of(cell.settings), cell.settings["degree"]
    length = function.bits + 1
    attention = np.full((length, length), 1 / length)
    if good:
        attention[: function.sparsity] = np.pad(function.indicator / degree, ((0, 0), (0, 1)))
    numbers = np.arange(degree + 1) / degree
    values = numbers % (2 / degree) * degree if good else numbers
    rows = component_rows(attention, function)
    return {
        "error": 0.001 if good else 0.01,
        "learned": [c / 2 for c in function.coefficients],
        "explained": 1.0,
        "attention": attention.tolist(),
        "adds": [1.0] * length,
        "moves": [0.0] * length,
        "reads": [[0.0, 1.0]] * length,
        "histogram": [1, 2, 3],
        "curve": [numbers.tolist(), values.tolist()],
        "levels": [numbers.tolist() for _ in rows],
    }


def all_inside(good: bool) -> looked_inside.LookedInside:
    found = [
        (cell, {"values": inside(cell, good=good), "provenance": PROVENANCE})
        for cell in ParityLookup().cells(Budget.SMOKE)
    ]
    return looked_inside.collect(ParityLookup(), "smoke", found)


def test_every_experiment_can_be_shown_before_anything_is_run(tmp_path):
    names = [entry.name for entry in catalogue.entries("reproductions")]
    experiments = [each for each in map(load, names) if isinstance(each, Experiment)]
    assert {each.name for each in experiments} == set(fitted.VIEWS)
    for experiment in experiments:
        whole = fitted.collect(experiment, "smoke", None, Store(tmp_path))
        assert experiment.title in printed(whole)
        assert "<svg" not in fitted.fits_page(whole)
        json.dumps(whole.as_json())


def test_a_model_like_the_construction_is_found_to_be_one():
    whole = all_inside(good=True)
    for group in whole.groups:
        assert group.share("shown") == group.share("bright") == 1
        assert set(group.row_turns) == {group.degree - 1}
        shown, bright = group.others()
        assert shown < 0.1 and bright < 1
    told = " ".join(looked_inside_shown.findings(whole))
    assert "less often in 0" in told
    text = fitted.fits_page(whole)
    assert text.count("<svg") == 1 + len(whole.groups) and text == fitted.fits_page(whole)
    assert json.loads(json.dumps(whole.as_json()))["groups"][0]["shown"] == 1


def test_a_model_unlike_the_construction_is_not():
    whole = all_inside(good=False)
    for group in whole.groups:
        assert group.share("bright") == 0
        assert group.share("shown") < 0.5
    assert "starts fitted" in printed(whole)


def test_models_that_do_not_fit_are_counted_and_left_out():
    whole = all_inside(good=True)
    for group in whole.groups:
        group.models[0].values["error"] = 0.2
        group.models[0].values["adds"] = [0.0] * (group.bits + 1)  # an MLP that died
        assert group.fitted == () and group.best is None and group.share("shown") is None
        assert group.functions[0] == 0
    assert "no model was fitted" in printed(whole)
    assert whole.as_json()["models"][0]["attention_moves"] == 0


def noise_classes(power: float) -> perturbed.Perturbations:
    found = []
    for cell in PerturbedTrace().cells(Budget.SMOKE):
        deviations = np.array(cell.settings["deviations"])
        change = 1000 * cell.settings["degree"] * deviations**power
        losses = 0.001 + deviations**2 / 2 * 100
        values = {
            "trace": [100.0, 100.0],
            "loss": [0.001, 0.001],
            "change": [change.tolist(), (change / 2).tolist()],
            "losses": [losses.tolist(), losses.tolist()],
        }
        found.append((cell, {"values": values, "provenance": PROVENANCE}))
    return perturbed.collect(PerturbedTrace(), "smoke", found)


@pytest.mark.parametrize(("power", "fine"), [(1.0, 4), (0.5, 0)])
def test_what_noise_does_is_read_off(power, fine):
    whole = noise_classes(power)
    small = whole.small()
    assert small is not None and small[:2] == (fine, 4)
    assert whole.exponents() == pytest.approx((power, power))
    grown = whole.growth("degree")
    assert grown is not None and grown[0] == pytest.approx(2)
    assert whole.loss_ratio(0)[0] == pytest.approx(1)
    assert f"in {fine} of 4 classes" in printed(whole)
    assert perturbed_shown.perturbed_page(whole).count("<svg") == 3
    json.dumps(whole.as_json())
