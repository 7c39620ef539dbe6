"""How a function of one member becomes a function of all of them.

On an accelerator the members are one batched program (`vmap`): small models alone leave it idle.
On a CPU they run one after the other, a thread a core, through one compiled function: batching
buys nothing there and spills the caches, and a member that has stopped costs nothing at all.
"""

from __future__ import annotations

import abc
import os
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any, ClassVar

import jax
import jax.numpy as jnp

Tree = Any  # a pytree of arrays

# On an H200 XLA's search for softmaxes to fuse takes a third to a half of compiling and changes
# the speed by -9 to +3 %; trying products out in many forms takes another third and gains 7 to
# 30 %, which pays only where a program runs for minutes
# (results/performance/compiling-options-h200.json).
LASTING = {"xla_disable_hlo_passes": "triton-softmax-rewriter"}
BRIEF = {**LASTING, "xla_gpu_enable_triton_gemm": False}


class MemberLoop(abc.ABC):
    """How a function of one member becomes a function of all of them."""

    batched: ClassVar[bool]  # one program for all: who has stopped costs as much as who runs

    @abc.abstractmethod
    def compile(
        self, function: Callable[..., Tree], donate: int | None = None, lasting: bool = False
    ) -> Callable:
        """A function from lists of per-member arguments to a list of results.

        One that will run for minutes, `lasting`, is worth more time to compile.
        """

    @abc.abstractmethod
    def spread(self, trees: list[Tree]) -> Tree:
        """Hand over one tree a member."""

    @abc.abstractmethod
    def gather(self, spread: Tree) -> list[Tree]:
        """Back to one tree a member."""

    @abc.abstractmethod
    def pick(self, spread: Tree, part: Callable[[Tree], Tree]) -> Tree:
        """A part of what was spread, without moving the rest."""

    @abc.abstractmethod
    def keep(self, spread: Tree, places: Sequence[int]) -> Tree:
        """Only the members at these places."""


class OneByOne(MemberLoop):
    """Members in turn on a pool of threads: the loop for CPUs."""

    batched = False

    def __init__(self) -> None:
        allowed = getattr(os, "sched_getaffinity", None)  # not on every system
        self.pool = ThreadPoolExecutor(len(allowed(0)) if allowed else os.cpu_count())

    def compile(
        self, function: Callable[..., Tree], donate: int | None = None, lasting: bool = False
    ) -> Callable:
        """One compilation serves every member; without the lock each thread would make its own."""
        del lasting
        traced = jax.jit(function, donate_argnums=() if donate is None else (donate,))
        lock = threading.Lock()
        programs: list[Callable] = []

        def call(*arguments: Tree) -> Tree:
            with lock:
                if not programs:
                    programs.append(traced.lower(*arguments).compile())
            return jax.block_until_ready(programs[0](*arguments))

        return lambda *lists: list(self.pool.map(call, *lists))

    def spread(self, trees: list[Tree]) -> list[Tree]:
        """Already one a member."""
        return trees

    def gather(self, spread: list[Tree]) -> list[Tree]:
        """Already one a member."""
        return spread

    def pick(self, spread: list[Tree], part: Callable[[Tree], Tree]) -> list[Tree]:
        """From each member."""
        return [part(tree) for tree in spread]

    def keep(self, spread: list[Tree], places: Sequence[int]) -> list[Tree]:
        """A shorter list."""
        return [spread[place] for place in places]


class Together(MemberLoop):
    """All members as one batched program: the loop for accelerators."""

    batched = True

    def compile(
        self, function: Callable[..., Tree], donate: int | None = None, lasting: bool = False
    ) -> Callable:
        """Map over the leading axis."""
        options = LASTING if lasting else BRIEF
        return jax.jit(
            jax.vmap(function),
            donate_argnums=() if donate is None else (donate,),
            compiler_options=options if jax.default_backend() == "gpu" else None,
        )

    def spread(self, trees: list[Tree]) -> Tree:
        """Stack along a new leading member axis."""
        return jax.tree.map(lambda *leaves: jnp.stack(leaves), *trees)

    def gather(self, spread: Tree) -> list[Tree]:
        """Cut along the member axis."""
        count = jax.tree.leaves(spread)[0].shape[0]
        host = jax.device_get(spread)
        return [jax.tree.map(lambda leaf, i=i: leaf[i], host) for i in range(count)]

    def pick(self, spread: Tree, part: Callable[[Tree], Tree]) -> Tree:
        """From the stacked tree."""
        return part(spread)

    def keep(self, spread: Tree, places: Sequence[int]) -> Tree:
        """A shorter leading axis."""
        index = jnp.asarray(places)
        return jax.tree.map(lambda leaf: leaf[index], spread)


def loop_for_device() -> MemberLoop:
    """The faster loop on this machine."""
    return OneByOne() if jax.default_backend() == "cpu" else Together()
