"""From what somebody asks for to a question, a protocol and seeds.

Every default is chosen here and nowhere else: the command line, the Python front door and question
files all pass through `Request`.
"""

from __future__ import annotations

import dataclasses
import tomllib
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Any

from foretell.core.architecture import Architecture
from foretell.core.question import GeneralizesInLength, Question, SizeRange
from foretell.core.task import Task
from foretell.plain import catalogue
from foretell.plain.errors import BadInput
from foretell.plain.files import read_text
from foretell.protocols.length import Length
from foretell.tasks.lookup import find_task


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


UNPUBLISHED = Setting(4, 4, 128, 3e-4, 30_000)  # for tasks the paper did not train
SMOKE = Setting(1, 1, 16, 1e-3, 100)
CPU_LAYERS, CPU_STEPS = 2, 6_000  # what four seeds do in two to four minutes on two cores
CPU_WIDTH = {1: 64, 2: 32}  # by layers: about the same work, since the last layer is cheap
CHECK_EVERY = {Budget.SMOKE: 50, Budget.CPU: 500, Budget.GPU: 1_000}
SEEDS = {Budget.SMOKE: 2, Budget.CPU: 4, Budget.GPU: 5}
SAMPLES = {Budget.SMOKE: 100, Budget.CPU: 2_000, Budget.GPU: 2_000}


def published(task: str, positional: str) -> Setting | None:
    """What the framework paper's search chose."""
    path = Path(__file__).with_name("_published.toml")
    row = tomllib.loads(path.read_text(encoding="utf-8")).get(positional, {}).get(task)
    return Setting(*row) if row else None


def setting_for(task: str, positional: str, budget: Budget) -> Setting:
    """The published setting, cut down to what the budget allows."""
    if budget is Budget.SMOKE:
        return SMOKE
    full = published(task, positional) or UNPUBLISHED
    if budget is Budget.GPU:
        return full
    layers = min(full.layers, CPU_LAYERS)
    width = min(full.width, CPU_WIDTH[layers])
    return Setting(
        layers=layers,
        heads=next(heads for heads in (min(full.heads, 4), 2, 1) if width % heads == 0),
        width=width,
        # the rates published for wide models are needlessly slow at the cut-down width
        learning_rate=max(full.learning_rate, 1e-3),
        steps=CPU_STEPS,
    )


@dataclass(frozen=True, kw_only=True)
class Request:
    """What somebody asked for; `None` means: choose for me."""

    what: str
    positional: str = "nope"
    budget: Budget = Budget.CPU
    seeds: int | None = None
    train: SizeRange | None = None
    bins: tuple[SizeRange, ...] = (SizeRange(51, 100), SizeRange(101, 150))
    layers: int | None = None
    heads: int | None = None
    width: int | None = None
    context: int | None = None
    precision: str = "float32"
    norm: bool = True
    activation: str = "gelu"
    attention_scale: str = "sqrt"
    learning_rate: float | None = None
    steps: int | None = None
    check_every: int | None = None
    warmup: int | None = None
    samples: int | None = None

    def __post_init__(self) -> None:
        try:
            object.__setattr__(self, "budget", Budget(self.budget))
        except ValueError:
            raise BadInput(
                "unknown budget",
                seen=self.budget,
                hint=" or ".join(option.value for option in Budget),
            ) from None
        if self.seeds is not None and not 1 <= self.seeds <= 10_000:
            raise BadInput("seeds must be between 1 and 10,000", seen=self.seeds, hint="--seeds 4")

    @property
    def largest(self) -> int:
        """Largest size the request touches."""
        ranges = [*self.bins, self.train or SizeRange(1, 50)]
        return max(sizes.high for sizes in ranges)

    def task(self) -> Task:
        """The task, built for the sizes asked about."""
        return find_task(self.what, self.largest)

    def question(self) -> Question:
        """The question: the task, the architecture and what is asked."""
        catalogue.find(self.positional, ("positionals",))
        task = self.task()
        setting = setting_for(self.what, self.positional, self.budget)
        shape = Architecture(
            layers=_or(self.layers, setting.layers),
            heads=_or(self.heads, setting.heads),
            width=_or(self.width, setting.width),
            positional=self.positional,
            context=_or(self.context, task.width(self.largest)),
            norm=self.norm,
            activation=self.activation,  # type: ignore[arg-type]  # checked by Architecture
            tied=task.labels == task.alphabet.tokens,
            attention_scale=self.attention_scale,  # type: ignore[arg-type]
            precision=self.precision,  # type: ignore[arg-type]
        )
        train = self.train or SizeRange(max(1, task.smallest), 50)
        return Question(task, shape, GeneralizesInLength(train, self.bins))

    def protocol(self) -> Length:
        """The protocol with the budget's settings."""
        setting = setting_for(self.what, self.positional, self.budget)
        steps = _or(self.steps, setting.steps)
        check_every = _or(self.check_every, min(CHECK_EVERY[self.budget], max(1, steps)))
        return Length(
            steps=steps,
            check_every=check_every,
            learning_rate=_or(self.learning_rate, setting.learning_rate),
            warmup=_or(self.warmup, min(setting.warmup, max(steps, 0))),
            samples=_or(self.samples, SAMPLES[self.budget]),
            count_unfitted=self.budget is Budget.GPU and self.steps is None,
        )

    def seed_list(self) -> tuple[int, ...]:
        """Seeds 0, 1, 2, …"""
        return tuple(range(_or(self.seeds, SEEDS[self.budget])))


def _or(chosen: Any, default: Any) -> Any:
    return default if chosen is None else chosen


def request_from_file(path: Path) -> dict[str, Any]:
    """The settings of a TOML question file, under the names of `Request`."""
    try:
        table = tomllib.loads(read_text(path))
    except tomllib.TOMLDecodeError as error:
        raise BadInput("the question file is not TOML", seen=path, why=str(error)) from None
    fields = {field.name: field for field in dataclasses.fields(Request)}
    for name in table:
        if name not in fields:
            raise BadInput(
                "the question file has an unknown setting",
                seen=name,
                why=f"{path} may set: {', '.join(fields)}",
                hint=catalogue.suggest(name, fields),
            )
    if "what" not in table:
        raise BadInput("the question file does not say what to check", seen=path, hint='what = "…"')
    for name in ("train", "bins"):
        if name in table:
            table[name] = _ranges(table[name]) if name == "bins" else parse_range(table[name])
    return table


def parse_range(text: Any) -> SizeRange:
    """`51-100`, `51..100` or a pair.

    >>> parse_range("51-100")
    SizeRange(low=51, high=100)
    """
    parts = text if isinstance(text, list) else str(text).replace("..", "-").split("-")
    try:
        low, high = (int(part) for part in parts)
    except (ValueError, TypeError):
        raise BadInput(
            "that is not a range of sizes", seen=text, why="two whole numbers", hint="51-100"
        ) from None
    return SizeRange(low, high)


def _ranges(text: Any) -> tuple[SizeRange, ...]:
    return tuple(
        parse_range(part) for part in (text if isinstance(text, list) else text.split(","))
    )


def parse_ranges(text: str) -> tuple[SizeRange, ...]:
    """Several ranges separated by commas."""
    return _ranges(text)
