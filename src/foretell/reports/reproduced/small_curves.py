"""Exact match by size as a small drawing beside a row's evidence; too many rows for real plots.

Colours and strokes are in `page.css`, so that a page of hundreds of them stays small.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable, Sequence

from foretell.core.measurement import Measurement
from foretell.core.question import GeneralizesInLength
from foretell.reports import phrases
from foretell.reports._markup import Markup, element
from foretell.reports.bins import Bins, bins_of, counted_seeds, joined

WIDTH, HEIGHT, LEFT, EDGE = 560, 110, 30, 6  # of the drawing; room for numbers at the left
TALL = HEIGHT - 16 - EDGE  # of the frame; numbers stand below
KEY = (
    "Share of examples with every scored position right, in percent, by input size: a line for "
    "each run, broken where no sizes were tested, dotted in orange where the run did not fit its "
    "training range and is left out of the values. Shaded: sizes of training. Dotted across: the "
    "bar. Dashed: guessing."
)


def frames(measurements: Iterable[Measurement]) -> Markup:
    """What `small_curves` refers to: a page has it once, above them, not with each."""
    found: dict[str, list[Markup]] = {}
    for measurement in measurements:
        pieces = bins_of(measurement, measurement.question.task.probes[0])
        if any(piece.counts for piece in pieces):
            name = _frame_name(measurement, pieces[-1].sizes.high)
            found.setdefault(name, _frame(measurement, pieces[-1].sizes.high))
    groups = [element("g", *drawn, id=name, class_="marks") for name, drawn in found.items()]
    return element("svg", *groups, class_="small frames") if groups else Markup("")


def small_curves(measurement: Measurement) -> Markup:
    """One line a run on the probe that decides, from 0 to 100 percent over all sizes."""
    probe = measurement.question.task.probes[0]
    pieces = bins_of(measurement, probe)
    seeds = sorted({seed for piece in pieces for seed in piece.counts})
    if not seeds:
        return Markup("")
    shares = [share for piece in pieces for seed in seeds for share in piece.shares(seed)]
    worst = min(share for share in shares if not math.isnan(share))
    said = f"exact match by size, one line a run; the lowest share is {phrases.score(worst)}"
    across = _across(pieces[-1].sizes.high)
    counted = counted_seeds(measurement, probe)
    return element(
        "svg",
        element("title", said),
        element("use", href=f"#{_frame_name(measurement, pieces[-1].sizes.high)}"),
        *_guessing(measurement, probe, across),
        *(_line(pieces, seed, across, counted=seed in counted) for seed in seeds),
        viewBox=f"0 0 {WIDTH} {HEIGHT}",
        width=str(WIDTH),
        role="img",
        class_="small",
    )


def _across(largest: int) -> float:
    return (WIDTH - LEFT - EDGE) / largest


def _line(pieces: Sequence[Bins], seed: int, across: float, *, counted: bool) -> Markup:
    """A path; a pen that was lifted where nothing is known is put down again with M."""
    strokes: list[list[tuple[int, int]]] = [[]]
    for size, share in zip(*joined(pieces, [piece.shares(seed) for piece in pieces]), strict=True):
        if math.isnan(share):
            strokes.append([])
        else:
            strokes[-1].append((round(LEFT + size * across), round(10 * _height(share))))
    drawn = "".join(_stroke(stroke) for stroke in strokes if stroke)
    return element("path", d=drawn, class_="run" if counted else "left-out")


def _stroke(points: Sequence[tuple[int, int]]) -> str:
    """Where the pen goes, each step from the last; heights in tenths, which is all one can see.

    >>> _stroke([(36, 60), (46, 60), (57, 60), (67, 35), (78, 40)])
    'M36 6l21 0 10-2.5 11 .5'
    """
    level = [
        before[1] == here[1] == after[1]
        for before, here, after in zip(points, points[1:], points[2:], strict=False)
    ]
    kept = [point for point, skip in zip(points, [False, *level, False], strict=False) if not skip]
    steps = [
        f"{after[0] - before[0]} {_tenths(after[1] - before[1])}".replace(" -", "-")
        for before, after in itertools.pairwise(kept)
    ]
    start = f"M{kept[0][0]} {_tenths(kept[0][1])}"
    return f"{start}l{' '.join(steps)}" if steps else start


def _tenths(value: int) -> str:
    return f"{value / 10:g}".replace("0.", ".", 1) if abs(value) < 10 else f"{value / 10:g}"


def _place(size: float, share: float, across: float) -> str:
    return f"{LEFT + size * across:.0f} {_tenths(round(10 * _height(share)))}"


def _height(share: float) -> float:
    return EDGE + (1 - share) * TALL


def _guessing(measurement: Measurement, probe: str, across: float) -> list[Markup]:
    drawn = "".join(
        f"M{_place(value.sizes.low, value.baseline, across)}H{LEFT + value.sizes.high * across:.0f}"
        for value in measurement.values
        if value.probe == probe and value.baseline is not None
    )
    return [element("path", d=drawn, class_="guess")] if drawn else []


def _frame_name(measurement: Measurement, largest: int) -> str:
    """Equal names, equal frames."""
    outcome = measurement.question.outcome
    seen = str(outcome.seen) if isinstance(outcome, GeneralizesInLength) else "none"
    return f"frame-{seen}-{largest}-{measurement.bar}"


def _frame(measurement: Measurement, largest: int) -> list[Markup]:
    """What was trained on, a rectangle, the bar, and the ends of both axes."""
    drawn, across = [], _across(largest)
    outcome = measurement.question.outcome
    if isinstance(outcome, GeneralizesInLength):
        low, high = outcome.seen.low * across, outcome.seen.high * across
        drawn.append(_box(LEFT + low, high - low, "seen"))
    drawn.append(_box(LEFT, WIDTH - LEFT - EDGE, "frame"))
    if measurement.bar is not None:
        at = f"M{LEFT},{_height(measurement.bar):.1f}H{WIDTH - EDGE}"
        drawn.append(element("path", d=at, class_="bar"))
    marks = (
        ("100", 4, 12),
        ("0", 16, 8 + TALL),
        ("1", LEFT, HEIGHT - 3),
        (str(largest), WIDTH - 26, HEIGHT - 3),
    )
    return drawn + [element("text", text, x=str(x), y=str(y)) for text, x, y in marks]


def _box(left: float, width: float, name: str) -> Markup:
    sides = {"x": f"{left:.0f}", "width": f"{width:.0f}", "y": str(EDGE), "height": str(TALL)}
    return element("rect", **sides, class_=name)
