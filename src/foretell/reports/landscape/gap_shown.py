"""A grid of fitted functions on the terminal and as a page."""

from __future__ import annotations

import math
from collections.abc import Sequence

from rich.console import Console
from rich.text import Text

from foretell.boolean.bounds.terms import Form
from foretell.core.measurement import Measurement
from foretell.plain.wording import counted
from foretell.reports import _sections as parts
from foretell.reports._markup import Markup, element, pairs, table
from foretell.reports.columns import print_columns
from foretell.reports.html import masthead, page
from foretell.reports.landscape.gap_chain import (
    BOUND_HEADS,
    MEASURED_HEADS,
    bound_rows,
    chain_findings,
    measured_rows,
    percent,
)
from foretell.reports.landscape.gap_class import ADMISSIBLE, PUBLISHED, GapClass, Spread
from foretell.reports.landscape.gap_grid import GapGrid
from foretell.reports.landscape.gap_plots import built_figure, chain_figure, gaps_figure
from foretell.reports.phrases import number

HEADS = ("class", "fitted", "gap", "95 %", "bound", "corrected", "trace", "built")
WRONG = "wrong"  # one column more where answers are right or wrong


def show(console: Console, grid: GapGrid) -> None:
    """One line a class, and what it adds up to."""
    console.print(Text(grid.reproduction.title, style="bold"))
    print_columns(console, _heads(grid), _rows(grid))
    if grid.pairs:
        print_columns(console, MEASURED_HEADS, measured_rows(grid.pairs))
    for sentence in findings(grid):
        console.print(Text(sentence, style="dim"))


def _heads(grid: GapGrid) -> tuple[str, ...]:
    return (*HEADS, WRONG) if any(each.spread("wrong") for each in grid.classes) else HEADS


def _rows(grid: GapGrid) -> list[tuple[str, ...]]:
    answered = WRONG in _heads(grid)
    return [(*cells(each), *([_wrong(each)] if answered else [])) for each in grid.classes]


def _wrong(each: GapClass) -> str:
    found = each.spread("wrong")
    return percent(found.mean) if found else "–"


def cells(each: GapClass) -> tuple[str, ...]:
    """One row of the table."""
    gap, trace = each.spread("gap"), each.spread("trace")
    return (
        each.label,
        each.fitted_of,
        number(gap.mean, 2) if gap else "–",
        _interval(gap),
        f"{each.bound(PUBLISHED, Form.PUBLISHED).value:.3g}",
        f"{each.bound(ADMISSIBLE, Form.CORRECTED).value:.3g}",
        f"{trace.mean:.0f}" if trace else "–",
        f"{each.built_trace:.0f}",
    )


def _interval(spread: Spread | None) -> str:
    if spread is None or not math.isfinite(spread.interval[0]):
        return "–"
    return f"[{number(spread.interval[0], 2)}, {number(spread.interval[1], 2)}]"


def findings(grid: GapGrid) -> list[str]:
    """What the grid says, in sentences that could have come out otherwise."""
    told = [
        f"bound: truncated, as published (sub-Gaussian constant {PUBLISHED:g}); corrected: with "
        f"the least constant that is not ruled out ({ADMISSIBLE:g}), which favours it; "
        "built: the construction's Hessian trace"
    ]
    told += chain_findings(grid.pairs)
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
    if failed:
        told.append(f"did not fit and left out: {counted(failed, 'model')}")
    if missing:
        told.append(f"not trained yet: {counted(missing, 'model')}")
    return told


