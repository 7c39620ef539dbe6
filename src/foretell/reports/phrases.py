"""The words and numbers that every renderer shares, so that no two reports tell it differently."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

from foretell.core.measurement import Interval, Measurement, Value
from foretell.core.prediction import Bound, Checked, Prediction, Standing, Strength
from foretell.core.question import GeneralizesInLength, Question, SizeRange, Verdict
from foretell.core.scoreboard import Agreement, Record, Row
from foretell.numerics.intervals import wilson

MARK: dict[str, str] = {  # a sign for each word, so that nothing is told by colour alone
    Verdict.YES: "✓",
    Verdict.NO: "✗",
    Verdict.UNDECIDED: "?",
    Standing.CHECKED: "✓",
    Standing.ASSUMED: "~",
    Standing.VIOLATED: "✗",
    Agreement.AGREES: "=",
    Agreement.DISAGREES: "≠",
    Agreement.OPEN: "·",
}
NO_THEORY = "no theory applies"
MOST_SEEDS = 6  # beyond this a list of seeds says less than its ends


def score(value: float | None, digits: int = 3) -> str:
    """A score in [0, 1]; only a perfect one is printed as 1, and only a zero as 0.

    >>> score(0.9996), score(1.0), score(0.0001), score(None)
    ('0.999', '1.000', '0.001', '–')
    """
    if value is None or math.isnan(value):
        return "–"
    least = 10.0**-digits
    if 0 < value < 1:
        value = min(max(value, least), 1 - least)
    return f"{value:.{digits}f}"


def number(value: float | None, digits: int = 3) -> str:
    """A number of any size, to so many digits that count.

    >>> number(351.946), number(-0.00021), number(0.0), number(None)
    ('352', '-0.00021', '0', '–')
    """
    if value is None or not math.isfinite(value):
        return "–"
    return f"{value:,.0f}" if abs(value) >= 10**digits else f"{value:.{digits}g}"


def how_to_print(measurement: Measurement) -> Callable[..., str]:
    """Scores are shares; what a protocol without scores by size measures is any number."""
    return score if measurement.curves else number


def sentence(text: str) -> str:
    """Capital and full stop, for pages where a phrase stands alone.

    >>> sentence("no layer norm"), sentence("is it right?")
    ('No layer norm.', 'Is it right?')
    """
    return text[:1].upper() + text[1:] + ("" if text.endswith((".", "?", "!")) else ".")


def interval(found: Interval, print_one: Callable[..., str] = score) -> str:
    """Both ends in brackets; nothing where one run says nothing about others."""
    if math.isinf(found.low) or math.isinf(found.high):
        return "–"
    return f"[{print_one(found.low)}, {print_one(found.high)}]"


def seed_scores(scores: Sequence[float], print_one: Callable[..., str] = score) -> str:
    """Each seed's score, or the ends when there are many.

    >>> seed_scores((1.0, 0.98)), seed_scores((0.5,) * 9 + (1.0,))
    ('1.00 0.98', '0.50 … 1.00 (10 seeds)')
    """
    if len(scores) <= MOST_SEEDS:
        return " ".join(print_one(one, 2) for one in scores) or "–"
    return f"{print_one(min(scores), 2)} … {print_one(max(scores), 2)} ({len(scores)} seeds)"


def seed_names(seeds: Sequence[int]) -> str:
    """Which seeds ran, runs of consecutive ones as a range.

    >>> seed_names([0, 1, 2, 3]), seed_names([7]), seed_names([1, 5])
    ('0-3', '7', '1, 5')
    """
    listed = sorted(seeds)
    if len(listed) > 2 and listed == list(range(listed[0], listed[-1] + 1)):
        return f"{listed[0]}-{listed[-1]}"
    return ", ".join(map(str, listed)) or "none"


def duration(seconds: float) -> str:
    """Seconds in the units one would say.

    >>> duration(41.26), duration(412), duration(7400)
    ('41.3 s', '6 min 52 s', '2 h 3 min')
    """
    if seconds < 60:
        return f"{seconds:.1f} s"
    minutes, rest = divmod(round(seconds), 60)
    if minutes < 60:
        return f"{minutes} min {rest} s"
    return f"{minutes // 60} h {minutes % 60} min"


def is_seen(question: Question, sizes: SizeRange) -> bool:
    """Is this the range the models were trained on?"""
    outcome = question.outcome
    return isinstance(outcome, GeneralizesInLength) and outcome.seen == sizes


def largest_value(measurement: Measurement | None) -> Value | None:
    """The value at the largest sizes of the probe that decides: the task's first."""
    if measurement is None:
        return None
    probe = measurement.question.task.probes[0]
    of_probe = [value for value in measurement.values if value.probe == probe]
    return max(of_probe, key=lambda value: value.sizes.high, default=None)


