"""Figures about one Boolean function: spectrum, error of its transformer, bounds, routes."""

from __future__ import annotations

import matplotlib
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from foretell.boolean.bounds.chain_of_thought import COIN
from foretell.boolean.bounds.pac_bayes import optimum_in_closed_form, parts
from foretell.reports.boolean.bounds import Bounds, Tradeoff
from foretell.reports.boolean.chain import ChainOfThought
from foretell.reports.boolean.construction import Change, Construction
from foretell.reports.boolean.spectrum import KnownSpectrum
from foretell.reports.boolean.words import column_line, number, subset
from foretell.reports.plots import COLOURS, INK, STYLE, as_svg

BLUE, ORANGE, GREEN, PINK = COLOURS[:4]
AROUND = 30  # the noise is drawn up to that factor around the best one
GRID = "#e3e3e3"


def spectrum_figure(spectrum: KnownSpectrum, heading: str) -> str:
    """Weight by degree, and the largest coefficients."""
    with matplotlib.rc_context({**STYLE, "svg.hashsalt": f"spectrum {heading}"}):
        rows = max(3, len(spectrum.largest))
        figure = Figure(figsize=(9, 1.6 + 0.26 * rows), layout="constrained")
        left, right = figure.subplots(1, 2, width_ratios=(1, 1.3))
        shown = max(spectrum.degree, 3) + 1
        weights = spectrum.weight_by_degree[1:shown]
        left.bar(range(1, len(weights) + 1), weights, color=BLUE, width=0.6)
        left.set_xlabel("bits of a component")
        left.set_ylabel("squared coefficients, summed")
        left.xaxis.get_major_locator().set_params(integer=True)
        sizes = [size for _, size in spectrum.largest]
        colours = [BLUE if size > 0 else ORANGE for size in sizes]
        places = np.arange(len(sizes))
        right.barh(places, np.abs(sizes), color=colours, height=0.6)
        names = [subset(chosen) for chosen, _ in spectrum.largest]
        right.set_yticks(places, names, fontsize=9)
        right.invert_yaxis()
        right.set_xlabel("size of the coefficient, ±1 basis (orange: negative)")
        for axes in (left, right):
            _plain(axes, axis="y" if axes is left else "x")
        return as_svg(figure, heading)


def error_figure(found: Construction, heading: str) -> str:
    """The largest error over attention scales, by formula and as measured."""
    with matplotlib.rc_context({**STYLE, "svg.hashsalt": f"error {heading}"}):
        figure = Figure(figsize=(7.4, 3.2), layout="constrained")
        axes = figure.subplots()
        scales = [each.scale for each in found.errors]
        stated = [each.stated for each in found.errors]
        axes.plot(scales, stated, color=BLUE, label="at most, by formula")
        measured = [(each.scale, each.measured) for each in found.errors if each.measured]
        if measured:
            label = f"measured over {found.measured_over}"
            axes.plot(*zip(*measured, strict=True), "o", color=ORANGE, label=label)
        axes.axvline(found.attention_scale, color=INK, linewidth=0.8, linestyle=":", label="asked")
        axes.set_yscale("log")
        axes.set_xlabel("attention scale, in units of ln T")
        axes.set_ylabel("largest error")
        _plain(axes)
        axes.legend(frameon=False, loc="upper right")
        return as_svg(figure, heading)


def tradeoff_figure(bounds: Bounds, changes: tuple[Change, ...], heading: str) -> str:
    """The parts of the truncated bound over the noise, the best noise, and what says something."""
    with matplotlib.rc_context({**STYLE, "svg.hashsalt": f"tradeoff {heading}"}):
        figure = Figure(figsize=(10, 3.7), layout="constrained")
        panels = figure.subplots(1, len(bounds.tradeoffs), squeeze=False)[0]
        titles = {each.name: column_line(each) for each in bounds.columns}
        for axes, each in zip(panels, bounds.tradeoffs, strict=True):
            _draw_tradeoff(axes, each, bounds.trivial, changes)
            axes.set_title(titles[each.name], loc="left", fontsize=10.5)
        panels[0].set_ylabel("bound on the squared error")
        handles, labels = panels[0].get_legend_handles_labels()
        figure.legend(handles, labels, loc="outside lower left", ncols=len(labels), frameon=False)
        return as_svg(figure, heading)


