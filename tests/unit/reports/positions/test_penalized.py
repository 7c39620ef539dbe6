"""A penalty on products of positions: gathered from a store, told, drawn; and without weights."""

from __future__ import annotations

import dataclasses
import json
from pathlib import Path

import numpy as np
import pytest
from rich.console import Console

from foretell.protocols._asking import Budget
from foretell.protocols._running import train
from foretell.reports.positions import penalized_shown as shown
from foretell.reports.positions.penalized import Penalties, collect
from foretell.reproductions import Line, Reproduction
from foretell.reproductions.position_penalty import PositionPenalty
from foretell.training.store import Store


class Hurried(Reproduction):
    """The first task's two rows, trained for a moment."""

    about = "positions"
    title, source = "hurried", "here"

    def lines(self, budget: Budget, seeds: int | None = None) -> tuple[Line, ...]:
        found = PositionPenalty().lines(Budget.SMOKE, seeds)
        return tuple(_hurried(line) for line in found if line.label == found[0].label)


def _hurried(line: Line) -> Line:
    protocol = dataclasses.replace(line.asked.protocol, steps=4, check_every=4, samples=20)  # type: ignore[type-var]
    return dataclasses.replace(line, asked=dataclasses.replace(line.asked, protocol=protocol))


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Store:
    made = Store.at(tmp_path_factory.mktemp("runs"))
    for line in Hurried().lines(Budget.SMOKE):
        train([line.asked], made)
    return made


@pytest.fixture(scope="module")
def found(store: Store) -> Penalties:
    return collect(Hurried(), "smoke", None, store)


def test_rows_have_every_seed_and_every_head(found: Penalties) -> None:
    usual, paid, pairs = found.of(found.tasks[0])
    strengths = [each.strength for each in (usual, paid, pairs)]
    assert strengths == ["0", "0.01", "0.01, all pairs"]
    assert pairs.as_json()["penalized"] == "all pairs"
    shape = usual.line.asked.question.architecture
    assert len(usual.offsets) == shape.layers * shape.heads * len(usual.line.asked.seeds)
    assert all(each <= whole for each, whole in zip(usual.offsets, usual.uses, strict=True))
    assert usual.squares().shape == (1, shape.context)
    assert usual.measured is not None
    for sizes in usual.ranges:
        shares = next(v for v in usual.measured.values if v.sizes == sizes)
        assert list(usual.shares(sizes).values()) == list(shares.seeds)
    # the penalty is what was paid for, so it ends lower
    assert np.mean(paid.regularizers) < np.mean(usual.regularizers)


def test_it_is_told_and_drawn(found: Penalties) -> None:
    told = shown.findings(found)
    used, changed, _ = told
    assert "moves a head's logits" in used and "of 1 head " in used
    assert "median offset variance" in changed and "51-100" in changed
    page = shown.penalty_page(found)
    assert page.count("<svg") == 1 and "λ = 0.01" in page
    json.dumps(found.as_json())
    console = Console(record=True, width=200)
    shown.show(console, found)
    assert found.tasks[0] in console.export_text()


def test_an_empty_store_and_one_without_weights(store: Store, tmp_path: Path) -> None:
    nothing = collect(Hurried(), "smoke", None, Store.at(tmp_path / "none"))
    assert shown.findings(nothing) == ["not run yet: 3 rows"]
    assert "<svg" not in shown.penalty_page(nothing)
    bare = tuple(
        dataclasses.replace(row, looked=None)
        for row in collect(Hurried(), "smoke", None, store).rows
    )
    told = shown.findings(Penalties(Hurried(), "smoke", bare))
    assert "median offset variance" not in told[0] and "no weights" in told[-1]
    assert "–" in shown.cells(bare[0])
