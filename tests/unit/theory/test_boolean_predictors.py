"""Predictors about Boolean functions: numbers against formulas, and no claim beyond a bound."""

import math

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from foretell.boolean.bounds.chain_of_thought import samples_for_negative_exponent
from foretell.boolean.bounds.function_class import FunctionClass
from foretell.boolean.bounds.pac_bayes import fewest_samples, parts, truncated
from foretell.boolean.bounds.risk_bound import Setting
from foretell.boolean.bounds.sub_gaussian import Tail, sub_gaussian
from foretell.boolean.bounds.terms import Form, norm_term, sizes_of
from foretell.boolean.drawing import draw_expansion, parity
from foretell.boolean.expansion import Expansion
from foretell.boolean.function import BooleanFunction
from foretell.boolean.outcome import GapAtMost
from foretell.constructions.chain_of_thought import build_chain
from foretell.constructions.chain_of_thought import said as said_by_chain
from foretell.constructions.flat import Lookup, build_flat, squared_norm
from foretell.constructions.flat_error import all_inputs
from foretell.constructions.flat_forward import flat_output, flat_outputs
from foretell.core import Architecture, Question, SizeRange
from foretell.core.prediction import NotApplicable, Prediction, Standing, Strength
from foretell.core.question import GeneralizesInLength, Verdict
from foretell.numerics.curvature import gradient_norms
from foretell.numerics.precision import double_precision
from foretell.numerics.ranks import kendall
from foretell.plain.errors import BadInput
from foretell.tasks.boolean import BooleanTask
from foretell.tasks.lookup import find_task
from foretell.theory._boolean import Covered, amount, corrected_sizes, covered
from foretell.theory.chain_of_thought_gain import (
    ChainOfThoughtGain,
    chain_sizes,
    samples_needed,
    samples_published,
)
from foretell.theory.degree_hardness import DegreeHardness, compare, hardness
from foretell.theory.sharpness_bound import SharpnessBound, published

ALL = (SharpnessBound, DegreeHardness, ChainOfThoughtGain)
# The truncated bound at T = 20 and 8,192 samples as published; rows are degrees 1 to 5.
SPARSITIES = (1, 7, 14, 20)
TABLE = """
 .1398  .4423  .6914  .8729
 .3469  .9567 1.4602 1.8287
 .6601 1.6296 2.4135 2.9889
1.0830 2.4826 3.5716 4.3691
1.6165 3.5293 4.9531 5.9883
"""
PUBLISHED = {
    FunctionClass(degree=degree, sparsity=sparsity, bits=20): float(number)
    for degree, row in enumerate(TABLE.split("\n")[1:-1], 1)
    for sparsity, number in zip(SPARSITIES, row.split(), strict=True)
}


def question(what, samples=8_192, gap=0.05):
    if isinstance(what, Expansion):
        task = BooleanTask(function=BooleanFunction("given", what))
    else:
        task = find_task(f"boolean:{what}")
    shape = Architecture(
        layers=2,
        heads=1,
        width=8,
        positional="one-hot",
        context=task.width(task.bits),
        norm=False,
    )
    return Question(task, shape, GapAtMost(SizeRange(task.bits, task.bits), samples, gap))


def drawn(family):
    return draw_expansion(family.bits, family.degree, family.sparsity)


# Whom the construction covers.


@pytest.mark.parametrize(
    ("what", "reason"),
    [
        ("x1 xor x2 and not x3", "degrees 1, 2 and 3"),
        (Expansion(4, ((0, 1), (1, 2)), (0.6, -0.8)), "one sign"),
        (Expansion(4, ((0, 1), (1, 2)), (0.6, 0.8), 0.3), "would have to be 0"),
        (Expansion(4, ((0, 1), (1, 2)), (-0.6, -0.8), 0.3), "would have to be 1.4"),
        (Expansion(4, ((0, 1),), (2.0,)), "divided by 2 it would be covered"),
        (Expansion(4, (), (), 0.5), "nothing to learn"),
        (Expansion(2, ((0,),), (1.0,)), "not sharp enough"),
        ("degree=3,sparsity=30,T=20", "30 for 20 bits"),
    ],
)
def test_the_bound_says_why_it_does_not_apply(what, reason):
    said = SharpnessBound().predict(question(what))
    assert isinstance(said, NotApplicable)
    assert reason in said.reason


