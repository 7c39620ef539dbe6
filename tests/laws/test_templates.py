"""Laws of templates, on templates nobody thought of."""

from __future__ import annotations

import string
from typing import Any

import numpy as np
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from foretell.core.alphabet import RESERVED
from foretell.plain.errors import BadInput
from foretell.templates.matching import match
from foretell.templates.notation import LETTERS, Symbol, Wildcard
from foretell.templates.overlapping import overlap
from foretell.templates.sampling import draw_strings
from foretell.templates.substituting import symbol_blocks
from foretell.templates.template import Template
from foretell.templates.template_set import TemplateSet

FEW = settings(max_examples=60, deadline=None)
ANY_TOKEN = st.text(st.characters(exclude_categories=("Cs", "Z", "C")), min_size=1, max_size=4)
TOKENS = st.one_of(
    st.sampled_from([*"ST17()=-;>@#'\"\\→a", "print", "->", "a b".replace(" ", ""), "noise"]),
    ANY_TOKEN.filter(lambda text: text.isprintable() and text not in RESERVED),
)
SYMBOLS = st.one_of(st.sampled_from("abcα").map(Wildcard), TOKENS)
# Values are made in the tests, not by the strategies: checks of types at test time draw at random.
STRINGS = st.lists(SYMBOLS, min_size=1, max_size=6).map(tuple)
NUMBERS = st.floats(allow_nan=False, allow_infinity=False)


@st.composite
def settings_of_sets(draw) -> dict[str, Any]:
    """What a set is made of; not every one is a set."""
    strings, real = draw(st.lists(STRINGS, min_size=1, max_size=4)), draw(st.booleans())
    declared = draw(st.lists(TOKENS, max_size=3))
    known = [*declared, *(s for string in strings for s in string if isinstance(s, str))]
    answers = [
        st.sampled_from([*(s for s in each if isinstance(s, Wildcard)), *known, "?"])
        for each in strings
    ]
    weights = draw(st.lists(st.integers(1, 99), min_size=len(strings), max_size=len(strings)))
    few = st.lists(TOKENS, min_size=8, max_size=12, unique=True).map(tuple)
    return {
        "templates": strings,
        "labels": tuple(draw(NUMBERS) if real else draw(answer) for answer in answers),
        "probabilities": tuple(w / sum(weights) for w in weights) if draw(st.booleans()) else (),
        "noise": draw(st.floats(0, 1e6)) if real else 0.0,
        "tokens": tuple(declared),
        "symbols": draw(st.one_of(st.none(), st.integers(6, 10**6), few)),
        "apart": draw(st.booleans()),
    }


def made(given_settings: dict[str, Any]) -> TemplateSet:
    """The set, unless it is none: equivalent or overlapping templates, too few symbols."""
    templates = tuple(map(Template, given_settings["templates"]))
    try:
        return TemplateSet(**{**given_settings, "templates": templates})
    except BadInput:
        assume(False)
        raise


@FEW
@given(STRINGS)
def test_reading_a_template_undoes_writing(symbols: tuple[Symbol, ...]) -> None:
    template = Template(symbols)
    assert Template.parse(str(template)) == template


@FEW
@given(settings_of_sets())
def test_reading_a_set_undoes_writing(given_settings: dict[str, Any]) -> None:
    templates = made(given_settings)
    assert TemplateSet.parse(templates.text) == templates
    assert TemplateSet.from_json(templates.as_json()) == templates
    assert TemplateSet.parse(templates.text).text == templates.text


@FEW
@given(STRINGS, st.permutations(LETTERS))
def test_names_of_wildcards_do_not_matter(symbols: tuple[Symbol, ...], letters: list[str]) -> None:
    template = Template(symbols)
    new = {Wildcard(old): Wildcard(letter) for old, letter in zip(LETTERS, letters, strict=True)}
    other = Template(tuple(new[s] if isinstance(s, Wildcard) else s for s in template.symbols))
    assert template.equivalent(other) and other.renamed() == template.renamed()
    assert overlap(template, other) is not None


@FEW
@given(STRINGS, st.permutations([f"{letter}0" for letter in string.ascii_uppercase]))
def test_what_is_substituted_matches(symbols: tuple[Symbol, ...], names: list[str]) -> None:
    template = Template(symbols)
    given_tokens = dict(zip(template.wildcards, names, strict=False))
    assume(not {*given_tokens.values()} & {*template.tokens})
    found = match(template, template.substitute(given_tokens))
    assert found and found.tokens == given_tokens


@FEW
@given(STRINGS, STRINGS)
def test_overlap_is_symmetric_and_its_witness_matches(
    one: tuple[Symbol, ...], two: tuple[Symbol, ...]
) -> None:
    left, right = Template(one), Template(two)
    found, other = overlap(left, right), overlap(right, left)
    assert (found is None) == (other is None)
    if found is not None:
        assert match(left, found.word) == found.left
        assert match(right, found.word) == found.right


@FEW
@given(settings_of_sets(), st.integers(0, 2**32))
def test_drawn_strings_have_their_label(given_settings: dict[str, Any], seed: int) -> None:
    templates = made(given_settings)
    count = 10 if templates.symbols is None else None
    blocks = symbol_blocks(templates, count)
    drawn = draw_strings(templates, 20, blocks.train, np.random.default_rng(seed))
    listed = () if isinstance(templates.symbols, int | None) else templates.symbols
    names = [*dict.fromkeys((*templates.regular, *listed))]
    names += [f"new {number}" for number in range(blocks.tokens - len(names))]
    for tokens, number, label in zip(*drawn, strict=True):
        word = tuple(names[token] for token in tokens if token >= 0)
        found = match(templates.templates[number], word)
        assert found
        said = templates.value(word)
        if not templates.is_real:
            assert names[int(label)] == said
        elif not templates.noise:
            assert label == said
