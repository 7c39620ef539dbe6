"""Words that the terminal and the page share: names of subsets, numbers, and what they mean."""

from __future__ import annotations

import math

from foretell.constructions.flat_error import MOST_BITS
from foretell.plain.wording import counted
from foretell.reports.boolean.bounds import Bounds
from foretell.reports.boolean.chain import ChainOfThought
from foretell.reports.boolean.construction import Construction
from foretell.reports.boolean.function import BooleanReport
from foretell.reports.boolean.lines import Column
from foretell.reports.boolean.spectrum import KnownSpectrum

BLOCKS = {
    "attention1": "attention 1",
    "value1": "value 1",
    "mlp_in": "MLP in",
    "mlp_bias": "MLP bias",
    "mlp_out": "MLP out",
    "attention2": "attention 2",
    "value2": "value 2",
}
MOST_NAMED = 6  # bits of a subset that are named
NOT_TRAINED = "Nothing was trained here; `foretell check boolean:…` trains."


def subset(bits: tuple[int, ...]) -> str:
    """A subset by the names that its bits have in formulas.

    >>> subset((0, 4)), subset(tuple(range(20)))
    ('x1 x5', 'x1 x2 x3 x4 … x20 (20 bits)')
    """
    names = [f"x{bit + 1}" for bit in bits]
    if len(names) <= MOST_NAMED:
        return " ".join(names)
    return f"{' '.join(names[: MOST_NAMED - 2])} … {names[-1]} ({len(names)} bits)"


def number(value: float) -> str:
    """A number in at most nine characters.

    >>> [number(x) for x in (0.25, 7183.2, 3.2e10, 0.00054, 1_089_067.0, 0.0)]
    ['0.25', '7,183', '3.2e10', '5.4e-4', '1.09e6', '0']
    """
    if value == 0:
        return "0"
    size = math.floor(math.log10(abs(value)))
    if -3 <= size < 3:
        return f"{value:.3g}"
    if 3 <= size < 5:
        return f"{value:,.0f}"
    digits, power = f"{value:.2e}".split("e")
    return f"{float(digits):g}e{int(power)}"


def size_sentence(spectrum: KnownSpectrum) -> str:
    """Degree, sparsity and moments."""
    return (
        f"degree {spectrum.degree}, {counted(spectrum.sparsity, 'component')}, mean "
        f"{number(spectrum.mean)}, variance {number(spectrum.variance)}, total influence "
        f"{number(spectrum.total_influence)}"
    )


def error_sentence(found: Construction) -> str:
    """Stated and measured error, and whether the parities inside are exact."""
    said = f"error at most {number(found.stated.largest)} by formula"
    if found.measured is not None:
        said += f", {number(found.measured)} measured over {found.measured_over}"
    if found.stated.parity == 0:
        said = f"{said}; the parities inside are exact"
        if found.formula_off is None:
            return said
        return f"{said}, and the formula gives each input's error up to {found.formula_off:.0e}"
    return (
        f"{said}; the parities inside are off by up to {number(found.stated.parity)}, as attention "
        f"leaks {number(found.stated.leakage)}: a larger --attention-scale mends that"
    )


def trace_sentence(found: Construction) -> str:
    """The Hessian's trace with its interval, and what it is made of."""
    seen = found.curvature
    if seen is None:
        return found.missing or ""
    interval = ""
    if seen.high > seen.low:
        interval = f" (95 % interval {number(seen.low)} to {number(seen.high)}, {seen.method})"
    return (
        f"trace of the Hessian {number(seen.trace)}{interval}, mean over {seen.inputs}; twice the "
        f"squared gradient is {number(seen.twice_gradient)} in the mean, {number(seen.largest)} at "
        "most"
    )


def rescaling_sentence(found: Construction) -> str | None:
    """What moving scale between the MLP's matrices gains."""
    moved = found.rescaled
    if moved is None or found.curvature is None:
        return None
    return (
        f"rescaling the MLP by {number(moved.factor)} computes the same with squared norm "
        f"{number(moved.squared_norm)} instead of {number(found.squared_norm)} and trace "
        f"{number(moved.trace)} instead of {number(found.curvature.twice_gradient)}"
    )


