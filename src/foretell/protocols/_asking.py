"""From what somebody asks for to a question, a protocol and seeds.

Every default is chosen here and nowhere else: the command line, the Python front door and question
files all pass through `Request`.
"""

from __future__ import annotations

import dataclasses
import tomllib
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from foretell.core.architecture import FIXED_STATE, KINDS, Architecture
from foretell.core.protocol import Protocol
from foretell.core.question import Question, SizeRange
from foretell.core.task import Task
from foretell.models import sequence_model, symbols
from foretell.plain import catalogue
from foretell.plain.errors import BadInput
from foretell.plain.files import read_text
from foretell.protocols._reads import protocol_class, refuse_unread
from foretell.protocols._settings import Budget as Budget
from foretell.protocols._settings import Setting as Setting
from foretell.protocols._settings import published as published
from foretell.protocols._settings import setting_for
from foretell.protocols._sizes import parse_range, parse_ranges, parse_sizes
from foretell.tasks.lookup import find_task

# The paper's code checks every 3,000 steps; stopping earlier costs accuracy at long sizes.
CHECK_EVERY = {Budget.SMOKE: 50, Budget.CPU: 500, Budget.GPU: 3_000}
SEEDS = {Budget.SMOKE: 3, Budget.CPU: 4, Budget.GPU: 5}
LONGEST = 2_000  # sizes; attention takes memory quadratic in them
LONGEST_ADAPTED = 16_384  # where one size is trained at a time
USUAL_START = 16  # size that capture begins with
STARTS = {"sorting": 8, "shortest-path": 8, "min-cut": 8}
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
TEXTS = {"what", "alphabet", "protocol", "positional", "budget", "precision", "activation"}
TEXTS |= {"attention_scale", "weights", "kind", "arms", "inputs"}
OWN_PROTOCOL = {"boolean": "gap", "template": "unseen-symbols"}
# What is learned in minutes where the usual task would take an hour; the name says so.
SMALLER = {("capture", "induction-heads"): "induction-heads:vocabulary=8"}
SMALLER |= {("capture", "string-matching"): "string-matching:pattern=2"}
OWN_POSITIONAL = {"capture": "rotary"}  # by protocol; none elsewhere,
UNORDERED = ("shortest-path", "min-cut")  # nor for graphs, which have no order and no tokens
OWN_PROTOCOL |= dict.fromkeys(UNORDERED, "capture")
SAMPLES = {Budget.SMOKE: 100, Budget.CPU: 2_000, Budget.GPU: 2_000}
SYMBOLS = {Budget.SMOKE: 16, Budget.CPU: 64, Budget.GPU: 64}  # of template:…, and strings of them


def kinds_for(protocol: str) -> tuple[str, ...]:
    """The kinds of model that a protocol can ask about, the usual one first."""
    of_its_own = {OWN_PROTOCOL["template"]: symbols.KINDS}
    only = dict.fromkeys((OWN_PROTOCOL["boolean"], "compiled"), KINDS[:1])
    return (of_its_own | only).get(protocol, sequence_model.KINDS)


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
    kind: str = KINDS[0]  # of model: which there are depends on the protocol
    start: int | None = None  # capture trains up to this size,
    sizes: tuple[int, ...] | str | None = None  # then adapts to these,
    threshold: float | None = None  # until so much is right,
    arms: str | None = None  # in these ways, separated by commas,
    inputs: str | None = None  # on inputs of these sizes: half, alone, mixed

    def __post_init__(self) -> None:
        for field in dataclasses.fields(self):
            self._check_type(field.name)
        if self.protocol is None:
            chosen = "length" if self.weights is None else "compiled"
            chosen = OWN_PROTOCOL.get(self._family, chosen)
            object.__setattr__(self, "protocol", chosen)
        self._check_kind()
        refuse_unread(self, self._family not in OWN_PROTOCOL)
        if not self.positional:
            ordered = self.kind not in FIXED_STATE and self._family not in UNORDERED
            own = OWN_POSITIONAL if ordered else {}
            object.__setattr__(self, "positional", own.get(str(self.protocol), "nope"))
        if self.sizes is not None:
            object.__setattr__(self, "sizes", parse_sizes(self.sizes))
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

    @property
    def _family(self) -> str:
        return self.what.partition(":")[0]

    def _check_kind(self) -> None:
        """Which kinds there are depends on what is asked."""
        kinds = kinds_for(str(self.protocol))
        if self.kind not in kinds:
            asked = f"the protocol {self.protocol} measures no such kind of model"
            raise BadInput(
                asked if self.kind in KINDS else "unknown kind of model",
                seen=self.kind,
                why=f"the architectures there are {', '.join(kinds)}",
                hint=catalogue.suggest(self.kind, kinds) or kinds[0],
            )
        if self.kind in FIXED_STATE and (self.heads or 1) != 1:
            raise BadInput(
                f"a model of the kind {self.kind} has no heads",
                seen=self.heads,
                why="it reads in order and has no attention",
                hint="leave out --heads",
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
        return setting_for(self.what, self.positional, self.budget, self.kind)

    @property
    def published(self) -> bool:
        """Is this the published training, nothing changed?"""
        changed = (self.layers, self.heads, self.width, self.learning_rate, self.steps, self.warmup)
        known = self.kind == KINDS[0] and published(self.what, self.positional) is not None
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
        return int(either(self.start, STARTS.get(self._family, USUAL_START)))

    @property
    def adapted(self) -> tuple[int, ...]:
        """The sizes that capture adapts to."""
        usual = (times * self.first_size for times in TIMES.get(self.budget, DOUBLINGS))
        return tuple(either(self.sizes, usual))

    def task(self) -> Task:
        """The task, built for the sizes asked about."""
        if self.protocol == OWN_PROTOCOL["template"]:  # a size is an alphabet, one for each string
            return find_task(self.what, either(self.samples, SYMBOLS[self.budget]), self.alphabet)
        what = SMALLER.get((str(self.protocol), self.what), self.what)
        return find_task(what, self.largest, self.alphabet)

    def question(self) -> Question:
        """The question: the task, the architecture and what is asked."""
        catalogue.find(self.positional, ("positionals",))
        task = self.task()
        protocol = self._protocol_class
        shape = protocol.architecture(self, task)
        if self.kind != KINDS[0] and kinds_for(str(self.protocol)) is sequence_model.KINDS:
            sequence_model.require_described(shape)
        return Question(task, shape, protocol.outcome(self, task))

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
            kind=self.kind,
        )

    @property
    def _protocol_class(self) -> Any:
        return protocol_class(str(self.protocol))

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
