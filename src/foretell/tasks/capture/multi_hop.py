"""Follow arrows through a shuffled list, a fixed number of times.

What: The input lists the arrows of one closed round trip through all its names, in random order,
    and then a name to start from; the answer is where a few hops lead. A control: more than one
    lookup, but no more work than induction.
Definition: x1 y1 .. xT yT q, where the arrows x → y form a single cycle through T distinct names,
    uniform among the cycles and among the orders of the list; the answer is q followed along
    `hops` arrows (2 unless told), read at the last position. Size is T, the number of arrows, at
    least 8; a model reads 2T + 1 tokens.
Example:
    >>> MultiHop().answer(tuple("n1 n5 n3 n1 n5 n3 n3".split()))
    ('n5',)

Known limits: The names bound the size: as many as the smallest power of two that is large enough.
    One cycle rather than any permutation, so that no start comes back to itself.
Sources: ours; a control beside the tasks of arXiv 2603.11161
"""

from __future__ import annotations

from dataclasses import dataclass, field

import jax
import jax.numpy as jnp
from jaxtyping import Array, Int, Key

from foretell.core.task import Fact
from foretell.plain.errors import BadInput
from foretell.tasks.capture._distinct import draw_distinct, draw_order
from foretell.tasks.capture._last_position import LastPositionTask, as_ids
from foretell.tasks.capture._settings import power_of_two, whole_number

TABLE = "one table of arrows, then a fixed number of hops; benchmarks/solvers.py counts it"


@dataclass(frozen=True)
class MultiHop(LastPositionTask):
    """Where a few hops lead."""

    hops: int = field(default=2, kw_only=True)
    title = "multi-hop"
    smallest = 8
    sampler = "one uniform cycle through distinct names, its arrows in uniform order"
    facts = (Fact("heuristic-complexity", "T", TABLE),)

    def __post_init__(self) -> None:
        super().__post_init__()
        whole_number("the number of hops", self.hops, 1, self.smallest - 1)

    @property
    def symbols(self) -> tuple[str, ...]:
        """The names."""
        return tuple(f"n{number}" for number in range(power_of_two(self.longest)))

    def word_length(self, size: int) -> int:
        """Two names an arrow, and the start."""
        return 2 * size + 1

    def answer(self, word: tuple[str, ...]) -> tuple[str, ...]:
        """Follow the arrows."""
        arrows, now = dict(zip(word[:-1:2], word[1:-1:2], strict=False)), word[-1]
        if len(word) % 2 == 0 or 2 * len(arrows) + 1 != len(word):
            raise BadInput(
                "the input is one arrow for each name, and a start", seen=" ".join(word[:30])
            )
        for _ in range(self.hops):
            if now not in arrows:
                raise BadInput("no arrow leaves a name", seen=now, why="every name needs one")
            now = arrows[now]
        return (now,)

    def draw_word(
        self, key: Key[Array, ""], size: Int[Array, ""], width: int
    ) -> tuple[Int[Array, " length"], Int[Array, ""], Int[Array, ""]]:
        """Names in the order of the trip, arrows in any; the start is the first of the trip."""
        for_names, for_order = jax.random.split(key)
        most = min((width - 1) // 2, self.longest)
        trip = draw_distinct(for_names, most, power_of_two(self.longest))
        order = draw_order(for_order, size, most)
        place = jnp.arange(width)
        step = order[jnp.clip(place // 2, 0, most - 1)] + place % 2
        tokens = jnp.where(place == 2 * size, trip[0], trip[step % size])
        return as_ids(tokens), 2 * size + 1, as_ids(trip[self.hops % size])
