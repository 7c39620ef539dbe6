"""Curves of unseen symbols: what is compared, and that both renderers tell it."""

import dataclasses
import io
import json

import pytest
from rich.console import Console

from foretell.protocols._running import train
from foretell.reports.symbols import curves as symbol_curves
from foretell.reports.symbols import shown as symbol_shown
from foretell.reproductions import load
from foretell.theory.template_kernel import TemplateKernel
from foretell.training.store import Store


@pytest.fixture(scope="module")
def curves(tmp_path_factory):
    """The smallest reproduction, with its two fully connected points trained."""
    store = Store(tmp_path_factory.mktemp("runs"))
    reproduction = load("templates-figures")
    for line in reproduction.lines("smoke"):
        if line.asked.question.architecture.kind == "mlp":
            train((line.asked,), store)
    return symbol_curves.collect(reproduction, "smoke", None, store)


def test_every_point_is_there_with_what_was_published(curves):
    (figure,) = curves.figures().values()
    assert {label: len(points) for label, points in figure.items()} == {
        "aba-abb transformer+kq": 2,
        "aba-abb mlp": 2,
    }
    trained = figure["aba-abb mlp"]
    assert [point.samples for point in trained] == [4, 8]
    assert [point.published for point in trained] == [0.999, 1.021]
    assert all(point.ours is not None and point.ours.baseline == 1.0 for point in trained)
    assert [point.ours for point in figure["aba-abb transformer+kq"]] == [None, None]


def test_agreement_is_about_one_half(curves):
    assert curves.agreement() == (2, 2)
    points = []
    for point in curves.points:  # as if the paper had found the opposite
        line = dataclasses.replace(point.line, published=(0.1,))
        points.append(dataclasses.replace(point, line=line))
    opposite = dataclasses.replace(curves, points=tuple(points))
    assert opposite.agreement() == (0, 2)
    assert opposite.distance() > 0.5


def test_theory_is_drawn_where_it_has_a_formula(curves):
    (figure,) = curves.figures().values()
    assert [point.predicted for point in figure["aba-abb mlp"]] == [None, None]
    few, more = (point.predicted for point in figure["aba-abb transformer+kq"])
    assert 0 < more < few < 1  # no training is needed for it
    question = figure["aba-abb transformer+kq"][1].line.asked.question
    assert more == pytest.approx(TemplateKernel().predict(question).certificate.loss)
    page = symbol_shown.symbols_page(curves)
    assert "Thin and dashed" in page
    points = tuple(point for point in curves.points if "mlp" in point.line.label)
    assert "Thin and dashed" not in symbol_shown.symbols_page(
        dataclasses.replace(curves, points=points)
    )


def test_it_is_shown(curves):
    console = Console(file=io.StringIO(), width=100)
    symbol_shown.show(console, curves)
    told = console.file.getvalue()
    assert "aba-abb mlp" in told and "0.999" in told and "not trained yet: 2 points" in told
    page = symbol_shown.symbols_page(curves)
    assert page == symbol_shown.symbols_page(curves)
    assert "<svg" in page and "ABA against ABB" in page
    described = json.loads(json.dumps(curves.as_json()))
    assert described["summary"]["compared"] == 2