def _draw_tradeoff(axes: Axes, each: Tradeoff, trivial: float, changes: tuple[Change, ...]) -> None:
    setting = each.setting
    best = optimum_in_closed_form(each.sizes, setting.samples, setting.constant)
    noise = np.geomspace(float(best.noise) / AROUND, float(best.noise) * AROUND, 200)
    here = parts(noise, each.sizes, setting)
    axes.plot(noise, here.total, color=INK, linewidth=2.2, label="bound")
    axes.plot(noise, here.sharpness, color=BLUE, linestyle="--", label="sharpness")
    complexity = np.asarray(here.norm) + np.asarray(here.confidence)
    axes.plot(noise, complexity, color=GREEN, linestyle="-.", label="norm")
    if changes:
        mesh, change = np.array(changes).T
        at_mesh = parts(mesh, each.sizes, setting, change).perturbation
        axes.plot(mesh, at_mesh, "o", color=PINK, markersize=4, label="change of trace, measured")
    axes.axhline(trivial, color=ORANGE, linewidth=1.2, linestyle=":", label="a constant's error")
    total = float(parts(np.array(best.noise), each.sizes, setting).total)
    axes.plot([float(best.noise)], [total], "o", color=INK, markersize=7)
    text = f"{number(total)} at {number(float(best.noise))}"
    axes.annotate(
        text, (float(best.noise), total), (0, 14), textcoords="offset points", ha="center"
    )
    axes.set_xscale("log")
    axes.set_yscale("log")
    axes.set_ylim(bottom=min(trivial, total) / 500)
    axes.set_xlabel("standard deviation of the noise")
    _plain(axes)


def chain_figure(chain: ChainOfThought, heading: str) -> str:
    """Error and samples over the number of bits, by both routes."""
    with matplotlib.rc_context({**STYLE, "svg.hashsalt": f"chain {heading}"}):
        figure = Figure(figsize=(10, 3.5), layout="constrained")
        left, right = figure.subplots(1, 2)
        bits = [row.bits for row in chain.rows]
        routes = (
            ("one pass", ORANGE, [row.one_pass for row in chain.rows]),
            ("chain of thought", BLUE, [row.chain for row in chain.rows]),
        )
        for name, colour, found in routes:
            left.plot(bits, [each.direct for each in found], "o-", color=colour, label=name)
            enough = [each.samples_direct for each in found]
            right.plot(bits, enough, "o-", color=colour, label=f"{name}, direct")
            published = [each.samples_published for each in found]
            right.plot(bits, published, "o:", color=colour, label=f"{name}, published", alpha=0.6)
        left.axhline(COIN, color=INK, linewidth=0.8, linestyle=":", label="a coin")
        right.axhline(float(chain.setting.samples), color=INK, linewidth=0.8, linestyle="--")
        left.set_ylabel("error at most")
        right.set_ylabel("samples needed")
        for axes in (left, right):
            axes.set_xscale("log", base=2)
            axes.set_yscale("log")
            axes.set_xticks(bits, [str(each) for each in bits])
            axes.minorticks_off()
            axes.set_xlabel("bits of the parity")
            _plain(axes)
            axes.legend(frameon=False, fontsize=8.5)
        return as_svg(figure, heading)


def _plain(axes: Axes, axis: str = "y") -> None:
    axes.grid(axis=axis, color=GRID, linewidth=0.8)  # type: ignore[arg-type]
    axes.set_axisbelow(True)
    axes.spines[["top", "right"]].set_visible(False)
