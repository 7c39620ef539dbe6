"""A Boolean function as one self-contained page: the chain link by link, with figures."""

from __future__ import annotations

from collections.abc import Iterable

from foretell.boolean.bounds.function_class import FunctionClass
from foretell.plain.wording import counted
from foretell.reports import phrases
from foretell.reports._markup import Markup, bullets, element, pairs, table
from foretell.reports._sections import section
from foretell.reports.boolean import words
from foretell.reports.boolean.construction import Construction
from foretell.reports.boolean.function import BooleanReport
from foretell.reports.boolean.plots import (
    chain_figure,
    error_figure,
    spectrum_figure,
    tradeoff_figure,
)
from foretell.reports.boolean.spectrum import KnownSpectrum, Queried
from foretell.reports.boolean.tables import (
    assumptions_table,
    beyond_limits,
    blocks_table,
    bounds_table,
    chain_table,
)
from foretell.reports.html import masthead, page

PUBLISHED_SCALE = 2.0
QUESTION = (
    "What is this function made of, which transformer computes it, how flat is that one, and what "
    "does theory then say about learning it from examples?"
)


def boolean_page(report: BooleanReport) -> str:
    """The whole chain; a link that is not there says why."""
    name = report.function.name
    content = [
        masthead("foretell boolean", name, counted(report.function.bits, "bit")),
        element("p", QUESTION, class_="question"),
        _summary(report),
        _spectrum_section(report),
        _construction_section(report),
        _bounds_section(report),
        _chain_section(report),
        section("How", pairs(_settings(report)), element("p", words.NOT_TRAINED, class_="quiet")),
    ]
    return page(f"{name} · foretell boolean", content)


def _summary(report: BooleanReport) -> Markup:
    """The chain in four numbers."""
    spectrum, found, tested = report.spectrum, report.construction, report.tested
    items = []
    if spectrum is not None:
        items.append(("degree and components", f"{spectrum.degree} and {spectrum.sparsity:,}"))
    elif tested is not None:
        least = f"at least {tested.degree.found} and {tested.width.found}"
        items.append(("degree and components", least))
    if found is not None:
        items.append(("largest error", words.number(found.measured or found.stated.largest)))
    if found is not None and found.curvature is not None:
        items.append(("Hessian trace", words.number(found.curvature.trace)))
    if report.bounds is not None:
        best = min(line.figures[-1].value for line in report.bounds.lines if line.figures[-1])
        items.append(("best bound that can hold", words.number(best)))
    cards = [
        element(
            "article",
            element("p", element("span", value, class_="figure-number"), class_="big"),
            element("p", name, class_="quiet"),
            class_="card",
        )
        for name, value in items
    ]
    narrow = "grid-template-columns: repeat(auto-fit, minmax(12rem, 1fr))"
    return element("div", *cards, class_="cards", style=narrow)


def _drawn(svg: str, caption: str, *, wide: bool = True) -> Markup:
    frame = element("div", Markup(svg), class_="plot wide" if wide else "plot")
    return element("figure", frame, element("figcaption", caption))


def _quiet(texts: Iterable[str | None]) -> list[Markup]:
    return [element("p", phrases.sentence(text)) for text in texts if text]


def _spectrum_section(report: BooleanReport) -> Markup:
    content: list[Markup] = []
    if report.spectrum is not None:
        content += _spectrum(report.spectrum, report.function.name)
    else:
        content += _quiet([report.why_missing("spectrum")])
    if report.tested is not None:
        content += _tested(report.tested)
    return section("Spectrum", *content)


def _spectrum(spectrum: KnownSpectrum, name: str) -> list[Markup]:
    told = _quiet([words.size_sentence(spectrum), f"Known: {spectrum.how}"])
    if not spectrum.sparsity:
        return told
    left = spectrum.sparsity - len(spectrum.largest)
    more = f" {left:,} more are not drawn." if left else ""
    caption = (
        "Left: how the variance is shared out among components of 1, 2, … bits. Right: the largest "
        f"coefficients on parities.{more}"
    )
    return [*told, _drawn(spectrum_figure(spectrum, f"spectrum of {name}"), caption)]


