"""Small trained models seen from inside, on the terminal and as a page."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from rich.console import Console
from rich.text import Text

from foretell.models.scalar_lookup import parameter_count
from foretell.plain.wording import counted
from foretell.reports import _sections as parts
from foretell.reports._markup import Markup, element, pairs, table
from foretell.reports.columns import print_columns
from foretell.reports.html import masthead, page
from foretell.reports.landscape.looked_inside import Group, Inside, LookedInside
from foretell.reports.landscape.looked_inside_plots import model_figure, summary_figure
from foretell.reproductions._looking import ASKED, EXACT_BITS, PROMINENCE
from foretell.reproductions.parity_lookup import BRIGHT, FITTED

HEADS = (
    "attention sees",
    "T",
    "degree",
    "fitted",
    "shown",
    "others",
    "turns",
    "needed",
    "bright",
    "others too",
)
QUESTION = (
    "The explicit transformer averages the bits of a component in one row of its attention, and "
    "an MLP that goes up and down turns the average into a parity. Does training find that?"
)
SUMMARY = (
    "Fitted models only. Left: components whose bits are what their row of the attention looks at "
    "most; dashed, the same for all subsets of that size that are no component. Right: for each "
    "such row, how often the MLP's curve turns within the numbers that the row reads, a disc's "
    "area being a share of the rows; "
    "several rows that read the same bits can do with fewer turns than one."
)
MODEL = (
    "Left: attention, mean over inputs; – is the extra position. A component's bits are outlined "
    "in its row, dotted if they are not what it looks at most; bars: how much the position adds to "
    "the answer (standard deviation). Middle: the MLP from a number "
    "to a number, below it how often each number occurs; a dot is what the component's row reads "
    "on average if so many of its bits are 1. Right: coefficients in the ±1 basis."
)


def show(console: Console, whole: LookedInside) -> None:
    """One line a group, and what it adds up to."""
    console.print(Text(whole.experiment.title, style="bold"))
    print_columns(console, HEADS, [cells(group) for group in whole.groups])
    for told in findings(whole):
        console.print(Text(told, style="dim"))


def cells(group: Group) -> tuple[str, ...]:
    """One row of the table."""
    others = group.others()
    turns = group.row_turns
    return (
        group.kind,
        str(group.bits),
        str(group.degree),
        f"{len(group.fitted)} of {len(group.models)}",
        _percent(group.share("shown")),
        _percent(others[0] if others else None),
        f"{np.mean(turns):.2f}" if turns else "–",
        str(group.degree - 1),
        _percent(group.share("bright")),
        _percent(others[1] if others else None),
    )


def _percent(share: float | None) -> str:
    return "–" if share is None else f"{100 * share:.{1 if 0 < share <= 0.1 else 0}f} %"


def findings(whole: LookedInside) -> list[str]:
    """What came out, in sentences that could have come out otherwise."""
    told = [sentence for kind in whole.kinds for sentence in _of_kind(kind, whole.of_kind(kind))]
    missing = sum(len(group.cells) - len(group.models) for group in whole.groups)
    told.append(
        f"fitted: mean squared error below {FITTED:g}, the best constant having 0.25; shown: the "
        "component's bits are what its row looks at most; others: the same of all subsets of that "
        "size that are no components; turns: mean over rows that show one, a wiggle below "
        f"{100 * PROMINENCE:.0f} % of the curve's range left out; bright: some row puts more than "
        f"{BRIGHT:g} times even attention on them"
    )
    if missing:
        told.append(f"not trained yet: {counted(missing, 'model')}")
    return told


def _of_kind(kind: str, groups: Sequence[Group]) -> list[str]:
    models = [model for group in groups for model in group.fitted]
    if not models:
        return [f"{kind}: no model was fitted"]
    done = sum(group.functions[0] for group in groups)
    every = sum(group.functions[1] for group in groups)
    starts = sum(len(group.models) for group in groups)
    rows = [
        (look.turns, group.degree - 1) for group in groups for look in group.looks if look.shown
    ]
    exact = sum(turns == needed for turns, needed in rows)
    fewer = sum(turns < needed for turns, needed in rows)
    large, small = (_shown_by_size(models, place) for place in (-1, 0))
    moves = float(np.mean([model.moves for model in models]))
    return [
        f"attention that sees {kind}: {len(models)} of {starts} starts fitted, {done} of {every} "
        f"functions; a row shows the largest component in {_percent(large)} of the models, the "
        f"smallest in {_percent(small)}; the curve turns k - 1 times, as one row alone needs, in "
        f"{exact} of {len(rows)} such rows, less often in {fewer}; "
        f"{_percent(moves)} of the attention goes with the input"
    ]


def _shown_by_size(models: Sequence[Inside], place: int) -> float:
    """How often the component of that rank by coefficient, the smallest first, is shown."""
    ordered = [sorted(model.looks, key=lambda look: abs(look.part.true)) for model in models]
    return float(np.mean([looks[place].shown for looks in ordered]))


def inside_page(whole: LookedInside) -> str:
    """One self-contained document."""
    title = whole.experiment.title
    head = masthead("foretell reproduce parity-lookup", title, whole.experiment.source)
    content = [head, element("p", QUESTION, class_="question")]
    told = [element("p", sentence[0].upper() + sentence[1:] + ".") for sentence in findings(whole)]
    content.append(parts.section("What came out", *told))
    if any(group.fitted for group in whole.groups):
        content.append(_figure(summary_figure(whole), SUMMARY))
    heads = [head.capitalize() if head != "T" else head for head in HEADS]
    rows = [cells(group) for group in whole.groups]
    content.append(parts.section("Every group", table(heads, rows, numeric=range(1, len(heads)))))
    drawn = [(group, best) for group in whole.groups if (best := group.best)]
    content += [_drawn(*each, MODEL if not place else "") for place, each in enumerate(drawn)]
    content.append(parts.section("Every model", *(_details(group) for group in whole.groups)))
    content.append(parts.section("How", pairs(_how(whole))))
    return page(title, content)


def _figure(drawing: str, caption: str) -> Markup:
    frame = element("div", Markup(drawing), class_="plot wide")
    told = [element("figcaption", caption)] if caption else []
    return element("figure", frame, *told, class_="broad")


def _drawn(group: Group, best: Inside, caption: str) -> Markup:
    """The best model of a group; how to read the figure is said once."""
    settings = best.cell.settings
    told = (
        f"Function {settings['function'] + 1}, start {settings['start'] + 1}: the fitted model "
        f"with the smallest error ({best.values['error']:.2g}) of {len(group.fitted)}; "
        f"{100 * best.values['explained']:.1f} % of its variance lies in the function's components."
    )
    title = f"Attention sees {group.label}"
    return parts.section(title, element("p", told), _figure(model_figure(best), caption))


def _details(group: Group) -> Markup:
    heads = ("Function", "Start", "Error", "Explained", "Shown", "Turns", "Turns of rows")
    rows = [
        (
            str(model.cell.settings["function"] + 1),
            str(model.cell.settings["start"] + 1),
            f"{model.values['error']:.2g}" + ("" if model.fitted else ", not fitted"),
            _percent(model.values["explained"]),
            f"{sum(look.shown for look in model.looks)} of {len(model.looks)}",
            str(model.turns),
            " ".join(str(look.turns) for look in model.looks),
        )
        for model in group.models
    ]
    summary = element(
        "summary", element("strong", group.label), f" {len(group.fitted)} of {len(rows)} fitted"
    )
    listed = table(heads, rows, numeric=range(len(heads)))
    return element("details", summary, listed, class_="line-details")


def _how(whole: LookedInside) -> list[tuple[str, str]]:
    settings = whole.groups[0].cells[0].settings
    sizes = sorted({group.bits for group in whole.groups})
    counts = [
        f"T = {bits}: {parameter_count(bits, sees_bits=False)} without bits in the attention, "
        f"{parameter_count(bits)} with"
        for bits in sizes
    ]
    told = [
        ("budget", whole.budget),
        ("weights", "; ".join(counts)),
        (
            "training",
            f"AdamW at {settings['learning_rate']:g}, weight decay {settings['weight_decay']:g}, "
            f"{settings['steps']:,} steps of {settings['batch']} fresh inputs",
        ),
        ("looked at", f"all inputs up to {EXACT_BITS} bits, else {ASKED:,} random ones"),
    ]
    found = [model.provenance for group in whole.groups for model in group.models]
    machines = dict.fromkeys(f"{one['device']}, commit {one['commit']}" for one in found)
    return [*told, ("machine", "; ".join(machines))] if machines else told
