"""What the unembedding says: one logit per label, linear in the program's Booleans.

Three kinds of labels. An acceptor has two, `reject` and `accept`. A next-symbol program speaks
about sets (the label of a task is the exact set of symbols that may follow) or about single
symbols. SOS is the last position of the empty word; what the program says about the empty word is
read from the `sos` direction there.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum

from foretell.compiler.forms import SOS, TRUE, ZERO, Form, single
from foretell.crasp.operations import Core
from foretell.plain.errors import BadInput

Labels = tuple[frozenset[str], ...] | tuple[str, ...] | None
REJECT_ACCEPT = ("reject", "accept")
EVERYWHERE = single(SOS) + single(TRUE)  # 1 at every position


class Reading(StrEnum):
    """How logits are turned into an answer."""

    ACCEPT = "accept"  # is `accept` larger than `reject`?
    SETS = "sets"  # the largest is the set of symbols that may follow
    SYMBOLS = "symbols"  # every symbol with more than 1/2 may follow


def reading_of(core: Core, labels: Labels) -> Reading:
    """The reading that goes with these labels."""
    if labels is None:
        return Reading.ACCEPT if core.accept is not None else Reading.SYMBOLS
    return Reading.SYMBOLS if all(isinstance(each, str) for each in labels) else Reading.SETS


@dataclass(frozen=True)
class Answer:
    """A label and its logit, a form over Booleans that are named by their operations."""

    label: str
    weights: tuple[tuple[int, int], ...]  # place of a Boolean operation, weight
    constant: Form

    def form(self, booleans: Mapping[int, Form]) -> Form:
        """The logit, once it is known which forms the Booleans are."""
        return Form.total([self.constant, *(booleans[at] * weight for at, weight in self.weights)])


def answers_for(core: Core, labels: Labels = None) -> tuple[Answer, ...]:
    """Logits of the labels; without labels those of an acceptor, or of each symbol by itself.

    The largest logit is the right label: `reject` is 1 and `accept` 0 or 2; a set of symbols gets a
    point for every symbol it is right about; a single symbol has 1 if it may follow, else 0.
    """
    if labels is None and core.accept is not None:
        empty = single(SOS) * (2 if core.accepts_empty else 0)
        reject, accept = REJECT_ACCEPT
        return Answer(reject, (), EVERYWHERE), Answer(accept, ((core.accept, 2),), empty)
    if not core.next:
        raise BadInput(
            "the program does not predict symbols, so it has no logits for these labels",
            seen=" ".join(map(str, labels or ())) or None,
            hint="let next[x](i) := …, or compile it as an acceptor (labels=None)",
        )
    places = dict(core.next)
    chosen = tuple(places) if labels is None else labels
    symbols = sorted({*places, *(s for each in chosen if not isinstance(each, str) for s in each)})
    return tuple(
        _symbol(core, places, each) if isinstance(each, str) else _set(core, places, symbols, each)
        for each in chosen
    )


def _symbol(core: Core, places: Mapping[str, int], symbol: str) -> Answer:
    empty = single(SOS) if symbol in core.next_of_empty else ZERO
    weights = ((places[symbol], 1),) if symbol in places else ()
    return Answer(symbol, weights, empty)


def _set(
    core: Core, places: Mapping[str, int], symbols: list[str], chosen: frozenset[str]
) -> Answer:
    """Points for every symbol that is in the set and may follow, or is not and may not."""
    weights: dict[int, int] = {}
    constant = ZERO
    for symbol in symbols:
        sign = 1 if symbol in chosen else -1
        if symbol in places:
            weights[places[symbol]] = weights.get(places[symbol], 0) + sign
        if symbol in core.next_of_empty:
            constant = constant + single(SOS) * sign
        if sign < 0:
            constant = constant + EVERYWHERE
    name = "{" + ",".join(sorted(chosen)) + "}"
    return Answer(name, tuple(sorted(weights.items())), constant)
