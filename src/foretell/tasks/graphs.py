"""Tasks on random geometric graphs: points, one of them the source, one the target, and a number.

Points are uniform on the unit square, or on the torus, and joined when nearer than a radius that
gives the expected degree. A model reads one row a node, (x, y, role), and no edges: it has to know
the radius from the number of nodes. For everything that reads tokens there is the same graph as
SOS x0 y0 x1 y1 .. SEP number EOS.

Graphs in which no path joins source and target have no distance. They are drawn again, on the
device: rounds of as many graphs as are wanted, those that will do moved to the front, until there
are enough. How many will do is `acceptance`; a degree at which none of a thousand does is refused.
"""

from __future__ import annotations

import abc
import functools
from dataclasses import dataclass, field
from typing import ClassVar, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from jaxtyping import Array, Bool, Float, Int, Key, UInt32
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from foretell.core.task import ArrayTree, Example
from foretell.numerics.keys import key_for, root_key
from foretell.plain.errors import BadInput
from foretell.tasks.answering import AnsweringTask
from foretell.tasks.capture._lattice import (
    MOST_DEGREE,
    SIDE,
    SOURCE,
    TARGET,
    draw_points,
    host_edges,
    packed_neighbours,
    squared_reach,
)
from foretell.tasks.capture._searching import hop_distance
from foretell.tasks.capture._settings import SettledTask

CRITICAL = 4.52  # near this degree a large part of the nodes hangs together for the first time
CAP = 1_000  # graphs tried on the host before a degree is refused
ROUNDS = 1 << 14  # rounds on the device: even one graph in a thousand is then found
AT_ONCE = 64  # graphs searched together when acceptance is measured


class Points(NamedTuple):
    """Graphs as rows of numbers, with what is asked of them.

    A row is x, y and the role: 0 for a relay, 1 for the source (node 0), -1 for the target (node
    1). Labels are whole numbers, or not a number where no graph was found in all rounds. Graphs of
    several sizes are padded; `sizes` says how many rows of each are nodes.
    """

    rows: Float[Array, "batch length part"]
    labels: Float[Array, " batch"]
    sizes: Int[Array, " batch"] | None = None


