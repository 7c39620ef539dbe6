"""Does scaling logits by log-length make adapting needless? Curves that differ in nothing else.

Adapting is needless at a size where every run is right before its first step: it needs no sample.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence

from foretell.core.architecture import Architecture, AttentionScale
from foretell.plain.canonical import content_hash
from foretell.plain.wording import counted
from foretell.reports.capture.curves import CaptureCurve
from foretell.training.capture_plan import FROM_START

Pair = tuple[CaptureCurve, CaptureCurve]


def scaled_pairs(curves: Sequence[CaptureCurve]) -> list[Pair]:
    """Each curve without scaling beside the same with it."""
    known = {_shape(curve): curve for curve in curves}
    return [
        (known[plain], curve)
        for shape, curve in known.items()
        if shape[0].attention_scale is AttentionScale.LOG_LENGTH
        if (plain := (_unscaled(shape[0]), shape[1])) in known
    ]


def scaling_sentences(curves: Sequence[CaptureCurve]) -> list[str]:
    """Pair by pair, then for all that learned the small sizes both ways."""
    pairs = scaled_pairs(curves)
    learned = [pair for pair in pairs if all(curve.samples() for curve in pair)]
    if not learned:
        return []
    told = [_sentence(plain, scaled) for plain, scaled in learned]
    needed = [pair for pair in learned if not _needless_everywhere(pair[0])]
    mended = [plain.line.label for plain, scaled in needed if _needless_everywhere(scaled)]
    lighter = [plain.line.label for plain, scaled in needed if _lighter(plain, scaled)]
    told.append(
        f"scaling by log-length makes adapting needless in {len(mended)} of {len(needed)} pairs "
        "that learned the small sizes and need it without; it lowers the samples of every run in "
        f"{len(lighter)}"
    )
    return told


def _sentence(plain: CaptureCurve, scaled: CaptureCurve) -> str:
    largest = plain.outcome.adapted[-1]
    free = [size for size, needless in _needless(scaled).items() if needless]
    where = "every size" if _needless_everywhere(scaled) else ", ".join(map(str, free)) or "no size"
    return (
        f"{plain.line.label}, with log-length scaling: adapting is needless at {where}; as it is, "
        f"right in {plain.unadapted[-1].mean:.2f} of size {largest} without and "
        f"{scaled.unadapted[-1].mean:.2f} with; samples over all sizes, run by run, "
        f"{_listed(plain)} without and {_listed(scaled)} with"
    )


def _needless(curve: CaptureCurve) -> dict[int, bool]:
    """Whether no run needs a sample, size by size."""
    return {value.sizes.high: not any(value.seeds) for value in curve.samples()}


def _needless_everywhere(curve: CaptureCurve) -> bool:
    return all(_needless(curve).values())


def _totals(curve: CaptureCurve) -> dict[int, float]:
    """Samples over all sizes, by run."""
    found: dict[int, float] = {}
    for value in curve.samples():
        for run, samples in zip(value.runs, value.seeds, strict=True):
            found[run] = found.get(run, 0) + samples
    return found


def _lighter(plain: CaptureCurve, scaled: CaptureCurve) -> bool:
    """Does every run take less that learned the small sizes both ways, at the same sizes?"""
    without, within = _totals(plain), _totals(scaled)
    both = without.keys() & within.keys()
    sizes = [[value.sizes for value in curve.samples()] for curve in (plain, scaled)]
    return bool(both) and sizes[0] == sizes[1] and all(within[run] < without[run] for run in both)


def _listed(curve: CaptureCurve) -> str:
    told = " ".join(f"{samples:,.0f}" for _, samples in sorted(_totals(curve).items()))
    count = sum(curve.missed(FROM_START).values())
    return f"{told} ({counted(count, 'stage')} given up, so at least)" if count else told


def _shape(curve: CaptureCurve) -> tuple[Architecture, str]:
    """The architecture, and all else that decides a run but for its arms."""
    plan = curve.line.asked.plan.as_json()
    return curve.line.asked.question.architecture, content_hash(
        plan | {"architecture": 0, "arms": 0}
    )


def _unscaled(architecture: Architecture) -> Architecture:
    return dataclasses.replace(architecture, attention_scale=AttentionScale.SQRT)
