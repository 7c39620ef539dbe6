"""Every kind of word apart, where several ways of training are compared: shortcuts show here."""

from __future__ import annotations

from collections.abc import Sequence

from foretell.core.measurement import Value
from foretell.reports import _sections as parts
from foretell.reports._markup import Markup, element, table
from foretell.reports.reproduced import Comparison, percent
from foretell.reports.reproduced_line import Compared
from foretell.reports.reproduced_summary import links

MOST_ROWS = 60  # beyond this nobody reads them side by side
TOLD = (
    "Exact match in percent, one number for each range of sizes ({ranges}), mean over the runs "
    "that count. Bold: the words that the row was trained on. A row that is right on those in the "
    "training range, and wrong there on others, has learned less than the language."
)


def probes_section(whole: Comparison) -> list[Markup]:
    """A table of rows by probes; nothing where there is one way of training, or too many rows."""
    run = [line for line in whole.lines if line.measured]
    probes = list(dict.fromkeys(probe for line in run for probe in line.question.task.probes))
    several = any(line.line.setting for line in run) and len(probes) > 1
    if not several or len(run) > MOST_ROWS:
        return []
    rows: list[Sequence[str]] = []
    for before, line in zip([None, *run], run, strict=False):
        if before is None or before.line.heading != line.line.heading:
            rows.append((element("strong", line.line.heading),))
        rows.append((links([line]), *(_cell(line, probe) for probe in probes)))
    ranges = ", ".join(map(str, run[0].ranges))
    shown = table(("Row", *probes), rows, numeric=range(1, len(probes) + 1))
    told = element("p", TOLD.format(ranges=ranges), class_="quiet")
    return [
        parts.section("Each kind of word apart", element("div", shown, class_="broad dense"), told)
    ]


def _cell(line: Compared, probe: str) -> Markup:
    assert line.measured is not None
    values: list[Value] = [value for value in line.measured.values if value.probe == probe]
    text = " / ".join(percent(value.mean) for value in values) or "–"
    trained = probe == line.question.task.probes[0]
    return element("strong" if trained else "span", text, class_="nowrap")
