"""From what somebody asks for to a question, a protocol and seeds.

Every default is chosen here and nowhere else: the command line, the Python front door and question
files all pass through `Request`.
"""

from __future__ import annotations

import dataclasses
import functools
import tomllib
from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Any

from foretell.core.architecture import KINDS, Architecture
from foretell.core.protocol import Protocol
from foretell.core.question import Question, SizeRange
from foretell.core.task import Task
from foretell.plain import catalogue
from foretell.plain.errors import BadInput
from foretell.plain.files import read_text
from foretell.protocols._sizes import parse_range, parse_ranges, parse_sizes
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
# The paper's code checks every 3,000 steps; stopping earlier costs accuracy at long sizes.
CHECK_EVERY = {Budget.SMOKE: 50, Budget.CPU: 500, Budget.GPU: 3_000}
SEEDS = {Budget.SMOKE: 3, Budget.CPU: 4, Budget.GPU: 5}
LONGEST = 2_000  # sizes; attention takes memory quadratic in them
LONGEST_ADAPTED = 16_384  # where one size is trained at a time
STARTS, USUAL_START = {"sorting": 8}, 16  # sizes that capture begins with
# Sizes to adapt to, as multiples of that: doublings, except where minutes must do.
TIMES = {Budget.SMOKE: (2, 4), Budget.CPU: (2, 3, 4, 6)}
DOUBLINGS = tuple(1 << times for times in range(1, 7))  # larger ones by --sizes
MOST = {"layers": 64, "heads": 64, "width": 8_192, "context": 100_000, "samples": 1_000_000}
MOST |= {"steps": 10_000_000}
WHOLE = {
    "seeds",
    "layers",
    "heads",
    "width",
    "context",
    "steps",
    "check_every",
    "warmup",
    "samples",
    "start",
}
NUMBERS, FLAGS = {"learning_rate", "position_penalty", "threshold"}, {"norm"}
TEXTS = {
    "what",
    "alphabet",
    "protocol",
    "positional",
    "budget",
    "precision",
    "activation",
    "attention_scale",
    "weights",
    "kind",
}
OWN_PROTOCOL = {"boolean": "gap", "template": "unseen-symbols"}
OWN_PROTOCOL |= {"shortest-path": "capture", "min-cut": "capture"}  # which read no tokens
# What a CPU can learn in minutes where the usual task would take it an hour; the name says so.
SMALLER = {("capture", "induction-heads"): "induction-heads:vocabulary=16"}
OWN_POSITIONAL = {"capture": "rotary"}  # by protocol; none elsewhere
SAMPLES = {Budget.SMOKE: 100, Budget.CPU: 2_000, Budget.GPU: 2_000}
SYMBOLS = {Budget.SMOKE: 16, Budget.CPU: 64, Budget.GPU: 64}  # of template:…, and strings of them


def published(task: str, positional: str) -> Setting | None:
    """What the framework paper's search chose."""
    row = _published().get(positional, {}).get(task)
    return Setting(*row) if row else None


