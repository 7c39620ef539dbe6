"""Logarithm or power: truth is covered, neither is taken for the other, and little says little."""

import json

import numpy as np
import pytest

from foretell.numerics._likelihood import GRAIN
from foretell.numerics.growth import CANNOT_TELL, fit_growth
from foretell.plain.errors import BadInput
from foretell.protocols._adaptation import SLOW

START = 16.0
DATA_SETS = 24


def sizes(count):
    return START * 2.0 ** np.arange(1, count + 1)


def power(count, exponent=0.5):
    return 200 * (sizes(count) / START) ** exponent


def logarithm(count, level=100.0, growth=150.0):
    return level + growth * np.log(sizes(count) / START)


def fits(curve, seeds=5, spread=0.2, between=0.1, cap=None, unequal=False, sets=DATA_SETS):
    """Fits to many data sets of the same truth; seeds differ in level, runs in noise."""
    chance, count = np.random.default_rng(7), len(curve)
    spreads = spread * (np.linspace(0.5, 2, count) if unequal else np.ones(count))
    for _ in range(sets):
        noise = between * chance.normal(size=(seeds, 1))
        noise = noise + spreads * chance.normal(size=(seeds, count))
        samples = curve * np.exp(noise)
        reached = samples < (cap or np.inf)
        yield fit_growth(START, sizes(count), np.minimum(samples, cap or np.inf), reached)


def covered(found, truth):
    return np.mean([each.interval[0] < truth < each.interval[1] for each in found])


def said(found, verdict):
    return np.mean([each.grows_as == verdict for each in found])


@pytest.mark.parametrize("settings", [{}, {"unequal": True}, {"seeds": 3}, {"spread": 0.4}])
def test_a_power_is_found_with_its_exponent(settings):
    found = list(fits(power(8), **settings))
    assert covered(found, 0.5) >= 0.9
    assert abs(np.mean([each.exponent for each in found]) - 0.5) < 0.05
    assert said(found, "power") >= 0.6
    assert said(found, "logarithm") == 0


@pytest.mark.parametrize("settings", [{}, {"unequal": True}, {"seeds": 3}, {"spread": 0.4}])
def test_a_logarithm_is_not_called_a_power(settings):
    found = list(fits(logarithm(8), **settings))
    assert said(found, "power") <= 0.05
    if not settings:  # nor is its growth missed
        inside = [each.logarithm.interval[0] < 150 < each.logarithm.interval[1] for each in found]
        assert np.mean(inside) >= 0.9


def test_a_logarithm_with_little_noise_is_called_one():
    found = list(fits(logarithm(8), spread=0.1))
    assert said(found, "logarithm") >= 0.8


def test_samples_that_do_not_grow_are_at_most_logarithmic():
    found = list(fits(np.full(8, 500.0)))
    assert said(found, "logarithm") >= 0.8
    assert said(found, "power") == 0


@pytest.mark.parametrize("count", [2, 3])
def test_few_sizes_cannot_tell(count):
    for curve in (power(count, 1.0), logarithm(count)):
        assert said(list(fits(curve, spread=0.05, sets=4)), CANNOT_TELL) == 1


@pytest.mark.slow
def test_four_noisy_sizes_hardly_ever_tell():
    assert said(list(fits(logarithm(4))), "power") <= 0.05
    assert said(list(fits(power(4))), "logarithm") <= 0.05


def test_one_seed_says_nothing_of_another():
    found = fit_growth(START, sizes(8), power(8)[None])
    assert found.interval == (-np.inf, np.inf)
    assert found.grows_as == CANNOT_TELL
    assert json.loads(json.dumps(found.as_json()))["interval"] == [None, None]


@pytest.mark.slow
def test_runs_stopped_at_their_cap_do_not_bend_the_exponent():
    cap = 3_000.0
    found = list(fits(power(8, 1.0), spread=0.3, cap=cap))
    assert all(each.above > 0 for each in found)
    assert covered(found, 1.0) >= 0.9
    assert abs(np.mean([each.exponent for each in found]) - 1) < 0.1
    # the same data with the cap taken for the number of samples needed: a much smaller exponent
    naive = fit_growth(START, sizes(8), np.minimum(power(8, 1.0) * np.ones((5, 1)), cap))
    assert naive.exponent < 0.8
    # that many runs reached the threshold nowhere: nothing is known of their growth
    never = fit_growth(START, sizes(8), np.full((5, 8), cap), np.zeros((5, 8), bool))
    assert never.grows_as == CANNOT_TELL
    assert never.interval[1] == np.inf


