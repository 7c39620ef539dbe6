"""Networks beside their kernel, on the terminal and as a page."""

from __future__ import annotations

import matplotlib
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from rich.console import Console
from rich.text import Text

from foretell.plain.wording import counted
from foretell.reports import _sections as parts
from foretell.reports._markup import Markup, element, pairs, table
from foretell.reports.capture.lazy_curves import Arm, LazyCurves
from foretell.reports.columns import print_columns
from foretell.reports.html import masthead, page
from foretell.reports.plots import COLOURS, GREY, INK, STYLE, as_svg

QUESTION = (
    "What is proved about capture is proved for infinitely wide transformers. How wide must a "
    "network be to answer as they do?"
)
CAPTION = (
    "Left: distance between a network and the kernel, a dot a seed, with the fitted power; black "
    "is the distance of the mean of all seeds, dotted the sampling error of the kernel. Right: "
    "mean squared error on unseen inputs; dashed the kernel, dotted the best constant."
)
HEADS = ("task", "width", "distance", "of the mean", "error", "kernel's", "right", "kernel's")


def show(console: Console, found: LazyCurves) -> None:
    """A line a width, and what it adds up to."""
    console.print(Text(found.experiment.title, style="bold"))
    print_columns(console, HEADS, [row for arm in found.arms for row in rows(arm)])
    for told in findings(found):
        console.print(Text(told, style="dim"))


def rows(arm: Arm) -> list[tuple[str, ...]]:
    """One row of the table for each width."""
    means = [arm.by_seed(name).mean(axis=0) for name in ("distances", "errors", "right")]
    return [
        (
            arm.task,
            str(width),
            f"{means[0][place]:.3f}",
            f"{arm.of_mean[place]:.3f}",
            f"{means[1][place]:.3f}",
            f"{arm.kernel('kernel_error'):.3f}",
            f"{means[2][place]:.0%}",
            f"{arm.kernel('kernel_right'):.0%}",
        )
        for place, width in enumerate(arm.widths)
    ]


def findings(found: LazyCurves) -> list[str]:
    """What came out, in sentences that could have come out otherwise."""
    told = []
    for arm in found.arms:
        if arm.fit is not None:
            power, (low, high) = arm.fit.power.growth, arm.fit.power.interval
            told.append(
                f"{arm.task}: the distance goes with the width to the power {power:.2f} "
                f"[{low:.2f}, {high:.2f}] from {arm.widths[0]} to {arm.widths[-1]}; -0.5 is what "
                "chance alone would give"
            )
        errors = arm.by_seed("errors").mean(axis=0)
        better = "better" if errors[-1] < arm.kernel("kernel_error") else "no better"
        told.append(
            f"{arm.task}: at width {arm.widths[-1]} networks are {better} than the kernel on "
            f"unseen inputs ({errors[-1]:.3f} and {arm.kernel('kernel_error'):.3f}; the best "
            f"constant {arm.kernel('constant'):.3f})"
        )
    if found.missing:
        told.append(f"not run yet: {counted(found.missing, 'cell')}")
    return told


def lazy_page(found: LazyCurves) -> str:
    """One self-contained document."""
    title = found.experiment.title
    content = [masthead("foretell reproduce lazy-capture", title, found.experiment.source)]
    content.append(element("p", QUESTION, class_="question"))
    told = [element("p", text[0].upper() + text[1:] + ".") for text in findings(found)]
    content.append(parts.section("What came out", *told))
    if found.arms:
        frame = element("div", Markup(figure_of(found)), class_="plot wide")
        content.append(element("figure", frame, element("figcaption", CAPTION), class_="broad"))
        listed = [row for arm in found.arms for row in rows(arm)]
        heads = [head.capitalize() for head in HEADS]
        content.append(
            parts.section("Every width", table(heads, listed, numeric=range(1, len(heads))))
        )
        content.append(parts.section("How", pairs(_how(found))))
    return page(title, content)


def figure_of(found: LazyCurves) -> str:
    """A row a task: distances, and errors, against the width."""
    with matplotlib.rc_context({**STYLE, "svg.hashsalt": f"lazy {found.budget}"}):
        figure = Figure(figsize=(11, 3.6 * len(found.arms)), layout="constrained")
        panels = figure.subplots(len(found.arms), 2, squeeze=False)
        for (left, right), arm in zip(panels, found.arms, strict=True):
            _distances(left, arm)
            _errors(right, arm)
            for axes in (left, right):
                axes.set_xscale("log", base=2)
                axes.set_xticks(arm.widths, [str(width) for width in arm.widths])
                axes.set_xlabel("width N")
                axes.spines[["top", "right"]].set_visible(False)
        return as_svg(figure, "distance to the kernel and test error by width")


def _distances(axes: Axes, arm: Arm) -> None:
    for row in arm.by_seed("distances"):
        axes.plot(arm.widths, row, "o", color=COLOURS[0], markersize=4, alpha=0.6)
    axes.plot(arm.widths, arm.of_mean, color=INK, marker="s", markersize=4, label="mean of seeds")
    if arm.fit is not None:
        fitted, power = [arm.fit.power(width) for width in arm.widths], arm.fit.power.growth
        axes.plot(arm.widths, fitted, color=COLOURS[0], label=f"N to the {power:.2f}")
    axes.axhline(arm.kernel("sampling"), color=GREY, linestyle=":", label="sampling error")
    axes.set_yscale("log")
    axes.set_ylabel("distance to the kernel")
    axes.set_title(arm.task, loc="left", fontsize=11)
    axes.legend(frameon=False, fontsize=8)


def _errors(axes: Axes, arm: Arm) -> None:
    errors = arm.by_seed("errors")
    for row in errors:
        axes.plot(arm.widths, row, "o", color=COLOURS[0], markersize=4, alpha=0.6)
    axes.plot(arm.widths, errors.mean(axis=0), color=COLOURS[0], label="networks")
    axes.axhline(arm.kernel("kernel_error"), color=INK, linestyle="--", label="kernel")
    axes.axhline(arm.kernel("constant"), color=GREY, linestyle=":", label="best constant")
    axes.set_ylim(bottom=0)
    axes.set_ylabel("error on unseen inputs")
    axes.legend(frameon=False, fontsize=8)


def _how(found: LazyCurves) -> list[tuple[str, str]]:
    settings = found.arms[0].rows[0][0].settings
    kept = [one["provenance"] for arm in found.arms for _, one in arm.rows]
    machines = dict.fromkeys(f"{one['device']}, commit {one['commit']}" for one in kept)
    return [
        ("budget", found.budget),
        ("inputs", f"{settings['train']} seen, {settings['test']} unseen, all different"),
        ("training", f"{settings['steps']} steps of gradient descent, the kernel takes the same"),
        ("kernel", f"NTK, two halves of {settings['draws']:,} draws of attention scores each"),
        ("networks", f"{settings['seeds']} seeds a width, N/4 heads, keys of width N/4"),
        ("machine", "; ".join(machines)),
    ]
