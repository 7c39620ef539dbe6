from __future__ import annotations

import dataclasses
import xml.etree.ElementTree as ElementTree

import matplotlib
import pytest

from foretell.core.measurement import Measurement
from foretell.core.question import SizeRange
from foretell.core.scoreboard import Row
from foretell.reports.bins import bins_of, counted_seeds
from foretell.reports.plots import length_curves


def measured(row: Row) -> Measurement:
    assert row.measurement is not None
    return row.measurement


def test_the_same_measurement_gives_the_same_figure(failing: Row) -> None:
    before = dict(matplotlib.rcParams)
    drawn = length_curves(measured(failing), failing.stated)
    assert drawn == length_curves(measured(failing), failing.stated)
    assert dict(matplotlib.rcParams) == before


def test_figure_holds_every_series_as_text(failing: Row) -> None:
    drawn = length_curves(measured(failing), failing.stated)
    ElementTree.fromstring(drawn)
    for text in (
        ">mean<",
        ">one seed<",
        ">seed not fitted, left out<",
        ">95 % interval<",
        ">guessing<",
        ">trained on<",
        ">members<",
        ">non-members<",
        ">near-non-members<",
        "predicted: no, conjecture (crasp-length)",
    ):
        assert text in drawn
    assert "DejaVu" not in drawn
    assert "<metadata" not in drawn


def test_names_are_neither_markup_nor_mathematics(hostile: Row) -> None:
    drawn = length_curves(measured(hostile))
    root = ElementTree.fromstring(drawn)
    assert any("regex:(<script>|[ab]&%)*" in (node.text or "") for node in root.iter())


def test_bins_gather_ten_sizes_and_never_cross_a_range(failing: Row) -> None:
    pieces = bins_of(measured(failing), "members")
    assert [piece.sizes for piece in pieces] == [
        SizeRange(1, 50),
        SizeRange(51, 100),
        SizeRange(101, 150),
    ]
    for piece in pieces:
        assert len(piece.places) == 5
        assert all(piece.sizes.low <= place <= piece.sizes.high for place in piece.places)
    every = sum(count[1] for piece in pieces for own in piece.counts.values() for count in own)
    curves = [curve for curve in measured(failing).curves if curve.probe == "members"]
    assert every == sum(point[2] for curve in curves for point in curve.points)


def test_runs_that_did_not_fit_are_left_out_of_the_mean(failing: Row, majority: Row) -> None:
    assert counted_seeds(measured(failing), "members") == {0, 1, 3}
    assert counted_seeds(measured(failing), "near-non-members") == {0, 1, 3}
    assert counted_seeds(measured(majority), "typical") == {0, 1, 2, 3}


def test_one_seed_and_no_curves_still_draw(majority: Row, make: tuple) -> None:
    single = make[0]("majority", seeds=1)
    assert "95 % interval" not in length_curves(measured(single))
    length_curves(dataclasses.replace(measured(majority), curves=()))


@pytest.mark.parametrize("high", [12, 55])
def test_short_ranges_have_at_least_one_bin(majority: Row, high: int) -> None:
    kept = measured(majority).values[0]
    value = dataclasses.replace(kept, sizes=SizeRange(10, high))
    pieces = bins_of(dataclasses.replace(measured(majority), values=(value,)), "typical")
    assert len(pieces[0].places) == max(1, round((high - 9) / 10))
