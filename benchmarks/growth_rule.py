"""How often the rule of capture says what: samples of single steps drawn from a known law.

A step from one size to the next takes c (T/T₀)^p samples, with relative noise, rounded up to whole
intervals between checks. Each record is judged as the protocol judges it, by single steps; beside
it stands what the sums of the same steps look like, by which they were judged before 2026-11-20.

    python benchmarks/growth_rule.py [--draws N] [--out FILE]
"""

from __future__ import annotations

import argparse
import json
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np

from foretell.numerics.growth import fit_growth
from foretell.plain.files import write_atomically
from foretell.protocols._adaptation import SLOW, Adaptation
from foretell.training.capture_plan import STEP_BY_STEP
from foretell.training.provenance import describe_machine

START, FIRST, CHECK = 16, 2_000, 256  # size, samples at it, samples between two checks
EXPONENTS, NOISES = (0.0, 0.2, 0.3, 0.5, 1.0), (0.1, 0.25, 0.4)
RECORDS = ((4, 3), (5, 5), (8, 3), (8, 5))  # doublings and seeds


def judged(exponent: float, noise: float, doublings: int, seeds: int, draws: int) -> dict[str, Any]:
    """Verdicts by single steps, and how often sums are taken for a logarithm."""
    chance = np.random.default_rng(0)
    sizes = START * 2.0 ** np.arange(1, doublings + 1)
    said: Counter[str] = Counter()
    sums = 0
    for _ in range(draws):
        scatter = np.exp(noise * chance.normal(size=(seeds, doublings)))
        steps = np.ceil(FIRST * (sizes / START) ** exponent * scatter / CHECK) * CHECK
        fit = fit_growth(START, sizes, steps, least=CHECK, counted=True, of_steps=True)
        whole = tuple(map(int, sizes)), tuple(range(seeds))
        reached = np.ones(steps.shape, bool)
        arm = Adaptation(STEP_BY_STEP, *whole, steps.cumsum(axis=1), reached, fit, CHECK, True)
        said[arm.verdict[0].value] += 1
        added = fit_growth(START, sizes, steps.cumsum(axis=1), least=CHECK)
        sums += added.grows_as == "logarithm"
    law = {"exponent": exponent, "noise": noise, "doublings": doublings, "seeds": seeds}
    return {**law, "draws": draws, "said": dict(said), "sums called a logarithm": sums}


def main() -> None:
    """Every law with every kind of record."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--draws", type=int, default=20)
    parser.add_argument("--out", type=Path)
    options = parser.parse_args()
    rows = []
    for doublings, seeds in RECORDS:
        for noise in NOISES:
            for exponent in EXPONENTS:
                rows.append(judged(exponent, noise, doublings, seeds, options.draws))
                print(json.dumps(rows[-1]), flush=True)
    if options.out is not None:
        settings = {"start": START, "first": FIRST, "check": CHECK, "limit": SLOW}
        found = {"settings": settings, "rows": rows, "provenance": describe_machine()}
        write_atomically(options.out, json.dumps(found, indent=1))


if __name__ == "__main__":
    main()
