"""The two answers everybody tries first, with the default CPU budget (minutes: marked slow)."""

import time

import pytest

import foretell as ft
from foretell.core.question import SizeRange
from foretell.core.scoreboard import Agreement

FAR = SizeRange(101, 150)


def at_far_sizes(row):
    values = row.measurement.values
    return next(v for v in values if v.sizes == FAR and v.probe == row.question.task.probes[0])


@pytest.mark.slow
def test_binary_majority_generalizes_as_predicted(tmp_path):
    began = time.monotonic()
    (row,) = ft.check("binary-majority", positional="nope", seeds=4, store=tmp_path)
    assert at_far_sizes(row).mean >= 0.99
    assert row.measurement.verdict == "yes"
    assert {row.agreement(said) for said in row.stated} == {Agreement.AGREES}
    assert time.monotonic() - began < 120


@pytest.mark.slow
def test_parity_fails_at_longer_sizes(tmp_path):
    began = time.monotonic()
    (row,) = ft.check("parity", budget="cpu", store=tmp_path)
    assert at_far_sizes(row).interval.high < 0.7
    assert row.measurement.verdict != "yes"
    said = {each.predictor: each.verdict.value for each in row.stated}
    assert said.pop("crasp-length") == "no"
    assert set(said.values()) <= {"undecided"}  # other theories say nothing against it
    assert time.monotonic() - began < 300
