"""Figures of small trained models: attention rows, the curve they use, and what it adds up to."""

from __future__ import annotations

import matplotlib
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle

from foretell.reports.landscape.looked_inside import Group, Inside, LookedInside
from foretell.reports.plots import COLOURS, GREY, INK, STYLE, as_svg

SPREAD = 0.16  # width of the dash at a mean
MARKS = "os^Dv"  # one for each number of bits
LARGEST = 300  # area of the disc that stands for all rows


def summary_figure(whole: LookedInside) -> str:
    """By degree: the share of components that a row shows, and how often curves turn."""
    with matplotlib.rc_context({**STYLE, "svg.hashsalt": f"inside {whole.budget}"}):
        figure = Figure(figsize=(11, 4.8), layout="constrained")
        shares, turns = figure.subplots(1, 2)
        sizes = sorted({group.bits for group in whole.groups})
        for place, kind in enumerate(whole.kinds):
            groups, colour = whole.of_kind(kind), COLOURS[place]
            for mark, bits in zip(MARKS, sizes, strict=False):
                own = [group for group in groups if group.bits == bits]
                _draw_shares(shares, own, colour, mark, f"{kind}, T = {bits}")
            shift = 0.13 * (2 * place - len(whole.kinds) + 1)
            _draw_turns(turns, list(groups), colour, shift)
        degrees = sorted({group.degree for group in whole.groups})
        needed = [degree - 1 for degree in degrees]
        turns.plot(degrees, needed, color=INK, linestyle=":", label="k - 1: one row alone needs")
        shares.plot([], [], color=INK, linestyle="--", linewidth=0.9, label="other subsets")
        shares.set_ylim(-0.03, 1.03)
        shares.set_ylabel("share of components")
        shares.set_title("A row looks at the component's bits most", loc="left", fontsize=11)
        turns.set_ylabel("turning points")
        turns.set_title("The curve turns where such a row reads", loc="left", fontsize=11)
        for panel in (shares, turns):
            panel.set_xlabel("degree k")
            panel.set_xticks(degrees)
            panel.spines[["top", "right"]].set_visible(False)
            below = {"loc": "upper center", "bbox_to_anchor": (0.5, -0.16), "ncol": 2}
            panel.legend(frameon=False, fontsize=8.5, **below)
        return as_svg(figure, "components shown by attention rows, and turning points, by degree")


def _draw_shares(axes: Axes, groups: list[Group], colour: str, mark: str, name: str) -> None:
    found = [(group.degree, group.share("shown"), group.others()) for group in groups]
    done = [(degree, share, other) for degree, share, other in found if share is not None]
    degrees = [degree for degree, _, _ in done]
    axes.plot(degrees, [share for _, share, _ in done], color=colour, marker=mark, label=name)
    beside = [other[0] for _, _, other in done if other]
    axes.plot(degrees, beside, color=colour, linestyle="--", linewidth=0.9)


def _draw_turns(axes: Axes, groups: list[Group], colour: str, shift: float) -> None:
    """A disc for each number of turns, its area the share of rows; their mean as a dash."""
    label = f"{groups[0].kind}: rows, and their mean"
    for degree in sorted({group.degree for group in groups}):
        counts = np.array(
            [n for group in groups if group.degree == degree for n in group.row_turns]
        )
        if not len(counts):
            continue
        heights, many = np.unique(counts, return_counts=True)
        where = np.full(len(heights), degree + shift)
        axes.scatter(where, heights, LARGEST * many / len(counts), color=colour, alpha=0.5, lw=0)
        ends = [degree + shift - SPREAD / 2, degree + shift + SPREAD / 2]
        axes.plot(ends, [counts.mean()] * 2, color=colour, linewidth=3, label=label)
        label = "_"


def model_figure(model: Inside) -> str:
    """One model: attention rows with what they add, the curve with what it is used for."""
    settings = model.cell.settings
    names = ("kind", "degree", "function", "start", "bits")
    salt = " ".join(str(settings[name]) for name in names)
    with matplotlib.rc_context({**STYLE, "svg.hashsalt": salt}):
        figure = Figure(figsize=(12.5, 4.4), layout="constrained")
        grid = figure.add_gridspec(
            2, 4, height_ratios=(3.4, 1), width_ratios=(3.4, 0.8, 4.2, 2.4), hspace=0.02
        )
        rows = figure.add_subplot(grid[:, 0])
        _draw_attention(rows, model)
        _draw_adds(figure.add_subplot(grid[:, 1], sharey=rows), model)
        curve = figure.add_subplot(grid[0, 2])
        _draw_curve(curve, model)
        _draw_used(figure.add_subplot(grid[1, 2], sharex=curve), model)
        _draw_coefficients(figure.add_subplot(grid[:, 3]), model)
        return as_svg(figure, f"inside a model: attention, curve, coefficients ({salt})")


