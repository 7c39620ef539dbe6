"""The length-generalization results of the framework paper: all tasks, both encodings.

What: Eight algorithmic tasks, seventeen regular languages with parity, and three counter
    languages; learned absolute positions and none; trained up to 50, tested to 150. Ours beside
    the numbers that were published, with what C-RASP predicts.
Definition: The published configuration of each task (layers, heads, width, learning rate, steps),
    five seeds, the length protocol. With `--budget gpu` models compute in bfloat16 with float32
    weights, those 16 wide in float32. The 12-layer configurations run with one seed.
Example:
    >>> from foretell.protocols._asking import Budget
    >>> len(LengthFigure().lines(Budget.GPU))
    58

Known limits: The configurations of the counter languages were not published; ours come from the
    same search (`length-search`). Published means of algorithmic tasks with fewer than 12 layers
    are over the runs that fit their training range, drawn until five did; beside a published 100 in
    that range ours are over the runs that fit, if any do. The released data of most regular
    languages have other words and lengths than the paper describes (docs/published-runs.md), so
    agreement is not to be expected there.
Sources: Huang et al., A formal framework for understanding length generalization, Figure 1,
    Tables 2 and 3, Appendix E; numbers from the authors' released logs
"""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import final

from foretell.protocols._asking import Budget, Request, published
from foretell.protocols._running import Asked
from foretell.protocols._settings import setting_for
from foretell.reproductions import Line, Reproduction

DEEP = 12  # layers from which one seed must do
SMALL = 16  # wide: as fast in float32, which counting needs (`length-causes`)
GROUPS = {"algorithmic": "Algorithmic tasks", "regular": "Regular languages"}
GROUPS |= {"counter": "Counter languages"}


@final
class LengthFigure(Reproduction):
    """Huang et al., Figure 1."""

    title = "Length generalization: published beside reproduced"
    source = "Huang et al. 2024, Figure 1, Tables 2 and 3; the authors' released logs"

    def lines(self, budget: Budget, seeds: int | None = None) -> tuple[Line, ...]:
        """Task by task, APE before NoPE."""
        path = Path(__file__).with_suffix(".toml")
        table = tomllib.loads(path.read_text(encoding="utf-8"))
        fits = table["fit"]
        return tuple(
            _line(heading, name, positional, values, budget, seeds, fits[positional].get(name))
            for group, heading in GROUPS.items()
            for name, row in table[group].items()
            for positional, values in row.items()
        )


def _line(
    heading: str,
    name: str,
    positional: str,
    values: list[float],
    budget: Budget,
    seeds: int | None,
    fit: list[int] | None,
) -> Line:
    known = published(name, positional)
    deep = budget is Budget.GPU and known is not None and known.layers >= DEEP
    shape = setting_for(name, positional, budget)
    request = Request(
        what=name,
        positional=positional,
        budget=budget,
        seeds=1 if deep else seeds,
        precision="bfloat16" if budget is Budget.GPU and shape.width > SMALL else "float32",
    )
    notes = [
        "one seed: 12 layers" if deep else None,
        "no published configuration, ours by the same search" if known is None else None,
        f"published means are over the {fit[0]} of {fit[1]} runs that fit" if fit else None,
    ]
    asked = Asked(request.question(), request.build_protocol(), request.seed_list())
    share = tuple(value / 100 for value in values) or None
    return Line(heading, name, asked, share, "; ".join(filter(None, notes)) or None)
