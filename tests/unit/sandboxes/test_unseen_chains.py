"""Chains from outside the prior; the training marked slow."""

from __future__ import annotations

import numpy as np
import pytest

from foretell.numerics.stochastic import require_chances
from foretell.plain.errors import BadInput
from foretell.protocols._asking import Budget
from foretell.sandboxes import compare
from foretell.sandboxes.learning.unseen_chains import UnseenChains, _tables, cycle


def test_a_cycle_has_a_floor_and_goes_round() -> None:
    table = cycle(4, 0.2)
    require_chances(table, square=True)
    assert table.min() == pytest.approx(0.2 / 4)
    assert table.argmax(axis=1).tolist() == [1, 2, 3, 0]


@pytest.mark.parametrize(("symbols", "floor"), [(1, 0.1), (3, 0.0), (3, 1.0), (3, -0.1)])
def test_what_is_no_cycle(symbols: int, floor: float) -> None:
    with pytest.raises(BadInput, match="cycle"):
        cycle(symbols, floor)


@pytest.mark.parametrize("world", ["cycle", "balanced", "sparse"])
def test_away_from_home_every_chance_has_a_floor(world: str) -> None:
    settings = UnseenChains().settings(Budget.SMOKE) | {"tests": 50}
    tables = _tables(world, np.random.default_rng(0), settings)
    np.testing.assert_allclose(tables.sum(axis=-1), 1, atol=1e-5)
    assert tables.min() >= settings["floor"] / settings["symbols"] - 1e-6
    if world == "balanced":
        np.testing.assert_allclose(tables.sum(axis=-2), 1, atol=1e-3)


def test_a_world_nobody_knows() -> None:
    with pytest.raises(BadInput, match="unknown world"):
        _tables("text", np.random.default_rng(0), UnseenChains().settings(Budget.SMOKE))


@pytest.mark.slow
def test_every_claim_holds_on_a_cpu() -> None:
    sandbox = UnseenChains()
    settings = sandbox.settings(Budget.CPU)
    rows = compare(sandbox.claims(settings), sandbox.measure(settings, lambda progress: None))
    assert [row for row in rows if not row.agrees] == []