def gap_page(grid: GapGrid) -> str:
    """One self-contained document."""
    title = grid.reproduction.title
    content = [
        masthead("foretell reproduce", title, f"{grid.reproduction.source} · budget {grid.budget}")
    ]
    content.append(parts.section("What came out", *(element("p", told) for told in findings(grid))))
    if grid.pairs:
        content.append(parts.section("Chain of thought", *_chain(grid)))
    if any(each.fitted for each in grid.classes):
        named = "number of bits" if grid.pairs else "degree"
        told = BUILT.format(named, "way" if grid.pairs else "sparsity")
        content += [_figure(gaps_figure(grid), GAPS), _figure(built_figure(grid), told)]
    content.append(parts.section("Every class", _table(_heads(grid), _rows(grid))))
    content.append(parts.section("Behind each class", *map(_details, grid.classes)))
    return page(title, content)


def _chain(grid: GapGrid) -> list[Markup]:
    """Both ways to parity: a figure where something was trained, a table each for what is known."""
    figures = []
    if any(each.spread("wrong") for pair in grid.pairs for each in pair):
        figures = [_figure(chain_figure(grid), CHAIN)]
    return [
        *figures,
        _table(MEASURED_HEADS, measured_rows(grid.pairs)),
        element("p", BOUNDED, class_="quiet"),
        _table(BOUND_HEADS, bound_rows(grid.pairs)),
    ]


def _table(heads: Sequence[str], rows: Sequence[Sequence[str]]) -> Markup:
    first = 1 if heads[1] else 2  # where numbers begin
    return table([head.capitalize() for head in heads], rows, numeric=range(first, len(heads)))


CHAIN = (
    "Left: the share of fresh inputs answered wrongly, in steps by the last bit of a chain that "
    "reads what it wrote. Right: steps of training. A small dot is a model, hollow if it did not "
    "fit its training inputs; the large one is the mean of all, the bar its 95 % interval."
)
BOUNDED = (
    "Bounds on wrong answers with as many samples. Published: where the confidence of the risk "
    f"bound is taken for the error (constant {PUBLISHED:g}); its samples are those from which it "
    "falls with more of them. Corrected: four times the risk bound, in steps times the number of "
    f"steps (constant {ADMISSIBLE:g}); its samples are those from which it beats a coin."
)
GAPS = (
    "Left: how much larger the loss is on fresh inputs, mean over the functions of a class that "
    "were fitted, the bar its 95 % interval. Right: the same in logarithms under the truncated "
    "bound, as published (dotted) and corrected, with the least sub-Gaussian constant that is not "
    "ruled out (dashed). A bound above the dashed black line says nothing."
)
BUILT = (
    "Each dot is a class, its {} beside it, coloured by {} as above. The bound assumes "
    "that training finds weights no larger and no sharper than the construction's: dots below "
    "the line."
)


def _figure(drawing: str, caption: str) -> Markup:
    frame = element("div", Markup(drawing), class_="plot wide")
    return element("figure", frame, element("figcaption", caption), class_="broad")


def _details(each: GapClass) -> Markup:
    names = list(dict.fromkeys(value.probe for one in each.measured for value in one.values))
    rows = [
        [
            line.asked.question.task.name,
            "fitted" if found.provenance["fitted"] else "not fitted",
            *(_mean_of(found, name) for name in names),
        ]
        for line, found in zip(each.lines, each.measured, strict=False)
    ]
    content: list[Markup] = []
    if each.measured:
        heads = ["Function", "", *names]
        content.append(table(heads, rows, numeric=range(2, len(heads))))
        known = each.measured[0].provenance
        settings = [("device", known["device"]), ("commit", str(known.get("commit")))]
        settings += [(name, str(version)) for name, version in known["versions"].items()]
        content += [pairs(settings), element("p", "Rule: ", each.measured[0].rule, class_="quiet")]
        content += [element("p", note, class_="quiet") for note in each.measured[0].notes[1:]]
    summary = element("summary", element("strong", each.label), f" {each.counts[0]} fitted")
    return element("details", summary, *content, class_="line-details")


def _mean_of(found: Measurement, name: str) -> str:
    """Older runs lack what was not measured then."""
    known = {value.probe: f"{value.mean:.4g}" for value in found.values}
    return known.get(name, "–")