def predicted(prediction: Prediction) -> str:
    """Verdict and strength in two words."""
    return f"{prediction.verdict.value}, {prediction.strength.label}"


def bound_sentence(bound: Bound) -> str:
    """A bound in words; a vacuous one says so."""
    said = f"{bound.quantity} ≤ {bound.value:.4g}"
    return said + (" (vacuous: no better than what holds anyway)" if bound.vacuous else "")


def certificate_sentence(prediction: Prediction, checked: Checked | None = None) -> str:
    """What the certificate is and what re-checking it found, or why there is none."""
    if prediction.certificate is not None:
        evidence = prediction.certificate.summary
        if checked is None:
            return f"{evidence}; foretell predict --check re-checks it"
        found = "re-checked, holds" if checked.holds else "DOES NOT HOLD"
        return f"{evidence}; {found}: {checked.how}"
    if prediction.searched_only:
        return "none: a search that found nothing leaves nothing to re-check"
    if prediction.bound is not None or prediction.verdict is Verdict.UNDECIDED:
        return "none: a number by formula from the task itself; asking again computes it again"
    if prediction.strength is Strength.HEURISTIC:
        return "none: a rule that worked proves nothing, so there is nothing to re-check"
    return (
        "none: the verdict rests on facts declared by its sources; "
        "they are not yet decided here, so there is nothing to re-check"
    )


def no_prediction(row: Row) -> str:
    """Why a row states no prediction: theories were silent, or nobody asked them."""
    return NO_THEORY if row.predictions else "no theory was asked"


def verdict_line(row: Row) -> str:
    """The one line everything ends with."""
    measured = row.measurement.verdict.value if row.measurement else "not measured"
    said = no_prediction(row)
    if row.stated:
        strongest = row.stated[0]
        said = f"prediction: {predicted(strongest)}"
        if row.measurement:
            said += f" → {row.agreement(strongest).value}"
    return f"{row.question.outcome.name}: {measured}   ({said})"


def hit_rate(record: Record) -> str:
    """Share of settled comparisons that agreed, with Wilson's interval."""
    if not record.settled:
        return "nothing settled yet"
    low, high = wilson(record.agrees, record.settled)
    return f"{record.agrees / record.settled:.2f} [{low:.2f}, {high:.2f}]"


def provenance_items(measurement: Measurement) -> tuple[tuple[str, str], ...]:
    """What stood behind the numbers, the most telling first; absent entries are left out."""
    known = measurement.provenance
    versions = {str(name): str(version) for name, version in dict(known["versions"]).items()}
    items = [
        ("device", str(known["device"])),
        ("jax", versions.pop("jax", "")),
        ("commit", str(known.get("commit") or "")),
        ("seeds", seed_names(known["seeds"])),
        ("time spent", duration(float(known["seconds"])) if "seconds" in known else ""),
        ("finished", str(known.get("time") or "")),
        ("other versions", ", ".join(f"{name} {found}" for name, found in versions.items())),
        ("run", str(known.get("run") or "")),
    ]
    return tuple((name, text) for name, text in items if text)


def provenance_line(measurement: Measurement) -> str:
    """The most telling of it in one line."""
    plain = ("device", "time spent")  # these say what they are without a name
    named = ("jax", "commit", "seeds")
    return " · ".join(
        text if name in plain else f"{name} {text}"
        for name, text in provenance_items(measurement)
        if name in plain + named
    )
