"""Distances that fall as N^(-1/2) are said to, and a page is made of what there is."""

import json

import numpy as np
from rich.console import Console

from foretell.protocols._asking import Budget
from foretell.reports.capture.lazy_curves import collect
from foretell.reports.capture.lazy_shown import findings, lazy_page, show
from foretell.reproductions.lazy_capture import LazyCapture


def made(exponent):
    """Values as the experiment gives them, with a known exponent."""
    chance, cells = np.random.default_rng(0), LazyCapture().cells(Budget.CPU)
    found = []
    for cell in cells:
        distances = cell.settings["width"] ** exponent * np.exp(0.1 * chance.normal(size=4))
        values = {
            "distances": distances.tolist(),
            "distance_of_mean": float(distances.mean() / 2),
            "errors": [0.2, 0.3, 0.2, 0.3],
            "right": [0.5, 0.75, 0.5, 0.75],
            "kernel_error": 0.1,
            "kernel_right": 0.8,
            "kernel_size": 0.3,
            "sampling": 0.001,
            "constant": 1.0,
        }
        found.append((cell, {"values": values, "provenance": {"device": "cpu", "commit": "0"}}))
    return collect(LazyCapture(), "cpu", found)


def test_the_exponent_is_found_and_said():
    whole = made(-0.5)
    for arm in whole.arms:
        low, high = arm.fit.power.interval
        assert low < -0.5 < high < 0
    assert "no better than the kernel" in findings(whole)[1]
    described = json.loads(json.dumps(whole.as_json()))
    assert [each["task"] for each in described["tasks"]] == ["induction", "majority"]


def test_the_page_and_the_terminal_show_every_width():
    whole, console = made(-0.5), Console(record=True, width=120)
    show(console, whole)
    page = lazy_page(whole)
    assert "<svg" in page
    for text in (page, console.export_text()):
        assert "128" in text
        assert "majority" in text


def test_nothing_run_yet_is_said():
    cells = LazyCapture().cells(Budget.CPU)
    whole = collect(LazyCapture(), "cpu", [(cell, None) for cell in cells])
    assert findings(whole) == ["not run yet: 10 cells"]
    assert "not run yet" in lazy_page(whole).lower()
