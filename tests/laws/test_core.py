"""Laws of the core values, on inputs nobody thought of."""

from __future__ import annotations

import json
import math
from dataclasses import dataclass
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from foretell.core import Alphabet, Architecture, Certificate, Prediction, Question, SizeRange
from foretell.core.alphabet import RESERVED
from foretell.core.measurement import Interval
from foretell.core.prediction import Assumption, Bound, Checked, Standing, Strength
from foretell.core.question import GeneralizesInLength, Verdict
from foretell.core.scoreboard import Agreement
from foretell.plain.canonical import canonical_json, content_hash
from foretell.plain.errors import BadInput
from foretell.tasks.algorithmic.binary_majority import BinaryMajority

TEXT = st.text(st.characters(exclude_categories=("Cs",)), max_size=5)
SYMBOLS = st.lists(
    TEXT.filter(lambda s: s and s.isprintable() and " " not in s and s not in RESERVED),
    unique=True,
    max_size=8,
)


@given(st.data(), SYMBOLS)
def test_decoding_undoes_encoding(data: st.DataObject, symbols: list[str]) -> None:
    letters = Alphabet(tuple(symbols))
    word = tuple(data.draw(st.lists(st.sampled_from(letters.tokens), max_size=20)))
    ids = letters.encode(word)
    assert letters.decode(ids) == word
    assert all(0 <= index < letters.size for index in ids)


@given(st.data(), SYMBOLS)
def test_encoding_undoes_decoding(data: st.DataObject, symbols: list[str]) -> None:
    letters = Alphabet(tuple(symbols))
    ids = tuple(data.draw(st.lists(st.integers(0, letters.size - 1), max_size=20)))
    assert letters.encode(letters.decode(ids)) == ids


@given(st.lists(st.sampled_from(["a", "b", "ab", "<pad>", "<eos>", "", " ", "é"]), max_size=5))
def test_an_alphabet_stands_exactly_when_its_symbols_are_distinct_and_visible(
    symbols: list[str],
) -> None:
    good = len(set(symbols)) == len(symbols) and not {"<pad>", "<eos>", "", " "} & set(symbols)
    if good:
        assert Alphabet(tuple(symbols)).symbols == tuple(symbols)
    else:
        with pytest.raises(BadInput):
            Alphabet(tuple(symbols))


# Zero has two texts as a float ("0.0" and "-0.0"), so the minus sign is left out here.
FLOATS = st.floats(allow_nan=False, allow_infinity=False).map(lambda x: x + 0.0)
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | FLOATS | TEXT,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXT, inner, max_size=3),
    max_leaves=8,
)


def same(one: Any, other: Any) -> bool:
    """Equal as JSON values: a whole number, a float and a truth value are three things."""
    if type(one) is not type(other):
        return False
    if isinstance(one, list):
        return len(one) == len(other) and all(map(same, one, other))
    if isinstance(one, dict):
        return one.keys() == other.keys() and all(same(one[key], other[key]) for key in one)
    return one == other


@given(JSON, JSON)
def test_texts_are_equal_exactly_when_values_are(one: Any, other: Any) -> None:
    assert (canonical_json(one) == canonical_json(other)) == same(one, other)


@given(JSON)
def test_reading_the_text_gives_the_value_back(value: Any) -> None:
    text = canonical_json(value)
    assert same(json.loads(text), value)
    assert canonical_json(json.loads(text)) == text


@given(st.dictionaries(TEXT, JSON, max_size=5))
def test_the_order_of_keys_never_shows(value: dict[str, Any]) -> None:
    backwards = dict(reversed(value.items()))
    assert content_hash(value) == content_hash(backwards)
    assert len(content_hash(value)) == 16


@given(st.integers(-5, 200), st.integers(-5, 200))
def test_a_size_range_stands_exactly_when_it_holds_a_size(low: int, high: int) -> None:
    if 0 <= low <= high:
        sizes = SizeRange(low, high)
        assert (sizes.low, sizes.high) == (low, high)
        assert str(sizes) == f"{low}-{high}"
    else:
        with pytest.raises(BadInput) as caught:
            SizeRange(low, high)
        SizeRange(*map(int, str(caught.value.hint).split("-")))  # what it suggests works


@given(st.floats(), st.floats())
def test_an_interval_stands_exactly_when_it_is_in_order(low: float, high: float) -> None:
    if math.isnan(low) or math.isnan(high) or low > high:
        with pytest.raises(BadInput):
            Interval(low, high)
    else:
        assert Interval(low, high).low <= Interval(low, high).high