def change_sentence(found: Construction) -> str | None:
    """What noise on the weights does to the trace."""
    if not found.changes or found.curvature is None:
        return None
    largest = max(found.changes)
    share = largest.change / found.curvature.trace
    return (
        f"noise of standard deviation {number(largest.noise)} on all weights changes the trace by "
        f"{number(largest.change)} ({share:.2g} of it)"
    )


def column_title(column: Column) -> str:
    """Whose formulas, and with which constant."""
    return f"{column.form.value}\nS = {number(float(column.setting.constant))}"


def column_line(column: Column) -> str:
    """The same in one line that does not break inside the equation."""
    return column_title(column).replace("\n", ", ").replace(" = ", "\u00a0=\u00a0")


def about_bounds(bounds: Bounds) -> list[str]:
    """What the table is about, before any number."""
    setting = bounds.columns[0].setting
    told = [
        f"Upper bounds on the squared error after {int(setting.samples):,} samples, with "
        f"probability {1 - float(setting.delta):g}. Answering one constant has "
        f"{number(bounds.trivial)}: a bound that is not below is vacuous (v)."
    ]
    if bounds.outside:
        told.append(
            f"The published bounds do not speak about this function: {', '.join(bounds.outside)}. "
            "What is left is the bound with norm and trace of its own construction."
        )
    if bounds.lower_limits and bounds.family is not None:
        told.append(
            f"For the class of {bounds.family}: certain lower limits for degree and sparsity, so "
            "the bounds of the true class are at least these."
        )
    least = float(bounds.columns[-1].setting.constant)
    if least > float(setting.constant):
        told.append(
            "S is the sub-Gaussian constant of the loss. The proof needs it for networks of the "
            f"prior, whose loss is about f²: one below {number(least)}, the standard deviation of "
            "f², cannot do. The last column is the most favourable one that can hold."
        )
    return told


def tradeoff_sentence(bounds: Bounds) -> str | None:
    """Where the best noise lies, and what the bound is made of there."""
    first = bounds.lines[0].figures
    told = [
        f"{number(each.noise)} ({column.form.value}, S = {number(float(column.setting.constant))}"
        f": sharpness {number(each.sharpness)}, norm {number(each.norm)})"
        for column, each in zip(bounds.columns, first, strict=True)
        if each is not None and each.noise and each.sharpness and each.norm
    ]
    chosen = [told[0], told[-1]] if len(told) > 1 else told
    return f"Best noise of the first line: {' and '.join(chosen)}." if chosen else None


def verdict(report: BooleanReport) -> str:
    """The last word on bounds."""
    bounds = report.bounds
    if bounds is None:
        return report.why_missing("bounds") or ""
    if bounds.any_says_something:
        return "With a constant that the proof can take, at least one bound says something."
    needed = [line.samples[-1] for line in bounds.lines if line.samples[-1] is not None]
    enough = f": the best of them needs {number(min(needed))} samples" if needed else ""
    return f"With a constant that the proof can take, every bound is vacuous{enough}."


def chain_sentences(chain: ChainOfThought, bits: int) -> list[str]:
    """What the explicit chain does, and how to read the table of routes."""
    whole = "" if bits <= MOST_BITS else f" (the longest that is run on all inputs; T is {bits})"
    share = "all" if chain.run.accuracy == 1 else f"{chain.run.accuracy:.3g} of all"
    setting = chain.setting
    return [
        f"The explicit chain for {chain.run_bits} bits{whole} is right on {share} inputs; before "
        f"rounding a step is off by {number(chain.run.step_error)} at most.",
        "A parity in one pass is one step of degree T, with a chain of thought T - 1 steps of "
        f"degree 2. Error: of the final bit, at most, after {int(setting.samples):,} samples with "
        f"S = {number(float(setting.constant))} (a coin has 0.5; v is vacuous). Samples: to do "
        "better than a coin. Published: samples from which the paper's statement says something.",
    ]


def own_length(chain: ChainOfThought, length: int, bits: int) -> str:
    """A length of the table, with what it is to the function."""
    marks = [name for name, own in (("degree", chain.degree), ("T", bits)) if own == length]
    return f"{' = '.join(marks)} = {length}" if marks else str(length)
