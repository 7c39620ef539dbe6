"""A grid of fitted functions on the terminal and as a page."""

from __future__ import annotations

import math

from rich.console import Console
from rich.text import Text

from foretell.boolean.bounds.terms import Form
from foretell.reports import _sections as parts
from foretell.reports._markup import Markup, element, pairs, table
from foretell.reports.columns import print_columns
from foretell.reports.gap_grid import ADMISSIBLE, PUBLISHED, GapClass, GapGrid, Spread
from foretell.reports.gap_plots import built_figure, gaps_figure
from foretell.reports.html import masthead, page

HEADS = ("class", "fitted", "gap", "95 %", "bound", "corrected", "trace", "built")


def show(console: Console, grid: GapGrid) -> None:
    """One line a class, and what it adds up to."""
    console.print(Text(grid.reproduction.title, style="bold"))
    print_columns(console, HEADS, [cells(each) for each in grid.classes])
    for sentence in findings(grid):
        console.print(Text(sentence, style="dim"))


def cells(each: GapClass) -> tuple[str, ...]:
    """One row of the table."""
    gap, trace = each.spread("gap"), each.spread("trace")
    return (
        each.label,
        f"{each.counts[0]} of {each.counts[2]}",
        f"{gap.mean:.4f}" if gap else "–",
        _interval(gap),
        f"{each.bound(PUBLISHED, Form.PUBLISHED).value:.3g}",
        f"{each.bound(ADMISSIBLE, Form.CORRECTED).value:.3g}",
        f"{trace.mean:.0f}" if trace else "–",
        f"{each.built_trace:.0f}",
    )


def _interval(spread: Spread | None) -> str:
    if spread is None or not math.isfinite(spread.interval[0]):
        return "–"
    return f"[{spread.interval[0]:.4f}, {spread.interval[1]:.4f}]"


def findings(grid: GapGrid) -> list[str]:
    """What the grid says, in sentences that could have come out otherwise."""
    told = [
        f"bound: truncated, as published (sub-Gaussian constant {PUBLISHED:g}); corrected: with "
        f"the least valid constant ({ADMISSIBLE:g}); built: the construction's Hessian trace"
    ]
    if order := grid.order():
        told.append(
            f"hardness and measured gaps order the classes alike with Kendall's tau "
            f"{order.value:.2f} (chance of as much: {order.chance:.2g})"
        )
    for quantity, name in (("squared_norm", "norm"), ("trace", "Hessian trace")):
        below, among = grid.dominated(quantity)
        if among:
            told.append(
                f"the learned {name} is below the construction's in {below} of {among} classes"
            )
    failed = sum(each.counts[1] - each.counts[0] for each in grid.classes)
    missing = sum(each.counts[2] - each.counts[1] for each in grid.classes)
    told.append(f"{failed} models did not fit and are left out; {missing} are not trained yet")
    return told


def gap_page(grid: GapGrid) -> str:
    """One self-contained document."""
    title = grid.reproduction.title
    content = [
        masthead("foretell reproduce", title, f"{grid.reproduction.source} · budget {grid.budget}")
    ]
    content.append(parts.section("What came out", *(element("p", told) for told in findings(grid))))
    if any(each.fitted for each in grid.classes):
        content += [_figure(gaps_figure(grid), GAPS), _figure(built_figure(grid), BUILT)]
    heads = [head.capitalize() for head in HEADS]
    rows = [cells(each) for each in grid.classes]
    content.append(parts.section("Every class", table(heads, rows, numeric=range(1, len(heads)))))
    content.append(parts.section("Behind each class", *map(_details, grid.classes)))
    return page(title, content)


GAPS = (
    "Left: how much larger the loss is on fresh inputs, mean over the functions of a class that "
    "were fitted, the bar its 95 % interval. Right: the same in logarithms under the truncated "
    "bound, as published (dotted) and with the least valid sub-Gaussian constant (dashed). A bound "
    "above the dashed black line says nothing."
)
BUILT = (
    "Each dot is a class, its degree beside it, coloured by sparsity as above. The bound assumes "
    "that training finds weights no larger and no sharper than the construction's: dots below "
    "the line."
)


def _figure(drawing: str, caption: str) -> Markup:
    frame = element("div", Markup(drawing), class_="plot wide")
    return element("figure", frame, element("figcaption", caption), class_="broad")


def _details(each: GapClass) -> Markup:
    rows = [
        [
            line.asked.question.task.name,
            "fitted" if found.provenance["fitted"] else "not fitted",
            *(f"{value.mean:.4g}" for value in found.values),
        ]
        for line, found in zip(each.lines, each.measured, strict=False)
    ]
    content: list[Markup] = []
    if each.measured:
        heads = ["Function", "", *(value.probe for value in each.measured[0].values)]
        content.append(table(heads, rows, numeric=range(2, len(heads))))
        known = each.measured[0].provenance
        settings = [("device", known["device"]), ("commit", str(known.get("commit")))]
        settings += [(name, str(version)) for name, version in known["versions"].items()]
        content += [pairs(settings), element("p", "Rule: ", each.measured[0].rule, class_="quiet")]
        content += [element("p", note, class_="quiet") for note in each.measured[0].notes[1:]]
    summary = element("summary", element("strong", each.label), f" {each.counts[0]} fitted")
    return element("details", summary, *content, class_="line-details")
