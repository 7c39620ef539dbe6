"""What models can represent, on the terminal: a table of verdicts and rules, or of least sizes."""

from __future__ import annotations

from collections.abc import Iterable

from rich.console import Console
from rich.table import Table
from rich.text import Text

from foretell.plain.wording import counted
from foretell.reports.representation.represented import (
    AT_LEAST,
    EXISTS,
    Represented,
    Sizes,
    Verdicts,
    condition,
)
from foretell.worlds.circuit_rules import CAVEAT, NO, NOTHING, OPEN, YES, Verdict
from foretell.worlds.problem_cuts import LONGEST, Built
from foretell.worlds.problem_sizes import Bound

STYLE = {YES: "bold green", NO: "bold red", OPEN: "bold yellow"}
SHORT = {YES: "yes", NO: "no", OPEN: "unknown"}
GROWS = {"none": "no", "logarithmic": "log n", "linear": "n", "polynomial": "poly"}
QUESTION = "Can a transformer do it at every length n, with so many steps of thought?"
SYMBOLS = "p: bits a number; H: heads, m: width of one, d: width of the stream."
VACUOUS = "Vacuous: every model has that much."


def show(console: Console, found: Represented) -> None:
    """Either kind of answer."""
    if isinstance(found, Sizes):
        _show_sizes(console, found)
    else:
        _show_verdicts(console, found)


def _show_verdicts(console: Console, found: Verdicts) -> None:
    console.print(Text.assemble((found.name, "bold"), (f"   {found.about}", "dim")))
    for line in () if found.placed is None else found.placed.told():
        console.print(Text(line))
    console.print()
    if len(found.models) == 1:
        _show_one(console, found)
    else:
        console.print(Text(QUESTION))
        console.print(_table(found))
        console.print()
        marks = [f"[{number}]" for number in numbers(found).values()]
        console.print(_listed(zip(marks, found.rules, found.rules.values(), strict=True)))
    console.print(Text(f"\n{caveat()}", style="dim"))
    if found.problem is not None and found.problem.automaton is not None:
        told = f"Its semigroup: foretell represent {found.problem.automaton}"
        console.print(Text(told, style="dim"))


def caveat() -> str:
    """What no verdict says."""
    return f"{CAVEAT[:1].upper()}{CAVEAT[1:]}. {EXISTS}"


def _show_one(console: Console, found: Verdicts) -> None:
    ((model, verdict),) = found.verdicts.items()
    steps = "no steps" if model.steps == "none" else f"{model.steps} steps"
    console.print(Text(f"{model.depth} depth, {model.precision} precision, {steps} of thought"))
    strength = "" if verdict.answer == OPEN else f"   {verdict.strength}"
    console.print(Text.assemble((verdict.answer, style(verdict)), strength))
    marks = ("known:", "but") if verdict.answer == OPEN else ("because", "and")
    console.print(_listed(zip(marks, verdict.chain, verdict.evidence, strict=False)))


def _listed(lines: Iterable[tuple[str, str, str]]) -> Table:
    """Marks, what they mark, and quietly on what evidence."""
    listed = Table(box=None, show_header=False, padding=(0, 1, 0, 0))
    for mark, text, evidence in lines:
        said = "" if evidence == NOTHING else evidence
        listed.add_row(Text(mark), Text(text), Text(said, style="dim"))
    return listed


def _table(found: Verdicts) -> Table:
    lines = Table(box=None, padding=(0, 2, 0, 0), header_style="dim")
    for head in verdict_heads(found):
        lines.add_column(head)
    cited = numbers(found)
    for (depth, precision), row in rows(found).items():
        cells = [
            Text.assemble(
                (short(verdict).replace(" unless", "\nunless"), style(verdict)),
                (f" {citation(verdict, cited)}", "dim"),
            )
            for verdict in row
        ]
        lines.add_row(Text(grows(depth)), Text(grows(precision)), *cells)
    return lines


def verdict_heads(found: Verdicts) -> list[str]:
    """Of a table of verdicts: the models' depth and precision, then a column a number of steps."""
    steps = dict.fromkeys(model.steps for model in found.models)
    return ["depth", "precision", *(f"{grows(each)} steps" for each in steps)]


def grows(how: str) -> str:
    """How a number grows with the length, in few letters."""
    return GROWS.get(how, how)


def numbers(found: Verdicts) -> dict[str, int]:
    """Under what number each rule is listed."""
    return {rule: number for number, rule in enumerate(found.rules, 1)}


