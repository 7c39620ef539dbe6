"""A Boolean function as a task: read its bits, say its value at one extra position."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float, Int, Key

from foretell.boolean.function import BooleanFunction
from foretell.boolean.outcome import GapAtMost as GapAtMost  # so that stored questions read back
from foretell.core.alphabet import PAD, RESERVED, SEP, Alphabet
from foretell.core.task import ArrayTree, Example, Fact, Task


@dataclass(frozen=True)
class BooleanTask(Task):
    """Predict the value of one function of a fixed number of bits; targets are real numbers."""

    function: BooleanFunction = field(kw_only=True)
    facts: tuple[Fact, ...] = ()
    sampler = "uniform over all inputs"

    @property
    def bits(self) -> int:
        """How many bits the function reads."""
        return self.function.bits

    @property
    def name(self) -> str:
        """As one writes it on the command line."""
        return f"boolean:{self.function.name}"

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
        """The bits and the position that is read."""
        return size + 1

    def scored(self, size: int) -> int:
        """The last position only."""
        return 1

    def sizes(self, low: int, high: int, probe: str | None = None) -> tuple[int, ...]:
        """The number of bits, if it lies in the range."""
        return (self.bits,) if low <= self.bits <= high else ()

    def nearest_sizes(self, low: int, high: int, probe: str | None = None) -> tuple[int, ...]:
        """The number of bits, if it lies outside."""
        return () if self.sizes(low, high) else (self.bits,)

    def value(self, word: tuple[str, ...]) -> float:
        """The function at one input."""
        return float(self.function(np.array([[int(bit) for bit in word]]))[0])

    def answer(self, word: tuple[str, ...]) -> tuple[str, ...]:
        """The value in digits."""
        return (f"{self.value(word):.6g}",)

    def lay_out(  # type: ignore[override]
        self, word: tuple[str, ...]
    ) -> tuple[list[int], list[float], list[bool]]:
        """Tokens, targets (the value at the last position) and mask."""
        tokens = [*self.alphabet.encode(word), SEP]
        targets = [0.0] * len(word) + [self.value(word)]
        return tokens, targets, [False] * len(word) + [True]

    def read_word(self, tokens: list[int]) -> tuple[str, ...]:
        """Everything before the position that is read."""
        return self.alphabet.decode([token for token in tokens if token not in (SEP, PAD)])

    def draw(
        self,
        tables: ArrayTree,
        key: Key[Array, ""],
        size: Int[Array, ""],
        width: int,
        probe: str = "typical",
    ) -> Example:
        """Uniform bits; the value is computed on the host."""
        bits = jax.random.randint(key, (self.bits,), 0, 2)
        shape = jax.ShapeDtypeStruct((), jnp.float32)
        value = jax.pure_callback(self._values, shape, bits, vmap_method="expand_dims")
        tokens = jnp.full((width,), PAD).at[: self.bits].set(bits + len(RESERVED))
        tokens = tokens.at[self.bits].set(SEP)
        mask = jnp.arange(width) == self.bits
        return Example(tokens, jnp.where(mask, value, 0.0), mask, jnp.int32(self.bits))

    def _values(self, rows: Int[Array | np.ndarray, "*batch bit"]) -> Float[np.ndarray, "*batch"]:
        flat = np.asarray(rows).reshape(-1, self.bits)
        return self.function(flat).astype(np.float32).reshape(rows.shape[:-1])

    def as_json(self) -> dict[str, object]:
        """The function itself identifies it."""
        return {**super().as_json(), "function": self.function.as_json()}
