"""Rows by whether their language is in DA: a split that was looked for after the suite had run.

DA is what first-order logic with two variables says of positions and their order. It is the class
that parted rows best in the first whole run of `language-suite`, so on that run it explains; only
on languages drawn anew would it foretell.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import final

from foretell.core.question import SizeRange
from foretell.languages.regular import RegularLanguage
from foretell.reports._markup import Markup, element, table
from foretell.reports.reproduced.forecasts import in_da
from foretell.reports.reproduced.line import Compared
from foretell.reports.reproduced.table import Comparison, percent

NOTE = (
    "DA: the languages of first-order logic with two variables and order. This split was found "
    "after `language-suite` had run, among the classes that `foretell decide` reports: there it "
    "explains and foretells nothing; only on languages drawn later does it foretell."
)


@final
@dataclass(frozen=True)
class Split:
    """Rows of one group and encoding, in the class or not: how many fit, how well they go on."""

    group: str
    positional: str
    inside: bool
    rows: int
    fitted: int  # rows of which every run fits
    right: tuple[tuple[SizeRange, float], ...]  # mean exact match, range by range


def splits(whole: Comparison) -> tuple[Split, ...]:
    """Every group and encoding with regular languages; other tasks have no class to look at."""
    gathered: dict[tuple[str, str, bool], list[Compared]] = {}
    for line in whole.lines:
        language = getattr(line.question.task, "language", None)
        if not isinstance(language, RegularLanguage) or line.measured is None:
            continue
        place = (line.line.heading, line.question.architecture.positional, in_da(language.dfa))
        gathered.setdefault(place, []).append(line)
    return tuple(
        Split(*place, len(lines), sum(map(_all_fit, lines)), _right(lines))
        for place, lines in sorted(
            gathered.items(), key=lambda pair: (pair[0][0:2], not pair[0][2])
        )
    )


def _all_fit(line: Compared) -> bool:
    return line.fitted is not None and line.fitted[0] == line.fitted[1]


def _right(lines: Sequence[Compared]) -> tuple[tuple[SizeRange, float], ...]:
    """Mean over rows of the mean over runs, on the training distribution."""
    return tuple(
        (sizes, sum(_mean(line, sizes) for line in lines) / len(lines))
        for sizes in lines[0].ranges[1:]
    )


def _mean(line: Compared, sizes: SizeRange) -> float:
    assert line.measured is not None
    probe = line.question.task.probes[0]
    found = (v.mean for v in line.measured.values if v.sizes == sizes and v.probe == probe)
    return next(found)


def split_section(whole: Comparison) -> list[Markup]:
    """The table, where there is anything to split."""
    found = splits(whole)
    if not found:
        return []
    ranges = sorted({sizes for each in found for sizes, _ in each.right})
    heads = ("Group", "Encoding", "In DA", "Rows", "Every run fits", *map(str, ranges))
    rows = [
        (
            each.group,
            each.positional,
            "yes" if each.inside else "no",
            str(each.rows),
            str(each.fitted),
            *(percent(means[sizes]) if sizes in means else "–" for sizes in ranges),
        )
        for each in found
        for means in [dict(each.right)]
    ]
    shown = table(heads, rows, numeric=tuple(range(3, len(heads))))
    return [
        element("h3", "Exact match in percent, by class of the language"),
        shown,
        element("p", NOTE, class_="quiet"),
    ]
