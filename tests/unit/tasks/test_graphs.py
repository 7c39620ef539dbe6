"""Random geometric graphs: solvers against SciPy, densities against theory, rejection, refusals."""

import functools

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components, maximum_flow, shortest_path
from scipy.spatial import cKDTree

from foretell.numerics.keys import key_for, root_key
from foretell.plain.errors import BadInput
from foretell.tasks.capture._lattice import (
    SIDE,
    draw_points,
    expected_degree,
    host_arcs,
    host_edges,
    pack,
    packed_neighbours,
    radius,
    squared_reach,
    unpack,
)
from foretell.tasks.capture._searching import cut_size, hop_distance
from foretell.tasks.graphs import acceptance
from foretell.tasks.lookup import find_task, task_from_json


@functools.partial(jax.jit, static_argnames=("size", "count", "torus"))
def solved(key, size, count, degree_reach, torus):
    """Points of graphs with what the device says of them, joined or not."""
    keys = jax.random.split(key, count)
    points = jax.vmap(lambda one: draw_points(one, size))(keys)

    def solve(each):
        graph = packed_neighbours(each, size, degree_reach // size, torus)
        return hop_distance(graph), cut_size(graph), jax.lax.population_count(graph).sum(axis=1)

    return (points, *jax.vmap(solve)(points))


def host_solution(points, degree, torus):
    """Hops, cut and degrees by SciPy."""
    pairs = host_edges(points, degree, torus)
    arcs = host_arcs(pairs, len(points))
    both = coo_array((np.ones(len(pairs)), (pairs[:, 0], pairs[:, 1])), shape=arcs.shape)
    hops = shortest_path(both, directed=False, unweighted=True, indices=0)[1]
    degrees = np.bincount(pairs.reshape(-1), minlength=len(points))
    return (
        -1 if np.isinf(hops) else int(hops),
        maximum_flow(arcs, 0, 1).flow_value,
        degrees,
    )


@pytest.mark.parametrize(
    ("size", "degree", "torus"),
    [
        (33, 4.0, False),
        (40, 12.0, True),
        pytest.param(8, 4.52, False, marks=pytest.mark.slow),
        pytest.param(64, 4.52, True, marks=pytest.mark.slow),
        pytest.param(64, 9.0, False, marks=pytest.mark.slow),
    ],
)
def test_the_device_solves_as_scipy_does(size, degree, torus):
    key = key_for(root_key(1), size, int(torus))
    found = jax.device_get(solved(key, size, 100, squared_reach(degree), torus))
    for points, hops, cut, degrees in zip(*found, strict=True):
        expected = host_solution(points.astype(np.int64), degree, torus)
        assert (hops, cut) == expected[:2]
        assert (degrees == expected[2]).all()
    hops, cuts, degrees = found[1:]
    assert ((hops == -1) == (cuts == 0)).all()
    assert (cuts <= degrees[:, :2].min(axis=1)).all()


@pytest.mark.slow
@pytest.mark.parametrize(("size", "degree"), [(256, 4.52), (256, 12.0), (512, 6.0)])
def test_the_device_solves_large_graphs_as_scipy_does(size, degree):
    found = jax.device_get(solved(root_key(2), size, 200, squared_reach(degree), False))
    for points, hops, cut, degrees in zip(*found, strict=True):
        expected = host_solution(points.astype(np.int64), degree, False)
        assert (hops, cut) == expected[:2] and (degrees == expected[2]).all()


def test_a_unit_can_be_sent_back():
    """The one shortest path crosses; only by undoing its middle are there two."""
    edges = [(0, 2), (2, 5), (5, 1), (0, 3), (3, 4), (4, 5), (2, 6), (6, 7), (7, 1)]
    joined = np.zeros((8, 8), bool)
    for one, other in edges:
        joined[one, other] = joined[other, one] = True
    graph = pack(jnp.asarray(joined))
    assert int(hop_distance(graph)) == 3 and int(cut_size(graph)) == 2


def test_bits_are_packed_and_unpacked():
    bits = np.random.default_rng(0).random((5, 70)) < 0.5
    words = pack(jnp.asarray(bits))
    assert words.shape == (5, 3)
    assert all(
        (np.asarray(unpack(row, 70)) == each).all() for row, each in zip(words, bits, strict=True)
    )


@pytest.mark.parametrize("torus", [False, True])
def test_the_mean_degree_is_the_expected_one(torus):
    def degree_of(key):
        graph = packed_neighbours(draw_points(key, 1000), 1000, squared_reach(4.52) // 1000, torus)
        return jax.lax.population_count(graph).sum(dtype=jnp.int32) / 1000

    keys = jax.random.split(key_for(root_key(4), "degrees"), 60)
    mean = float(jax.jit(lambda keys: jax.lax.map(degree_of, keys).mean())(keys))
    assert mean == pytest.approx(4.515 if torus else 4.371, abs=0.05)
    assert mean == pytest.approx(expected_degree(1000, 4.52, torus), abs=0.05)
    assert radius(1000, 4.52) == pytest.approx(0.03793, abs=5e-6)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("degree", "share", "hops", "cut"),
    [
        (4.52, 0.530, 5.23, 1.99),
        pytest.param(6.0, 0.818, 5.21, 2.59, marks=pytest.mark.slow),
    ],
)
def test_published_statistics_of_64_nodes(degree, share, hops, cut):
    """Given a path. The table gives no errors; its last digits are those of some hundred graphs."""
    assert acceptance(64, degree, draws=4_096) == pytest.approx(share, abs=0.05)
    for name, mean, within in (("shortest-path", hops, 0.35), ("min-cut", cut, 0.25)):
        labels = many_labels(f"{name}:degree={degree}", 8)
        assert labels.mean() == pytest.approx(mean, abs=within)


def many_labels(name, turns):
    task = find_task(name, 64)
    draw = jax.jit(lambda key: task.draw_graphs(key, 64, 256).labels)
    return np.concatenate([draw(key_for(root_key(6), name, turn)) for turn in range(turns)])


@pytest.mark.slow
@pytest.mark.parametrize("degree", [4.52, 6.0])
def test_the_lattice_and_the_rejection_change_no_statistics(degree):
    """Against real coordinates and SciPy, within four standard errors of both."""
    generator, found = np.random.default_rng(3), []
    for _ in range(4_000):
        pairs = cKDTree(generator.random((64, 2))).query_pairs(
            radius(64, degree), output_type="ndarray"
        )
        arcs = host_arcs(pairs.astype(np.int64), 64)
        hops = shortest_path(arcs, unweighted=True, indices=0)[1]
        found.append((hops, maximum_flow(arcs, 0, 1).flow_value))
    hops, cuts = np.array(found).T
    joined = cuts > 0
    share, both = joined.mean(), 4 * np.sqrt(1 / 4_000 + 1 / 8_192)
    within = both * np.sqrt(share * (1 - share))
    assert acceptance(64, degree, draws=8_192) == pytest.approx(share, abs=within)
    for name, values in (("shortest-path", hops[joined]), ("min-cut", cuts[joined])):
        labels = many_labels(f"{name}:degree={degree}", 32)
        within = 4 * values.std() * np.sqrt(1 / len(values) + 1 / len(labels))
        assert labels.mean() == pytest.approx(values.mean(), abs=within)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("degree", "size", "torus", "share"),
    [
        (4.52, 100, False, 0.575),
        (4.52, 400, False, 0.556),
        (4.52, 1600, False, 0.548),
        (4.52, 100, True, 0.878),
        (4.52, 400, True, 0.844),
        (4.52, 1600, True, 0.829),
        (3.0, 100, False, 0.272),
        (3.0, 400, False, 0.121),
        (3.0, 1600, False, 0.058),
    ],
)
def test_published_share_of_the_largest_component(degree, size, torus, share):
    generator, shares = np.random.default_rng(1), []
    for _ in range(300):
        pairs = host_edges(generator.integers(0, SIDE, (size, 2)), degree, torus)
        graph = coo_array((np.ones(len(pairs)), (pairs[:, 0], pairs[:, 1])), shape=(size, size))
        shares.append(np.bincount(connected_components(graph, directed=False)[1]).max() / size)
    assert np.mean(shares) == pytest.approx(share, abs=0.05)