@pytest.mark.parametrize("predictor", ALL)
def test_other_questions_and_other_tasks_are_left_alone(predictor):
    asked = question("parity,T=8")
    other = GeneralizesInLength(SizeRange(0, 1), (SizeRange(2, 8),))
    said = predictor().predict(Question(asked.task, asked.architecture, other))
    assert isinstance(said, NotApplicable)
    words = find_task("majority", 8)
    shape = Architecture(layers=1, heads=1, width=8, positional="nope", context=words.width(8))
    gap = GapAtMost(SizeRange(8, 8), 100, 0.05)
    said = predictor().predict(Question(words, shape, gap))
    assert isinstance(said, NotApplicable)
    assert "fixed number of bits" in said.reason


@pytest.mark.parametrize("predictor", ALL)
def test_functions_out_of_reach_are_left_alone(predictor):
    formula = " and ".join(f"x{place}" for place in range(1, 31))
    said = predictor().predict(question(formula))
    assert isinstance(said, NotApplicable)
    assert "too many" in said.reason


@pytest.mark.parametrize(("degree", "sparsity"), [(1, 4), (2, 1), (3, 4), (4, 4)])
def test_an_odd_table_is_as_small_and_as_flat(degree, sparsity):
    """One minus each parity: the network that `covered` promises for negative coefficients."""
    even = draw_expansion(6, degree, sparsity)
    negative = tuple(-each for each in even.coefficients)
    odd = Expansion(6, even.sets, negative, math.fsum(even.coefficients))
    found = covered(odd)
    assert isinstance(found, Covered)
    assert found == covered(even)
    rows = Lookup(degree, "narrow").rows()
    corners = np.tile([1.0, -1.0, -1.0, 1.0], degree + 1) * Lookup(degree, "narrow").slope
    height = np.where(rows.height == 0, corners, 0.0)
    with double_precision():
        weights = build_flat(even, (2.0, 4.0))
        mlp_out = np.zeros_like(weights.mlp_out)
        mlp_out[-1] = height
        weights = jax.tree.map(jnp.asarray, weights._replace(mlp_out=mlp_out))
        inputs = jnp.asarray(all_inputs(6))
        outputs = np.asarray(flat_outputs(weights, inputs))
        gradients = np.asarray(gradient_norms(flat_output, weights, inputs).total)
        small = squared_norm(build_flat(even)) - np.square(np.asarray(rows.height)).sum()
    assert np.abs(outputs - odd(np.asarray(inputs))).max() < 6 / 6**3
    sizes = corrected_sizes(found.family)
    assert small + np.square(height).sum() <= sizes.norm
    assert gradients.max() <= sizes.sharpness


@pytest.mark.parametrize("degree", [1, 3])
@pytest.mark.parametrize("sparsity", [1, 2, 7, 10])
def test_the_constant_is_enough_for_answering_0(degree, sparsity):
    expansion = draw_expansion(10, degree, sparsity)
    function = covered(expansion)
    losses = expansion(all_inputs(10)) ** 2
    for tail in Tail:
        assert 0.5 <= sub_gaussian(losses, tail).constant <= function.constant * (1 + 1e-9)
    if sparsity == 1:
        assert function.constant == 0.5


# The sharpness bound.


