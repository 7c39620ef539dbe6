"""What a fitted model learned, on the terminal and as a page."""

from __future__ import annotations

import matplotlib
from matplotlib.figure import Figure
from rich.console import Console
from rich.text import Text

from foretell.reports import _sections as parts
from foretell.reports import phrases
from foretell.reports._markup import Markup, element, table
from foretell.reports.boolean.learned import Component, Learned, LearnedModel
from foretell.reports.columns import print_columns
from foretell.reports.html import masthead, page
from foretell.reports.plots import INK, STYLE, as_svg

HEADS = ("bits", "true", "learned", "looked for at", "attention on them", "if spread evenly")
LEAST = 0.0005  # a smaller share of the variance is left out
CLEAR = 2.0  # times what attention spread evenly would give
CAPTION = (
    "Left: the first layer's attention, mean over inputs, a row a position; the last row is the "
    "position that is read. The bits of a component are outlined in the row that looks at them "
    "most, if that is more than twice what even attention gives. "
    "Right: each component's coefficient in the function and in the model."
)


def show(console: Console, found: Learned) -> None:
    """Model by model, its components."""
    console.print(Text(found.task.name, style="bold"))
    for model in found.models:
        console.print(Text(f"\n{sentence(found, model)}"))
        print_columns(console, HEADS, [cells(part) for part in model.components])
        for line in remarks(model):
            console.print(Text(line))


def sentence(found: Learned, model: LearnedModel) -> str:
    """One model in words."""
    asked = "all" if found.exact else f"{found.inputs:,} random"
    return (
        f"seed {model.seed}: {100 * model.explained:.1f} percent of its variance lies in the "
        f"function's components, mean squared error {model.error:.4f}, over {asked} inputs"
    )


def remarks(model: LearnedModel) -> list[str]:
    """What else is in the model, and what noise on its weights does."""
    told = []
    if model.by_degree:
        shares = enumerate(model.by_degree, start=1)
        listed = ", ".join(
            f"{100 * share:.1f} percent at {k}" for k, share in shares if share > LEAST
        )
        told.append(f"variance by degree: {listed}")
    if model.others:
        listed = "; ".join(f"{_names(bits)} {size:+.4f}" for bits, size in model.others)
        told.append(f"largest components that the function does not have: {listed}")
    told += [
        f"{test.measure} {test.found} by {test.queries:,} queries, values taken as equal within "
        f"{test.tolerance:g}: {test.meaning}"
        for test in model.tested
    ]
    told += [
        f"noise of {noise.deviation:g} on every weight: the Hessian's trace changes by "
        f"{100 * noise.change:.2g} percent (90th percentile), and the loss grows by "
        f"{noise.ratio:.2f} times what the trace foretells"
        for noise in model.noise
    ]
    return told


def cells(part: Component) -> tuple[str, ...]:
    """One row of the table."""
    return (
        _names(part.bits),
        f"{part.true:+.4f}",
        f"{part.learned:+.4f}",
        f"position {part.row + 1}",
        f"{part.share:.2f}",
        f"{part.chance:.2f}",
    )


def _names(bits: tuple[int, ...]) -> str:
    return " ".join(f"x{bit + 1}" for bit in bits)


def learned_page(found: Learned) -> str:
    """One self-contained document."""
    content = [masthead("foretell learned", found.task.name, "what fitted models make of it")]
    for model in found.models:
        frame = element("div", Markup(figure(found, model)), class_="plot wide")
        drawn = element("figure", frame, element("figcaption", CAPTION), class_="broad")
        heads = [head.capitalize() for head in HEADS]
        rows = [cells(part) for part in model.components]
        listed = table(heads, rows, numeric=(1, 2, 4, 5))
        told = element("p", sentence(found, model))
        more = [element("li", phrases.sentence(line)) for line in remarks(model)]
        also = element("ul", *more)
        content.append(parts.section(f"Seed {model.seed}", told, drawn, listed, also))
    return page(found.task.name, content)


def figure(found: Learned, model: LearnedModel) -> str:
    """SVG text: attention rows, and coefficients true beside learned."""
    salt = f"{found.task.name} {model.seed}"
    with matplotlib.rc_context({**STYLE, "svg.hashsalt": salt}):
        drawn = Figure(figsize=(11, 4.6), layout="constrained")
        rows, bars = drawn.subplots(1, 2)
        image = rows.imshow(model.attention, cmap="Blues", vmin=0, aspect="equal")
        for part in model.components:
            for bit in part.bits if part.share > CLEAR * part.chance else ():
                rows.plot(bit, part.row, "s", markersize=7, color="#D55E00", fillstyle="none")
        ticks = range(0, len(model.attention), 2)
        rows.set_xticks(ticks, [str(place + 1) for place in ticks], fontsize=8)
        rows.set_yticks(ticks, [str(place + 1) for place in ticks], fontsize=8)
        rows.set_xlabel("bit looked at")
        rows.set_ylabel("position that looks")
        drawn.colorbar(image, ax=rows, shrink=0.8)
        names = [cells(part)[0] for part in model.components]
        places = range(len(names))
        bars.barh([p + 0.2 for p in places], [c.true for c in model.components], 0.38, color=INK)
        learned = [c.learned for c in model.components]
        bars.barh([p - 0.2 for p in places], learned, 0.38, color="#0072B2")
        bars.set_yticks(list(places), names, fontsize=8.5)
        bars.invert_yaxis()
        bars.set_xlabel("coefficient, ±1 basis: black true, blue learned")
        return as_svg(drawn, "attention rows and coefficients of a fitted model")