@pytest.mark.parametrize("name", ["shortest-path", "min-cut:degree=6,torus"])
def test_graphs_are_rows_with_the_oracles_answer(name):
    task, traced = find_task(name, 50), []

    @functools.partial(jax.jit, static_argnames=("size", "count"))
    def draw(key, size, count):
        traced.append(1)
        return task.draw_graphs(key, size, count)

    rows, labels, _ = jax.device_get(draw(root_key(1), 50, 40))
    again = draw(root_key(1), 50, 40)
    assert len(traced) == 1 and (rows == again.rows).all() and (labels == again.labels).all()
    assert rows.shape == (40, 50, 3) and len(np.unique(rows[:, 2, 0])) > 35
    assert (rows[:, :, 2] == [1.0, -1.0] + [0.0] * 48).all()
    assert (rows[:, :, :2] > 0).all() and (rows[:, :, :2] < 1).all()
    for points, label in zip(rows[:, :, :2] * SIDE - 0.5, labels, strict=True):
        word = tuple(map(str, np.round(points).astype(int).reshape(-1).tolist()))
        assert task.answer(word) == (f"{label:.0f}",)


def test_names_and_samplers_say_what_was_chosen():
    task = find_task("shortest-path:degree=6,torus", 40)
    assert task.name == "shortest-path:degree=6,torus"
    assert task_from_json(task.as_json()) == task
    assert "torus" in task.sampler and "degree of 6" in task.sampler
    assert "drawn again" in find_task("min-cut").sampler
    assert find_task("min-cut").fact("heuristic-complexity").value == "T"
    assert find_task("shortest-path").fact("heuristic-complexity").value == "T"


