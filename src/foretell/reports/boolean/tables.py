"""The tables of a Boolean function's page."""

from __future__ import annotations

from foretell.boolean.bounds.chain_of_thought import Route
from foretell.boolean.bounds.function_class import FunctionClass
from foretell.boolean.bounds.terms import Form, norm_blocks, sharpness_blocks
from foretell.core.prediction import Assumption
from foretell.reports._markup import Markup, element, table, together
from foretell.reports._sections import badge
from foretell.reports.boolean import words
from foretell.reports.boolean.bounds import Bounds
from foretell.reports.boolean.chain import ChainOfThought
from foretell.reports.boolean.construction import Construction
from foretell.reports.boolean.lines import Figure, Line

# The bounds call some blocks by other names than the construction does.
NAMES_IN_BOUNDS = {"MLP in": "hidden", "MLP bias": "bias", "MLP out": "output"}
ROUNDING = 1e-9
Limits = dict[str, dict[str, float]]


def blocks_table(found: Construction, family: FunctionClass | None) -> Markup:
    """Each block; beside it what published and corrected statement allow it, if they do."""
    seen = found.curvature
    rows = [
        (words.BLOCKS[block.name], block.squared_norm, block.gradient, block.largest_gradient)
        for block in found.blocks
    ]
    gradients = (seen.twice_gradient / 2, seen.largest / 2) if seen else (None, None)
    rows.append(("all", found.squared_norm, *gradients))
    norms, steep = _limits(family)
    heads = ("Block", "Squared norm", *norms, "Squared gradient, mean", "Largest", *steep)
    shown = [
        tuple(
            each if isinstance(each, str) else _or_dash(each)
            for each in (
                name,
                norm,
                *(limit[name] for limit in norms.values()),
                *gradient,
                *(limit[name] for limit in steep.values()),
            )
        )
        for name, norm, *gradient in rows
    ]
    return element("div", table(heads, shown, numeric=range(1, len(heads))), class_="dense")


def beyond_limits(found: Construction, family: FunctionClass) -> str | None:
    """Which blocks exceed what is published for them, as a sentence."""
    norms, steep = _limit(norm_blocks(family, Form.PUBLISHED)), _limit(sharpness_blocks(family))
    larger = [
        words.BLOCKS[block.name]
        for block in found.blocks
        if block.squared_norm > norms[words.BLOCKS[block.name]] * (1 + ROUNDING)
    ]
    steeper = [
        words.BLOCKS[block.name]
        for block in found.blocks
        if (block.largest_gradient or 0.0) > steep[words.BLOCKS[block.name]] * (1 + ROUNDING)
    ]
    told = [f"in norm: {', '.join(larger)}"] if larger else []
    told += [f"in gradient: {', '.join(steeper)}"] if steeper else []
    return f"beyond the published limit {'; '.join(told)}" if told else None


def _limits(family: FunctionClass | None) -> tuple[Limits, Limits]:
    """Of squared norms and of squared gradients, by heading and block."""
    if family is None:
        return {}, {}
    published, corrected = (norm_blocks(family, form) for form in (Form.PUBLISHED, Form.CORRECTED))
    norms = {"Published limit": _limit(published), "Corrected limit": _limit(corrected)}
    return norms, {"Published limit": _limit(sharpness_blocks(family))}


def _limit(blocks: dict[str, float]) -> dict[str, float]:
    """By the construction's names, with the sum; a block that is not listed is allowed nothing."""
    found = {
        name: blocks.get(NAMES_IN_BOUNDS.get(name, name), 0.0) for name in words.BLOCKS.values()
    }
    return found | {"all": sum(blocks.values())}


def _or_dash(value: float | None) -> str:
    return "–" if value is None else words.number(value)


def bounds_table(bounds: Bounds) -> Markup:
    """A line for each bound, a column for each reading."""
    heads = [words.column_line(each) for each in bounds.columns]
    rows = [
        (
            together([element("strong", line.name), element("div", line.about, class_="quiet")]),
            *(_figure(bounds, each) for each in line.figures),
            _samples(line),
        )
        for line in bounds.lines
    ]
    last = f"Samples for {words.number(bounds.trivial)}, by column"
    whole = table(("Bound", *heads, last), rows, numeric=range(1, len(heads) + 2))
    return element("div", whole, class_="dense")


def _figure(bounds: Bounds, figure: Figure | None) -> Markup:
    if figure is None:
        return element("span", "–", class_="quiet")
    vacuous = bounds.says_nothing(figure)
    word, tone = ("vacuous", "unsure") if vacuous else ("says something", "good")
    mark = element("span", word, class_=f"badge {tone}")
    return together([words.number(figure.value), " ", mark])


def _samples(line: Line) -> str:
    """Of the first and the last column that have them."""
    there = [words.number(each) for each in line.samples if each is not None]
    return " / ".join(there) if there else "–"


def assumptions_table(bounds: Bounds) -> Markup:
    """One line for each, with its standing in every column that has it."""
    standings: dict[str, dict[str, Assumption]] = {}
    for name, found in bounds.assumptions:
        for each in found:
            standings.setdefault(each.text, {})[name] = each
    titles = {each.name: words.column_line(each) for each in bounds.columns}
    rows = [
        (text, *(badge(by[name].standing) if name in by else "–" for name in titles))
        for text, by in standings.items()
    ]
    return element("div", table(("Assumption", *titles.values()), rows), class_="dense")


def chain_table(chain: ChainOfThought, bits: int) -> Markup:
    """Both routes for each number of bits."""
    names = ("Error", "Samples", "Published log₁₀ error", "Published samples")
    heads = ("Bits", *(f"{name}, {way}" for name in names for way in ("chain", "one pass")))
    rows = [
        (
            words.own_length(chain, row.bits, bits),
            *map(_error, (row.chain, row.one_pass)),
            *(words.number(each.samples_direct) for each in (row.chain, row.one_pass)),
            *(words.number(each.log10_published) for each in (row.chain, row.one_pass)),
            *(words.number(each.samples_published) for each in (row.chain, row.one_pass)),
        )
        for row in chain.rows
    ]
    return element("div", table(heads, rows, numeric=range(9)), class_="dense")


def _error(route: Route) -> str:
    return f"{words.number(route.direct)}{' v' if route.vacuous else ''}"