def test_runs_that_needed_nothing_are_below_what_can_be_seen():
    samples = np.tile(power(8, 1.0), (5, 1)) * np.exp(
        0.2 * np.random.default_rng(0).normal(size=(5, 8))
    )
    hidden = np.where(samples < 900, 0.0, samples)
    found = fit_growth(START, sizes(8), hidden, least=900.0)
    assert found.below > 5
    assert found.interval[0] < 1 < found.interval[1]
    none = fit_growth(START, sizes(8), np.zeros((5, 8)), least=64.0)
    assert none.below == 40
    assert none.grows_as == "logarithm"
    assert none.interval == (-np.inf, np.inf)


@pytest.mark.parametrize(("exponent", "said_so"), [(0.0, "yes"), (0.3, "not yes"), (1.0, "no")])
def test_steps_that_grow_are_no_logarithm(exponent, said_so):
    """The sums of such steps begin at nothing and would be taken for one."""
    chance = np.random.default_rng(5)
    found = []
    for _ in range(6):
        steps = 2_000 * (sizes(8) / START) ** exponent * np.exp(0.1 * chance.normal(size=(3, 8)))
        counted = np.ceil(steps / 256) * 256
        fit = fit_growth(START, sizes(8), counted, least=256.0, counted=True, of_steps=True)
        slow = fit.interval[0] <= 0 and fit.interval[1] < SLOW
        yes = fit.grows_as == "logarithm" or slow
        found.append("yes" if yes else "no" if fit.grows_as == "power" else "undecided")
    assert all((each != "yes") if said_so == "not yes" else each == said_so for each in found)


def test_counts_between_checks_are_no_exact_numbers():
    """A truth of 100 to 900 samples, seen every 300: exact counts would flatten the curve."""
    truth = power(8, 0.5) / 2
    seen = np.tile(np.ceil(truth / 300) * 300, (5, 1))
    exact = fit_growth(START, sizes(8), seen)
    known = fit_growth(START, sizes(8), seen, least=300.0, counted=True)
    assert abs(known.exponent - 0.5) < abs(exact.exponent - 0.5)
    assert known.interval[0] < 0.5 < known.interval[1]


def test_a_seed_that_was_stopped_early_does_not_hide_a_power():
    samples = 500 * (sizes(8) / START) * np.exp(0.1 * np.random.default_rng(2).normal(size=(4, 8)))
    reached = np.ones((4, 8), bool)
    samples[0, 2:], samples[0, 1], reached[0, 1] = np.nan, 65_536, False
    found = fit_growth(START, sizes(8), samples, reached)
    low, high = found.interval
    assert 0.3 < low < 1 < high < 1.5


def test_a_run_that_was_not_made_is_left_out():
    samples = np.tile(power(8), (4, 1)) * np.exp(0.1 * np.random.default_rng(0).normal(size=(4, 8)))
    samples[0, 5:] = np.nan
    found = fit_growth(START, sizes(8), samples)
    assert found.interval[0] < 0.5 < found.interval[1]


def test_equal_seeds_do_not_look_certain():
    found = fit_growth(START, sizes(8), np.tile(power(8), (5, 1)))
    low, high = found.interval
    assert high - low > GRAIN / 10
    assert abs(found.exponent - 0.5) < 1e-3
    assert abs(found.power(START) - 200) < 1
    assert found.evidence < 0


def test_aic_is_that_of_least_squares_without_censoring():
    """Against a textbook fit of the line in logarithms, whose spread is well above the grain."""
    samples = power(8) * np.exp(0.4 * np.random.default_rng(3).normal(size=(5, 8)))
    found = fit_growth(START, sizes(8), samples)
    logs = np.tile(np.log(sizes(8)), (5, 1)).ravel()
    slope, level = np.polyfit(logs, np.log(samples).ravel(), 1)
    rest = np.log(samples).ravel() - slope * logs - level
    aic = len(rest) * np.log(np.mean(rest**2)) + len(rest) + 6
    assert abs(found.exponent - slope) < 1e-6
    assert abs(found.power.aic - aic) < 1e-6
    assert found.power.corrected_aic == pytest.approx(aic + 24 / 36)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"sizes": np.array([64.0, 32.0])}, "ascending"),
        ({"sizes": np.array([8.0, 32.0])}, "from the first size"),
        ({"samples": -np.ones((3, 2))}, "not negative"),
        ({"samples": np.full((3, 2), np.inf)}, "finite"),
        ({"samples": np.array([[1.0, np.nan]] * 3)}, "no run"),
        ({"least": 0.0}, "above 0"),
    ],
)
def test_bad_input_is_refused(change, message):
    given = {"start": START, "sizes": np.array([32.0, 64.0]), "samples": np.ones((3, 2))}
    with pytest.raises(BadInput, match=message):
        fit_growth(**(given | change))
