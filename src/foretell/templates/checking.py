"""What labelled templates must be, checked when they are made; each message says what to try."""

from __future__ import annotations

import math
from collections.abc import Collection, Sequence

from foretell.plain.catalogue import suggest
from foretell.plain.errors import BadInput
from foretell.plain.wording import counted
from foretell.templates.notation import Symbol, Wildcard
from foretell.templates.overlapping import Overlap
from foretell.templates.template import Template

MOST_TEMPLATES = 1 << 14
_CLOSE = 1e-9  # how near to 1 probabilities must sum


def check_templates(templates: Sequence[Template], labels: int) -> None:
    """There is at least one, not too many, each with a label, no two equivalent."""
    if not templates:
        raise BadInput("there is no template", hint="aba -> +1; abb -> -1")
    if len(templates) > MOST_TEMPLATES:
        raise BadInput(
            "there are too many templates",
            seen=f"{len(templates):,}",
            why=f"every pair may have to be compared; {MOST_TEMPLATES:,} at most",
        )
    if labels != len(templates):
        seen = f"{counted(len(templates), 'template')}, {counted(labels, 'label')}"
        raise BadInput("every template needs one label", seen=seen)
    first: dict[tuple[int | str, ...], Template] = {}
    for template in templates:
        other = first.setdefault(template.form, template)
        if other is not template:
            same = "the same" if other == template else "the same up to the names of wildcards"
            raise BadInput(
                "two templates are equivalent",
                seen=f"{other} and {template}",
                why=f"they are {same}, so every string of one is a string of the other",
                hint="leave one out; a probability (@ 0.3) makes a template more frequent",
            )


def settled_labels(
    templates: Sequence[Template], labels: Sequence[float | Symbol], known: Collection[str]
) -> tuple[float | Symbol, ...]:
    """The labels as floats, or as symbols that the templates have."""
    real = [not isinstance(label, Wildcard | str) for label in labels]
    if any(real) and not all(real):
        number, symbol = labels[real.index(True)], labels[real.index(False)]
        kind = "a wildcard" if isinstance(symbol, Wildcard) else "a token"
        raise BadInput(
            "labels are all real numbers or all symbols",
            seen=f"{templates[real.index(False)]} -> {symbol}, which is {kind}",
            why=f"{templates[real.index(True)]} has the real label {number:g}",
            hint="\\1 or '+1' is a token that looks like a number",
        )
    if all(real):
        values = tuple(float(label) + 0.0 for label in labels)  # type: ignore[arg-type]
        if not all(map(math.isfinite, values)):
            raise BadInput("labels must be finite numbers", seen=values)
        return values
    for template, label in zip(templates, labels, strict=True):
        _check_symbol(template, label, known)
    return tuple(labels)


def _check_symbol(template: Template, label: float | Symbol, known: Collection[str]) -> None:
    if isinstance(label, Wildcard) and label not in template.wildcards:
        letters = ", ".join(map(str, template.wildcards)) or "none"
        raise BadInput(
            "a symbolic label is not in its template",
            seen=f"{template} -> {label}",
            why=f"nothing is known about {label}; the wildcards of the template: {letters}",
            hint=f"'{label}' in quotes, with tokens '{label}' before, if it is a regular token",
        )
    if isinstance(label, str) and label not in known:
        raise BadInput(
            "a symbolic label is not in any template",
            seen=f"{template} -> {label}",
            why="a label that is a regular token must be one of the templates, or be declared",
            hint=suggest(label, known) or f"tokens {label}; before the templates",
        )


def check_chances(chances: Sequence[float], templates: int) -> None:
    """Positive probabilities that sum to 1."""
    if len(chances) != templates:
        seen = f"{counted(templates, 'template')}, {len(chances)} probabilities"
        raise BadInput("every template needs one probability", seen=seen)
    if not all(0 < chance <= 1 for chance in chances):
        bad = next(chance for chance in chances if not 0 < chance <= 1)
        raise BadInput(
            "a probability must be above 0 and at most 1",
            seen=bad,
            hint="leave a template out that never occurs",
        )
    total = math.fsum(chances)
    if abs(total - 1) > _CLOSE:
        raise BadInput(
            "the probabilities of the templates do not sum to 1",
            seen=f"{' + '.join(f'{chance:g}' for chance in chances[:8])} … = {total:g}"
            if len(chances) > 8
            else f"{' + '.join(f'{chance:g}' for chance in chances)} = {total:g}",
            hint="fractions are exact enough: @ 1/3",
        )


def check_noise(noise: float, is_real: bool) -> None:
    """A standard deviation, for real labels only."""
    if not (math.isfinite(noise) and noise >= 0):
        raise BadInput("noise must be a finite number, 0 or more", seen=noise)
    if noise and not is_real:
        raise BadInput("only real labels can have noise", seen=f"noise {noise:g}")


def check_symbols(
    templates: Sequence[Template], symbols: int | Sequence[str] | None, refused: Collection[str]
) -> None:
    """Enough symbols for the wildcards of each template; none of the refused tokens."""
    if symbols is None:
        return
    if not isinstance(symbols, int):
        twice = sorted({symbol for symbol in symbols if tuple(symbols).count(symbol) > 1})
        if twice:
            raise BadInput("a symbol is listed twice", seen=" ".join(twice))
        taken = [symbol for symbol in symbols if symbol in refused]
        if taken:
            why = "with apart, wildcards never stand for a regular token"
            raise BadInput("a symbol is a regular token", seen=taken[0], why=why)
    for template in templates:
        own = () if isinstance(symbols, int) else set(symbols) & set(template.tokens)
        left = (symbols if isinstance(symbols, int) else len(symbols)) - len(own)
        check_enough(template, left)


def check_enough(template: Template, symbols: int) -> None:
    """Each wildcard of the template can have a symbol of its own."""
    needed = len(template.wildcards)
    if symbols < needed:
        raise BadInput(
            "there are fewer symbols than wildcards",
            seen=f"{counted(symbols, 'symbol')} for {template}",
            why=f"its {needed} wildcards stand for different tokens, none of them its own",
            hint=f"symbols {needed}, or more",
        )


def check_agreement(
    templates: Sequence[Template],
    labels: Sequence[float | Symbol],
    first: int,
    second: int,
    found: Overlap,
) -> None:
    """A string of two templates has one label."""
    one, two = found.left.value(labels[first]), found.right.value(labels[second])
    if one != two:
        raise BadInput(
            "two templates overlap and their labels differ",
            seen=f"{' '.join(found.word)} matches {templates[first]} and {templates[second]}",
            why=f"its label would be {_said(one)} and {_said(two)}",
            hint="change one, or declare `apart`: wildcards never stand for a regular token",
        )


def _said(value: float | str) -> str:
    return value if isinstance(value, str) else f"{value:g}"
