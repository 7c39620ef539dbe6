"""A trace as one self-contained page."""

from __future__ import annotations

from foretell.crasp.program import Program
from foretell.crasp.tracing import Trace, TraceRow
from foretell.reports._markup import Markup, element
from foretell.reports._sections import section
from foretell.reports.html import masthead, page
from foretell.reports.programs.shown import answer_line, cell


def trace_page(name: str, program: Program, trace: Trace) -> str:
    """The trace as one self-contained page, with the program above it."""
    word = " ".join(trace.word) if any(len(x) > 1 for x in trace.word) else "".join(trace.word)
    said = str(answer_line(word, trace.answer))
    content = [
        masthead("foretell crasp trace", name, said),
        section("Program", element("pre", program.show(), class_="program")),
        section("Every operation at every position", _trace_table(trace)),
        element("p", "Booleans are 1 or ·, counts are numbers in colour.", class_="quiet"),
    ]
    return page(f"{name} on {word or 'ε'}", content)


def _trace_table(trace: Trace) -> Markup:
    places = range(len(trace.word))
    head = [
        element("tr", element("th", ""), *(element("th", str(p + 1)) for p in places)),
        element("tr", element("th", ""), *(element("th", trace.word[p]) for p in places)),
    ]
    body = [_trace_row(row) for row in trace.rows]
    table = element("table", element("thead", *head), element("tbody", *body), class_="trace")
    return element("div", table, class_="scroll")


def _trace_row(row: TraceRow) -> Markup:
    cells = []
    for value in row.values:
        boolean = isinstance(value, bool)
        kind = ("yes" if value else "no") if boolean else "count"
        cells.append(element("td", cell(value), class_=kind))
    return element("tr", element("th", row.name, scope="row", title=row.text), *cells)
