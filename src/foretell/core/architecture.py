"""A model described as data: hashable, printable, comparable."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from enum import StrEnum

from foretell.plain.errors import BadInput


class Activation(StrEnum):
    """Nonlinearity of the MLP. `gelu` is GPT-2's (the tanh form)."""

    GELU = "gelu"
    RELU = "relu"
    HEAVISIDE = "heaviside"  # each unit ReLU or a step, as in compiled networks; not trainable


class AttentionScale(StrEnum):
    """What multiplies the attention logits, besides the dot product."""

    SQRT = "sqrt"  # 1 / sqrt(head width)
    LOG_LENGTH = "log-length"  # the same, times log(number of visible positions)


class Precision(StrEnum):
    """Type of the arithmetic; weights and optimiser state are float32 in both."""

    FLOAT32 = "float32"
    BFLOAT16 = "bfloat16"


FIXED_STATE = ("rnn", "lstm", "elman", "gru", "ssm", "ssm-signed")  # no heads, no positions
KINDS: tuple[str, ...] = ("transformer", "transformer+kq", "transformer+vo", "transformer+kq+vo")
KINDS += ("mlp", "mlp+gram", "hybrid", *FIXED_STATE)  # which task takes which: `models`


@dataclass(frozen=True, kw_only=True)
class Architecture:
    """A transformer, or another `kind`. `context` is how many positions it can address.

    >>> Architecture(layers=2, heads=4, width=64, positional="ape", context=154).label
    'ape 2L 4H 64d'
    """

    layers: int
    heads: int
    width: int
    positional: str
    context: int
    norm: bool = True
    activation: Activation = Activation.GELU
    tied: bool = True
    attention_scale: AttentionScale = AttentionScale.SQRT
    precision: Precision = Precision.FLOAT32
    kind: str = KINDS[0]

    def __post_init__(self) -> None:
        for field in ("layers", "heads", "width", "context"):
            value = getattr(self, field)
            if isinstance(value, bool) or not isinstance(value, int) or value < 1:
                raise BadInput(f"a model needs a whole number of {field}, at least 1", seen=value)
        if not isinstance(self.norm, bool) or not isinstance(self.tied, bool):
            raise BadInput("`norm` and `tied` are true or false", seen=f"{self.norm}, {self.tied}")
        if not self.positional:
            raise BadInput("an architecture names its positional encoding", hint="nope")
        if self.kind not in KINDS:
            raise BadInput("unknown kind of model", seen=self.kind, hint=", ".join(KINDS))
        choosing = {"activation": Activation, "attention_scale": AttentionScale}
        for field, kind in (choosing | {"precision": Precision}).items():
            named, value = field.replace("_", " "), getattr(self, field)
            if value not in list(kind):
                raise BadInput(f"unknown {named}", seen=value, hint=" or ".join(kind))
            object.__setattr__(self, field, kind(value))
        # in compiled networks every head reads and writes the whole stream
        if self.activation is not Activation.HEAVISIDE and self.width % self.heads:
            fitting = [h for h in range(1, self.width + 1) if self.width % h == 0]
            nearest = sorted(fitting, key=lambda h: abs(h - self.heads))[:3]
            raise BadInput(
                "the heads do not divide the width",
                seen=f"heads {self.heads}, width {self.width}",
                why="each head takes an equal share of the width",
                hint=f"heads {' or '.join(map(str, sorted(nearest)))}",
            )

    @property
    def head_width(self) -> int:
        """Width of one head."""
        return self.width // self.heads

    @property
    def label(self) -> str:
        """Short name for tables."""
        unusual = [
            {"norm": "no norm"}.get(name, str(getattr(self, name)))
            for name in ("norm", "activation", "attention_scale", "precision", "kind")
            if getattr(self, name) != getattr(Architecture, name)  # as it is by default
        ]
        shape = f"{self.positional} {self.layers}L {self.heads}H {self.width}d"
        if self.kind in FIXED_STATE:  # which is the last of what is unusual
            shape = f"{unusual.pop()} {self.layers}L {self.width}d"
        return " ".join([shape, *unusual])

    def as_json(self) -> dict[str, object]:
        """Plain values, for hashing and for files; those of a transformer came before kinds."""
        return {
            name: value.value if isinstance(value, StrEnum) else value
            for name, value in asdict(self).items()
            if (name, value) != ("kind", KINDS[0])
        }
