"""Connectivity by squaring and by searching: exact integers, oracles in plain Python, bad input."""

from __future__ import annotations

import numpy as np
import pytest

from foretell.constructions.reachability import frontier_steps, require_graphs, squarings
from foretell.plain.errors import BadInput
from foretell.protocols._asking import Budget
from foretell.sandboxes import compare
from foretell.sandboxes.representation.connectivity_depth import (
    FAMILIES,
    ConnectivityDepth,
    counted,
    cycle,
    distances,
    layers_for_diameter,
    missed_on_path,
    path,
    random_graphs,
)

SANDBOX = ConnectivityDepth()


def test_every_claim_of_the_cpu_preset_holds_with_fewer_graphs() -> None:
    settings = SANDBOX.settings(Budget.CPU) | {"graphs": 30, "nodes": 24, "longest": 33, "seed": 1}
    findings = SANDBOX.measure(settings, lambda progress: None)
    rows = compare(SANDBOX.claims(settings), findings)
    assert [row for row in rows if not row.agrees] == []
    assert findings.values["path of 33: layers"] == 5
    assert findings.values["path of 33: steps"] == 32


def _slow_distances(edges: np.ndarray) -> np.ndarray:
    found = np.full(edges.shape, np.inf)
    for start in range(len(edges)):
        found[start, start], frontier, step = 0, [start], 0
        while frontier:
            step += 1
            frontier = sorted(
                {
                    int(there)
                    for here in frontier
                    for there in np.flatnonzero(edges[here])
                    if found[start, there] == np.inf
                }
            )
            found[start, frontier] = step
    return found


def test_distances_and_counts_against_plain_python() -> None:
    graphs = random_graphs({"nodes": 9, "graphs": 12, "seed": 3})
    slow = [_slow_distances(graph) for graph in graphs]
    for graph, expected in zip(graphs, slow, strict=True):
        np.testing.assert_array_equal(distances(graph), expected)
    counts = counted(graphs, 9)
    diameters = [int(each[np.isfinite(each)].max()) for each in slow]
    assert counts.diameters.tolist() == counts.steps.tolist() == diameters
    assert counts.layers.tolist() == [layers_for_diameter(diameter) for diameter in diameters]


def test_one_round_fewer_is_not_enough_and_the_missed_pairs_are_counted() -> None:
    graphs, truth = path(9)[None], np.ones((1, 9, 9), bool)
    assert squarings(graphs, truth, 3, 40.0).wrong[:, 0].tolist() == [56, 42, 20, 0]
    missed = frontier_steps(graphs, truth, 3, 40.0).wrong[:, 0].tolist()
    assert missed == [missed_on_path(9, steps) for steps in range(4)] == [72, 56, 42, 30]


@pytest.mark.parametrize("family", FAMILIES)
def test_diameters_have_closed_forms(family: str) -> None:
    make, diameter = FAMILIES[family]
    for nodes in (3, 7, 15):
        assert distances(make(nodes)).max() == diameter(nodes)


def test_a_cycle_of_two_is_an_edge() -> None:
    assert cycle(2).tolist() == path(2).tolist()


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (lambda: require_graphs(np.zeros((1, 2, 3))), "adjacency"),
        (lambda: require_graphs(np.full((1, 2, 2), 0.5)), "adjacency"),
        (lambda: squarings(path(9)[None], np.ones((1, 9, 9), bool), 1, 3.0), "too blunt"),
        (lambda: random_graphs({"nodes": 1, "graphs": 1, "seed": 0}), "two nodes"),
    ],
)
def test_bad_input(make, said: str) -> None:
    with pytest.raises(BadInput, match=said):
        make()