@functools.cache
def _published() -> dict[str, Any]:
    return tomllib.loads(Path(__file__).with_name("_published.toml").read_text(encoding="utf-8"))


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
    alphabet: str | None = None
    protocol: str | None = None  # by `what`: gap for boolean:…, unseen-symbols for template:…
    positional: str = ""  # by protocol
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
    position_penalty: float | None = None  # times regularizer (8) of the framework paper
    weights: str | None = None  # a compiled network to test instead of training one
    kind: str = KINDS[0]  # of model, for template:…
    start: int | None = None  # capture trains up to this size,
    sizes: tuple[int, ...] | str | None = None  # then adapts to these,
    threshold: float | None = None  # until so much is right

    def __post_init__(self) -> None:
        for field in dataclasses.fields(self):
            self._check_type(field.name)
        if self.protocol is None:
            chosen = "length" if self.weights is None else "compiled"
            chosen = OWN_PROTOCOL.get(self.what.partition(":")[0], chosen)
            object.__setattr__(self, "protocol", chosen)
        if not self.positional:
            object.__setattr__(self, "positional", OWN_POSITIONAL.get(str(self.protocol), "nope"))
        if self.sizes is not None:
            object.__setattr__(self, "sizes", parse_sizes(self.sizes))
        if self.kind != KINDS[0] and self.protocol != OWN_PROTOCOL["template"]:
            raise BadInput("only template tasks choose a kind of model", seen=self.kind)
        if self.train is not None and not isinstance(self.train, SizeRange):
            object.__setattr__(self, "train", parse_range(self.train))
        object.__setattr__(self, "bins", parse_ranges(self.bins))
        try:
            object.__setattr__(self, "budget", Budget(self.budget))
        except ValueError:
            choices = " or ".join(option.value for option in Budget)
            raise BadInput("unknown budget", seen=self.budget, hint=choices) from None
        if self.seeds is not None and not 1 <= self.seeds <= 10_000:
            raise BadInput("seeds must be between 1 and 10,000", seen=self.seeds, hint="--seeds 4")
        longest = LONGEST_ADAPTED if self.protocol == "capture" else LONGEST
        if self.largest > longest:
            raise BadInput(f"sizes go up to {longest:,}", seen=self.largest)
        for name, most in MOST.items():
            if (getattr(self, name) or 0) > most:
                raise BadInput(
                    f"{name.replace('_', ' ')} may be {most:,} at most", seen=getattr(self, name)
                )

    def _check_type(self, name: str) -> None:
        """Question files can hold anything; say which setting has the wrong kind of value."""
        value = getattr(self, name)
        kinds = {"whole number": WHOLE, "number": NUMBERS, "true or false": FLAGS, "text": TEXTS}
        kind = next((kind for kind, names in kinds.items() if name in names), None)
        right = {
            "whole number": isinstance(value, int) and not isinstance(value, bool),
            "number": isinstance(value, int | float) and not isinstance(value, bool),
            "true or false": isinstance(value, bool),
            "text": isinstance(value, str),
            None: True,
        }[kind]
        if value is not None and not right:
            raise BadInput(f"the setting {name} needs a {kind}", seen=repr(value))

    @property
    def setting(self) -> Setting:
        """Shape and schedule for this task, encoding and budget."""
        return setting_for(self.what, self.positional, self.budget)

    @property
    def published(self) -> bool:
        """Is this the published training, nothing changed?"""
        changed = (self.layers, self.heads, self.width, self.learning_rate, self.steps, self.warmup)
        known = published(self.what, self.positional) is not None
        return self.budget is Budget.GPU and known and all(part is None for part in changed)

    @property
    def largest(self) -> int:
        """Largest size the request touches."""
        if self.protocol == "capture":
            return max(self.first_size, *self.adapted)
        ranges = [*self.bins, self.train or SizeRange(1, 50)]
        return max(sizes.high for sizes in ranges)

    @property
    def first_size(self) -> int:
        """The size up to which capture trains."""
        return int(either(self.start, STARTS.get(self.what.partition(":")[0], USUAL_START)))

    @property
    def adapted(self) -> tuple[int, ...]:
        """The sizes that capture adapts to."""
        usual = (times * self.first_size for times in TIMES.get(self.budget, DOUBLINGS))
        return tuple(either(self.sizes, usual))

    def task(self) -> Task:
        """The task, built for the sizes asked about."""
        if self.protocol == OWN_PROTOCOL["template"]:  # a size is an alphabet, one for each string
            return find_task(self.what, either(self.samples, SYMBOLS[self.budget]), self.alphabet)
        what = self.what
        if self.budget is not Budget.GPU:
            what = SMALLER.get((str(self.protocol), what), what)
        return find_task(what, self.largest, self.alphabet)

    def question(self) -> Question:
        """The question: the task, the architecture and what is asked."""
        catalogue.find(self.positional, ("positionals",))
        task = self.task()
        protocol = self._protocol_class
        return Question(task, protocol.architecture(self, task), protocol.outcome(self, task))

    def trained_shape(self, task: Task) -> Architecture:
        """The architecture to train, as asked for or as published for the task."""
        return Architecture(
            layers=either(self.layers, self.setting.layers),
            heads=either(self.heads, self.setting.heads),
            width=either(self.width, self.setting.width),
            positional=self.positional,
            context=either(self.context, task.width(self.largest)),
            norm=self.norm,
            activation=self.activation,  # type: ignore[arg-type]  # checked by Architecture
            tied=task.labels == task.alphabet.tokens,
            attention_scale=self.attention_scale,  # type: ignore[arg-type]
            precision=self.precision,  # type: ignore[arg-type]
        )

    @property
    def _protocol_class(self) -> Any:
        return catalogue.find(str(self.protocol), ("protocols",)).load()

    def build_protocol(self) -> Protocol:
        """The protocol with the budget's settings."""
        return self._protocol_class.from_request(self)

    def seed_list(self) -> tuple[int, ...]:
        """Seeds 0, 1, 2, …"""
        return tuple(range(either(self.seeds, self._protocol_class.seeds(self))))


def either(chosen: Any, default: Any) -> Any:
    """What was chosen, or the default."""
    return default if chosen is None else chosen


def request_from_file(path: Path) -> dict[str, Any]:
    """The settings of a TOML question file, under the names of `Request`."""
    try:
        table = tomllib.loads(read_text(path))
    except tomllib.TOMLDecodeError as error:
        raise BadInput("the question file is not TOML", seen=path, why=str(error)) from None
    if "what" not in table:
        raise BadInput("the question file does not say what to check", seen=path, hint='what = "…"')
    return table


def check_names(settings: Iterable[str]) -> None:
    """Refuse a setting that does not exist."""
    known = [field.name for field in dataclasses.fields(Request)]
    for name in settings:
        if name not in known:
            raise BadInput(
                "there is no such setting",
                seen=name,
                why=f"settings are: {', '.join(known)}",
                hint=catalogue.suggest(name, known),
            )
