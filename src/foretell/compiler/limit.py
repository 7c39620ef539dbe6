"""The Limit Transformer of Theorem 27: one network for all lengths, evaluated without rounding.

It differs from a transformer in one place: an attention logit is yⱼᵀ KᵀQ yᵢ + φ(i − j), with φ as
data. Logits are multiplied by log |x|, so a logit a becomes the weight |x|^a, |x| being the
number of tokens, SOS included. The positional encoding is a table of one period.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from foretell.compiler.exact import Exact, Number, power
from foretell.compiler.forms import SOS, TRUE, Form
from foretell.compiler.network import Layer, Network, letter_direction
from foretell.plain.errors import BadInput

LOGIT_BITS = 1  # fractional bits that logits and exponentials are rounded to; ours are whole
LONGEST_PERIOD = 100_000
LOOK_BACK = 2  # φ at the offset of a head that looks back: it weighs |x|² there, 1 elsewhere


@dataclass(frozen=True)
class Sparse:
    """A matrix as its entries (row, column, value), without zeros."""

    rows: int
    columns: int
    entries: tuple[tuple[int, int, Number], ...] = ()

    @cached_property
    def by_row(self) -> dict[int, list[tuple[int, Number]]]:
        """Columns and values of every row that has any."""
        found: dict[int, list[tuple[int, Number]]] = {}
        for row, column, value in self.entries:
            found.setdefault(row, []).append((column, value))
        return found

    def dense(self, dtype: np.dtype | type = np.float64) -> np.ndarray:
        """As an array."""
        out = np.zeros((self.rows, self.columns), dtype)
        for row, column, value in self.entries:
            out[row, column] = value
        return out


@dataclass(frozen=True)
class LimitHead:
    """`key_query` holds a weight for (key direction, query direction); φ(i, j) depends on i − j."""

    name: str
    key_query: Sparse
    value: Sparse
    phi: tuple[tuple[int, Number], ...] = ()


@dataclass(frozen=True)
class LimitLayer:
    """Heads, then y + B ψ(A y + b), with ψ a ReLU or a Heaviside unit by unit."""

    heads: tuple[LimitHead, ...]
    expand: Sparse
    bias: tuple[Number, ...]
    heaviside: tuple[bool, ...]
    contract: Sparse


@dataclass(frozen=True)
class LimitTransformer:
    """All parameters. Token 0 is SOS, letter k is token k + 1; `positions` is one period."""

    letters: tuple[str, ...]
    directions: tuple[str, ...]
    labels: tuple[str, ...]
    embedding: Sparse
    positions: Sparse
    layers: tuple[LimitLayer, ...]
    unembedding: Sparse
    logit_bits: int = LOGIT_BITS

    @property
    def width(self) -> int:
        """Of the residual stream."""
        return len(self.directions)

    @property
    def heads(self) -> int:
        """Most in any layer."""
        return max(1, *(len(layer.heads) for layer in self.layers))

    @property
    def period(self) -> int:
        """Of the positional encoding."""
        return self.positions.rows

    @property
    def is_periodic(self) -> bool:
        """Does it use the positional encoding?"""
        return bool(self.positions.entries)

    @property
    def is_local(self) -> bool:
        """Does any head use φ?"""
        return any(head.phi for layer in self.layers for head in layer.heads)

    def logits(self, words: np.ndarray, offset: int = 0) -> np.ndarray:
        """Fractions [word, position, label] for letter numbers [word, position] of one length.

        Position 0 is SOS: its row is the answer for the empty word.
        """
        stream = self.stream(words, offset)
        shape = (len(words), words.shape[1] + 1)
        rows = self.unembedding.by_row
        found = [_read(stream, rows.get(label, []), shape) for label in range(len(self.labels))]
        return np.stack([each.fractions() for each in found], axis=-1)

    def stream(self, words: np.ndarray, offset: int = 0) -> list[Exact]:
        """Every direction after the last layer, [word, position] each."""
        tokens = np.concatenate([np.zeros((len(words), 1), int), words.astype(int) + 1], axis=1)
        place = (np.arange(tokens.shape[1]) + offset) % self.period
        start = Exact.whole(np.zeros(tokens.shape, int))
        stream = [start] * self.width
        for table, index in ((self.embedding, tokens), (self.positions, place)):
            for row, column, value in table.entries:
                flag = Exact.whole(np.broadcast_to(index == row, tokens.shape).astype(int))
                stream[column] = Exact.total([(1, stream[column]), (value, flag)], tokens.shape)
        for layer in self.layers:
            stream = _mlp(layer, _attention(layer, stream, self.logit_bits))
        return stream


def limit_transformer(network: Network) -> LimitTransformer:
    """The matrices of a network: one head for each distance looked back, one for all means."""
    index = {name: at for at, name in enumerate(network.directions)}
    width = len(index)
    embedding = [(0, index[SOS], 1)] if SOS in index else []
    for number, letter in enumerate(network.letters):
        named = [name for name in (TRUE, letter_direction(letter)) if name in index]
        embedding += [(number + 1, index[name], 1) for name in named]
    period = common_period(network)
    positions = [
        (residue, index[place.direction], 1)
        for place in network.places
        for residue in range(period)
        if residue % place.modulus in place.residues
    ]
    return LimitTransformer(
        network.letters,
        network.directions,
        network.labels,
        Sparse(len(network.letters) + 1, width, tuple(embedding)),
        Sparse(period, width, tuple(positions)),
        tuple(_layer(layer, index) for layer in network.layers),
        _rows(network.answers, index),
    )


def common_period(network: Network) -> int:
    """Of all tests of the position together."""
    period = math.lcm(*(place.modulus for place in network.places))
    if period > LONGEST_PERIOD:
        raise BadInput(
            "the program's tests of the position have too long a common period",
            seen=f"{period:,}, from mod {', mod '.join(str(p.modulus) for p in network.places)}",
            why=f"the positional encoding is a table of one period, at most {LONGEST_PERIOD:,}",
            hint="fewer different moduli",
        )
    return period


def _layer(layer: Layer, index: dict[str, int]) -> LimitLayer:
    width, hidden = len(index), len(layer.units)
    heads = []
    for offset in layer.offsets:
        steps = [step for step in layer.gathers if step.offset == offset]
        entries = [
            (index[step.direction], index[name], weight)
            for step in steps
            for name, weight in step.form.terms
        ]
        what = "mean" if offset is None else f"back {offset}"
        name = f"{what}: " + ", ".join(step.direction for step in steps)
        phi = () if offset is None else ((offset, LOOK_BACK),)
        nothing = Sparse(width, width)
        heads.append(LimitHead(name, nothing, Sparse(width, width, tuple(entries)), phi))
    written = [(index[unit.direction], at, unit.weight) for at, unit in enumerate(layer.units)]
    return LimitLayer(
        tuple(heads),
        _rows([unit.form for unit in layer.units], index),
        tuple(unit.bias for unit in layer.units),
        tuple(unit.gap is not None for unit in layer.units),
        Sparse(width, hidden, tuple(written)),
    )


def _rows(forms: Iterable[Form], index: dict[str, int]) -> Sparse:
    listed = list(forms)
    entries = [
        (row, index[name], weight) for row, form in enumerate(listed) for name, weight in form.terms
    ]
    return Sparse(len(listed), len(index), tuple(entries))


def _read(stream: list[Exact], terms: list[tuple[int, Number]], shape: tuple[int, ...]) -> Exact:
    return Exact.total([(weight, stream[column]) for column, weight in terms], shape)


def _attention(layer: LimitLayer, stream: list[Exact], bits: int) -> list[Exact]:
    shape = stream[0].above.shape
    out = list(stream)
    for head in layer.heads:
        weights = attention_weights(head, stream, bits)
        total = weights.sum(axis=-1)
        for row, terms in head.value.by_row.items():
            read = _read(stream, terms, shape)
            common = np.lcm.reduce(read.below, axis=1)[:, None]
            scaled = read.above * (common // read.below)
            gathered = np.matmul(weights, scaled[:, :, None])[:, :, 0]
            found = Exact.reduced(gathered, total * common)
            out[row] = Exact.total([(1, out[row]), (1, found)], shape)
    return out


def attention_weights(head: LimitHead, stream: list[Exact], bits: int) -> np.ndarray:
    """Weights before they are divided by their sum, times 2^bits: whole, [word or 1, query, key].

    The logits and the exponentials are rounded to `bits` fractional bits, as the theory has it.
    """
    length = stream[0].above.shape[1]
    query, key = np.meshgrid(np.arange(length), np.arange(length), indexing="ij")
    logits = Exact.whole(np.zeros((1, length, length), int))
    for offset, value in head.phi:
        flag = Exact.whole((query - key == offset)[None].astype(int))
        logits = Exact.total([(1, logits), (value, flag)], logits.above.shape)
    for row, column, value in head.key_query.entries:
        product = stream[row].expand(1) * stream[column].expand(2)
        logits = Exact.total([(1, logits), (value, product)], product.above.shape)
    rounded = logits.rounded(bits)
    table = {logit: power(length, logit, bits, bits) for logit in set(rounded.flat)}
    weights = np.vectorize(table.__getitem__, otypes=[object])(rounded)
    return np.where(key <= query, weights, 0)


def _mlp(layer: LimitLayer, stream: list[Exact]) -> list[Exact]:
    shape = stream[0].above.shape
    one = Exact.whole(np.ones(shape, int))
    hidden = []
    for unit, bias in enumerate(layer.bias):
        terms = [(weight, stream[at]) for at, weight in layer.expand.by_row.get(unit, [])]
        total = Exact.total([*terms, (bias, one)], shape)
        hidden.append(total.stepped() if layer.heaviside[unit] else total.rectified())
    out = list(stream)
    for row, written in layer.contract.by_row.items():
        terms = [(weight, hidden[at]) for at, weight in written]
        out[row] = Exact.total([(1, stream[row]), *terms], shape)
    return out
