"""A reproduced table on the terminal: one line a row, within eighty columns."""

from __future__ import annotations

from rich.console import Console
from rich.text import Text

from foretell.core.question import Verdict
from foretell.reports.reproduced.line import NOT_RUN, Compared
from foretell.reports.reproduced.table import Comparison, notes, percent

HEADS = ("task", "enc", "theory", "ours", "fit", "published", "shown", "")
SHORT = {Verdict.UNDECIDED: "?", "published spread": "spread", "nothing published": "–"}
LONGEST_NAME = 20
ROOMY = 92  # columns from which two spaces fit between any two cells


def show(console: Console, whole: Comparison) -> None:
    """The table, group by group, and what it adds up to."""
    rows = [cells(line) for line in whole.lines]
    widths = [max(map(len, column)) for column in zip(HEADS, *rows, strict=True)]
    gap = " " * (2 if console.width >= ROOMY else 1)

    def print_line(texts: tuple[str, ...], style: str = "") -> None:
        padded = [text.ljust(width) for text, width in zip(texts, widths, strict=True)]
        console.print(Text(gap.join(padded).rstrip(), style=style), soft_wrap=True)

    console.print(Text(whole.reproduction.title, style="bold"))
    print_line(HEADS, "dim")
    group = label = None
    for line, row in zip(whole.lines, rows, strict=True):
        if line.line.heading != group:
            group = line.line.heading
            console.print(Text(group, style="bold"))
        print_line(("", *row[1:]) if line.line.label == label else row)
        label = line.line.label
    for note, names in notes(whole).items():
        console.print(Text(f"{note}: {', '.join(names)}", style="dim"))
    console.print(Text(summary_sentence(whole), style="dim"))


def cells(line: Compared) -> tuple[str, ...]:
    """One row of the table, in as few words as possible."""
    said = "/".join(dict.fromkeys(_short(item.verdict) for item in line.row.stated))
    return (
        short_name(line.line.label),
        line.question.architecture.positional,
        said,
        " ".join(f"{percent(value.mean):>4}" for value in line.values),
        "" if line.fitted is None else f"{line.fitted[0]}/{line.fitted[1]}",
        " ".join(f"{percent(value):>4}" for value in line.line.published or ()),
        _short(line.measured.verdict) if line.measured else "",
        _short(line.verdict),
    )


def _short(text: str) -> str:
    return SHORT.get(text, str(text))


def short_name(name: str, longest: int = LONGEST_NAME) -> str:
    """A name that fits: its words cut to three letters from the left, as many as it takes.

    >>> short_name("sort"), short_name("binary-majority-interleave")
    ('sort', 'bin-maj-interleave')
    """
    words = name.split("-")
    for place, word in enumerate(words[:-1]):
        if len("-".join(words)) <= longest:
            break
        words[place] = word[:3]
    whole = "-".join(words)
    return whole if len(whole) <= longest else whole[: longest - 1] + "…"


def summary_sentence(whole: Comparison) -> str:
    """Counts in words, and how to read the table."""
    counted = whole.summary()["published"]
    ranges = " ".join(whole.ranges)
    told = (
        f"in percent: training range, {ranges}; fit: runs that fit the training range; shown: does "
        f"it generalize, by our rule. "
    )
    if whole.has_published:
        told += (
            f"Where published values are at least 95 or at most 5, {counted['agrees']} rows agree "
            f"within 5 points and {counted['differs']} differ; as answers "
            + ", ".join(f"{count} {kind}" for kind, count in whole.summary()["answers"].items())
            + "; "
        )
    return f"{told}{counted[NOT_RUN]} rows are not run yet"
