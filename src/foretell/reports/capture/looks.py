"""Attention against size, before and after adapting: drawn from what was read off the weights."""

from __future__ import annotations

import itertools
from collections.abc import Sequence

import matplotlib
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from foretell.protocols._dilution import WHEN, Dilution
from foretell.reports.capture.curves import CaptureCurve
from foretell.reports.plots import COLOURS, GREY, STYLE, as_svg

BEFORE, AFTER = WHEN["start"], WHEN["adapted"]
HEADS = ("curve", "layer", "size", "entropy", "adapted", "even", "logits' spread", "adapted")
CAPTION = (
    "Left: entropy of the sharpest head at the scored position, mean over seeds, in the layer "
    "where it is least; the dotted line is attention that spreads evenly. Right: standard "
    "deviation of its logits. Solid: with the weights that the small sizes gave; dashed: after "
    "adapting to the largest size that was trained."
)


def has_looks(curves: Sequence[CaptureCurve]) -> bool:
    """Was attention read off any of them?"""
    return any(curve.looks for curve in curves)


def looks_rows(curves: Sequence[CaptureCurve]) -> list[tuple[str, ...]]:
    """Curve by curve and layer by layer, means over seeds."""
    rows: list[tuple[str, ...]] = []
    for curve in curves:
        layers, sizes = _axes(curve.looks)
        for layer, size in itertools.product(layers, sizes):
            before, after = (_at(curve.looks, when, layer, size) for when in (BEFORE, AFTER))
            if not before or not after:
                continue
            rows.append(
                (
                    curve.name,
                    str(layer),
                    f"{size:,}",
                    f"{_mean(before, 'entropy'):.2f}",
                    f"{_mean(after, 'entropy'):.2f}",
                    f"{_mean(before, 'evenly'):.2f}",
                    f"{_mean(before, 'spread'):.2f}",
                    f"{_mean(after, 'spread'):.2f}",
                )
            )
    return rows


def looks_sentences(curves: Sequence[CaptureCurve]) -> list[str]:
    """From the smallest size to the largest, in the layer that ends sharpest."""
    told = []
    for curve in (each for each in curves if each.looks):
        layers, sizes = _axes(curve.looks)
        layer = _sharpest(curve.looks, layers, sizes)
        first, last, mended = (
            _mean(_at(curve.looks, when, layer, size), "entropy")
            for when, size in ((BEFORE, sizes[0]), (BEFORE, sizes[-1]), (AFTER, sizes[-1]))
        )
        told.append(
            f"{curve.line.label}: entropy of layer {layer} from {first:.2f} at size {sizes[0]:,} "
            f"to {last:.2f} at {sizes[-1]:,}, {mended:.2f} after adapting"
        )
    return told


def looks_figure(curves: Sequence[CaptureCurve], title: str) -> str:
    """Entropy and spread by size, a colour a curve."""
    with matplotlib.rc_context({**STYLE, "svg.hashsalt": f"looks {title}"}):
        drawn = Figure(figsize=(11, 4.2), layout="constrained")
        panels = drawn.subplots(1, 2)
        told = [curve for curve in curves if curve.looks]
        for colour, curve in zip(itertools.cycle(COLOURS), curves, strict=False):
            if not curve.looks:
                continue  # its colour stays free, so that others keep that of the curves
            for panel, name in zip(panels, ("entropy", "spread"), strict=True):
                _draw(panel, curve, name, colour)
        evenly = {each.size: each.evenly for curve in told for each in curve.looks}
        places = sorted(evenly)
        panels[0].plot(places, [evenly[place] for place in places], ":", color=GREY, label="even")
        for panel, word in zip(panels, ("entropy, nats", "spread of logits"), strict=True):
            panel.set_xscale("log", base=2)
            marked = places[:: 1 + len(places) // 8]  # more would run into each other
            panel.set_xticks(marked, [f"{place:,}" for place in marked])
            panel.set_xlabel("size")
            panel.set_ylabel(word)
        panels[1].legend(
            *panels[0].get_legend_handles_labels(),
            frameon=False,
            fontsize=9,
            loc="upper left",
            bbox_to_anchor=(1.0, 1.0),
        )
        return as_svg(drawn, "entropy of attention and spread of its logits, by size")


def _draw(panel: Axes, curve: CaptureCurve, name: str, colour: str) -> None:
    layers, sizes = _axes(curve.looks)
    layer = _sharpest(curve.looks, layers, sizes)
    for when, style in ((BEFORE, "-"), (AFTER, "--")):
        means = [_mean(_at(curve.looks, when, layer, size), name) for size in sizes]
        label = curve.name if when == BEFORE else None
        panel.plot(sizes, means, style, color=colour, marker="o", markersize=3, label=label)


def _axes(looks: Sequence[Dilution]) -> tuple[list[int], list[int]]:
    return sorted({each.layer for each in looks}), sorted({each.size for each in looks})


def _sharpest(looks: Sequence[Dilution], layers: Sequence[int], sizes: Sequence[int]) -> int:
    return min(layers, key=lambda layer: _mean(_at(looks, BEFORE, layer, sizes[0]), "entropy"))


def _at(looks: Sequence[Dilution], when: str, layer: int, size: int) -> list[Dilution]:
    return [each for each in looks if (each.when, each.layer, each.size) == (when, layer, size)]


def _mean(looks: Sequence[Dilution], name: str) -> float:
    return float(np.mean([getattr(each, name) for each in looks])) if looks else float("nan")