def test_a_degree_without_paths_is_refused_with_its_rate():
    task = find_task("shortest-path:degree=0.01", 200)
    with pytest.raises(BadInput, match="acceptance rate 0 of 1,000"):
        task.draw_graphs(root_key(0), 200, 4)
    with pytest.raises(BadInput, match="acceptance rate 0 of 1,000"):
        jax.jit(lambda key: task.sample(key, jnp.full(2, 200), task.width(200)))(root_key(0))
    assert acceptance(200, 0.01, draws=64) == 0


@pytest.mark.parametrize(
    "what",
    ["degree=0", "degree=-1", "degree=inf", "degree=1000", "torus=yes", "radius=2", "degree"],
)
def test_bad_settings_of_graphs_are_refused(what):
    with pytest.raises(BadInput):
        find_task(f"shortest-path:{what}", 40)


def test_bad_graphs_are_refused():
    with pytest.raises(BadInput, match="more nodes"):
        find_task("min-cut").draw_graphs(root_key(0), 7, 4)
    with pytest.raises(BadInput, match="no input that small"):
        find_task("min-cut", 7)
    far = ("0", "0", "4000", "4000", *(str(n) for n in range(12)))
    for name in ("min-cut", "shortest-path"):
        with pytest.raises(BadInput, match="no path"):
            find_task(name).answer(far)
        with pytest.raises(BadInput, match="two coordinates"):
            find_task(name).answer(("1", "2", "3"))
    with pytest.raises(BadInput, match="radius reaches"):
        expected_degree(8, 30.0)


@pytest.mark.parametrize("name", ["shortest-path", "min-cut"])
def test_graphs_of_several_sizes_are_those_of_each_size(name):
    task, width = find_task(name, 24), 24
    sizes = jnp.array([8, 24, 8, 17, 9, 24] * 8)
    drawn = jax.jit(lambda key: task.draw_mixed(key, sizes, width))(root_key(3))
    assert drawn.rows.shape == (48, width, 3) and (drawn.sizes == sizes).all()
    for rows, label, size in zip(*(np.asarray(own) for own in drawn), strict=True):
        points = np.round(rows[:size, :2] * SIDE - 0.5).astype(int)
        word = tuple(map(str, points.ravel()))
        assert task.answer(word) == (str(int(label)),)


def test_sizes_that_are_joined_less_often_are_drawn_as_often():
    # at this degree some 0.77 of graphs of 8 nodes are joined and 0.5 of 64: none is preferred
    task = find_task("shortest-path", 64)
    sizes = jnp.array([8, 64] * 64)
    drawn = jax.jit(lambda key: task.draw_mixed(key, sizes, 64))(root_key(0))
    assert np.isfinite(np.asarray(drawn.labels)).all()
    longer = np.asarray(drawn.labels)[1::2].mean() - np.asarray(drawn.labels)[::2].mean()
    assert longer > 1
