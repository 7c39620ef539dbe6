"""Copying one token: how fast training and test loss fall at first, weight by weight.

The network reads one token x out of m and is asked to name it: W_E (Σ W_O W_Vᵀ + b)(W_Eᵀ x + γ p),
with the same embedding W_E at both ends and cross-entropy after softmax. It is trained on n of the
m tokens and tested on the others. At infinite width, at the start (where all outputs are 0), the
tangent kernel of each group of weights between outputs i, j and tokens x, x' is

    same · [x = x'] + always,   times [i = j]        (W_O, W_V, p, W_E)
    heads · x_i x'_j                                 (the scalars b, one per head).

The gradient of the loss in the outputs is 1/m everywhere, less 1 at the token. So what any of the
first groups learns about a training token pushes an unseen token's loss up, while b lowers both.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import final

from foretell.plain.errors import BadInput


@final
@dataclass(frozen=True)
class Rates:
    """Change of training and of test loss per unit of time at the start.

    `survives` says whether the group still moves at infinite width, at a scale where outputs start
    at 0; for one that does not, only the ratio means something.
    """

    train: float
    test: float
    survives: bool

    @property
    def per_unit_of_training(self) -> float:
        """Change of the test loss while the training loss falls by one; above 0, it rises.

        Not a number where the group does not move the training loss.
        """
        return self.test / -self.train if self.train else math.nan


@final
@dataclass(frozen=True)
class CopyTask:
    """Copying with `tokens` tokens, `seen` of them in training, and position scale `gamma`.

    >>> round(CopyTask(tokens=40, seen=30, gamma=1.0).rates()["W_O"].per_unit_of_training, 4)
    0.6122
    """

    tokens: int
    seen: int
    gamma: float

    def __post_init__(self) -> None:
        if not 1 <= self.seen < self.tokens:
            raise BadInput(
                "some tokens are seen in training and some are not",
                seen=f"{self.seen} of {self.tokens}",
            )
        if not math.isfinite(self.gamma):
            raise BadInput("gamma is a finite number", seen=self.gamma)

    def rates(self) -> Mapping[str, Rates]:
        """Rates of every group: those of the weights per unit of their kernel, b's for ηH = 1."""
        square = self.gamma**2
        own = 1 - 1 / self.tokens
        found = {
            "W_O": self._of(1.0, square, survives=True),
            "W_V": self._of(1.0, square, survives=True),
            "P": self._of(0.0, square, survives=False),
            "W_E": self._of(2.0, square, survives=False),
            "b": Rates(-(own**2), -(own**2), survives=True),
        }
        return MappingProxyType(found)

    def _of(self, same: float, always: float, *, survives: bool) -> Rates:
        """Rates under a kernel `same` · [x = x'] + `always`, times the identity over outputs.

        Gradients of two tokens have inner product 1 - 1/m if they are the same, else -1/m.
        """
        own, other = 1 - 1 / self.tokens, -1 / self.tokens
        mean = 1 / self.seen
        train = mean * own * (same + always) + (1 - mean) * other * always
        return Rates(-train, -other * always, survives)

    def turning_rate(self) -> float:
        """The learning rate times heads of b, per that of W_O and W_V, at which test loss is level.

        Above it, the test loss falls from the start: b must outweigh both W_O and W_V.
        """
        rates = self.rates()
        return (rates["W_O"].test + rates["W_V"].test) / -rates["b"].test

    def prediction(self) -> str:
        """What width does to copying unseen tokens, in a sentence.

        It speaks of the start and of the limit; how much a network of some width still gains from
        embeddings that are not orthogonal, or later in training, it does not say.
        """
        return (
            "without b, in the limit of width the loss of unseen tokens at first rises by "
            f"{self.rates()['W_O'].per_unit_of_training:.3g} for each unit that the training loss "
            "falls, so wider networks should copy them worse; with b it falls as fast as the "
            "training loss, at any width"
        )