@given(st.floats(), st.floats())
def test_a_bound_excludes_something_or_says_that_it_does_not(value: float, trivial: float) -> None:
    excludes = not math.isnan(value) and not math.isnan(trivial) and value < trivial
    assert Bound("gap", value, trivial).vacuous is not excludes


@given(st.integers(1, 40), st.integers(1, 40))
def test_an_architecture_stands_exactly_when_the_heads_divide_the_width(
    heads: int, width: int
) -> None:
    shape = {"layers": 1, "positional": "nope", "context": 8, "width": width}
    if width % heads == 0:
        assert Architecture(heads=heads, **shape).head_width * heads == width  # type: ignore[arg-type]
    else:
        with pytest.raises(BadInput):
            Architecture(heads=heads, **shape)  # type: ignore[arg-type]


@given(st.integers(1, 60), st.integers(2, 60), st.integers(1, 60))
def test_a_question_stands_exactly_when_the_task_and_the_context_reach_its_sizes(
    longest: int, asked: int, context: int
) -> None:
    task = BinaryMajority(longest)
    shape = Architecture(layers=1, heads=1, width=8, positional="nope", context=context)
    outcome = GeneralizesInLength(SizeRange(1, 1), (SizeRange(2, asked),))
    if asked <= longest and asked + 4 <= context:  # SOS, input, SEP, answer, EOS
        assert len(Question(task, shape, outcome).hash) == 16
    else:
        with pytest.raises(BadInput):
            Question(task, shape, outcome)


@dataclass(frozen=True)
class Witness(Certificate):
    summary = "a witness"

    def check(self) -> Checked:
        return Checked(True, "by looking")

    def as_json(self) -> dict[str, object]:
        return {}


QUESTION = Question(
    BinaryMajority(9),
    Architecture(layers=1, heads=1, width=8, positional="nope", context=16),
    GeneralizesInLength(SizeRange(1, 5), (SizeRange(6, 9),)),
)


def may_claim(
    verdict: str,
    strength: str,
    standings: list[str],
    certified: bool,
    searched: bool,
    reason: str,
    sources: list[str],
) -> bool:
    """The house rules, written down a second time and not from the code."""
    rules = [
        reason != "" and sources != [],
        strength != "theorem" or certified,
        strength != "theorem" or "assumed" not in standings,
        not searched or verdict == "undecided",
        "violated" not in standings or verdict == "undecided",
    ]
    return all(rules)


@given(
    verdict=st.sampled_from(["yes", "no", "undecided"]),
    strength=st.sampled_from(["heuristic", "conjecture", "conditional", "theorem"]),
    standings=st.lists(st.sampled_from(["checked", "assumed", "violated"]), max_size=3),
    certified=st.booleans(),
    searched=st.booleans(),
    reason=st.sampled_from(["", "because", "since"]),
    sources=st.lists(st.sampled_from(["a paper", "a book"]), max_size=2),
    bound=st.none() | st.builds(Bound, st.just("gap"), st.floats(), st.floats()),
)
def test_a_prediction_stands_exactly_when_it_does_not_overclaim(
    verdict: str,
    strength: str,
    standings: list[str],
    certified: bool,
    searched: bool,
    reason: str,
    sources: list[str],
    bound: Bound | None,
) -> None:
    def claim() -> Prediction:
        return Prediction(
            predictor="some-theory",
            question=QUESTION,
            verdict=Verdict(verdict),
            strength=Strength[strength.upper()],
            reason=reason,
            assumptions=tuple(Assumption("x", Standing(each)) for each in standings),
            sources=tuple(sources),
            bound=bound,
            certificate=Witness() if certified else None,
            searched_only=searched,
        )

    if may_claim(verdict, strength, standings, certified, searched, reason, sources):
        described = claim().as_json()
        assert described["verdict"] == verdict and described["strength"] == strength
    else:
        with pytest.raises(BadInput, match="claims more than it has"):
            claim()


@given(st.sampled_from(Verdict), st.sampled_from(Verdict))
def test_agreement_is_symmetric_and_undecided_is_never_a_hit(one: Verdict, other: Verdict) -> None:
    found = Agreement.between(one, other)
    assert found is Agreement.between(other, one)
    assert (found is Agreement.OPEN) == (Verdict.UNDECIDED in (one, other))
    assert (found is Agreement.AGREES) == (one == other != Verdict.UNDECIDED)