@dataclass(frozen=True)
class GraphTask(AnsweringTask, SettledTask):
    """A family keeps to its oracle and to what it computes from the packed graph."""

    degree: float = field(default=CRITICAL, kw_only=True)
    torus: bool = field(default=False, kw_only=True)
    smallest: ClassVar[int] = 8

    def __post_init__(self) -> None:
        super().__post_init__()
        if not 0 < self.degree <= MOST_DEGREE:
            raise BadInput(
                "an expected degree is a number above 0",
                seen=self.degree,
                why=f"and at most {MOST_DEGREE:g}",
                hint="degree=6",
            )

    @abc.abstractmethod
    def number(self, arriving: UInt32[Array, "length bit"]) -> Int[Array, ""]:
        """The answer for one packed graph, on the device."""

    @property
    def symbols(self) -> tuple[str, ...]:
        """Coordinates, and answers."""
        return _numbers()

    @property
    def sampler(self) -> str:
        """Where the points are, and which graphs are kept."""
        where = "torus" if self.torus else "square"
        return (
            f"points uniform on the unit {where} (a lattice of {SIDE} by {SIDE}), joined for an "
            f"expected degree of {self.degree:g}, drawn again until a path joins source and target"
        )

    def word_length(self, size: int) -> int:
        """Two coordinates a node."""
        return 2 * size

    def read_points(self, word: tuple[str, ...]) -> Int[np.ndarray, "length part"]:
        """The coordinates that a word lists."""
        if len(word) % 2 or len(word) < 4 or not all(map(str.isdecimal, word)):
            raise BadInput(
                "a graph is two coordinates for each of its nodes", seen=" ".join(word[:30])
            )
        return np.array(word, np.int64).reshape(-1, 2)

    def neighbours(self, word: tuple[str, ...]) -> list[list[int]]:
        """Who is joined to each node, on the host."""
        points = self.read_points(word)
        found: list[list[int]] = [[] for _ in points]
        for one, other in host_edges(points, self.degree, self.torus).tolist():
            found[one].append(other)
            found[other].append(one)
        return found

    def pack(
        self, points: Int[Array, "length part"], size: int | Int[Array, ""]
    ) -> UInt32[Array, "length bit"]:
        """The graph of the first `size` points, on the device."""
        squared = squared_reach(self.degree) // size
        return packed_neighbours(points, size, squared, self.torus)

    def require(self, size: int) -> None:
        """Refuse a size at which no graph can be drawn; at once, if there are any."""
        if size < self.smallest:
            raise BadInput(
                "a graph needs more nodes", seen=size, why=f"at least {self.smallest} for this task"
            )
        _refuse_hopeless(size, self.degree, self.torus)

    def draw_graphs(self, key: Key[Array, ""], size: int, count: int) -> Points:
        """`count` graphs of `size` nodes. Pure; `size` and `count` are not traced."""
        self.require(size)
        points, found = self._keep_joined(key, size, count)
        numbers = jax.vmap(lambda each: self.number(self.pack(each, size)))(points)
        labels = jnp.where(jnp.arange(count) < found, numbers.astype(jnp.float32), jnp.nan)
        return Points(rows_of(points), labels)

    def draw_mixed(self, key: Key[Array, ""], sizes: Int[Array, " batch"], width: int) -> Points:
        """A graph of each of these sizes, at most `width`, which alone is not traced.

        Each place draws until it has one: moving those that will do to the front, as for one size,
        would prefer the sizes at which they are common.
        """
        self.require(width)

        def one(key: Key[Array, ""], size: Int[Array, ""]) -> tuple[Array, Array]:
            points, joined = self._draw_joined(key, size, width)
            number = self.number(self.pack(points, size)).astype(jnp.float32)
            return points, jnp.where(joined, number, jnp.nan)

        points, labels = jax.vmap(one)(jax.random.split(key, len(sizes)), sizes)
        return Points(rows_of(points), labels, sizes)

    def _draw_joined(
        self, key: Key[Array, ""], size: Int[Array, ""], width: int
    ) -> tuple[Int[Array, "length part"], Bool[Array, ""]]:
        """Points, the first `size` of which join source and target; and whether they do."""

        def points_of(turn: Int[Array, ""]) -> Int[Array, "length part"]:
            return draw_points(key_for(key, turn), width)

        def apart(turn: Int[Array, ""]) -> Array:
            return (hop_distance(self.pack(points_of(turn), size)) < 0) & (turn < ROUNDS)

        turn = lax.while_loop(apart, lambda turn: turn + 1, jnp.int32(0))
        return points_of(turn), turn < ROUNDS

    def _keep_joined(
        self, key: Key[Array, ""], size: int, count: int
    ) -> tuple[Int[Array, "batch length part"], Int[Array, ""]]:
        """The first graphs that will do, in the order in which they were drawn, and how many."""

        def one_round(
            state: tuple[Int[Array, "batch length part"], Int[Array, ""], Int[Array, ""]],
        ) -> tuple[Int[Array, "batch length part"], Int[Array, ""], Int[Array, ""]]:
            kept, found, turn = state
            keys = jax.random.split(key_for(key, turn), count)
            drawn = jax.vmap(lambda one: draw_points(one, size))(keys)
            joined = jax.vmap(lambda each: hop_distance(self.pack(each, size)))(drawn) > 0
            place = jnp.where(joined, found + jnp.cumsum(joined) - 1, count)
            return kept.at[place].set(drawn, mode="drop"), found + joined.sum(), turn + 1

        nothing = jnp.zeros((count, size, 2), jnp.int32)
        state = (nothing, jnp.int32(0), jnp.int32(0))
        kept, found, _ = lax.while_loop(
            lambda state: (state[1] < count) & (state[2] < ROUNDS), one_round, state
        )
        return kept, found

    def draw(
        self,
        tables: ArrayTree,
        key: Key[Array, ""],
        size: Int[Array, ""],
        width: int,
        probe: str = "typical",
    ) -> Example:
        """One graph as tokens."""
        _refuse_hopeless(self.longest, self.degree, self.torus)
        return super().draw(tables, key, size, width, probe)

    def draw_word(
        self, key: Key[Array, ""], size: Int[Array, ""], width: int
    ) -> tuple[Int[Array, " length"], Int[Array, ""], Int[Array, " size"], Int[Array, ""]]:
        """Graphs until one joins source and target."""
        points, _ = self._draw_joined(key, size, min((width - 4) // 2, self.longest))
        number = self.number(self.pack(points, size))
        return points.reshape(-1), 2 * size, number[None], jnp.int32(1)


def rows_of(points: Int[Array, "batch length ..."]) -> Float[Array, "batch length part"]:
    """x, y, role: the middle of each lattice cell, as a share of the side."""
    role = jnp.zeros(points.shape[1]).at[SOURCE].set(1.0).at[TARGET].set(-1.0)
    roles = jnp.broadcast_to(role[:, None], (*points.shape[:2], 1))
    return jnp.concatenate([(points.astype(jnp.float32) + 0.5) / SIDE, roles], axis=-1)


def acceptance(
    size: int, degree: float = CRITICAL, torus: bool = False, draws: int = 1_024, seed: int = 0
) -> float:
    """The share of graphs in which a path joins source and target.

    >>> 0.4 < acceptance(64, draws=256) < 0.7
    True
    """
    batches = -(-draws // AT_ONCE)
    keys = jax.random.split(key_for(root_key(seed), "acceptance"), (batches, AT_ONCE))
    hops = _distances(keys, size, squared_reach(degree) // size, torus)
    return float((hops.reshape(-1)[:draws] > 0).mean())


@functools.partial(jax.jit, static_argnames=("size", "torus"))
def _distances(
    keys: Key[Array, "draw batch"], size: int, squared: int | Int[Array, ""], torus: bool
) -> Int[Array, "draw batch"]:
    def one(key: Key[Array, ""]) -> Int[Array, ""]:
        return hop_distance(packed_neighbours(draw_points(key, size), size, squared, torus))

    return lax.map(jax.vmap(one), keys)


def _refuse_hopeless(size: int, degree: float, torus: bool) -> None:
    """On the host, so that it can speak up while a sampler is being compiled."""
    if not _is_ever_joined(size, degree, torus):
        raise BadInput(
            "no path joins source and target at that degree",
            seen=f"acceptance rate 0 of {CAP:,} graphs: {size} nodes, expected degree {degree:g}",
            why="graphs are drawn until a path joins the two, and that would take too long",
            hint=f"degree={CRITICAL}, or fewer nodes",
        )


@functools.cache
def _is_ever_joined(size: int, degree: float, torus: bool) -> bool:
    generator = np.random.default_rng(0)
    for _ in range(CAP):
        pairs = host_edges(generator.integers(0, SIDE, (size, 2)), degree, torus)
        ones = np.ones(len(pairs), np.int8)
        graph = coo_array((ones, (pairs[:, 0], pairs[:, 1])), shape=(size, size))
        parts = connected_components(graph, directed=False)[1]
        if parts[SOURCE] == parts[TARGET]:
            return True
    return False


@functools.cache
def _numbers() -> tuple[str, ...]:
    return tuple(map(str, range(SIDE)))