def rows(found: Verdicts) -> dict[tuple[str, str], list[Verdict]]:
    """Verdicts by depth and precision, those of more steps further right."""
    lines: dict[tuple[str, str], list[Verdict]] = {}
    for model, verdict in found.verdicts.items():
        lines.setdefault((model.depth, model.precision), []).append(verdict)
    return lines


def citation(verdict: Verdict, cited: dict[str, int]) -> str:
    """The rules of a cell, by their numbers."""
    return f"[{','.join(str(cited[rule]) for rule in verdict.chain)}]"


def style(verdict: Verdict) -> str:
    """Colours by answer; a no on a condition is quieter than one without."""
    return STYLE.get(verdict.answer, "red")


def short(verdict: Verdict) -> str:
    """An answer for a cell.

    >>> short(Verdict("not representable unless TC0 = NC1", (), ()))
    'no unless TC0 = NC1'
    """
    return SHORT.get(verdict.answer) or f"no unless {condition(verdict)}"


def _show_sizes(console: Console, found: Sizes) -> None:
    console.print(Text.assemble((found.name, "bold"), (f"   {found.problem.what}", "dim")))
    console.print(Text(asked_words(found)))
    lines = Table(box=None, padding=(0, 2, 0, 0), header_style="dim")
    for head in size_heads(found):
        lines.add_column(head)
    notes = built_notes(found)
    for bound in found.bounds:
        lines.add_row(*map(Text, size_cells(found, bound, notes)))
    console.print(lines)
    console.print()
    console.print(_listed((f"[{number}]", note, "") for note, number in notes.items()))
    for line in cut_lines(found):
        console.print(Text(line))
    vacuous = f" {VACUOUS}" if any(bound.vacuous for bound in found.bounds) else ""
    console.print(Text(f"{SYMBOLS}{vacuous} {AT_LEAST}", style="dim"))
    console.print(Text(f"Sources: {found.problem.sources}", style="dim"))


def asked_words(found: Sizes) -> str:
    """The setting and the bits that must cross."""
    asked = found.asked
    return (
        f"n = {asked.length:,} {found.problem.counts}, p = {asked.bits:,}, H = {asked.heads:,}: "
        f"{bits_words(asked.needed())} must cross a cut: {found.formula}"
    )


def bits_words(bits: float) -> str:
    """Bits as they are printed: whole where they are whole.

    >>> bits_words(64.0), bits_words(4699.4397), bits_words(0.29)
    ('64 bits', '4,699.4 bits', '0.3 bits')
    """
    return counted(round(bits), "bit") if bits == round(bits) else f"{bits:,.1f} bits"


def built_notes(found: Sizes) -> dict[str, int]:
    """What the constructions are and what shows them, with the numbers they are cited by."""
    notes = [note(bound.built) for bound in found.bounds if bound.built is not None]
    return {each: number for number, each in enumerate(dict.fromkeys(notes), 1)}


def note(built: Built) -> str:
    """A construction in words."""
    return f"{built.what}: {built.shown}"


def size_heads(found: Sizes) -> list[str]:
    """Of a table of sizes."""
    width = found.asked.width
    reaches = [] if width is None else [f"width {width:,}: not excluded"]
    return ["model", "at least", "carries", *reaches, "built"]


def size_cells(found: Sizes, bound: Bound, notes: dict[str, int]) -> list[str]:
    """One row, as text."""
    least, carries, built = "no bound", "–", "–"
    if bound.least is not None:
        least = f"width {bound.least:,}"
        if bound.model.counted != "width":
            least = counted(bound.least, bound.model.counted)
        least += " (vacuous)" if bound.vacuous else ""
        carries = bound.formula
    if bound.built is not None:
        own = bound.built
        size = f"width {own.width:,}" if own.bits is None else counted(own.bits, "bit")
        built = f"{size} [{notes[note(own)]}]"
    reaches = [] if found.asked.width is None else [reached(bound)]
    return [bound.model.name, least, carries, *reaches, built]


def reached(bound: Bound) -> str:
    """Up to which length a model of the width asked about is not excluded."""
    if bound.least is None or bound.longest == LONGEST:
        return "at any n"
    return f"up to n = {bound.longest:,}" if bound.longest else "at no n"


def cut_lines(found: Sizes) -> list[str]:
    """Where the input is cut and on what evidence, or why no cut says anything."""
    sides = {bound.model.side: bound.side for bound in found.bounds}
    names = {"state": "A state", "layer": "One layer"}
    return [
        f"{names[kind]}: {side.cut}; {side.evidence or 'so no bound'}."
        for kind, side in sides.items()
    ]
