"""Exact match by size as a small drawing beside a row's evidence; too many rows for real plots."""

from __future__ import annotations

from foretell.core.measurement import Curve, Measurement
from foretell.reports._markup import Markup, element
from foretell.reports.reproduced import percent

WIDTH, HEIGHT, LEFT, EDGE = 420, 90, 30, 6  # of the drawing; room for numbers at the left
TALL = HEIGHT - 16 - EDGE  # of the frame; numbers stand below
BIN = 10  # sizes that are averaged into one point


def small_curves(measurement: Measurement) -> Markup:
    """One line a seed on the training distribution, from 0 to 100 percent over all sizes."""
    probe = measurement.question.task.probes[0]
    curves = [curve for curve in measurement.curves if curve.probe == probe]
    largest = max(size for curve in curves for size, _, _ in curve.points)
    worst = min(share for curve in curves for _, share in binned(curve))
    said = f"exact match by size, one line a run; the lowest point is {percent(worst)} percent"
    return element(
        "svg",
        element("title", said),
        *_frame(largest),
        *(_line(curve, largest) for curve in curves),
        viewBox=f"0 0 {WIDTH} {HEIGHT}",
        width=str(WIDTH),
        role="img",
    )


def _line(curve: Curve, largest: int) -> Markup:
    across = (WIDTH - LEFT - EDGE) / largest
    places = " ".join(
        f"{LEFT + size * across:.1f},{EDGE + (1 - share) * TALL:.1f}"
        for size, share in binned(curve)
    )
    drawn = {"fill": "none", "stroke": "#0072B2", "stroke_width": "1.2", "opacity": "0.75"}
    return element("polyline", points=places, **drawn)


def _frame(largest: int) -> list[Markup]:
    """A rectangle, and the ends of both axes."""
    sides = {"width": str(WIDTH - LEFT - EDGE), "height": str(TALL)}
    around = element("rect", x=str(LEFT), y=str(EDGE), fill="none", stroke="#ccc", **sides)
    marks = (
        ("100", 4, 12),
        ("0", 16, 8 + TALL),
        ("1", LEFT, HEIGHT - 3),
        (str(largest), WIDTH - 26, HEIGHT - 3),
    )
    return [around] + [
        element("text", text, x=str(x), y=str(y), font_size="10", fill="#666")
        for text, x, y in marks
    ]


def binned(curve: Curve) -> list[tuple[float, float]]:
    """Mean size and share of right answers, a few neighbouring sizes together.

    >>> binned(Curve("members", 0, ((1, 1, 2), (2, 2, 2), (30, 0, 4))))
    [(1.5, 0.75), (30.0, 0.0)]
    """
    found: dict[int, list[tuple[int, int, int]]] = {}
    for point in curve.points:
        found.setdefault((point[0] - 1) // BIN, []).append(point)
    return [
        (
            sum(size for size, _, _ in points) / len(points),
            sum(right for _, right, _ in points) / max(1, sum(tried for _, _, tried in points)),
        )
        for _, points in sorted(found.items())
    ]
