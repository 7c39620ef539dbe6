"""A Boolean function as a task: read its bits, say its value at one extra position.

Parity can also be asked for in steps, as a chain of thought: after the bits come a 0 and the
parities of more and more bits, each said at the one before. They are 1 where the number of ones
is odd, so that each is the one before, plus one bit, modulo 2; the last is one minus the value of
the function, which is 1 where the number is even.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float, Int, Integer, Key

from foretell.boolean.drawing import parity
from foretell.boolean.function import BooleanFunction
from foretell.boolean.outcome import GapAtMost as GapAtMost  # so that stored questions read back
from foretell.core.alphabet import PAD, RESERVED, SEP, Alphabet
from foretell.core.task import ArrayTree, Example, Fact, Task
from foretell.plain.errors import BadInput


@dataclass(frozen=True)
class BooleanTask(Task):
    """Predict the value of one function of a fixed number of bits; targets are real numbers."""

    function: BooleanFunction = field(kw_only=True)
    steps: bool = field(default=False, kw_only=True)  # parity by a chain of thought
    facts: tuple[Fact, ...] = ()
    sampler = "uniform over all inputs"

    def __post_init__(self) -> None:
        if self.steps and (self.bits < 2 or self.function.source != parity(self.bits)):
            raise BadInput(
                "only parity of two bits or more is learned in steps",
                seen=self.function.name,
                why="a step takes one bit more into the parity of those before",
                hint="boolean:parity,T=8,steps",
            )

    @property
    def bits(self) -> int:
        """How many bits the function reads."""
        return self.function.bits

    @property
    def name(self) -> str:
        """As one writes it on the command line."""
        return f"boolean:{self.function.name}{',steps' if self.steps else ''}"

    @property
    def longest(self) -> int:
        """The one size there is."""
        return self.bits

    @cached_property
    def alphabet(self) -> Alphabet:
        """The two values of a bit."""
        return Alphabet(("0", "1"))

    @property
    def labels(self) -> tuple[str, ...]:
        """One output: the value."""
        return ("value",)

    def width(self, size: int) -> int:
        """The bits and the positions that are read: one, or one a step."""
        return size + self.scored(size)

    def scored(self, size: int) -> int:
        """The last position only, or every step."""
        return size if self.steps else 1

    def sizes(self, low: int, high: int, probe: str | None = None) -> tuple[int, ...]:
        """The number of bits, if it lies in the range."""
        return (self.bits,) if low <= self.bits <= high else ()

    def nearest_sizes(self, low: int, high: int, probe: str | None = None) -> tuple[int, ...]:
        """The number of bits, if it lies outside."""
        return () if self.sizes(low, high) else (self.bits,)

    def value(self, word: tuple[str, ...]) -> float:
        """The function at one input."""
        return float(self.function(np.array([[int(bit) for bit in word]]))[0])

    def targets(self, inputs: Integer[np.ndarray, "batch bit"]) -> Float[np.ndarray, "batch ..."]:
        """What a model has to say at each row of bits: the value, or the parity after each step."""
        if self.steps:
            return np.cumsum(inputs, axis=1, dtype=np.int64) % 2.0
        return self.function(inputs)

    def answer(self, word: tuple[str, ...]) -> tuple[str, ...]:
        """The value in digits, or what a chain writes."""
        if not self.steps:
            return (f"{self.value(word):.6g}",)
        return tuple(str(word[: place + 1].count("1") % 2) for place in range(len(word)))

    def lay_out(  # type: ignore[override]
        self, word: tuple[str, ...]
    ) -> tuple[list[int], list[float], list[bool]]:
        """Tokens, targets (the value at the last position, or one each step) and mask."""
        if self.steps:
            written = self.answer(word)
            tokens = [*self.alphabet.encode(word), *self.alphabet.encode(("0", *written[:-1]))]
            said = [0.0] * len(word) + [float(bit) for bit in written]
            return tokens, said, [False] * len(word) + [True] * len(word)
        tokens = [*self.alphabet.encode(word), SEP]
        targets = [0.0] * len(word) + [self.value(word)]
        return tokens, targets, [False] * len(word) + [True]

    def read_word(self, tokens: list[int]) -> tuple[str, ...]:
        """Everything before the positions that are read."""
        tokens = tokens[: self.bits]
        return self.alphabet.decode([token for token in tokens if token not in (SEP, PAD)])

    def draw(
        self,
        tables: ArrayTree,
        key: Key[Array, ""],
        size: Int[Array, ""],
        width: int,
        probe: str = "typical",
    ) -> Example:
        """Uniform bits; the value is computed on the host, a chain where it is needed."""
        bits = jax.random.randint(key, (self.bits,), 0, 2)
        if self.steps:
            return self._chain(bits, width)
        shape = jax.ShapeDtypeStruct((), jnp.float32)
        value = jax.pure_callback(self._values, shape, bits, vmap_method="expand_dims")
        tokens = jnp.full((width,), PAD).at[: self.bits].set(bits + len(RESERVED))
        tokens = tokens.at[self.bits].set(SEP)
        mask = jnp.arange(width) == self.bits
        return Example(tokens, jnp.where(mask, value, 0.0), mask, jnp.int32(self.bits))

    def _chain(self, bits: Int[Array, " bit"], width: int) -> Example:
        written = jnp.cumsum(bits) % 2
        tokens = jnp.concatenate([bits, jnp.zeros(1, bits.dtype), written[:-1]])
        room = (0, width - 2 * self.bits)
        said = jnp.pad(written.astype(jnp.float32), (self.bits, room[1]))
        mask = (jnp.arange(width) >= self.bits) & (jnp.arange(width) < 2 * self.bits)
        padded = jnp.pad(tokens + len(RESERVED), room, constant_values=PAD)
        return Example(padded, said, mask, jnp.int32(self.bits))

    def _values(self, rows: Int[Array | np.ndarray, "*batch bit"]) -> Float[np.ndarray, "*batch"]:
        flat = np.asarray(rows).reshape(-1, self.bits)
        return self.function(flat).astype(np.float32).reshape(rows.shape[:-1])

    def as_json(self) -> dict[str, object]:
        """The function itself identifies it, and the steps if there are any."""
        described = {**super().as_json(), "function": self.function.as_json()}
        return {**described, "steps": True} if self.steps else described
