"""`foretell check` and `foretell measure`: train real models, and compare with theory."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from foretell.plain.catalogue import is_sandbox

if TYPE_CHECKING:
    from foretell.core.scoreboard import Row

SHAPE, TRAINING, OUTPUT = "Architecture", "Training", "Output"


def check(
    context: typer.Context,
    what: Annotated[
        str, typer.Argument(help="A name, NAME:settings, `regex:…`, a DFA file, a question file.")
    ],
    positional: Annotated[
        str | None, typer.Option(help="Encodings, separated by commas. (default: by protocol)")
    ] = None,
    budget: Annotated[str | None, typer.Option(help="smoke, cpu or gpu. (default: cpu)")] = None,
    seeds: Annotated[int | None, typer.Option(help="How many models to train.")] = None,
    alphabet: Annotated[
        str | None, typer.Option(help="Letters of a regex: abc, or up,down.")
    ] = None,
    protocol: Annotated[str | None, typer.Option(help="How to measure. (default: length)")] = None,
    train: Annotated[
        str | None, typer.Option(help="Training sizes, as in 1-50.", rich_help_panel=TRAINING)
    ] = None,
    bins: Annotated[
        str | None,
        typer.Option(help="Test sizes, as in 51-100,101-150.", rich_help_panel=TRAINING),
    ] = None,
    learning_rate: Annotated[float | None, typer.Option(rich_help_panel=TRAINING)] = None,
    steps: Annotated[
        int | None, typer.Option(help="At most this many.", rich_help_panel=TRAINING)
    ] = None,
    check_every: Annotated[
        int | None, typer.Option(help="Steps between checks.", rich_help_panel=TRAINING)
    ] = None,
    position_penalty: Annotated[
        float | None,
        typer.Option(help="Times the penalty on products of positions.", rich_help_panel=TRAINING),
    ] = None,
    samples: Annotated[
        int | None,
        typer.Option(
            help="Test samples a range; training samples for boolean:… and template:….",
            rich_help_panel=TRAINING,
        ),
    ] = None,
    start: Annotated[
        int | None,
        typer.Option(help="Capture: train up to this size first.", rich_help_panel=TRAINING),
    ] = None,
    sizes: Annotated[
        str | None,
        typer.Option(help="Capture: adapt to these, as in 32,64.", rich_help_panel=TRAINING),
    ] = None,
    threshold: Annotated[
        float | None,
        typer.Option(help="Capture: until this share is right.", rich_help_panel=TRAINING),
    ] = None,
    arms: Annotated[
        str | None,
        typer.Option(
            help="Capture: from the start, step by step, from scratch; separated by commas.",
            rich_help_panel=TRAINING,
        ),
    ] = None,
    inputs: Annotated[
        str | None,
        typer.Option(
            help="Capture: adapt on inputs of a size alone, of all up to it (mixed), or half.",
            rich_help_panel=TRAINING,
        ),
    ] = None,
    architecture: Annotated[
        str | None,
        typer.Option(
            "--architecture",
            "--kind",
            help="Separated by commas: transformer, elman, gru, lstm, ssm, ssm-signed, hybrid; for "
            "template:… also +kq, +vo, mlp, mlp+gram, rnn.",
            rich_help_panel=SHAPE,
        ),
    ] = None,
    layers: Annotated[int | None, typer.Option(rich_help_panel=SHAPE)] = None,
    heads: Annotated[int | None, typer.Option(rich_help_panel=SHAPE)] = None,
    width: Annotated[int | None, typer.Option(rich_help_panel=SHAPE)] = None,
    context_length: Annotated[
        int | None,
        typer.Option("--context", help="Positions the model can address.", rich_help_panel=SHAPE),
    ] = None,
    precision: Annotated[
        str | None, typer.Option(help="float32 or bfloat16.", rich_help_panel=SHAPE)
    ] = None,
    attention_scale: Annotated[
        str | None, typer.Option(help="sqrt or log-length.", rich_help_panel=SHAPE)
    ] = None,
    weights: Annotated[
        str | None,
        typer.Option(
            help="Test this compiled network (NAME.json) instead of training.",
            rich_help_panel=TRAINING,
        ),
    ] = None,
    store: Annotated[
        str | None,
        typer.Option(
            help="Folder of runs. (default: FORETELL_STORE or ./foretell-runs)",
            rich_help_panel=OUTPUT,
        ),
    ] = None,
    html: Annotated[
        Path | None, typer.Option(help="Write the report there.", rich_help_panel=OUTPUT)
    ] = None,
    as_json: Annotated[
        bool, typer.Option("--json", help="One JSON document.", rich_help_panel=OUTPUT)
    ] = False,
) -> None:
    """Predict, then train on short inputs, test on longer ones, and compare: the main job."""
    from foretell.cli import _progress, _sandboxed, _start

    _start.require_folder(html)
    settings: dict[str, Any] = {
        "alphabet": alphabet,
        "protocol": protocol,
        "positional": positional,
        "budget": budget,
        "seeds": seeds,
        "train": train,
        "bins": bins,
        "learning_rate": learning_rate,
        "steps": steps,
        "check_every": check_every,
        "position_penalty": position_penalty,
        "samples": samples,
        "layers": layers,
        "heads": heads,
        "width": width,
        "context": context_length,
        "precision": precision,
        "attention_scale": attention_scale,
        "weights": weights,
        "architecture": architecture,
        "start": start,
        "sizes": sizes,
        "threshold": threshold,
        "arms": arms,
        "inputs": inputs,
    }
    with _start.computing():
        if is_sandbox(what):
            _sandboxed.check(what, settings, store, html, as_json)
            return
        from foretell.reports import answers

        _start.prepare_jax(budget)
        ask = answers.measure if context.info_name == "measure" else answers.check
        with _progress.bar() as show:
            rows = ask(what, store=store, show=show, **settings)
        _print(rows, html, as_json)


def _print(rows: tuple[Row, ...], html: Path | None, as_json: bool) -> None:
    from rich.console import Console

    from foretell.plain.files import write_atomically
    from foretell.reports.html import rows_page
    from foretell.reports.terminal import show_row

    if as_json:
        print(json.dumps(_document(rows)))
    else:
        for place, row in enumerate(rows):
            if place:
                print()
            show_row(Console(), row)
    if html is not None:  # after the answer, which must not be lost to a full disk
        write_atomically(html, rows_page(rows))


def _document(rows: tuple[Row, ...]) -> dict[str, Any]:
    from foretell.core.scoreboard import Agreement

    details = [
        {
            "predictor": prediction.predictor,
            "architecture": row.question.architecture.label,
            "predicted": prediction.verdict.value,
            "measured": row.measurement.verdict.value,
            "agreement": row.agreement(prediction).value,
        }
        for row in rows
        for prediction in row.stated
        if row.measurement
    ]
    found = [detail["agreement"] for detail in details]
    order = (Agreement.DISAGREES, Agreement.OPEN, Agreement.AGREES)
    return {
        "task": rows[0].question.task.name,
        "questions": [row.question.hash for row in rows],
        "predictions": [prediction.as_json() for row in rows for prediction in row.stated],
        "measurements": [row.measurement.as_json() for row in rows if row.measurement],
        "agreement": next((kind.value for kind in order if kind.value in found), None),
        "agreements": details,
    }
