"""Shapes and schedules of training: as published, cut down to a budget, or for other kinds."""

from __future__ import annotations

import dataclasses
import functools
import tomllib
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Any

from foretell.core.architecture import FIXED_STATE, KINDS
from foretell.models.sequence_model import HYBRID


class Budget(StrEnum):
    """How much work a measurement may be."""

    SMOKE = "smoke"  # seconds: does everything run?
    CPU = "cpu"  # minutes on two cores
    GPU = "gpu"  # the published settings


@dataclass(frozen=True)
class Setting:
    """Shape and schedule of one training."""

    layers: int
    heads: int
    width: int
    learning_rate: float
    steps: int
    warmup: int = 0


UNPUBLISHED = Setting(4, 4, 128, 3e-4, 30_000)  # for tasks that nobody searched a shape for
SMOKE = Setting(1, 1, 16, 1e-3, 100)
OTHERS = {  # for kinds other than transformers, which nobody published
    # Gradients through many steps of a cell are large at first: the rate rises, and stays low.
    Budget.CPU: Setting(2, 4, 32, 1e-3, 6_000, warmup=500),
    Budget.GPU: Setting(2, 4, 128, 1e-3, 30_000, warmup=500),
}
HYBRID_TIMES = 2  # layers for each of a transformer: one of them attends
CPU_LAYERS, CPU_STEPS = 2, 6_000  # what four seeds do in two to four minutes on two cores
CPU_WIDTH = {1: 64, 2: 32}  # by layers: about the same work, since the last layer is cheap


def published(task: str, positional: str) -> Setting | None:
    """What the framework paper's search chose."""
    row = _known().get(positional, {}).get(task)
    return Setting(*row) if row else None


def searched(task: str, positional: str) -> Setting | None:
    """What the same search chose when we ran it, where nothing was published."""
    row = _known()["searched"].get(positional, {}).get(task)
    return Setting(*row) if row else None


@functools.cache
def _known() -> dict[str, Any]:
    return tomllib.loads(Path(__file__).with_name("_published.toml").read_text(encoding="utf-8"))


def shape_for(kind: str, layers: int, heads: int, width: int) -> tuple[int, int, int]:
    """A transformer's shape made that of another kind: no heads, or more layers beside one."""
    if kind == HYBRID:
        layers *= HYBRID_TIMES
    return layers, 1 if kind in FIXED_STATE else heads, width


def setting_for(task: str, positional: str, budget: Budget, kind: str = KINDS[0]) -> Setting:
    """The published setting, cut down to what the budget allows; or that of another kind."""
    if kind != KINDS[0]:
        usual = SMOKE if budget is Budget.SMOKE else OTHERS[budget]
        layers, heads, width = shape_for(kind, usual.layers, usual.heads, usual.width)
        return dataclasses.replace(usual, layers=layers, heads=heads, width=width)
    if budget is Budget.SMOKE:
        return SMOKE
    full = published(task, positional) or searched(task, positional) or UNPUBLISHED
    if budget is Budget.GPU:
        return full
    layers = min(full.layers, CPU_LAYERS)
    width = min(full.width, CPU_WIDTH[layers])
    cut = (layers, width) != (full.layers, full.width)
    return Setting(
        layers=layers,
        heads=next(heads for heads in (min(full.heads, 4), 2, 1) if width % heads == 0),
        width=width,
        # the rates published for wide models are needlessly slow at a cut-down width
        learning_rate=max(full.learning_rate, 1e-3) if cut else full.learning_rate,
        steps=CPU_STEPS,
    )
