"""What the compiler made of a program, for the terminal, for scripts and as a page."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from typing import Any

from rich.console import Console
from rich.table import Table
from rich.text import Text

from foretell.compiler.compiling import Compiled
from foretell.compiler.patterns import Pattern
from foretell.compiler.regularizer import Growth, Regularizer
from foretell.reports._markup import Markup, element, pairs, table
from foretell.reports._sections import section
from foretell.reports.html import masthead, page
from foretell.reports.programs.drawings import attention_figure, growth_figure

MEANING = {
    "layers_and_heads": "(1) L + H",
    "parameter_bits": "(2) bits of a parameter",
    "logit_bits": "(2) fractional bits of a logit",
    "value_rank": "(3) rank of V",
    "key_query_norm": "(4) norm of KᵀQ",
    "value_norm": "(4) norm of V",
    "expand_norm": "(4) Frobenius norm of A",
    "contract_norm": "(4) Frobenius norm of B",
    "unembedding_norm": "(4) norm of U",
    "position_norm": "(5) norm of p",
    "embedding_norm": "(5) norm of E",
    "bias_norm": "(5) norm of b",
    "position_products": "(6) sum (8) over positions",
}


def facts(compiled: Compiled) -> list[tuple[str, str]]:
    """Sizes and how far the arithmetic is exact."""
    limit, shape = compiled.limit, compiled.transformer.architecture
    exact = compiled.precision
    found = [
        (
            "Limit Transformer",
            _shape(len(limit.layers), limit.heads, limit.width),
        ),
        (
            f"transformer for {compiled.context} tokens",
            f"{_shape(shape.layers, shape.heads, shape.width)}, {shape.positional}",
        ),
        (
            exact.dtype,
            f"certain to be exact up to {exact.guaranteed_up_to:,} tokens, refused from "
            f"{exact.hopeless_from:,} on ({exact.because})",
        ),
    ]
    return [*found, ("warning", compiled.warning)] if compiled.warning else found


def _shape(layers: int, heads: int, width: int) -> str:
    return f"{layers} layer{'s' * (layers > 1)}, {heads} head{'s' * (heads > 1)}, width {width}"


def growth_rows(growth: Growth) -> list[list[str]]:
    """One line a term of R(T), one column a context, the total last."""
    names = [item.name for item in dataclasses.fields(Regularizer)]
    lines = [
        [MEANING[name], *(f"{getattr(row, name):.4g}" for row in growth.rows)] for name in names
    ]
    return [*lines, ["R(T)", *(f"{row.total:.4g}" for row in growth.rows)]]


def bounded_sentence(growth: Growth) -> str:
    """Does R(T) stay bounded over these contexts?"""
    if growth.bounded:
        return "no term grows in the second half of these contexts: R(T) stays bounded"
    return f"GROWS: {', '.join(MEANING[name] for name in growth.growing)}"


def show_compiled(console: Console, compiled: Compiled, growth: Growth | None) -> None:
    """Sizes, precision, and the regularizer's terms as the context grows."""
    lines = Table(box=None, show_header=False, padding=(0, 2, 0, 0))
    for name, text in facts(compiled):
        lines.add_row(Text(name, style="dim"), Text(text))
    console.print(lines)
    if growth is None:
        return
    console.print()
    terms = Table(box=None, padding=(0, 2, 0, 0), header_style="dim")
    terms.add_column("R(T) at N =")
    for context in growth.contexts:
        terms.add_column(str(context), justify="right")
    for row in growth_rows(growth):
        terms.add_row(*row)
    console.print(terms)
    console.print(Text(bounded_sentence(growth), style="green" if growth.bounded else "bold red"))


def compiled_json(compiled: Compiled, growth: Growth | None) -> dict[str, Any]:
    """The same for scripts."""
    limit = compiled.limit
    found: dict[str, Any] = {
        "limit": {"layers": len(limit.layers), "heads": limit.heads, "width": limit.width},
        "transformer": compiled.transformer.architecture.as_json(),
        "labels": list(compiled.labels),
        "precision": compiled.precision.as_json(),
        "warning": compiled.warning,
    }
    if growth is not None:
        rows = zip(growth.contexts, growth.rows, strict=True)
        found["regularizer"] = [{"context": context, **row.as_json()} for context, row in rows]
        found["bounded"] = growth.bounded
    return found


def compiled_page(
    name: str,
    text: str,
    compiled: Compiled,
    growth: Growth | None,
    drawn: tuple[Sequence[Pattern], Sequence[str]] | None,
) -> str:
    """One self-contained page: program, sizes, regularizer, attention."""
    content = [
        masthead("foretell crasp compile", name, compiled.transformer.architecture.label),
        section("Program", element("pre", text, class_="program")),
        section("What it became", pairs(facts(compiled))),
    ]
    if growth is not None:
        heads = ("term of R(T)", *(f"N = {context}" for context in growth.contexts))
        numeric = range(1, len(heads))
        content.append(
            section(
                "The regularizer as the context grows",
                _plot(growth_figure(growth)),
                element("p", bounded_sentence(growth), class_="quiet"),
                table(heads, growth_rows(growth), numeric=numeric),
            )
        )
    if drawn is not None:
        patterns, tokens = drawn
        caption = (
            "One panel a head, layer and head number before what it does. Rows are queries, "
            "columns keys; darker means more attention."
        )
        content.append(
            section(
                "Where the heads look",
                _plot(attention_figure(patterns, tokens)),
                element("p", caption, class_="quiet"),
            )
        )
    return page(f"{name}, compiled", content)


def _plot(svg: str) -> Markup:
    return element("div", Markup(svg), class_="plot wide")
