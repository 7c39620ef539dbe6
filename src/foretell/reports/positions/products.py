"""What positions alone do in a trained model's heads: does only the distance count?"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import jax
import numpy as np
from rich.console import Console
from rich.table import Table
from rich.text import Text

from foretell.models.position_products import (
    diagonal_means,
    offset_variance,
    position_penalty,
    position_products,
    position_vectors,
    stream_variances,
)
from foretell.models.transformer import Block
from foretell.plain.wording import counted
from foretell.protocols._trained import Trained, read_trained
from foretell.reports._markup import Markup, element, pairs, table
from foretell.reports._sections import section
from foretell.reports.html import masthead, page
from foretell.reports.positions.plots import distance_figure, products_figure
from foretell.training.provenance import describe_machine

MOST_LINES = 20  # heads listed on a terminal


@dataclass(frozen=True)
class Head:
    """One head of one model: how its products vary over places, and over all pairs.

    Where `whole` is small too, the head hardly uses positions; where it is not, but `offset` is,
    it uses the distance.
    """

    model: int
    layer: int
    head: int
    offset: float  # variance around the mean at each distance
    whole: float  # variance of all products
    deviation: float  # root of `offset`, over the root of the head's width: in attention logits


@dataclass(frozen=True)
class Model:
    """One model: what its norms meet, the two forms of regularizer (8), and where it comes from."""

    trained: Trained
    variances: tuple[jax.Array, ...]
    first_key: float
    all_pairs: float
    by_distance: np.ndarray  # squared products over layers and heads, averaged over places

    def products(self, layer: int) -> np.ndarray:
        """pᵀ Qᵀ K p of every head of a layer."""
        return _products(self.trained, self.trained.model.blocks[layer], self.variances[layer])


@dataclass(frozen=True)
class Positions:
    """All heads of all models that a file holds, the most variant first."""

    source: Path
    models: tuple[Model, ...]
    heads: tuple[Head, ...]
    provenance: dict[str, Any]

    def name(self, head: Head) -> str:
        """Model, layer and head, in words."""
        return f"{self.models[head.model].trained.name}, layer {head.layer}, head {head.head}"

    def as_json(self) -> dict[str, Any]:
        """The form of `foretell positions --json`."""
        first = self.models[0].trained
        return {
            "source": str(self.source),
            "architecture": first.model.architecture.as_json(),
            "task": first.task.name if first.task else None,
            "norms_averaged_over": first.reading,
            "models": [
                {
                    "name": model.trained.name,
                    "norm_variances": [float(variance) for variance in model.variances],
                    "regularizer": {"first_key": model.first_key, "all_pairs": model.all_pairs},
                    "squares_by_distance": model.by_distance.tolist(),
                    "heads": [
                        {
                            "layer": head.layer,
                            "head": head.head,
                            "offset_variance": head.offset,
                            "variance": head.whole,
                            "logit_deviation": head.deviation,
                        }
                        for head in sorted(self.heads, key=lambda head: (head.layer, head.head))
                        if head.model == place
                    ],
                }
                for place, model in enumerate(self.models)
            ],
            "provenance": self.provenance,
        }


def inspect(source: Path, heads: int | None = None) -> Positions:
    """Read the models and measure all their heads."""
    models, found = [], []
    for place, trained in enumerate(read_trained(source, heads)):
        model, own = _measured(place, trained)
        models.append(model)
        found += own
    ordered = sorted(found, key=lambda head: -head.offset)
    return Positions(source, tuple(models), tuple(ordered), describe_machine())


def _measured(place: int, trained: Trained) -> tuple[Model, list[Head]]:
    model, shape = trained.model, trained.model.architecture
    position_vectors(model)  # refuses a model without any before the work begins
    variances = stream_variances(model, *trained.inputs())
    heads, squares = [], np.zeros(shape.context)
    for layer, (block, variance) in enumerate(zip(model.blocks, variances, strict=True)):
        for head, products in enumerate(_products(trained, block, variance)):
            offset = offset_variance(products)
            whole = float(np.var(products[np.tril_indices(shape.context)]))
            deviation = math.sqrt(offset / shape.head_width)
            heads.append(Head(place, layer, head, offset, whole, deviation))
            squares += diagonal_means(np.square(products))
    first, pairwise = (
        float(position_penalty(model, variances, all_pairs=every)) for every in (False, True)
    )
    return Model(trained, variances, first, pairwise, squares), heads


def _products(trained: Trained, block: Block, variance: jax.Array) -> np.ndarray:
    found = position_products(block, position_vectors(trained.model), variance)
    return np.asarray(found, np.float64)


HEADS = ("model", "layer", "head", "offset variance", "variance of all", "deviation in logits")
TERMS = ("model", "Σ over p₁ as key", "all pairs over N")


def _rows(found: Positions) -> list[tuple[str, ...]]:
    return [
        (
            found.models[head.model].trained.name,
            str(head.layer),
            str(head.head),
            f"{head.offset:.3g}",
            f"{head.whole:.3g}",
            f"{head.deviation:.3g}",
        )
        for head in found.heads
    ]


def _terms(found: Positions) -> list[tuple[str, ...]]:
    return [
        (model.trained.name, f"{model.first_key:.4g}", f"{model.all_pairs:.4g}")
        for model in found.models
    ]


def summary_sentence(found: Positions) -> str:
    """How many heads look at the distance alone."""
    variances = [head.offset for head in found.heads]
    still = sum(variance < 1 for variance in variances)
    return (
        f"{still} of {counted(len(variances), 'head')} with an offset variance below 1; median "
        f"{np.median(variances):.3g}, largest {max(variances):.3g}"
    )


def _under(found: Positions) -> str:
    first = found.models[0].trained
    label = first.model.architecture.label
    return f"{first.task.name}, {label}" if first.task else label


def show(console: Console, found: Positions) -> None:
    """The most variant heads, and the regularizer."""
    console.print(Text(f"positions in {found.source}: {_under(found)}", style="bold"))
    _print(console, HEADS, _rows(found)[:MOST_LINES])
    if len(found.heads) > MOST_LINES:
        console.print(Text(f"… {len(found.heads) - MOST_LINES} more with --json", style="dim"))
    console.print(Text(summary_sentence(found)))
    console.print()
    console.print(Text("regularizer (8)", style="bold"))
    _print(console, TERMS, _terms(found))
    reading = found.models[0].trained.reading
    console.print(Text(f"variance of norms averaged over {reading}", style="dim"))


def _print(console: Console, heads: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    lines = Table(box=None, padding=(0, 2, 0, 0), header_style="dim")
    for place, head in enumerate(heads):
        lines.add_column(head, justify="right" if place else "left")
    for row in rows:
        lines.add_row(*map(Text, row))
    console.print(lines)


def positions_page(found: Positions) -> str:
    """One self-contained page: heat maps, all heads, the regularizer."""
    machine = found.provenance
    told = [
        ("weights", str(found.source)),
        ("norms", f"variance averaged over {found.models[0].trained.reading}"),
        ("machine", f"{machine['device']}, commit {machine['commit']}, {machine['time']}"),
    ]
    content = [
        masthead("foretell positions", "What positions alone do", _under(found)),
        element("p", _question(), class_="question"),
        _drawn(found),
        section(
            "Heads",
            element("p", f"{summary_sentence(found)}. {_reading()}", class_="quiet"),
            table(HEADS, _rows(found), numeric=(1, 2, 3, 4, 5)),
        ),
        section(
            "Regularizer (8)",
            element("p", _meaning(), class_="quiet"),
            table(TERMS, _terms(found), numeric=(1, 2)),
            _drawn_squares(found),
        ),
        section("How", pairs(told)),
    ]
    return page("foretell positions", content)


def _question() -> str:
    return (
        "Attention reads positions through products pᵀQᵀKp. Do they depend on the distance of "
        "query and key alone, wherever in the context the two stand?"
    )


def _reading() -> str:
    return (
        "The variance of all products is the larger one: where both are near 0 a head hardly uses "
        "positions, where only the first is, it uses the distance."
    )


def _meaning() -> str:
    return (
        "Sums of squared products over layers, heads and queries. If the second is small, "
        "positions far from each other hardly meet, also those that training never put together. "
        "The first stands for it where only the distance counts; training that pays for it can "
        "make the first position an exception instead."
    )


def _drawn(found: Positions) -> Markup:
    most, least = found.heads[0], found.heads[-1]
    chosen = (most, least) if len(found.heads) > 1 else (most,)
    shown = []
    for head in chosen:
        products = found.models[head.model].products(head.layer)[head.head]
        name = f"{found.name(head)}: variance {head.offset:.3g}"
        shown.append((name, products))
    heading = f"products of positions, most and least variant head, {_under(found)}"
    caption = (
        "Left: the product of every query with every key up to it, for the most variant head "
        "(top) and the least variant. Right: its mean at each distance, and how far products at "
        "that distance stray from it; without a band only the distance would count. The offset "
        "variance is the mean square of the band, over all pairs."
    )
    frame = element("div", Markup(products_figure(shown, heading)), class_="plot")
    return element("figure", frame, element("figcaption", caption))


def _drawn_squares(found: Positions) -> Markup:
    first = found.models[0].trained
    curves = [(model.trained.name, model.by_distance) for model in found.models]
    reach = first.task.width(first.sizes[1]) if first.task else None
    caption = (
        "Squared products by distance of query and key, summed over layers and heads, averaged "
        "over places; the second sum above adds them up."
    )
    if reach is not None:
        caption += " Pairs right of the dashed line never met in training."
    svg = distance_figure(curves, reach, f"squared products by distance, {_under(found)}")
    frame = element("div", Markup(svg), class_="plot")
    return element("figure", frame, element("figcaption", caption))