@pytest.mark.parametrize("family", PUBLISHED, ids=str)
def test_both_numbers_are_what_the_formulas_say(family):
    expansion = drawn(family)
    function = covered(expansion)
    said = SharpnessBound().predict(question(expansion))
    assert (said.verdict, said.strength) == (Verdict.UNDECIDED, Strength.CONDITIONAL)
    assert said.bound.vacuous
    k, w, total = family.degree, family.sparsity, math.fsum(expansion.coefficients)
    norm = 1 + w + 8 * (k + 1) + 64 * k * k * (k // 2 + 1) + 4 * math.log(20) ** 2 * w * (k + 1)
    sharp = max(4 + 4 * w * (2 + k + 32 * k**2 + 32 * k**3), corrected_sizes(family).sharpness)
    closed = 3 * 2 ** (-2 / 3) * (sharp * norm * (total**2 / 2) ** 2 / 8_192) ** (1 / 3)
    assert closed <= said.bound.value <= 1.01 * closed
    assert published(function, 8_192).value == pytest.approx(PUBLISHED[family], abs=2e-4)
    assert f"as published it is {published(function, 8_192).value:.3g}, with 0.01" in said.reason
    assert "1/2 or more" in said.reason


def test_yes_begins_where_the_bound_reaches_the_gap():
    expansion = draw_expansion(8, 2, 3)
    function = covered(expansion)
    enough = fewest_samples(corrected_sizes(function.family), function.constant, 0.05).samples
    verdicts = {}
    for share in (0.001, 0.1, 0.99, 1.01, 10.0):
        said = SharpnessBound().predict(question(expansion, samples=int(share * enough)))
        verdicts[share] = said.verdict
        assert (said.verdict is Verdict.YES) == (said.bound.value <= 0.05)
        assert said.strength is Strength.CONDITIONAL
        assert Standing.VIOLATED not in {each.standing for each in said.assumptions}
    assert set(verdicts.values()) == {Verdict.YES, Verdict.UNDECIDED}
    assert verdicts[1.01] is Verdict.YES
    assert verdicts[0.99] is Verdict.UNDECIDED


def test_a_bound_above_what_a_constant_loses_never_decides():
    said = SharpnessBound().predict(question("parity,T=8", gap=1e9))
    assert said.bound.value < 1e9
    assert (said.verdict, said.bound.vacuous) == (Verdict.UNDECIDED, True)


def test_an_upper_bound_never_says_no():
    enough = fewest_samples(corrected_sizes(covered(parity(4)).family), 0.5, 0.2).samples
    said = SharpnessBound().predict(question("parity,T=4", samples=int(1.01 * enough)))
    assert 0.05 < said.bound.value < 0.25
    assert said.verdict is Verdict.UNDECIDED
    assert "never says no" in said.reason


def test_a_tiny_coefficient_violates_an_assumption():
    tiny = 8.0**-4 / 2
    expansion = Expansion(8, ((0, 1), (1, 2)), (tiny, math.sqrt(1 - tiny**2)))
    said = SharpnessBound().predict(question(expansion, samples=10**15))
    assert said.bound.value < 0.05
    assert said.verdict is Verdict.UNDECIDED
    standings = {each.text.split(":")[0]: each.standing for each in said.assumptions}
    assert standings["coefficients"] is Standing.VIOLATED


def test_what_is_taken_on_trust_is_listed():
    said = SharpnessBound().predict(question("degree=3,sparsity=7,T=20"))
    standings = {each.text.split(":")[0]: each.standing for each in said.assumptions}
    assert standings["coefficients"] is standings["sharpness term"] is Standing.CHECKED
    for name in ("domination in norm", "domination in sharpness", "perturbation term", "noise"):
        assert standings[name] is Standing.ASSUMED


def test_every_gradient_is_counted_where_the_published_term_is_too_small():
    wide = FunctionClass(degree=1, sparsity=64, bits=64)
    assert corrected_sizes(wide).sharpness > sizes_of(wide).sharpness


def test_few_inputs_are_remarked():
    assert "the 256 inputs" in SharpnessBound().predict(question("parity,T=8")).reason
    assert "inputs there are" not in SharpnessBound().predict(question("parity,T=14")).reason


# Hardness.


def test_hardness_is_the_bound_without_what_all_share():
    """The optimum over the noise by search, with delta next to 1 so that only L and G count."""
    setting = Setting(samples=8_192, constant=0.5, delta=1 - 1e-12)
    ratios = [truncated(each, setting).value / hardness(each) for each in PUBLISHED]
    shared = 3 * 2 ** (-2 / 3) * (0.25 / 8_192) ** (1 / 3)
    assert ratios == pytest.approx([shared] * len(ratios), rel=1e-6)


def test_hardness_orders_classes_as_the_published_bound_does():
    found = kendall([hardness(each) for each in PUBLISHED], list(PUBLISHED.values()))
    assert found.value > 0.95
    assert found.chance < 1e-3


@pytest.mark.parametrize("sparsity", SPARSITIES)
def test_super_linear_in_degree_and_sub_linear_in_sparsity(sparsity):
    one, two, four = (
        hardness(FunctionClass(degree=degree, sparsity=sparsity, bits=20)) for degree in (1, 2, 4)
    )
    assert one < two / 2 < four / 4
    few, twice = (
        hardness(FunctionClass(degree=3, sparsity=count, bits=40))
        for count in (sparsity, 2 * sparsity)
    )
    assert few < twice < 2 * few


@pytest.mark.parametrize(
    ("sparsity", "bits", "power"), [(1, 1_000_000, 2.0), (1_000_000, 1_000_000, 4 / 3)]
)
def test_the_exponent_of_the_degree(sparsity, bits, power):
    degrees = (2_000, 4_000) if sparsity == 1 else (20, 40)
    low, high = (
        hardness(FunctionClass(degree=degree, sparsity=sparsity, bits=bits)) for degree in degrees
    )
    assert math.log2(high / low) == pytest.approx(power, abs=0.05)


def test_comparing_two_classes():
    easy = FunctionClass(degree=2, sparsity=7, bits=20)
    hard = FunctionClass(degree=4, sparsity=7, bits=20)
    assert compare(easy, hard).worse is compare(hard, easy).worse is hard
    assert compare(easy, hard).ratio == compare(hard, easy).ratio > 1
    assert str(hard) in compare(easy, hard).sentence
    assert compare(easy, easy).worse is None
    assert "alike" in compare(easy, easy).sentence


def test_one_number_decides_nothing():
    said = DegreeHardness().predict(question("degree=3,sparsity=7,T=20"))
    assert (said.verdict, said.strength) == (Verdict.UNDECIDED, Strength.HEURISTIC)
    assert said.bound is None
    number = hardness(FunctionClass(degree=3, sparsity=7, bits=20))
    assert f"hardness {number:.4g}" in said.reason


def test_mixed_functions_count_as_their_largest_degree():
    said = DegreeHardness().predict(question("x1 and x2,T=20"))
    assert isinstance(said, Prediction)
    assert f"hardness {hardness(FunctionClass(degree=2, sparsity=3, bits=20)):.4g}" in said.reason
    assert len(said.assumptions) == 2
    refused = DegreeHardness().predict(question("x1 xor x2 and not x3"))
    assert "4 for 3 bits" in refused.reason
    lone = Expansion(4, ((0, 1, 2, 3), (0,)), (0.5, 0.5))
    assert "no class of one degree" in DegreeHardness().predict(question(lone)).reason


# Chain of thought.


@pytest.mark.parametrize("bits", [4, 8, 20, 64])
def test_published_samples(bits):
    expected = {4: (8.94e4, 2.40e3), 8: (4.46e6, 2.69e3), 20: (9.31e8, 3.24e3), 64: (9.3e11, 4240)}
    found = samples_published(bits)
    assert found == pytest.approx(expected[bits], rel=2e-3)
    step = sizes_of(FunctionClass(degree=2, sparsity=1, bits=bits), Form.PUBLISHED)
    assert found.chain == samples_for_negative_exponent(step, 0.01)


@pytest.mark.parametrize("bits", [4, 8, 20])
def test_corrected_samples_are_where_the_error_is_a_coins(bits):
    needed = samples_needed(bits)
    whole = corrected_sizes(FunctionClass(degree=bits, sparsity=1, bits=bits))
    ways = ((needed.one_pass, whole, 1), (needed.chain, chain_sizes(bits), bits - 1))
    for samples, sizes, steps in ways:
        around = np.exp(np.linspace(-20, 2, 200_001))
        for share, beaten in ((0.999, False), (1.001, True)):
            setting = Setting(samples=share * samples, constant=0.5)
            least = parts(around, sizes, setting).total.min()
            assert (4 * steps * least <= 0.5) == beaten


@pytest.mark.parametrize("bits", [4, 8, 12, 20])
def test_the_norm_of_a_step_counts_every_position(bits):
    built = squared_norm(build_chain(bits, ramp="narrow"))
    step = FunctionClass(degree=2, sparsity=1, bits=bits)
    assert norm_term(step, Form.PUBLISHED) < norm_term(step) < built <= chain_sizes(bits).norm
    assert chain_sizes(bits).norm < 1.03 * built


def test_the_gain_grows_with_length_but_not_exponentially():
    gains = [samples_needed(bits).one_pass / samples_needed(bits).chain for bits in (4, 8, 16, 32)]
    assert gains == sorted(gains)
    steps = np.diff(np.log2(gains))
    assert 0 < steps.min() <= steps.max() < 2.5


def test_parity_gets_both_numbers():
    said = ChainOfThoughtGain().predict(question("parity,T=20"))
    assert (said.verdict, said.strength) == (Verdict.UNDECIDED, Strength.CONDITIONAL)
    assert said.bound.vacuous
    for samples in (*samples_needed(20), *samples_published(20)):
        assert amount(samples) in said.reason
    odd = ChainOfThoughtGain().predict(question(" xor ".join(f"x{i}" for i in range(1, 21))))
    assert odd.reason == said.reason


def test_only_the_bound_for_one_pass_decides():
    """The question is about one pass, so enough samples for a chain settle nothing."""
    needed = samples_needed(16)
    between = int(math.sqrt(needed.one_pass * needed.chain))
    said = ChainOfThoughtGain().predict(question("parity,T=16", samples=between))
    assert said.verdict is Verdict.UNDECIDED
    said = ChainOfThoughtGain().predict(question("parity,T=16", samples=10**18))
    assert said.verdict is Verdict.YES
    assert not said.bound.vacuous


@pytest.mark.parametrize(
    ("what", "reason"),
    [
        ("degree=3,sparsity=1,T=20", "all 20 bits"),
        ("degree=2,sparsity=3,T=8", "3 components"),
        ("x1", "single bit"),
    ],
)
def test_what_is_not_parity_of_all_bits_has_no_chain(what, reason):
    said = ChainOfThoughtGain().predict(question(what))
    assert isinstance(said, NotApplicable)
    assert reason in said.reason


def test_a_chain_of_one_bit_is_refused():
    with pytest.raises(BadInput, match="at least two bits"):
        samples_needed(1)


# A chain that is asked about.


def test_of_a_chain_its_own_bound_decides():
    """Between what a chain and what one pass needs, the answers differ."""
    gap = 0.05
    enough = fewest_samples(chain_sizes(16), 0.5, gap).samples
    for predictor in (SharpnessBound, ChainOfThoughtGain):
        for share, verdict in ((0.99, Verdict.UNDECIDED), (1.01, Verdict.YES)):
            asked = question("parity,T=16,steps", samples=int(share * enough), gap=gap)
            said = predictor().predict(asked)
            assert (said.verdict, said.strength) == (verdict, Strength.CONDITIONAL)
        asked = question("parity,T=16", samples=int(1.01 * enough), gap=gap)
        assert predictor().predict(asked).verdict is Verdict.UNDECIDED


def test_errors_of_a_chain_add_up():
    asked = question("parity,T=12,steps")
    step, chain = (each().predict(asked) for each in (SharpnessBound, ChainOfThoughtGain))
    assert chain.bound.value == pytest.approx(4 * 12 * step.bound.value)
    assert "by a chain" in chain.bound.quantity and "of a step" in step.reason
    assert "12 steps" in chain.reason and amount(samples_needed(12, 12).chain) in chain.reason
    standings = {each.text.split(":")[0]: each.standing for each in chain.assumptions}
    assert standings["chain of thought"] is Standing.CHECKED
    assert standings["domination in norm"] is Standing.ASSUMED


def test_a_chain_is_as_hard_as_its_steps():
    step = hardness(FunctionClass(degree=2, sparsity=1, bits=12))
    assert f"hardness {step:.4g}" in DegreeHardness().predict(question("parity,T=12,steps")).reason
    assert step < hardness(FunctionClass(degree=12, sparsity=1, bits=12)) / 10


@pytest.mark.parametrize("bits", [2, 3])
def test_short_chains_have_an_answer(bits):
    said = ChainOfThoughtGain().predict(question(f"parity,T={bits},steps"))
    assert isinstance(said, Prediction)


@pytest.mark.parametrize("bits", [2, 4, 7])
def test_the_gradient_of_a_chain_stays_below_its_term(bits):
    inputs = all_inputs(bits)
    written = np.cumsum(inputs, axis=1)[:, :-1] % 2
    context = np.concatenate([inputs, np.zeros((len(inputs), 1), int), written], axis=1)
    steps = np.repeat(context, bits, axis=0), np.tile(np.arange(bits), len(inputs))
    with double_precision():
        weights = jax.tree.map(jnp.asarray, build_chain(bits, ramp="narrow"))
        cases = jnp.asarray(steps[0], float), jnp.asarray(steps[1])
        largest = float(gradient_norms(_said, weights, cases).total.max())
    assert 0 < largest <= chain_sizes(bits).sharpness


def _said(weights, case):
    return said_by_chain(weights, *case)
