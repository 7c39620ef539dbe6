"""A Boolean function on the terminal: the chain link by link, within eighty columns."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from rich.console import Console
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from foretell.boolean.bounds.chain_of_thought import Route
from foretell.core.prediction import Standing
from foretell.reports import phrases
from foretell.reports.boolean import words
from foretell.reports.boolean.bounds import Bounds
from foretell.reports.boolean.chain import ChainOfThought
from foretell.reports.boolean.construction import Construction
from foretell.reports.boolean.function import BooleanReport
from foretell.reports.boolean.lines import Figure
from foretell.reports.boolean.spectrum import KnownSpectrum, Queried
from foretell.reports.terminal import STANDING_STYLE

MOST_LINES = 8  # components on the terminal
BAR = 24  # characters of the longest bar
GROUPS = ("error", "samples", "published")  # of the chain-of-thought table


def show(console: Console, report: BooleanReport) -> None:
    """The chain, one link after the other; a missing one says why."""
    bits = f"{report.function.bits} bits" if report.function.bits > 1 else "1 bit"
    console.print(Text(report.function.name, style="bold"), Text(f" {bits}", style="dim"))
    _title(console, "spectrum")
    if report.spectrum is not None:
        _spectrum(console, report.spectrum)
    if report.tested is not None:
        _tested(console, report.tested)
    _title(console, "explicit transformer")
    if report.construction is None:
        _say(console, report.why_missing("construction"))
    else:
        _construction(console, report.construction)
    _title(console, "bounds for learning it")
    if report.bounds is not None:
        _bounds(console, report.bounds)
    _say(console, words.verdict(report))
    _title(console, "chain of thought")
    if report.chain is None:
        _say(console, report.why_missing("chain_of_thought"))
    else:
        _chain(console, report.chain, report.function.bits)
    console.print()
    _say(console, words.NOT_TRAINED, style="dim")


def _title(console: Console, text: str) -> None:
    console.print()
    console.print(Text(text.upper(), style="bold"))


def _say(console: Console, text: str | None, style: str = "") -> None:
    if text:
        console.print(Padding(Text(text, style=style), (0, 0, 0, 2)))


def _table(
    console: Console, heads: Sequence[str], rows: Iterable[Sequence[str | Text]], left: int = 1
) -> None:
    """Columns from the number `left` on are numbers."""
    lines = Table(box=None, padding=(0, 2, 0, 0), header_style="dim", pad_edge=False)
    for place, head in enumerate(heads):
        lines.add_column(head, justify="right" if place >= left else "left", no_wrap=place >= left)
    for row in rows:
        lines.add_row(*(Text(each) if isinstance(each, str) else each for each in row))
    console.print(Padding(lines, (0, 0, 0, 2)))


def _spectrum(console: Console, spectrum: KnownSpectrum) -> None:
    _say(console, phrases.sentence(words.size_sentence(spectrum)))
    _say(console, f"Known: {spectrum.how}.", style="dim")
    largest = max((abs(size) for _, size in spectrum.largest), default=1.0)
    rows = [
        (words.subset(chosen), f"{size:+.4f}", "▇" * max(1, round(BAR * abs(size) / largest)))
        for chosen, size in spectrum.largest[:MOST_LINES]
    ]
    if rows:
        lines = Table(box=None, padding=(0, 2, 0, 0), show_header=False, pad_edge=False)
        for row in rows:
            lines.add_row(*map(Text, row))
        console.print(Padding(lines, (0, 0, 0, 2)))
    left = spectrum.sparsity - len(rows)
    if left > 0:
        _say(console, f"… and {left:,} more", style="dim")


def _tested(console: Console, tested: Queried) -> None:
    _say(console, f"{tested.why} By asking for values only:")
    for found in (tested.degree, tested.width):
        asked = f"{found.measure} {found.found}, {found.queries:,} queries"
        _say(console, f"{phrases.sentence(asked)} {found.meaning}")


def _construction(console: Console, found: Construction) -> None:
    _say(
        console,
        f"{found.parameters:,} parameters, attention scale {found.attention_scale:g}, "
        f"{found.ramp} ramps; {words.error_sentence(found)}.",
    )
    rows = [
        (
            words.BLOCKS[block.name],
            words.number(block.squared_norm),
            "–" if block.gradient is None else words.number(block.gradient),
            "–" if block.largest_gradient is None else words.number(block.largest_gradient),
        )
        for block in found.blocks
    ]
    rows.append(_totals(found))
    _table(console, ("block", "squared norm", "squared gradient", "at most"), rows)
    _say(console, phrases.sentence(words.trace_sentence(found)))
    for said in (words.rescaling_sentence(found), words.change_sentence(found)):
        _say(console, said and phrases.sentence(said))
    if found.curvature is not None:
        _say(console, found.missing, style="dim")


def _totals(found: Construction) -> tuple[str, str, str, str]:
    seen = found.curvature
    gradients = ("–", "–")
    if seen is not None:
        gradients = words.number(seen.twice_gradient / 2), words.number(seen.largest / 2)
    return ("all", words.number(found.squared_norm), *gradients)


def _bounds(console: Console, bounds: Bounds) -> None:
    for said in words.about_bounds(bounds):
        _say(console, said)
    last = f"samples\nfor {words.number(bounds.trivial)}"
    heads = ["bound\n", *map(words.column_title, bounds.columns), last]
    rows: list[tuple[str | Text, ...]] = [
        (
            line.name,
            *(_cell(bounds, each) for each in line.figures),
            "–" if line.samples[-1] is None else words.number(line.samples[-1]),
        )
        for line in bounds.lines
    ]
    _table(console, heads, rows)
    _say(console, words.tradeoff_sentence(bounds))
    _assumptions(console, bounds)


def _assumptions(console: Console, bounds: Bounds) -> None:
    """Of the last column, which is the one that can hold."""
    legend = ", ".join(f"{phrases.MARK[item]} {item.value}" for item in Standing)
    _say(console, f"The last column rests on ({legend}):", style="dim")
    for each in bounds.assumptions[-1][1]:
        mark = Text(phrases.MARK[each.standing], style=STANDING_STYLE[each.standing])
        console.print(Padding(Text.assemble(mark, f" {each.text}"), (0, 0, 0, 4)))


def _cell(bounds: Bounds, figure: Figure | None) -> Text:
    if figure is None:
        return Text("–", style="dim")
    if bounds.says_nothing(figure):
        return Text(f"{words.number(figure.value)} v", style="yellow")
    return Text(f"{words.number(figure.value)}  ", style="green")


def _chain(console: Console, chain: ChainOfThought, bits: int) -> None:
    for said in words.chain_sentences(chain, bits):
        _say(console, said)
    rows: list[tuple[str | Text, ...]] = [
        (
            words.own_length(chain, row.bits, bits),
            *(_error(route) for route in (row.chain, row.one_pass)),
            *(words.number(route.samples_direct) for route in (row.chain, row.one_pass)),
            *(words.number(route.samples_published) for route in (row.chain, row.one_pass)),
        )
        for row in chain.rows
    ]
    heads = ["bits\n"]
    heads += [f"{name}\n{way}" for name in GROUPS for way in ("chain", "one pass")]
    _table(console, heads, rows, left=0)
    _say(console, phrases.sentence(chain.rows[0].reason), style="dim")


def _error(route: Route) -> Text:
    if route.vacuous:
        return Text(f"{words.number(route.direct)} v", style="yellow")
    return Text(f"{words.number(route.direct)}  ", style="green")
