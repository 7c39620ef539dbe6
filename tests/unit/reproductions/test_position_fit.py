"""The fitting experiment: its functions, its weights, its claim at small size, its store."""

from __future__ import annotations

import json

import jax.numpy as jnp
import numpy as np
import pytest

from foretell.plain.errors import BadInput, StoreProblem
from foretell.protocols._asking import Budget
from foretell.reports.reproduced import fitted
from foretell.reproductions import load
from foretell.reproductions._computing import compute_part, missing, stored_cell
from foretell.reproductions._fitting import Schedule, by_distance, fit, window_counts
from foretell.reproductions.position_fit import PositionFit, expected, functions, target
from foretell.training.store import Store

SMALL = {"context": 40, "length": 10}
DISTANCE = np.arange(40)
FUNCTIONS = {
    "local": DISTANCE == 1,
    "periodic": DISTANCE % 3 == 0,
    "neither": DISTANCE > 2,
    "sum": 1 * (DISTANCE == 1) + (DISTANCE % 3 == 0),
}


def far_pairs_right(width: int, steps: int) -> dict[str, float]:
    schedule = Schedule(width=width, steps=steps, **SMALL)
    targets = np.stack([schedule.value * holds for holds in FUNCTIONS.values()])
    found = fit(schedule, targets, [0] * len(targets), (10, 20, 30))
    assert all(each.seen > 0.99 for each in found)
    assert all(len(each.errors) == 3 and each.errors[0] < 0.2 for each in found)
    return dict(zip(FUNCTIONS, (each.unseen for each in found), strict=True))


def test_at_large_width_the_local_function_alone_reaches_far_pairs():
    shares = far_pairs_right(width=64, steps=1500)
    assert shares.pop("local") > 0.9
    assert max(shares.values()) < 0.7


def test_at_small_width_the_periodic_function_alone_does():
    shares = far_pairs_right(width=8, steps=6000)
    assert shares.pop("periodic") > 0.85
    assert max(shares.values()) < 0.7


def test_cells_do_not_depend_on_their_neighbours():
    schedule = Schedule(width=8, steps=20, **SMALL)
    targets = np.stack([schedule.value * holds for holds in FUNCTIONS.values()])
    together = fit(schedule, targets, [3, 4, 5, 6], (10, 20))
    alone = fit(schedule, targets[2:3], [5], (10, 20))
    np.testing.assert_allclose(together[2].errors, alone[0].errors, rtol=1e-4)


def test_windows_are_counted_as_one_would():
    offsets = np.array([0, 3, 3, 6])
    found = window_counts(10, 4, jnp.asarray(offsets))
    for query in range(10):
        for key in range(10):
            both = (offsets <= key) & (query < offsets + 4)
            assert found[query, key] == (both.sum() if key <= query else 0)


def test_a_function_of_distance_as_a_matrix():
    found = by_distance(jnp.array([5.0, 7.0, 9.0]))
    assert found.tolist() == [[5, 0, 0], [7, 5, 0], [9, 7, 5]]


@pytest.mark.parametrize(
    ("label", "true_at"),
    [
        ("j = i - 5", {5}),
        ("j > i - 2", {0, 1}),
        ("i - j ≡ 2 mod 5", {2, 7, 12}),
        ("j < i - 5", {*range(6, 14)}),
        ("i - j is prime", {2, 3, 5, 7, 11, 13}),
        ("j = i - 10, i - j ≡ 0 mod 3", {0, 3, 6, 9, 10, 12}),
    ],
)
def test_the_functions_are_those_of_the_paper(label, true_at):
    (cell,) = (each for each in PositionFit().cells(Budget.GPU, 1)[:18] if each.label == label)
    values = target(cell)
    assert {place for place in range(14) if values[place]} == true_at
    assert set(np.unique(values).round(6)) == {0, round(2 * np.log(50), 6)}


def test_every_function_and_width_has_a_cell_with_what_was_published():
    cells = PositionFit().cells(Budget.GPU)
    assert len(functions()) == 18 and len(cells) == 2 * 18 * 5
    assert len({cell.hash for cell in cells}) == len(cells)
    assert all(cell.published is not None and len(cell.published) == 3 for cell in cells)
    assert len(PositionFit().cells(Budget.CPU)) == 12
    with pytest.raises(BadInput, match="seeds"):
        PositionFit().cells(Budget.CPU, 0)


def test_theory_expects_two_of_the_six():
    kinds, widths = ("local", "periodic", "neither"), (32, 256)
    yes = [(kind, width) for kind in kinds for width in widths if expected(kind, width)]
    assert yes == [("local", 256), ("periodic", 32)]


@pytest.fixture(scope="module")
def store(tmp_path_factory):
    """A smoke run in which the first cells are computed, then all."""
    runs = Store(tmp_path_factory.mktemp("runs"))
    experiment = load("position-fit")
    cells = fitted.chosen(experiment, "smoke", None, "local")
    (part,) = missing(experiment, cells, runs)
    compute_part(experiment, part, runs)
    return experiment, runs


def test_what_is_stored_is_not_computed_again(store):
    experiment, runs = store
    cells = experiment.cells(Budget.SMOKE)
    (left,) = missing(experiment, cells, runs)
    assert len(left) == 4 and len(cells) == 6
    found = stored_cell(experiment, cells[0], runs)
    assert found is not None
    assert len(found["values"]["errors"]) == 3
    assert {"device", "versions", "commit", "seconds", "together"} <= set(found["provenance"])
    assert stored_cell(experiment, left[0], runs) is None


def test_rows_say_what_was_fitted_and_what_was_not_run(store):
    experiment, runs = store
    fits = fitted.collect(experiment, "smoke", None, runs)
    assert fits.summary()["not run"] == 4
    told = json.loads(json.dumps(fits.as_json()))
    assert told["rows"][0]["seeds"][0]["seed"] == 0
    assert told["rows"][2]["errors"] is None
    assert fits.rows[0].verdict == "not fitted"  # 200 steps are too few
    text = fitted.fits_page(fits)
    assert "<svg" in text and "not run" in text and "not fitted" in text
    assert text == fitted.fits_page(fits)


def test_a_damaged_cell_is_named(store, tmp_path):
    experiment, _ = store
    cell = experiment.cells(Budget.SMOKE)[0]
    path = tmp_path / "experiments" / "position-fit" / f"{cell.hash}.json"
    path.parent.mkdir(parents=True)
    path.write_text('{"settings": {}')
    with pytest.raises(StoreProblem, match="damaged"):
        stored_cell(experiment, cell, Store(tmp_path))


def test_unknown_rows_and_budgets_are_refused():
    with pytest.raises(BadInput, match="no such row"):
        fitted.chosen(PositionFit(), "cpu", None, "nonlocal")
    with pytest.raises(BadInput, match="unknown budget"):
        fitted.chosen(PositionFit(), "huge", None, None)
