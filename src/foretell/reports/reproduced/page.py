"""The page of a reproduction: what came out, the figure, the table, and every line's evidence."""

from __future__ import annotations

from collections.abc import Sequence

from foretell.core.measurement import Value
from foretell.reports import _sections as parts
from foretell.reports._markup import Markup, element, table, together
from foretell.reports.html import masthead, page
from foretell.reports.reproduced.details import details_section, interval
from foretell.reports.reproduced.figure import MOST_PANELS, reproduction_figure
from foretell.reports.reproduced.forecast_section import forecast_section
from foretell.reports.reproduced.line import Compared
from foretell.reports.reproduced.probes import probes_section
from foretell.reports.reproduced.strips import strips_figure
from foretell.reports.reproduced.summary import against, links, summary
from foretell.reports.reproduced.table import COLUMNS, Comparison, percent
from foretell.theory._existence import FRAGMENT


def reproduction_page(whole: Comparison) -> str:
    """One self-contained document."""
    title, apart = whole.reproduction.title, probes_section(whole)
    under = f"{whole.reproduction.source} · budget {whole.budget}"
    content = [
        masthead("foretell reproduce", title, under),
        summary(whole),
        *forecast_section(whole),
        # Few tasks in many ways are a table: as dots, their headings would run into each other.
        *((whole.has_published or not apart) * [_figure(whole)]),
        *apart,
        parts.section("Every row", _table(whole), _table_notes()),
        details_section(whole.lines),
    ]
    return page(title, content)


def _figure(whole: Comparison) -> Markup:
    panels = len({(line.line.heading, line.line.label) for line in whole.lines})
    if panels > MOST_PANELS or not whole.has_published:
        return _strips(whole)
    caption = (
        "Exact match in percent: the share of examples with every scored position right, by range "
        "of input sizes; the shaded range was trained on. Ours is the mean over the runs that fit "
        "the training range, the bar its 95 % interval over seeds (none for a single run). "
        "An encoding without filled marks was not run yet."
    )
    frame = element("div", Markup(reproduction_figure(whole)), class_="plot wide")
    return element("figure", frame, element("figcaption", caption), class_="broad")


def _strips(whole: Comparison) -> Markup:
    """A dot a task, where a panel each would be too many."""
    if not any(line.measured for line in whole.lines):
        return element("p", "Nothing was run yet, so there is nothing to draw.", class_="quiet")
    caption = (
        "Exact match at longer sizes: a dot for each task, the mean over the runs that count, from "
        "the worst to the best of its group; over each group, how many reach the bar. Colour and "
        "shape tell what C-RASP says for that encoding."
    )
    frame = element("div", Markup(strips_figure(whole)), class_="plot wide")
    return element("figure", frame, element("figcaption", caption), class_="broad")


def _table(whole: Comparison) -> Markup:
    ranges = ["trained", *whole.ranges]
    published = any(line.line.published for line in whole.lines)
    heads: list[str] = ["Row", *(_head("Ours,", sizes) for sizes in ranges)]
    heads += ["Published"] * published + ["Fitted"]
    heads += [_head(*FRAGMENT[name].replace("[", "|[").split("|")) for name in COLUMNS]
    heads += ["Shown", _head("Against", "C-RASP")] + ["Against published"] * published
    rows: list[Sequence[str]] = []
    group = None
    for line in whole.lines:
        if line.line.heading != group:
            group = line.line.heading
            rows.append((element("strong", group),))
        rows.append(_cells(line, len(ranges), published=published))
    numbers = range(1, len(ranges) + 2 + published)
    return element("div", table(heads, rows, numeric=numbers), class_="broad dense")


def _head(*words: str) -> Markup:
    """A heading that breaks between these words only."""
    pieces = [element("span", word, class_="nowrap") for word in words]
    return Markup(" ".join(pieces))


def _cells(line: Compared, ranges: int, *, published: bool) -> tuple[str, ...]:
    name = [links([line])]
    if line.line.note:
        name.append(element("div", line.line.note, class_="quiet"))
    ours: list[str] = [_mean(value) for value in line.values]
    ours += ["–"] * (ranges - len(ours))
    theirs = " / ".join(percent(value) for value in line.line.published or ()) or "–"
    compared = line.forecast if line.measured else None
    return (
        together(name),
        *ours,
        *([theirs] * published),
        _fitted(line),
        *(line.fragments[fragment] for fragment in COLUMNS),
        parts.badge(line.measured.verdict) if line.measured else "–",
        parts.badge(line.row.agreement(compared)) if compared else "–",
        *([against(line.verdict)] * published),
    )


def _mean(value: Value) -> Markup:
    found = element("small", interval(value.interval))
    return together([element("b", percent(value.mean)), found])


def _fitted(line: Compared) -> str:
    if line.fitted is None:
        return "–"
    mark = "*" if line.counts_unfitted else "†" if line.few_fit else ""
    return f"{line.fitted[0]} of {line.fitted[1]}{mark}"


def _table_notes() -> Markup:
    told = (
        "In percent, ours as mean and 95 % interval over the runs that count. C-RASP[∅] and "
        "C-RASP[periodic, local]: is there a program? The first is what counts without positions "
        "(nope), the second with learned ones (ape). Shown: do our runs generalize in length, by "
        "the rule given with each row? Then whether C-RASP says the same, and whether published "
        "values of at least 95 or at most 5 at longer sizes are met within 5 points.",
        "* Too few of the runs fit, so the mean is over all of them. † Fewer than half fit; the "
        "mean is over those, as the published one is, and what is shown over all runs.",
    )
    return element("div", *(element("p", text, class_="quiet") for text in told), class_="under")
