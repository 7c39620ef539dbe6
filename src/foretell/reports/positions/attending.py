"""Where a trained model's heads look as inputs grow: on a terminal, as JSON, as a page."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from rich.console import Console
from rich.table import Table
from rich.text import Text

from foretell.plain.wording import counted
from foretell.protocols._attending import INPUTS, PICKS, Attending, Head
from foretell.reports._markup import Markup, element, pairs, table
from foretell.reports._sections import section
from foretell.reports.html import masthead, page
from foretell.reports.positions.attending_plots import MOST_MODELS, distance_figure, length_figure
from foretell.training.provenance import describe_machine

MOST_LINES = 32  # heads listed on a terminal
NUMBERS = 4  # the column where shares begin
QUESTION = (
    "Softmax shares one whole among all keys. What a head learned to look at in short inputs may "
    "be lost among many more: does it fade?"
)
LENGTHS_CAPTION = (
    "Share of attention that each head gives, from the last scored position, to what it picks at "
    "{shortest}: a fixed distance, the first token, or whichever token has most. Dotted: "
    "what would be left of a fixed distance if every further key weighed as the others do on "
    "average. Grey: heads that pick nothing."
)
DISTANCES_CAPTION = (
    "Share of attention by distance, in the shortest of these inputs and in the longest. The last "
    "column is all that is further back."
)


def as_json(found: Attending) -> dict[str, Any]:
    """The form of `foretell attention --json`."""
    return {
        "source": str(found.source),
        "architecture": found.models[0].model.architecture.as_json(),
        "task": task.name if (task := found.models[0].task) else None,
        "inputs": INPUTS,
        "reading": found.reading,
        "lengths": list(found.lengths),
        "heads": [
            {
                "model": head.model,
                "layer": head.layer,
                "head": head.head,
                "looks_at": head.looks_at,
                "shares": list(head.shares),
                "diluted": list(head.diluted) if head.diluted else None,
                "at": [
                    {
                        "keys": each.keys,
                        "near": list(each.near),
                        "first": each.first,
                        "largest": each.largest,
                        "entropy": each.entropy,
                    }
                    for each in head.lengths
                ],
            }
            for head in found.heads
        ],
        "summary": summary_sentence(found),
        "provenance": describe_machine(),
    }


def summary_sentence(found: Attending) -> str:
    """How many heads look back, and whether that fades."""
    back, every = found.looking_back, counted(len(found.heads), "head")
    if not back:
        return f"0 of {every} look back by a fixed distance (a share of {PICKS:.0%} or more)"
    shares = np.mean([head.shares for head in back], axis=0)
    if len(shares) == 1:
        told = f"with {shares[0]:.0%} of attention"
        return f"{len(back)} of {every} look back by a fixed distance, {told}"
    expected = [head.diluted[-1] for head in back if head.diluted]
    left = f" (fixed logits would leave {np.mean(expected):.0%})" if expected else ""
    ends = f"{shares[0]:.0%} at {found.lengths[0]:,} to {shares[-1]:.0%} at {found.lengths[-1]:,}"
    return (
        f"{len(back)} of {every} look back by a fixed distance; the share they give it goes from "
        f"{ends}{left}"
    )


def columns(found: Attending) -> tuple[str, ...]:
    """Heads of the table."""
    return ("model", "layer", "head", "looks at", *(f"at {each:,}" for each in found.lengths))


def rows(found: Attending) -> list[tuple[str, ...]]:
    """A line for each head; shares in percent."""
    return [
        (
            head.model,
            str(head.layer + 1),
            str(head.head + 1),
            head.looks_at,
            *(f"{100 * share:.0f}" for share in head.shares),
        )
        for head in found.heads
    ]


def show(console: Console, found: Attending) -> None:
    """Every head, what it looks at, and how much of it is left at each length."""
    console.print(Text(f"attention in {found.source}: {_under(found)}", style="bold"))
    lines = Table(box=None, padding=(0, 2, 0, 0), header_style="dim")
    for place, name in enumerate(columns(found)):
        lines.add_column(name, justify="right" if place >= NUMBERS else "left")
    for row in rows(found)[:MOST_LINES]:
        lines.add_row(*map(Text, row))
    console.print(lines)
    if len(found.heads) > MOST_LINES:
        console.print(Text(f"… {len(found.heads) - MOST_LINES} more with --json", style="dim"))
    told = f"shares of attention in percent; {INPUTS} inputs of each length, {found.reading}"
    console.print(Text(told, style="dim"))
    console.print(Text(summary_sentence(found)))


def attending_page(found: Attending) -> str:
    """One self-contained page: shares by length, shares by distance, every head."""
    machine = describe_machine()
    told = [
        ("weights", str(found.source)),
        ("inputs", f"{INPUTS} of each length; {found.reading}; the shortest is {found.shortest}"),
        ("machine", f"{machine['device']}, commit {machine['commit']}, {machine['time']}"),
    ]
    shares = range(NUMBERS, NUMBERS + len(found.lengths))
    content = [
        masthead("foretell attention", "Where heads look as inputs grow", _under(found)),
        element("p", QUESTION, class_="question"),
        element("p", f"{summary_sentence(found)}."),
        _drawn(
            length_figure(_drawn_heads(found), found.lengths, _under(found)),
            LENGTHS_CAPTION.format(shortest=found.shortest),
        ),
        _drawn(
            distance_figure(_drawn_heads(found), found.lengths, _under(found)), DISTANCES_CAPTION
        ),
        section(
            "Heads",
            element("p", _meaning(found), class_="quiet"),
            table(columns(found), rows(found), numeric=shares),
        ),
        section("How", pairs(told)),
    ]
    return page("foretell attention", content)


def _drawn_heads(found: Attending) -> dict[str, list[Head]]:
    """The heads of the first few models, by model."""
    names = [model.name for model in found.models[:MOST_MODELS]]
    return {name: [head for head in found.heads if head.model == name] for name in names}


def _drawn(svg: str, caption: str) -> Markup:
    frame = element("div", Markup(svg), class_="plot wide")
    return element("figure", frame, element("figcaption", caption))


def _meaning(found: Attending) -> str:
    told = (
        f"A head looks back if one distance has {PICKS:.0%} or more of its attention at "
        f"{found.lengths[0]:,}, on average over inputs. Shares in percent, of that which it picks "
        "there; of a head that looks at many, of whichever token has most."
    )
    left = len(found.models) - MOST_MODELS
    return f"{told} Drawn are {MOST_MODELS} of {len(found.models)} models." if left > 0 else told


def _under(found: Attending) -> str:
    first: Sequence[Any] = found.models
    label = first[0].model.architecture.label
    return f"{first[0].task.name}, {label}" if first[0].task else label
