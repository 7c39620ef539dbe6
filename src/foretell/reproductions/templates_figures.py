"""Unseen symbols against the number of samples: our curves beside the published ones.

What: How many strings, of as many symbols, until a model works on symbols it has never seen? Plain
    transformers, transformers with an identity in each head, fully connected and recurrent models.
Definition: Each point is the protocol `unseen-symbols` at one number of samples n: Figure 1 and 2
    (programs), Figure 5 (copying by width), and ABA against ABB for every architecture and, of the
    plain transformer, by layers, heads and width. On a CPU only the architectures, at three n,
    with fewer heads in a wider stream. On a GPU the published shapes, three seeds, or two where
    the strings of an epoch are more than one batch of 1,024.
Example:
    >>> from foretell.protocols._asking import Budget
    >>> lines = TemplatesFigures().lines(Budget.GPU)
    >>> lines[0].label, lines[0].asked.question.outcome.samples, lines[0].published
    ('program transformer', 4, (1.049,))

Known limits: Published curves are five runs at the best of several learning rates, ours take
    0.001. Not trained, for time: Figure 2 except at n = 128, 512 and 4,096 (published to 262,144),
    with one seed and at most 2,000 steps; Figure 5 at n = 2,048, where width 512 and 4,096 have one
    seed, the latter at n = 128 and 256 only; MLPs beyond n = 1,024. Figure 1 has two seeds. The
    factor before the identities, the sizes of MLP, RNN and LSTM and the exact tokens of the
    programs are not published. Published copying of one symbol cannot be read at that symbol, where
    a residual stream copies untrained: ours copies out of print("a"), read at the last token.
Sources: When can transformers reason with abstract symbols, Figures 1, 2 and 5, Appendix B
"""

from __future__ import annotations

import math
import tomllib
from pathlib import Path
from typing import Any, final

from foretell.protocols._asking import Budget
from foretell.protocols._running import Asked
from foretell.protocols.unseen_symbols import (
    BATCH,
    EPOCHS,
    OTHER_SHAPES,
    RATE,
    SHAPES,
    UnseenSymbols,
    question_about,
)
from foretell.reproductions import Line, Reproduction

# Which samples sizes and tasks; the published ones, unless a budget cuts them down.
KEPT_SIZES = {Budget.SMOKE: (4, 8), Budget.CPU: (16, 64, 256)}
KEPT_TASKS = {Budget.SMOKE: ("aba-abb",), Budget.CPU: ("aba-abb",)}
KEPT_KINDS = {
    Budget.SMOKE: ("transformer+kq", "mlp"),
    Budget.CPU: ("transformer", "transformer+kq", "mlp", "mlp+gram", "rnn"),
}
KEPT_SEEDS = {Budget.SMOKE: 1, Budget.CPU: 2, Budget.GPU: 3}
MANY_SEEDS = 2  # where the strings do not fit into one batch: as many steps more in an epoch
KEPT_EPOCHS = {Budget.SMOKE: 10, Budget.CPU: 100}
CHECKS = {True: 1_000, False: 250}  # steps between checks on a GPU, in several batches or in one


@final
class TemplatesFigures(Reproduction):
    """Figures 1, 2 and 5, and the comparison of architectures."""

    about = "symbols"
    title = "Unseen symbols: how many samples until a model works on them"
    source = "When can transformers reason with abstract symbols, Figures 1, 2 and 5, Appendix B"

    def lines(self, budget: Budget, seeds: int | None = None) -> tuple[Line, ...]:
        """Curve by curve, from few samples to many."""
        path = Path(__file__).with_suffix(".toml")
        table = tomllib.loads(path.read_text(encoding="utf-8"))
        return tuple(
            _line(curve, samples, value, budget, seeds)
            for curve in table["curve"]
            if _kept(curve, budget)
            for samples, value in zip(table["sizes"][curve["at"]], curve["published"], strict=True)
            if samples in _sizes(curve, samples, budget)
        )


def _kept(curve: dict[str, Any], budget: Budget) -> bool:
    if "sweep" in curve:
        return budget is Budget.GPU
    return curve["task"] in KEPT_TASKS.get(budget, (curve["task"],)) and curve[
        "kind"
    ] in KEPT_KINDS.get(budget, (curve["kind"],))


def _sizes(curve: dict[str, Any], samples: int, budget: Budget) -> tuple[int, ...]:
    """Which numbers of samples are trained on: large models are not at all that are published."""
    if budget == Budget.GPU:
        return tuple(curve.get("trained", (samples,)))
    return KEPT_SIZES[budget]


def _line(
    curve: dict[str, Any], samples: int, value: float, budget: Budget, seeds: int | None
) -> Line:
    """One point: the model as published, or the shape that the budget has for its kind."""
    kind = curve["kind"]
    usual = OTHER_SHAPES.get(kind.split("+")[0], SHAPES[budget])
    question = question_about(curve["task"], samples, kind, *curve.get("shape", usual))
    steps = KEPT_EPOCHS.get(budget, EPOCHS[budget]) * -(-samples // BATCH)
    steps = min(steps, curve.get("most_steps", steps))
    # A check saves all weights; on a GPU one that stops early saves little, as others go on.
    checks = CHECKS[samples > BATCH] if budget == Budget.GPU else 100
    protocol = UnseenSymbols(steps=steps, check_every=min(checks, steps), learning_rate=RATE)
    most = min(KEPT_SEEDS[budget], MANY_SEEDS if samples > BATCH else KEPT_SEEDS[budget])
    count = seeds or min(most, curve.get("seeds", most))
    label = f"{curve['task']} {kind}"
    if "shape" in curve:
        layers, heads, width = curve["shape"]
        label += {"layers": f" {layers}L", "heads": f" {heads}H"}.get(
            curve.get("sweep", "width"), f" {width}d"
        )
    published = None if math.isnan(value) else (value,)
    return Line(curve["figure"], label, Asked(question, protocol, tuple(range(count))), published)
