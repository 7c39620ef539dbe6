"""The report on one Boolean function: every link of the chain, and why one is missing."""

from __future__ import annotations

import dataclasses
import io
import json
import math
from html.parser import HTMLParser

import numpy as np
import pytest
from rich.console import Console

from foretell.boolean.bounds.function_class import FunctionClass
from foretell.boolean.bounds.risk_bound import COEFFICIENTS, PRIOR_TAIL, Setting
from foretell.boolean.expansion import Expansion
from foretell.boolean.function import BooleanFunction, TruthTable
from foretell.constructions.flat import build_flat, squared_norm
from foretell.constructions.flat_error import exact_error
from foretell.core.prediction import Standing
from foretell.plain.errors import BadInput
from foretell.reports._markup import ENDED_BY_THE_NEXT
from foretell.reports.boolean import bounds as boolean_bounds
from foretell.reports.boolean import words as boolean_words
from foretell.reports.boolean.construction import Change
from foretell.reports.boolean.function import Asked, BooleanReport, examine, read
from foretell.reports.boolean.page import boolean_page
from foretell.reports.boolean.shown import show
from foretell.reports.boolean.spectrum import known_spectrum

WITHOUT_END = {"meta", "br"} | ENDED_BY_THE_NEXT
MIXED = "x1 and not x2,T=5"


FAKED = tuple(Change(noise, 5e3 * noise) for noise in (1e-2, 3e-3, 1e-3))


@pytest.fixture(scope="module")
def whole() -> BooleanReport:
    """All links are there; what noise does takes long to compile and is made up."""
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr("foretell.reports.boolean.construction._changes", lambda *_: FAKED)
        return examine(read("degree=2,sparsity=3,T=5"))


@pytest.fixture(scope="module")
def mixed() -> BooleanReport:
    """Components of several sizes and signs; without the noise, which takes long to compile."""
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr("foretell.reports.boolean.construction.NOISE_BITS", 0)
        return examine(read(MIXED))


@pytest.fixture(scope="module")
def large() -> BooleanReport:
    """Too large for the transform, and for measuring."""
    return examine(read("degree=2,sparsity=5,T=80"))


@pytest.fixture(scope="module")
def queried() -> BooleanReport:
    return examine(read("degree=2,sparsity=5,T=40"), Asked(query_only=True))


def shown(report: BooleanReport) -> str:
    text = io.StringIO()
    show(Console(file=text, width=80), report)
    return text.getvalue()


def squeezed(report: BooleanReport) -> str:
    return " ".join(shown(report).split())


def test_the_spectrum_is_the_one_that_was_drawn(whole: BooleanReport) -> None:
    given = whole.function.expansion
    assert given is not None and whole.spectrum is not None
    found = dict(whole.spectrum.largest)
    expected = {chosen: c / 2 for chosen, c in zip(given.sets, given.coefficients, strict=True)}
    assert found == pytest.approx(expected, abs=1e-14)
    assert (whole.spectrum.degree, whole.spectrum.sparsity) == (2, 3)
    assert whole.spectrum.variance == pytest.approx(0.25, abs=1e-14)
    assert "the ones given, up to" in whole.spectrum.how


def test_a_transform_and_reading_components_off_agree(monkeypatch: pytest.MonkeyPatch) -> None:
    function = read("degree=3,sparsity=6,T=9")
    transformed = known_spectrum(function)
    monkeypatch.setattr("foretell.reports.boolean.spectrum.TRANSFORMED", 0)
    given = known_spectrum(function)
    assert transformed is not None and given is not None and transformed.how != given.how
    for field in dataclasses.fields(given):
        if field.name not in ("how", "largest"):
            ours, theirs = getattr(given, field.name), getattr(transformed, field.name)
            assert ours == pytest.approx(theirs, abs=1e-13), field.name
    assert [chosen for chosen, _ in given.largest] == [each for each, _ in transformed.largest]


def test_wrong_components_would_be_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    """The comparison of given and found components can fail."""
    right = Expansion(4, ((0, 1), (2,)), (0.6, 0.8))
    wrong = Expansion(4, ((0, 1), (3,)), (0.6, 0.8))
    monkeypatch.setattr(
        "foretell.reports.boolean.spectrum.truth_table",
        lambda function, bits: wrong(np.arange(16)[:, None] >> np.arange(4) & 1),
    )
    found = known_spectrum(BooleanFunction("f", right))
    assert found is not None and "up to 4e-01" in found.how


