"""Lemma 47: from a Limit Transformer to a transformer T_N that acts like it wherever a word begins.

The residual stream has six regions:

    I    main              d       the Limit Transformer's own directions
    II   position          N       one-hot of the position; carries the functions φ
    III  residue           Δ       one-hot of the position modulo the period
    IV   copied residue    Δ       written by layer 1, so that no logit reads region III directly
    V    SOS               1       flag of the SOS token
    VI   copied SOS        Δ + 1   written by layer 2: how much each head attends to SOS

A word may begin at any position, but the Limit Transformer counts from SOS. So two layers come
first: they find every position's distance to SOS modulo Δ, and write the right row of
the Limit Transformer's positional encoding into region I. Without periodic tests they and regions
III to VI are left out; without local ones too, so is region II, and p = 0 (Corollary 18).
"""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass

from foretell.compiler.exact import Number
from foretell.compiler.limit import LimitHead, LimitLayer, LimitTransformer, Sparse

SELF_ATTENTION = 4  # Ω: a position weighs itself |x|⁴, so at most 1/17 of the copy is foreign
# A head whose residue fits attends to SOS at least 9/7 times as much as the uniform head (the worst
# case is Δ = 2, i = 2, |x| = 3), any other at most as much. So 8 s − 9 u is at least 9/7 u or at
# most −u: a gap of 1 / (i + 1) on both sides. At SOS itself s = u = 1, and no unit fires.
FITTING, UNIFORM = 8, -9

Entries = list[tuple[int, int, Number]]


@dataclass(frozen=True)
class Regions:
    """Where each region begins, and the total width; absent regions are empty."""

    main: int
    position: int
    period: int

    @classmethod
    def of(cls, limit: LimitTransformer, context: int) -> Regions:
        """The regions this network needs."""
        period = limit.period if limit.is_periodic else 0
        return cls(limit.width, context if limit.is_local or period else 0, period)

    @property
    def residue(self) -> int:
        """Start of region III."""
        return self.main + self.position

    @property
    def copied_residue(self) -> int:
        """Start of region IV."""
        return self.residue + self.period

    @property
    def sos(self) -> int:
        """Region V."""
        return self.copied_residue + self.period

    @property
    def copied_sos(self) -> int:
        """Start of region VI."""
        return self.sos + 1

    @property
    def width(self) -> int:
        """d + N + 3Δ + 2 with all regions."""
        return self.copied_sos + self.period + 1 if self.period else self.residue

    @property
    def names(self) -> tuple[str, ...]:
        """A name for every coordinate outside region I."""
        period = range(self.period)
        found = [f"position {place}" for place in range(self.position)]
        found += [f"residue {place}" for place in period]
        found += [f"copied residue {place}" for place in period]
        if self.period:
            found += ["start", *(f"sos by head {place}" for place in range(self.period + 1))]
        return tuple(found)

    def square(self, entries: Entries) -> Sparse:
        """A matrix from the stream to the stream."""
        return Sparse(self.width, self.width, tuple(entries))


def with_positions(limit: LimitTransformer, context: int) -> LimitTransformer:
    """T_N: no φ any more, and a positional encoding with one row for each of N positions.

    It equals the Limit Transformer at offset 0 on every word at every offset that fits.
    """
    regions = Regions.of(limit, context)
    width = regions.width
    prelude = _prelude(limit, regions) if regions.period else []
    positions: Entries = []
    for place in range(regions.position):
        positions.append((place, regions.main + place, 1))
        if regions.period:
            positions.append((place, regions.residue + place % regions.period, 1))
    start: Entries = [(0, regions.sos, 1)] if regions.period else []
    return dataclasses.replace(
        limit,
        directions=(*limit.directions, *regions.names),
        embedding=widened(limit.embedding, width, start),
        positions=Sparse(context, width, tuple(positions)),
        layers=(*prelude, *(_emulate(layer, regions) for layer in limit.layers)),
        unembedding=widened(limit.unembedding, width),
    )


def parameters(limit: LimitTransformer, context: int) -> int:
    """How many numbers the attention matrices of T_N hold, before it is made."""
    regions = Regions.of(limit, context)
    heads = sum(max(1, len(layer.heads)) for layer in limit.layers)
    return 2 * (heads + (regions.period + 2 if regions.period else 0)) * regions.width**2


def widened(matrix: Sparse, columns: int, entries: Entries | None = None) -> Sparse:
    """The same rows in a wider stream."""
    return Sparse(matrix.rows, columns, (*matrix.entries, *(entries or ())))


def _prelude(limit: LimitTransformer, regions: Regions) -> list[LimitLayer]:
    """Two layers that put the right row of the positional encoding into region I."""
    width, period = regions.width, regions.period
    places = range(regions.main, regions.residue)
    itself = LimitHead(
        "itself: copies its residue",
        regions.square([(place, place, SELF_ATTENTION) for place in places]),
        regions.square(
            [(regions.copied_residue + r, regions.residue + r, 1) for r in range(period)]
        ),
    )
    first = LimitLayer((itself,), Sparse(0, width), (), (), Sparse(width, 0))
    read: Entries = [(period, regions.sos, 1)]  # the last unit fires at SOS
    for h in range(period):
        read += [(h, regions.copied_sos + h, FITTING)]
        read += [(h, regions.copied_sos + period, UNIFORM)]
    rows = limit.positions.entries
    write: Entries = [(column, residue, value) for residue, column, value in rows]
    write += [(column, period, value) for residue, column, value in rows if residue == 0]
    second = LimitLayer(
        tuple(_distance_head(h, regions) for h in range(period + 1)),
        Sparse(period + 1, width, tuple(read)),
        (0,) * (period + 1),
        (True,) * period + (False,),
        Sparse(width, period + 1, tuple(write)),
    )
    return [first, second]


def _distance_head(h: int, regions: Regions) -> LimitHead:
    """Prefers keys whose distance is h modulo Δ (the last head: none) and reports SOS's share."""
    period, copied = regions.period, regions.copied_residue
    report = regions.square([(regions.copied_sos + h, regions.sos, 1)])
    if h == period:
        return LimitHead("uniform: looks for SOS", regions.square([]), report)
    # copies are exact up to ε only; the logit, near 1 or 0, is rounded to the one it is near
    pairs: Entries = [(copied + (r - h) % period, copied + r, 1) for r in range(period)]
    return LimitHead(f"distance {h} mod {period}: looks for SOS", regions.square(pairs), report)


def _emulate(layer: LimitLayer, regions: Regions) -> LimitLayer:
    """A layer of the Limit Transformer in region I, with φ as a band in region II."""
    heads = []
    for head in layer.heads:
        band: Entries = [
            (regions.main + query - offset, regions.main + query, value)
            for offset, value in head.phi
            for query in range(offset, regions.position)
        ]
        logits = regions.square([*head.key_query.entries, *band])
        heads.append(LimitHead(head.name, logits, regions.square([*head.value.entries])))
    return LimitLayer(
        tuple(heads),
        widened(layer.expand, regions.width),
        layer.bias,
        layer.heaviside,
        Sparse(regions.width, layer.contract.columns, layer.contract.entries),
    )
