"""A penalty on products of positions, on the terminal and as a page."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from rich.console import Console
from rich.text import Text

from foretell.core.question import SizeRange
from foretell.plain.wording import counted
from foretell.reports import _sections as parts
from foretell.reports._markup import Markup, element, pairs, table
from foretell.reports.columns import print_columns
from foretell.reports.html import masthead, page
from foretell.reports.positions.penalized import Penalized, Penalties
from foretell.reports.positions.penalized_plots import penalty_figure
from foretell.reports.reproduced.table import percent

QUESTION = (
    "The theory's learner pays for products of position vectors; usual training does not. If "
    "training pays too, do heads depend less on where they stand, and do longer words come out "
    "better?"
)
CAPTION = (
    "Left: share of words all right, dots seeds, lines means over all seeds, fitted or not; dashed "
    "the same for words that begin at a random position instead of the first. "
    "Middle: every head of every seed; filled the offset variance (how far its products are from "
    "a function of the distance), hollow the variance of all its products (how much it uses "
    "positions). Right: squared products by distance, summed over layers and heads, thin a seed, "
    "thick their geometric mean; pairs right of the dashed line never met in training. At the last "
    "distance stands one pair only, with the first position as key, for which the penalty is paid "
    "unless it says all pairs; all others are cheaper only as far as they go with it."
)
UNKNOWN = "–"
LOOKS = (
    "offset var.: median",
    "largest",
    "var. of all: median",
    "term (8)",
    "all pairs, through norms",
)


def heads_of(found: Penalties) -> tuple[str, ...]:
    """Names of the columns."""
    sizes = [f"{each} (shifted)" for each in found.rows[0].ranges]
    return ("task", "λ", "fit", *sizes, *LOOKS)


def cells(row: Penalized) -> tuple[str, ...]:
    """One row of the table; shares in percent, means over all seeds."""
    if row.measured is None:
        return (row.task, row.strength, *[UNKNOWN] * (1 + len(row.ranges) + len(LOOKS)))
    means = [f"{_mean(row, sizes)} ({_mean(row, sizes, shifted=True)})" for sizes in row.ranges]
    looks = [UNKNOWN] * len(LOOKS)
    if row.looked:
        variances = (np.median(row.offsets), max(row.offsets), np.median(row.uses))
        sums = (np.mean(row.regularizers), np.mean(row.pairwise))
        looks = [f"{float(each):.3g}" for each in (*variances, *sums)]
    runs = f"{row.fitted}/{len(row.line.asked.seeds)}"
    return (row.task, row.strength, runs, *means, *looks)


def _mean(row: Penalized, sizes: SizeRange, *, shifted: bool = False) -> str:
    return percent(float(np.mean(list(row.shares(sizes, shifted=shifted).values()))))


def findings(found: Penalties) -> list[str]:
    """For each task, how much its heads use positions, and what each penalty changed."""
    told = []
    for task in found.tasks:
        rows = [row for row in found.of(task) if row.measured]
        told += [_use(row) for row in rows[:1] if row.looked]
        told += [_change(task, rows[0], row) for row in rows[1:]]
    missing = sum(row.measured is None for row in found.rows)
    if missing:
        told.append(f"not run yet: {counted(missing, 'row')}")
    if any(row.measured and not row.looked for row in found.rows):
        told.append("where the store has no weights, heads could not be looked at")
    return told


def _use(row: Penalized) -> str:
    alike = sum(each > whole / 2 for each, whole in zip(row.offsets, row.uses, strict=True))
    return (
        f"{row.task}, λ = {row.strength}: a shift of the input moves a head's logits by "
        f"{np.median(row.shifts):.2g} (median), {max(row.shifts):.2g} at most; in {alike} of "
        f"{counted(len(row.offsets), 'head')} the distance explains less than half of the variance"
    )


def _change(task: str, usual: Penalized, row: Penalized) -> str:
    words = []
    if usual.looked and row.looked:
        before, after = (float(np.median(each.offsets)) for each in (usual, row))
        words.append(f"the median offset variance of a head goes from {before:.3g} to {after:.3g}")
        for name, each in (
            ("regularizer (8)", "regularizers"),
            ("all pairs, through norms,", "pairwise"),
        ):
            before, after = (float(np.mean(getattr(one, each))) for one in (usual, row))
            words.append(f"{name} from {before:.3g} to {after:.3g}")
    for sizes in row.ranges[1:]:
        one, other = usual.shares(sizes), row.shares(sizes)
        better = sum(other[seed] > one[seed] for seed in other)
        worse = sum(other[seed] < one[seed] for seed in other)
        plain, moved = (
            " % to ".join(_mean(each, sizes, shifted=shifted) for each in (usual, row))
            for shifted in (False, True)
        )
        words.append(
            f"the share right at {sizes} from {plain} % ({better} of "
            f"{counted(len(other), 'seed')} better, {worse} worse), shifted from {moved} %"
        )
    return f"{task}, λ = {row.strength}: {'; '.join(words)}"


def show(console: Console, found: Penalties) -> None:
    """A line a row, then what changed."""
    console.print(Text(found.reproduction.title, style="bold"))
    print_columns(console, heads_of(found), [cells(row) for row in found.rows])
    for told in findings(found):
        console.print(Text(told, style="dim"))


def penalty_page(found: Penalties) -> str:
    """One self-contained document."""
    title = found.reproduction.title
    head = masthead("foretell reproduce position-penalty", title, found.reproduction.source)
    content = [head, element("p", QUESTION, class_="question")]
    told = [element("p", f"{sentence}.") for sentence in findings(found)]
    content.append(parts.section("What came out", *told))
    if any(row.measured for row in found.rows):
        frame = element("div", Markup(penalty_figure(found)), class_="plot wide")
        content.append(element("figure", frame, element("figcaption", CAPTION), class_="broad"))
    names = [name[0].upper() + name[1:] if name != "λ" else name for name in heads_of(found)]
    rows = [
        (element("span", name, class_="nowrap"), *rest) for name, *rest in map(cells, found.rows)
    ]
    listed = table(names, rows, numeric=range(1, len(names)))
    content.append(parts.section("Every row", element("div", listed, class_="dense")))
    content.append(parts.section("How", pairs(_how(found.rows))))
    return page(title, content)


def _how(rows: Sequence[Penalized]) -> list[tuple[str, str]]:
    done = [row.measured for row in rows if row.measured]
    told = [
        (row.task, f"{row.line.asked.question.architecture.label}, {note}")
        for row in {row.task: row for row in rows}.values()
        for note in (row.measured.notes if row.measured else ())
        if note.startswith("at most")
    ]
    machines = dict.fromkeys(
        f"{each.provenance['device']}, commit {each.provenance['commit']}" for each in done
    )
    looks = dict.fromkeys(row.looked.provenance["commit"] for row in rows if row.looked)
    told += [("trained on", "; ".join(machines))] if machines else []
    return told + ([("heads looked at with", f"commit {', '.join(looks)}")] if looks else [])