def _tested(tested: Queried) -> list[Markup]:
    rows = [
        (found.measure, nowrap(f"at least {found.found}"), f"{found.queries:,}", found.meaning)
        for found in (tested.degree, tested.width)
    ]
    title = element("h3", "By asking for values only")
    return [
        title,
        element("p", tested.why),
        table(("Measure", "Found", "Queries", "What that means"), rows, numeric=(2,)),
    ]


def nowrap(text: str) -> Markup:
    """Text that stays in one line."""
    return element("span", text, class_="nowrap")


def _construction_section(report: BooleanReport) -> Markup:
    title, name = "An explicit transformer", report.function.name
    found = report.construction
    if found is None:
        return section(title, *_quiet([report.why_missing("construction")]))
    head = (
        f"{found.parameters:,} parameters, attention scale {found.attention_scale:g}, {found.ramp} "
        f"ramps; {words.error_sentence(found)}"
    )
    caption = (
        "Largest error over attention scales. Where the scale is too small, attention leaks so "
        "much that the parities inside are wrong."
    )
    family = report.bounds.family if report.bounds else None
    return section(
        title,
        *_quiet([head]),
        _drawn(error_figure(found, f"error of the transformer, {name}"), caption, wide=False),
        element("h3", "Norms and gradients"),
        *_quiet(_about_blocks(found, family)),
        blocks_table(found, family),
        element("h3", "Curvature"),
        *_quiet([words.trace_sentence(found)]),
        *_quiet([words.rescaling_sentence(found), words.change_sentence(found)]),
        *_quiet([found.missing if found.curvature else None]),
    )


def _about_blocks(found: Construction, family: FunctionClass | None) -> list[str | None]:
    if family is None:
        return []
    scale = found.attention_scale
    other = (
        f"the published limits are for an attention scale of {PUBLISHED_SCALE:g}, not {scale:g}"
        if scale != PUBLISHED_SCALE
        else None
    )
    return [other, beyond_limits(found, family)]


def _bounds_section(report: BooleanReport) -> Markup:
    title = "Bounds for learning it"
    bounds = report.bounds
    if bounds is None:
        return section(title, *_quiet([words.verdict(report)]))
    changes = report.construction.changes if report.construction else ()
    caption = (
        "The truncated bound over the noise on the weights: more noise costs sharpness, less costs "
        "norm. The dot is the best noise."
    )
    return section(
        title,
        element("p", element("strong", words.verdict(report))),
        *_quiet(words.about_bounds(bounds)),
        bounds_table(bounds),
        _drawn(tradeoff_figure(bounds, changes, f"bounds for {report.function.name}"), caption),
        element("h3", "What they rest on"),
        assumptions_table(bounds),
        element("h3", "Where published and corrected differ"),
        bullets(map(phrases.sentence, bounds.reasons)),
    )


def _chain_section(report: BooleanReport) -> Markup:
    title = "What chain of thought changes"
    chain = report.chain
    if chain is None:
        return section(title, *_quiet([report.why_missing("chain_of_thought")]))
    caption = (
        "Left: the direct bound on the error. Right: samples from which it beats a coin (solid) "
        "and from which the published statement says something (dotted); dashed: samples asked for."
    )
    return section(
        title,
        *_quiet(words.chain_sentences(chain, report.function.bits)),
        chain_table(chain, report.function.bits),
        _drawn(chain_figure(chain, f"chain of thought, {report.function.name}"), caption),
        *_quiet([chain.rows[0].reason]),
    )


def _settings(report: BooleanReport) -> list[tuple[str, str]]:
    asked = report.asked
    return [
        ("function", report.function.name),
        ("samples", f"{asked.samples:,}"),
        ("delta", f"{asked.delta:g}"),
        ("constant", f"{asked.constant:g}, sub-Gaussian, of the loss"),
        ("transformer", f"attention scale {asked.attention_scale:g}, {asked.ramp} ramps"),
        ("asked", "for values only" if asked.query_only else "with everything that is known of it"),
    ]
