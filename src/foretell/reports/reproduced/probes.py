"""Every kind of word apart, where several ways of training are compared: shortcuts show here."""

from __future__ import annotations

from collections.abc import Sequence

from foretell.core.measurement import Value
from foretell.reports import _sections as parts
from foretell.reports._markup import Markup, element, table
from foretell.reports.reproduced.line import Compared
from foretell.reports.reproduced.summary import links
from foretell.reports.reproduced.table import Comparison, percent

MOST_ROWS = 60  # beyond this nobody reads them side by side: means over each group then
TOLD = (
    "Exact match in percent, one number for each range of sizes ({ranges}), mean over {over}. "
    "Bold: the words that the row was trained on. A row that is right on those in the "
    "training range, and wrong there on others, has learned less than the language."
)
RUNS, ROWS = "the runs that count", "the rows of each group that have such words, and their runs"


def probes_section(whole: Comparison) -> list[Markup]:
    """A table of rows (or groups of many) by probes; nothing where there is one way of training."""
    run = [line for line in whole.lines if line.measured]
    probes = list(dict.fromkeys(probe for line in run for probe in line.question.task.probes))
    if len(probes) < 2 or not any(line.line.setting for line in run):
        return []
    many = len(run) > MOST_ROWS
    shown = _groups(run, probes) if many else _each(run, probes)
    ranges = ", ".join(map(str, run[0].ranges))
    told = element("p", TOLD.format(ranges=ranges, over=ROWS if many else RUNS), class_="quiet")
    return [
        parts.section("Each kind of word apart", element("div", shown, class_="broad dense"), told)
    ]


def _each(run: Sequence[Compared], probes: Sequence[str]) -> Markup:
    rows: list[Sequence[str]] = []
    for before, line in zip([None, *run], run, strict=False):
        if before is None or before.line.heading != line.line.heading:
            rows.append((element("strong", line.line.heading),))
        rows.append((links([line]), *(_cell([line], probe) for probe in probes)))
    return table(("Row", *probes), rows, numeric=range(1, len(probes) + 1))


def _groups(run: Sequence[Compared], probes: Sequence[str]) -> Markup:
    found: dict[tuple[str, str], list[Compared]] = {}
    for line in run:
        place = (line.line.heading, line.question.architecture.positional)
        found.setdefault(place, []).append(line)
    rows = [
        (*place, str(len(lines)), *(_cell(lines, probe) for probe in probes))
        for place, lines in found.items()
    ]
    heads = ("Group", "Encoding", "Rows", *probes)
    return table(heads, rows, numeric=range(2, len(heads)))


def _cell(lines: Sequence[Compared], probe: str) -> Markup:
    """Range by range, over the lines that have such words there."""
    found = [
        [
            value.mean
            for line in lines
            for value in _values(line)
            if (value.probe, value.sizes) == at
        ]
        for at in ((probe, sizes) for sizes in lines[0].ranges)
    ]
    means = [percent(sum(own) / len(own)) if own else "–" for own in found]
    text = " / ".join(means) if any(found) else "–"
    trained = all(probe == line.question.task.probes[0] for line in lines)
    return element("strong" if trained else "span", text, class_="nowrap")


def _values(line: Compared) -> tuple[Value, ...]:
    assert line.measured is not None
    return line.measured.values
