"""What models can represent, as a page: verdicts with their rules, or sizes with their growth."""

from __future__ import annotations

import json
from typing import Any

import matplotlib
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from foretell.plain.wording import counted
from foretell.reports._markup import Markup, bullets, element, pairs, table
from foretell.reports._sections import section
from foretell.reports.html import masthead, page
from foretell.reports.plots import COLOURS, GREY, INK, STYLE, as_svg
from foretell.reports.representation import represented_shown as shown
from foretell.reports.representation.represented import AT_LEAST, Represented, Sizes, Verdicts
from foretell.worlds.circuit_rules import NO, OPEN, YES, Verdict

TONE = {YES: "good", NO: "bad", OPEN: "unsure"}
SIGN = {YES: "✓", NO: "✗", OPEN: "?"}
NOT_SAID = "What this does not say"
CONDITIONAL = ("bad", "~")  # a no that holds unless two classes are the same


def represented_page(found: Represented) -> str:
    """Either kind of answer."""
    about = found.problem.what if isinstance(found, Sizes) else found.about
    head = masthead("foretell represent", found.name, about)
    body = _sizes(found) if isinstance(found, Sizes) else _verdicts(found)
    return page(f"foretell represent {found.name}", [head, *body])


def _verdicts(found: Verdicts) -> list[Markup]:
    cited = shown.numbers(found)
    lines = [
        [shown.grows(depth), shown.grows(precision), *(_cell(each, cited) for each in row)]
        for (depth, precision), row in shown.rows(found).items()
    ]
    rules = [
        (str(number), rule, element("span", found.rules[rule], class_="nowrap"))
        for rule, number in cited.items()
    ]
    content = [
        element("p", shown.QUESTION, class_="question"),
        element("div", table(shown.verdict_heads(found), lines), class_="dense"),
        section("Rules", table(("", "rule", "evidence"), rules)),
    ]
    if found.placed is not None:
        certificate = json.dumps(found.placed.as_json(), ensure_ascii=False)
        whole = element("details", element("summary", "as JSON"), element("pre", certificate))
        content.append(section("The language", bullets(found.placed.told()), whole))
    if found.problem is not None:
        content.append(section("The problem", pairs(_problem(found))))
    return [*content, section(NOT_SAID, element("p", shown.caveat()))]


def _problem(found: Verdicts | Sizes) -> list[tuple[str, str]]:
    problem = found.problem
    assert problem is not None
    return [
        ("definition", problem.definition),
        ("example", problem.example),
        ("known limits", problem.limits),
        ("sources", problem.sources),
    ]


def _cell(verdict: Verdict, cited: dict[str, int]) -> Markup:
    """Word, sign and colour: none of the three is needed to read the others."""
    tone, sign = TONE.get(verdict.answer, CONDITIONAL[0]), SIGN.get(verdict.answer, CONDITIONAL[1])
    mark = element("span", sign, aria_hidden="true", class_="sign")
    badge = element("span", mark, shown.short(verdict), class_=f"badge {tone}")
    rules = element("span", shown.citation(verdict, cited), class_="quiet")
    return element("div", badge, " ", rules, class_="nowrap")


def _sizes(found: Sizes) -> list[Markup]:
    notes = shown.built_notes(found)
    told = [f"[{number}] {note}" for note, number in notes.items()]
    lines = [shown.size_cells(found, bound, notes) for bound in found.bounds]
    vacuous = f" {shown.VACUOUS}" if any(bound.vacuous for bound in found.bounds) else ""
    return [
        element("p", shown.asked_words(found), class_="question"),
        table(shown.size_heads(found), lines),
        section("How it follows", bullets([*shown.cut_lines(found), *told, shown.SYMBOLS])),
        section("Over lengths", _growth(found)),
        section("The problem", pairs(_problem(found))),
        section(NOT_SAID, element("p", f"{AT_LEAST}{vacuous}")),
    ]


def _growth(found: Sizes) -> Markup:
    frame = element("div", Markup(growth_figure(found)), class_="plot")
    caption = (
        f"Least sizes with {counted(found.asked.bits, 'bit')} a number, at lengths that double; "
        "dashed, widths of constructions."
    )
    return element("figure", frame, element("figcaption", caption))


def growth_figure(found: Sizes) -> str:
    """Least sizes against the length, both logarithmic, and the widths of what is built."""
    lengths = [length for length, _ in found.growth]
    with matplotlib.rc_context(STYLE):
        figure = Figure(figsize=(7.4, 3.6), layout="constrained")
        panel = figure.subplots()
        for place, bound in enumerate(found.bounds):
            own = [each[place] for _, each in found.growth]
            least = [float(one.least) for one in own if one.least is not None]
            if least:
                # units of an Elman and numbers of an SSM are bounded alike: one broad, one thin
                width, alpha = (4.0, 0.45) if place == 0 else (1.4, 1.0)
                line: dict[str, Any] = {"linewidth": width, "alpha": alpha, "color": COLOURS[place]}
                panel.plot(lengths, least, label=bound.model.name, **line)
            if bound.built is not None and bound.built.width is not None:
                widths = [float(one.built.width) for one in own if one.built and one.built.width]
                label = f"built: {bound.built.what.partition(',')[0]}"
                panel.plot(lengths, widths, "--", color=GREY, label=label)
        panel.axvline(found.asked.length, color=INK, linewidth=0.8, linestyle=":")
        _label(panel, found)
        return as_svg(figure, f"least sizes for {found.name} against the length")


def _label(panel: Axes, found: Sizes) -> None:
    panel.set_xscale("log")
    panel.set_yscale("symlog", linthresh=1)  # a bound may be 0
    panel.set_ylim(bottom=0)
    panel.set_xlabel(f"length n ({found.problem.counts})")
    panel.set_ylabel("least units, numbers or width")
    panel.spines[["top", "right"]].set_visible(False)
    panel.legend(loc="center left", bbox_to_anchor=(1.0, 0.5), frameon=False, labelcolor=INK)