def test_the_error_is_the_stated_one_input_by_input(whole: BooleanReport) -> None:
    found = whole.construction
    assert found is not None and found.measured is not None
    assert found.formula_off is not None and found.formula_off < 1e-12
    assert found.measured <= found.stated.largest * (1 + 1e-9)
    assert found.measured_over == "all 32 inputs"
    for each in found.errors:
        assert each.measured is not None and each.measured <= each.stated * (1 + 1e-6)
    assert found.errors[0].measured > 0.5  # a scale of 1 must fail
    assert found.errors[-1].measured < 1e-4


def test_the_formula_says_nothing_exact_where_parities_are_off(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("foretell.reports.boolean.construction.NOISE_BITS", 0)
    asked = Asked(attention_scale=1.0)
    report = examine(read("degree=2,sparsity=3,T=5"), asked)
    assert report.construction is not None and report.construction.formula_off is None
    assert report.construction.stated.parity > 0
    assert "a larger --attention-scale mends that" in squeezed(report)


def test_norms_and_curvature_are_those_of_the_weights(whole: BooleanReport) -> None:
    found, expansion = whole.construction, whole.function.expansion
    assert found is not None and found.curvature is not None and expansion is not None
    assert found.squared_norm == pytest.approx(squared_norm(build_flat(expansion)))
    assert found.squared_norm == pytest.approx(sum(block.squared_norm for block in found.blocks))
    seen = found.curvature
    assert seen.method == "exact" and seen.low == seen.trace == seen.high
    assert seen.trace == pytest.approx(seen.twice_gradient, rel=0.02)
    gradients = [block.gradient for block in found.blocks]
    assert 2 * sum(each or 0 for each in gradients) == pytest.approx(seen.twice_gradient)
    assert found.rescaled is not None and found.rescaled.trace < seen.twice_gradient
    assert found.rescaled.squared_norm < found.squared_norm


def test_the_measured_change_has_a_line_of_its_own(whole: BooleanReport) -> None:
    assert whole.bounds is not None
    lines = {line.name: line for line in whole.bounds.lines}
    for truncated, measured in zip(
        lines["truncated"].figures, lines["semi-analytic"].figures, strict=True
    ):
        assert truncated is not None and measured is not None
        assert measured.noise in [each.noise for each in FAKED]
        change = 2 * (measured.perturbation or 0) / measured.noise**2
        assert change == pytest.approx(5e3 * measured.noise)
        assert measured.value >= truncated.value
    assert "changes the trace by 50" in squeezed(whole)


@pytest.mark.slow
def test_noise_changes_the_trace_in_proportion() -> None:
    report = examine(read("degree=2,sparsity=3,T=5"))
    assert report.construction is not None and report.construction.curvature is not None
    noise, change = np.array(report.construction.changes).T
    assert np.all(np.diff(noise) < 0) and np.all(change > 0)
    rates = change / noise
    assert rates.max() < 1.5 * rates.min()
    assert change.max() < 0.1 * report.construction.curvature.trace


@pytest.mark.parametrize(
    ("degree", "sparsity", "value", "vacuous"), [(1, 1, 0.1398, False), (3, 7, 1.6296, True)]
)
def test_the_published_bound_is_the_one_of_the_specification(
    degree: int, sparsity: int, value: float, vacuous: bool
) -> None:
    family = FunctionClass(degree=degree, sparsity=sparsity, bits=20)
    bounds = boolean_bounds.bounds_of_class(family, Setting(samples=8192, constant=0.01), 0.5)
    first = bounds.lines[0].figures[0]
    assert first is not None and first.value == pytest.approx(value, abs=2e-4)
    assert bounds.says_nothing(first) is vacuous
    assert first.norm == pytest.approx(2 * (first.sharpness or 0), rel=0.02)
    published, corrected, admissible = (each.value for each in bounds.lines[0].figures if each)
    assert published < corrected < admissible


def test_needed_samples_make_a_bound_say_something(whole: BooleanReport) -> None:
    assert whole.bounds is not None and whole.bounds.lines[0].samples[-1] is not None
    enough = whole.bounds.lines[0].samples[-1]
    for samples, vacuous in ((enough * 1.001, False), (enough * 0.999, True)):
        setting = Setting(samples=samples, constant=whole.bounds.columns[-1].setting.constant)
        again = boolean_bounds.bounds_of_class(whole.bounds.family, setting, 0.0)
        figure = again.lines[0].figures[-1]
        assert figure is not None and again.says_nothing(figure) is vacuous


def test_assumptions_are_decided_where_the_function_decides_them(whole: BooleanReport) -> None:
    assert whole.bounds is not None
    standings = {
        name: {each.text: each.standing for each in found}
        for name, found in whole.bounds.assumptions
    }
    for found in standings.values():
        assert found[boolean_bounds.MEMBERSHIP] is Standing.CHECKED
        assert found[COEFFICIENTS] is Standing.CHECKED
    assert standings["corrected"][PRIOR_TAIL] is Standing.VIOLATED
    assert standings["admissible"][PRIOR_TAIL] is Standing.ASSUMED


def test_small_coefficients_violate_an_assumption() -> None:
    small = 1e-5
    expansion = Expansion(4, ((0,), (1,)), (math.sqrt(1 - small**2), small))
    family = FunctionClass(degree=1, sparsity=2, bits=4)
    bounds = boolean_bounds.bounds_of_class(
        family, Setting(samples=100, constant=0.01), 0.5, expansion=expansion
    )
    standings = {each.text: each.standing for each in bounds.assumptions[0][1]}
    assert standings[COEFFICIENTS] is Standing.VIOLATED


def test_the_least_constant_is_the_deviation_of_the_square() -> None:
    coin = read("x1,T=3")
    assert boolean_bounds.least_constant(coin, 3) == pytest.approx(0.5)
    drawn = read("degree=3,sparsity=7,T=20")
    total = sum(drawn.expansion.coefficients)
    assert boolean_bounds.least_constant(drawn, 20) > 0.97 * total / 2


def test_published_bounds_do_not_speak_about_mixed_functions(mixed: BooleanReport) -> None:
    assert mixed.bounds is not None and mixed.bounds.family is None
    assert [line.name for line in mixed.bounds.lines] == ["this construction", "rescaled"]
    assert [column.name for column in mixed.bounds.columns] == ["corrected", "admissible"]
    assert mixed.bounds.trivial == pytest.approx(3 / 16)  # its variance
    assert "do not speak about this function" in squeezed(mixed)
    assert mixed.construction is not None and mixed.construction.measured is not None
    stated = exact_error(mixed.function.expansion)
    assert mixed.construction.measured <= stated.largest


def test_a_large_function_is_tested_as_well(large: BooleanReport) -> None:
    assert large.spectrum is not None and large.tested is not None
    assert large.tested.degree.found <= large.spectrum.degree
    assert large.tested.width.found <= large.spectrum.sparsity
    assert "would need" in large.tested.why and "goes up to 26 bits" in large.tested.why
    assert large.construction is not None and large.construction.curvature is None
    assert large.construction.missing is not None
    text = squeezed(large)
    assert "that is certain" in text and "upper bound with confidence 0.99" in text


def test_queries_alone_give_lower_limits(queried: BooleanReport) -> None:
    assert queried.spectrum is None and queried.construction is None
    assert queried.tested is not None and queried.bounds is not None
    assert (queried.tested.degree.found, queried.tested.width.found) == (2, 5)
    assert queried.bounds.lower_limits
    standings = {each.text: each.standing for each in queried.bounds.assumptions[0][1]}
    assert standings[boolean_bounds.MEMBERSHIP] is Standing.ASSUMED
    assert "at least these" in squeezed(queried) and "16 TiB" in squeezed(queried)


@pytest.mark.parametrize(
    ("text", "link", "why"),
    [
        ("1", "construction", "constant"),
        ("x1", "bounds", "single bit"),
        ("x1 xor x2 and not x3", "construction", "More components than positions"),
        ("x1 xor x2 and not x3", "bounds", "no measured construction"),
        ("degree=1,sparsity=2,T=1100", "construction", "too many to write down"),
    ],
)
def test_a_missing_link_says_why(text: str, link: str, why: str) -> None:
    report = examine(read(text))
    said = report.why_missing(link)
    assert said is not None and why in said and said.endswith(".")
    assert report.spectrum is not None
    assert " ".join(said.split()) in squeezed(report)
    assert said.replace("'", "&#x27;") in boolean_page(report)


def test_a_dense_function_has_a_spectrum_and_no_transformer() -> None:
    generator = np.random.default_rng(0)
    table = TruthTable(tuple(generator.normal(size=1 << 18).tolist()))
    report = examine(BooleanFunction("noise", table))
    assert report.spectrum is not None and report.spectrum.sparsity == (1 << 18) - 1
    assert "more than" in (report.why_missing("construction") or "")
    assert "as many components as bits" in (report.why_missing("bounds") or "")


def test_testers_alone_never_call_a_function_constant() -> None:
    rare = " or ".join(f"x{bit}" for bit in range(1, 29))  # 0 at one input of 2^28
    report = examine(read(rare))
    assert report.spectrum is None and report.tested is not None
    assert report.tested.degree.found == report.tested.width.found == 0
    for link in ("construction", "bounds", "chain_of_thought"):
        assert "is not certain" in (report.why_missing(link) or "")


def test_single_bits_need_no_chain() -> None:
    report = examine(read("degree=1,sparsity=3,T=80"))
    assert report.chain is None and "no steps" in (report.why_missing("chain_of_thought") or "")


def test_the_chain_is_run_and_compared(whole: BooleanReport) -> None:
    chain = whole.chain
    assert chain is not None and chain.run.accuracy == 1.0 and chain.run_bits == 5
    assert {2, 5, 20, 64} <= {row.bits for row in chain.rows}
    twenty = next(row for row in chain.rows if row.bits == 20)
    assert twenty.chain.samples_published == pytest.approx(3243, abs=1)
    assert twenty.chain.direct < twenty.one_pass.direct
    assert boolean_words.own_length(chain, 5, 5) == "T = 5"


REPORTS = ("whole", "mixed", "large", "queried")


@pytest.mark.parametrize("name", REPORTS)
def test_the_terminal_keeps_to_eighty_columns(name: str, request: pytest.FixtureRequest) -> None:
    text = shown(request.getfixturevalue(name))
    assert max(map(len, text.splitlines())) <= 80
    for title in ("SPECTRUM", "EXPLICIT TRANSFORMER", "BOUNDS FOR LEARNING IT", "CHAIN OF THOUGHT"):
        assert title in text
    assert "nan" not in text and "None" not in text


@pytest.mark.parametrize("name", REPORTS)
def test_the_json_is_plain(name: str, request: pytest.FixtureRequest) -> None:
    report = request.getfixturevalue(name)
    told = json.loads(json.dumps(report.as_json(), allow_nan=False))
    links = ("spectrum", "tested", "construction", "bounds", "chain_of_thought")
    for link in links:
        attribute = {"chain_of_thought": "chain"}.get(link, link)
        assert (told[link] is None) == (getattr(report, attribute) is None)
    again = BooleanFunction.from_json(told["function"])
    rows = np.random.default_rng(0).integers(0, 2, (20, report.function.bits))
    np.testing.assert_allclose(again(rows), report.function(rows))
    if report.construction is not None:
        assert told["construction"]["stated"]["largest"] == report.construction.stated.largest


class Reader(HTMLParser):
    """Elements must close in order, and nothing may be fetched."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.figures = 0
        self.feed(text)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.figures += tag == "figure"
        assert not {"src", "srcset"} & {name for name, _ in attrs}
        if tag not in WITHOUT_END:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        pass

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


@pytest.mark.parametrize(
    ("name", "figures"), [("whole", 4), ("mixed", 4), ("large", 4), ("queried", 2)]
)
def test_the_page_stands_alone(name: str, figures: int, request: pytest.FixtureRequest) -> None:
    assert Reader(boolean_page(request.getfixturevalue(name))).figures == figures


def test_the_page_is_the_same_each_time(queried: BooleanReport) -> None:
    assert boolean_page(queried) == boolean_page(queried)


def test_names_are_escaped_on_the_page() -> None:
    function = BooleanFunction("<b>", Expansion(80, ((0,),), (1.0,)))
    text = boolean_page(examine(function))
    assert "<h1>&lt;b&gt;</h1>" in text


@pytest.mark.parametrize(
    "wrong",
    [
        {"samples": 0},
        {"delta": 0.0},
        {"delta": 1.0},
        {"constant": -1.0},
        {"attention_scale": 0.0},
        {"attention_scale": math.inf},
        {"attention_scale": 1e6},
        {"ramp": "steep"},
    ],
    ids=str,
)
def test_what_no_report_can_be_made_for_is_refused(wrong: dict[str, float]) -> None:
    with pytest.raises(BadInput):
        Asked(**wrong)


def test_the_prefix_may_be_there() -> None:
    assert read("boolean:parity,T=4") == read(" parity,T=4")
