"""Parity learned in one pass and in steps, side by side: what was measured, and what is bounded."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import Any

from foretell.boolean.bounds import chain_of_thought
from foretell.boolean.bounds.chain_of_thought import COIN, MARKOV
from foretell.boolean.bounds.risk_bound import Setting
from foretell.boolean.bounds.terms import Form
from foretell.reports.landscape.gap_class import ADMISSIBLE, DELTA, PUBLISHED, GapClass, Spread
from foretell.reports.phrases import number
from foretell.theory._boolean import amount
from foretell.theory.chain_of_thought_gain import samples_needed, samples_published

Pair = tuple[GapClass, GapClass]  # one pass, in steps
MEASURED_HEADS = ("bits", "", "wrong answers", "95 %", "fitted", "training steps")
BOUND_HEADS = ("bits", "", "published", "samples", "corrected", "samples")


def measured_rows(pairs: Sequence[Pair]) -> list[tuple[str, ...]]:
    """Two rows a number of bits: answers, how many fit, and after how many steps of training."""
    rows: list[tuple[str, ...]] = []
    for each in itertools.chain(*pairs):
        wrong = each.spread("wrong")
        rows.append(
            (
                str(each.family.bits),
                each.way,
                percent(wrong.mean) if wrong else "–",
                _interval(wrong),
                each.fitted_of,
                _steps(each),
            )
        )
    return rows


def bound_rows(pairs: Sequence[Pair]) -> list[tuple[str, ...]]:
    """Two rows a number of bits: bounds on wrong answers, and the samples they need."""
    rows: list[tuple[str, ...]] = []
    for pair in pairs:
        said = bounds(pair)
        for each in pair:
            published, corrected = (said[form][each.way] for form in ("published", "corrected"))
            said_before = power(published["log10_error"]), amount(published["samples"])
            said_now = number(corrected["error"]), amount(corrected["samples"])
            rows.append((str(each.family.bits), each.way, *said_before, *said_now))
    return rows


def bounds(pair: Pair) -> dict[str, Any]:
    """What the theory says of both ways.

    Published: the logarithm of the error, and the samples from which it falls with more of them.
    Corrected: the error (Markov on the bound, a chain adding up its steps), and the samples from
    which it is below a coin's.
    """
    one, steps = pair
    bits = one.family.bits
    setting = Setting(samples=one.samples, constant=PUBLISHED, delta=DELTA)
    told = chain_of_thought.compare(bits, setting)
    enough, least = samples_published(bits), samples_needed(bits, bits)
    risks = [each.bound(ADMISSIBLE, Form.CORRECTED).value for each in pair]
    return {
        "published": {
            one.way: {"log10_error": told.one_pass.log10_published, "samples": enough.one_pass},
            steps.way: {"log10_error": told.chain.log10_published, "samples": enough.chain},
        },
        "corrected": {
            one.way: {"error": MARKOV * risks[0], "samples": least.one_pass},
            steps.way: {"error": MARKOV * bits * risks[1], "samples": least.chain},
        },
    }


def pair_json(pair: Pair) -> dict[str, Any]:
    """Both ways for one number of bits, as plain values."""
    return {
        "bits": pair[0].family.bits,
        "samples": pair[0].samples,
        "ways": {each.way: _way_json(each) for each in pair},
        "bounds_on_wrong_answers": bounds(pair),
    }


def chain_findings(pairs: Sequence[Pair]) -> list[str]:
    """What both ways come to, in sentences that could have come out otherwise."""
    told = []
    for classes in zip(*pairs, strict=True):
        found = [spread.mean for each in classes if (spread := each.spread("wrong"))]
        if found:
            fitted, trained = (sum(each.counts[of] for each in classes) for of in (0, 1))
            told.append(
                f"{classes[0].way}: {fitted} of {trained} models fit; at each number of bits "
                f"between {percent(min(found))} and {percent(max(found))} of fresh inputs are "
                "answered wrongly, mean over models"
            )
    for quantity, name in (("wrong", "are fewer wrong answers"), ("gap", "is a smaller gap")):
        means = [[each.spread(quantity) for each in pair] for pair in pairs]
        both = [(one.mean, steps.mean) for one, steps in means if one and steps]
        if both:
            less = sum(steps < one for one, steps in both)
            told.append(f"in steps there {name} at {less} of {len(both)} numbers of bits")
    if told:
        corrected = [each for pair in pairs for each in bounds(pair)["corrected"].values()]
        least = min(each["error"] for each in corrected)
        verb = "beats" if least < COIN else "does not beat"
        told.append(f"the best corrected bound on wrong answers, {number(least)}, {verb} a coin")
    return told


def _interval(spread: Spread | None) -> str:
    if spread is None or len(spread.values) < 2:
        return "–"
    low, high = spread.interval
    return f"[{percent(low)}, {percent(high)}]"


def percent(value: float) -> str:
    """A share for people; only nothing is printed as 0.

    >>> percent(0.1234), percent(0.00004), percent(0.0)
    ('12.3 %', '<0.1 %', '0 %')
    """
    if 0 < value < 0.0005:
        return "<0.1 %"
    return f"{100 * value:.1f} %" if value else "0 %"


def power(logarithm: float) -> str:
    """Ten to that power, for numbers no machine writes down.

    >>> power(-2.04e6), power(10239880.0)
    ('10^-2,040,000', '10^10,239,880')
    """
    return f"10^{logarithm:,.0f}"


def _steps(each: GapClass) -> str:
    """Of the models that fitted: the others would go on."""
    found: Sequence[float] = [value for value, fitted in each.models("training_steps") if fitted]
    if not found:
        return "–"
    low, high = min(found), max(found)
    return f"{low:,.0f}" if low == high else f"{low:,.0f} to {high:,.0f}"


def _way_json(each: GapClass) -> dict[str, Any]:
    return {
        "models": dict(zip(("fitted", "trained", "asked"), each.counts, strict=True)),
        "wrong": [value for value, _ in each.models("wrong")],
        "training_steps": [value for value, _ in each.models("training_steps")],
        "fitted": [fitted for _, fitted in each.models("training_steps")],
    }