def _draw_attention(axes: Axes, model: Inside) -> None:
    axes.imshow(model.attention, cmap="Blues", vmin=0, aspect="auto")
    for colour, look in zip(COLOURS, model.looks, strict=False):
        for bit in look.part.bits:
            box = Rectangle((bit - 0.45, look.part.row - 0.45), 0.9, 0.9)
            box.set(fill=False, edgecolor=colour, linewidth=2, linestyle="-" if look.shown else ":")
            axes.add_patch(box)
    length = len(model.attention)
    ticks = range(0, length, 1 if length < 15 else 2)
    names = ["–" if place == length - 1 else str(place + 1) for place in ticks]
    axes.set_xticks(ticks, names, fontsize=8)
    axes.set_yticks(ticks, names, fontsize=8)
    axes.set_xlabel("bit looked at")
    axes.set_ylabel("position that looks")
    axes.set_title("Attention", loc="left", fontsize=11)


def _draw_adds(axes: Axes, model: Inside) -> None:
    adds = model.values["adds"]
    axes.barh(range(len(adds)), adds, 0.7, color=GREY)
    axes.tick_params(labelleft=False, labelsize=8)
    axes.set_xlabel("adds", fontsize=9.5)
    axes.spines[["top", "right"]].set_visible(False)


def _draw_curve(axes: Axes, model: Inside) -> None:
    numbers, values = model.values["curve"]
    axes.plot(numbers, values, color=INK, linewidth=1.4)
    for colour, look in zip(COLOURS, model.looks, strict=False):
        heights = np.interp(look.levels, numbers, values)
        axes.plot(look.levels, heights, "o", color=colour, markersize=6, alpha=0.85)
        for ones, (place, height) in enumerate(zip(look.levels, heights, strict=True)):
            told = {"textcoords": "offset points", "fontsize": 7.5, "color": colour}
            axes.annotate(str(ones), (place, height), (4, 4), **told)  # type: ignore[arg-type]
    axes.tick_params(labelbottom=False)
    axes.margins(y=0.14)
    axes.set_ylabel("looked up", fontsize=9.5)
    often = {0: "does not turn", 1: "turns once", 2: "turns twice"}
    count = often.get(model.turns, f"turns {model.turns} times")
    axes.set_title(f"The curve: {count}", loc="left", fontsize=11)
    axes.spines[["top", "right"]].set_visible(False)


def _draw_used(axes: Axes, model: Inside) -> None:
    numbers, _ = model.values["curve"]
    counts = np.array(model.values["histogram"], float)
    edges = np.linspace(numbers[0], numbers[-1], len(counts) + 1)
    axes.stairs(counts / counts.max(), edges, fill=True, color=GREY)
    axes.set_yticks([])
    axes.set_xlabel("number read, over all inputs and positions", fontsize=9.5)
    axes.spines[["top", "right", "left"]].set_visible(False)


def _draw_coefficients(axes: Axes, model: Inside) -> None:
    names = [" ".join(f"x{bit + 1}" for bit in look.part.bits) for look in model.looks]
    places = np.arange(len(names))
    true = [look.part.true for look in model.looks]
    learned = [look.part.learned for look in model.looks]
    colours = COLOURS[: len(names)]
    axes.barh(places - 0.2, true, 0.36, color="none", edgecolor=INK)
    axes.barh(places + 0.2, learned, 0.36, color=colours)
    for place, name in enumerate(names):
        axes.text(0, place - 0.44, name, fontsize=8.5, va="bottom", color=colours[place])
    axes.set_yticks([])
    axes.set_ylim(len(names) - 0.5, -0.7)
    axes.set_xlabel("true (hollow), learned", fontsize=9.5)
    axes.set_title("Coefficients", loc="left", fontsize=11)
    axes.spines[["top", "right"]].set_visible(False)
