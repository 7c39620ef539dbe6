"""Figures of noise on the explicit transformer: by degree, by length, and by the noise itself."""

from __future__ import annotations

from collections.abc import Sequence

import matplotlib
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from foretell.reports.landscape.perturbed import NoiseClass, Perturbations
from foretell.reports.plots import COLOURS, GREY, INK, STYLE, as_svg
from foretell.reproductions.perturbed_trace import LITTLE

PANELS = 4  # noises drawn, if there are more on the mesh


def along_figure(found: Perturbations, name: str) -> str:
    """A panel a noise: the ratio along `degree` or `bits`, a line a sparsity."""
    places = _spread(len(found.deviations))
    with matplotlib.rc_context({**STYLE, "svg.hashsalt": f"noise {name} {found.budget}"}):
        figure = Figure(figsize=(12.5, 3.6), layout="constrained")
        panels = figure.subplots(1, len(places), sharey=True, squeeze=False)[0]
        for panel, place in zip(panels, places, strict=True):
            _draw_along(panel, found, name, place)
        panels[0].set_ylabel("change of the trace / trace")
        panels[-1].legend(frameon=False, fontsize=8, title="sparsity", title_fontsize=8)
        word = {"degree": "degree", "bits": "length T"}[name]
        figure.supxlabel(word, fontsize=10.5)
        return as_svg(figure, f"change of the Hessian's trace under noise by {word}")


def _spread(count: int) -> list[int]:
    """Places of a few noises, the smallest noise first; the mesh is listed from the largest."""
    chosen = np.unique(np.linspace(0, count - 1, min(count, PANELS)).round().astype(int))
    return [int(place) for place in chosen[::-1]]


def _draw_along(axes: Axes, found: Perturbations, name: str, place: int) -> None:
    for line in lines(found, name):
        colour = COLOURS[_sparsities(found).index(line[0].sparsity) % len(COLOURS)]
        along = [getattr(each, name) for each in line]
        values = [float(each.ratios[place]) for each in line]
        label = str(line[0].sparsity)
        axes.plot(along, values, color=colour, marker="o", markersize=4, label=label)
        axes.set_xticks(along)
    axes.axhline(LITTLE, color=INK, linewidth=0.9, linestyle=(0, (2, 2)))
    axes.set_yscale("log")
    axes.set_title(f"noise s = {found.deviations[place]:g}", loc="left", fontsize=11)
    axes.grid(axis="y", color="#e3e3e3", linewidth=0.8)
    axes.spines[["top", "right"]].set_visible(False)


def fixed(found: Perturbations, name: str) -> int:
    """What is held fixed: the shortest length, or the middle degree of those that vary in length.

    Lines for all would hide each other; the table has them.
    """
    if name == "degree":
        return min(each.bits for each in found.done)
    longest = max(each.bits for each in found.done)
    degrees = sorted({each.degree for each in found.done if each.bits == longest})
    return degrees[len(degrees) // 2]


def lines(found: Perturbations, name: str) -> list[Sequence[NoiseClass]]:
    """Classes that differ in `degree`, or in `bits`, alone; those without a second one left out."""
    other = {"degree": "bits", "bits": "degree"}[name]
    groups: dict[int, list[NoiseClass]] = {}
    for each in found.done:
        if getattr(each, other) == fixed(found, name):
            groups.setdefault(each.sparsity, []).append(each)
    ordered = [sorted(group, key=lambda each: getattr(each, name)) for group in groups.values()]
    return [group for group in ordered if len(group) > 1]


def noise_figure(found: Perturbations) -> str:
    """Left: the ratio against the noise. Right: the loss that the trace predicts, and the loss."""
    with matplotlib.rc_context({**STYLE, "svg.hashsalt": f"noise {found.budget}"}):
        figure = Figure(figsize=(11, 4), layout="constrained")
        ratio, loss = figure.subplots(1, 2)
        for each in found.done:
            colour = COLOURS[_sparsities(found).index(each.sparsity) % len(COLOURS)]
            ratio.plot(found.deviations, each.ratios, color=colour, linewidth=0.8, alpha=0.7)
        ends = np.array([found.deviations.min(), found.deviations.max()])
        middle = np.exp(np.mean([np.log(each.ratios[0] / ends[1]) for each in found.done]))
        ratio.plot(ends, middle * ends, color=INK, linestyle=":", label="proportional to s")
        ratio.axhline(LITTLE, color=INK, linewidth=0.9, linestyle=(0, (2, 2)))
        ratio.set_yscale("log")
        ratio.set_ylabel("change of the trace / trace")
        ratio.set_title("Every class, coloured by sparsity", loc="left", fontsize=11)
        ratio.legend(frameon=False, fontsize=9)
        _draw_losses(loss, found)
        for panel in (ratio, loss):
            panel.set_xscale("log")
            panel.set_xlabel("noise s")
            panel.spines[["top", "right"]].set_visible(False)
        return as_svg(figure, "change of the trace and loss by noise")


def _draw_losses(axes: Axes, found: Perturbations) -> None:
    for each in found.done:
        axes.plot(found.deviations, each.losses.mean(axis=0), color=GREY, linewidth=0.6, alpha=0.5)
    means, lows, highs = np.array(
        [found.loss_ratio(place) for place in range(len(found.deviations))]
    ).T
    axes.plot(found.deviations, means, color=COLOURS[0], marker="o", markersize=4)
    if np.isfinite(lows).all():
        axes.fill_between(found.deviations, lows, highs, color=COLOURS[0], alpha=0.2, linewidth=0)
    axes.axhline(1, color=INK, linewidth=0.9, linestyle=(0, (2, 2)))
    axes.set_ylim(0, max(2.0, 1.1 * float(highs[np.isfinite(highs)].max(initial=0))))
    axes.set_ylabel("added loss / (s²/2 · trace)")
    axes.set_title("The loss under noise, beside what the trace says", loc="left", fontsize=11)


def _sparsities(found: Perturbations) -> list[int]:
    return sorted({each.sparsity for each in found.classes})
