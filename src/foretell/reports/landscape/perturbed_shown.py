"""Noise on the explicit transformer, on the terminal and as a page."""

from __future__ import annotations

from rich.console import Console
from rich.text import Text

from foretell.plain.wording import counted
from foretell.reports import _sections as parts
from foretell.reports._markup import Markup, element, pairs, table
from foretell.reports.columns import print_columns
from foretell.reports.html import masthead, page
from foretell.reports.landscape.perturbed import NoiseClass, Perturbations
from foretell.reports.landscape.perturbed_plots import along_figure, fixed, lines, noise_figure
from foretell.reproductions.perturbed_trace import LITTLE, QUANTILE, SMALL

QUESTION = (
    "The bound needs to know how much noise on the weights changes the trace of the Hessian, and "
    "its formula for that is far too large to be of use. How much is it in truth?"
)
ALONG = {
    "degree": "The change of the trace over the trace, by degree, a panel a noise: 90th percentile "
    "over draws, largest over the functions of a class, T = {}. The dashed line is 10 %.",
    "bits": "The same by length, degree {}.",
}
BY_NOISE = (
    "Left: the same for every class, against the noise. Right: what noise adds to the loss, over "
    "what the trace without noise predicts; grey a class, blue the mean over all functions with "
    "its 95 % interval. At 1 the trace says it all."
)


def show(console: Console, found: Perturbations) -> None:
    """One line a class, and what it adds up to."""
    console.print(Text(found.experiment.title, style="bold"))
    print_columns(console, heads(found), [cells(each) for each in found.classes])
    for told in findings(found):
        console.print(Text(told, style="dim"))


def heads(found: Perturbations) -> tuple[str, ...]:
    """Names of the columns; a few noises stand for a long mesh."""
    noises = [f"s = {found.deviations[place]:g}" for place in _few(found.classes[0])]
    return ("class", "trace", *noises, "exponent", "loss / trace")


def _few(each: NoiseClass) -> list[int]:
    count = len(each.deviations)
    return sorted({round(step * (count - 1) / 3) for step in range(4)})


def cells(each: NoiseClass) -> tuple[str, ...]:
    """One row of the table."""
    places = _few(each)
    if each.found is None:
        return (each.label, *["–"] * (len(places) + 3))
    low, high = each.traces
    return (
        each.label,
        f"{low:,.0f} to {high:,.0f}",
        *(f"{100 * each.ratios[place]:.2g} %" for place in places),
        "–" if each.exponent is None else f"{each.exponent:.2f}",
        f"{each.losses[:, places[0]].mean():.2f}",
    )


def findings(found: Perturbations) -> list[str]:
    """What came out, in sentences that could have come out otherwise."""
    told = []
    if small := found.small():
        fine, among, worst, ratio = small
        told.append(
            f"for noise up to {SMALL:g} the trace changes by less than {100 * LITTLE:.0f} % in "
            f"{fine} of {among} classes; most, {100 * ratio:.2g} %, in {worst.label}"
        )
    if exponents := found.exponents():
        told.append(
            "the change grows with the noise to a power between "
            f"{exponents[0]:.2f} and {exponents[1]:.2f}; 1 is proportional"
        )
    for name, word in (("degree", "degree"), ("bits", "length")):
        if grown := found.growth(name):
            times, first, last = grown
            told.append(
                f"from {word} {getattr(first, name)} to {getattr(last, name)} the ratio is "
                f"multiplied by {times:.2g} (median over what else there is)"
            )
    if found.done:
        told.append(_loss_sentence(found))
    if excess := found.analytic_excess():
        told.append(
            f"the formula for the change, corrected, is 10^{excess[0]:.1f} to 10^{excess[1]:.1f} "
            "times what was measured"
        )
    missing = len(found.classes) - len(found.done)
    settings = found.classes[0].cell.settings
    told.append(
        f"a class: {settings['functions']} functions, {settings['draws']} draws, "
        f"{100 * QUANTILE:.0f}th percentile over draws, largest over functions; loss / trace: what "
        "noise of the first column adds to the loss over s²/2 times the trace"
    )
    if missing:
        told.append(f"not run yet: {counted(missing, 'class', 'classes')}")
    return told


def _loss_sentence(found: Perturbations) -> str:
    """At every noise, if they are few, else at the ends."""
    count = len(found.deviations)
    chosen = sorted({0, count // 2, count - 1})
    ratios = [
        f"{mean:.2f} [{low:.2f}, {high:.2f}] at s = {found.deviations[place]:g}"
        for place in chosen
        for mean, low, high in [found.loss_ratio(place)]
    ]
    return f"added loss over s²/2 times the trace, mean over all functions: {', '.join(ratios)}"


def perturbed_page(found: Perturbations) -> str:
    """One self-contained document."""
    title = found.experiment.title
    head = masthead("foretell reproduce perturbed-trace", title, found.experiment.source)
    content = [head, element("p", QUESTION, class_="question")]
    told = [element("p", sentence[0].upper() + sentence[1:] + ".") for sentence in findings(found)]
    content.append(parts.section("What came out", *told))
    content += [
        _figure(along_figure(found, name), caption.format(fixed(found, name)))
        for name, caption in ALONG.items()
        if lines(found, name)
    ]
    if found.done and len(found.deviations) > 1:
        content.append(_figure(noise_figure(found), BY_NOISE))
    names = [head if head.startswith("s =") else head.capitalize() for head in heads(found)]
    rows = [
        (element("span", name, class_="nowrap"), *rest) for name, *rest in map(cells, found.classes)
    ]
    listed = table(names, rows, numeric=range(1, len(names)))
    content.append(parts.section("Every class", element("div", listed, class_="dense")))
    content.append(parts.section("How", pairs(_how(found))))
    return page(title, content)


def _figure(drawing: str, caption: str) -> Markup:
    frame = element("div", Markup(drawing), class_="plot wide")
    return element("figure", frame, element("figcaption", caption), class_="broad")


def _how(found: Perturbations) -> list[tuple[str, str]]:
    settings = found.classes[0].cell.settings
    told = [
        ("budget", found.budget),
        ("construction", "narrow ramps, attention scales 2 and 2, as published"),
        ("noise", ", ".join(f"{each:g}" for each in found.deviations)),
        (
            "trace",
            f"{settings['inputs']:,} random inputs; gradients exact, the part that the residual "
            f"weighs by {settings['signs']} random signs an input, the same for all noise",
        ),
    ]
    kept = [each.found["provenance"] for each in found.done if each.found]
    machines = dict.fromkeys(f"{one['device']}, commit {one['commit']}" for one in kept)
    return [*told, ("machine", "; ".join(machines))] if machines else told
