"""`foretell predict`: every theory that applies, without training."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated, Any

import typer

from foretell.plain.catalogue import is_sandbox

if TYPE_CHECKING:
    from foretell.core.prediction import Checked


def predict(
    what: Annotated[
        str, typer.Argument(help="A name, NAME:settings, `regex:…`, a DFA file, a question file.")
    ],
    positional: Annotated[
        str | None, typer.Option(help="Encodings, separated by commas. (default: nope,ape)")
    ] = None,
    alphabet: Annotated[
        str | None, typer.Option(help="Letters of a regex: abc, or up,down.")
    ] = None,
    architecture: Annotated[
        str | None,
        typer.Option(
            "--architecture",
            "--kind",
            help="Separated by commas: transformer, gru, ssm, …; transformer+kq, mlp, … for "
            "template:….",
        ),
    ] = None,
    protocol: Annotated[
        str | None, typer.Option(help="What is asked: length, capture, … (default: by task)")
    ] = None,
    samples: Annotated[
        int | None, typer.Option(help="Training samples, for boolean:… and template:….")
    ] = None,
    check: Annotated[
        bool, typer.Option("--check", help="Re-check every certificate; takes seconds.")
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="One JSON document.")] = False,
) -> None:
    """What theory says, with its strength, assumptions and certificate."""
    from rich.console import Console

    from foretell.cli import _sandboxed, _start

    with _start.computing():
        asked = {"positional": positional, "alphabet": alphabet, "samples": samples}
        asked |= {"architecture": architecture, "protocol": protocol}
        if is_sandbox(what):
            _sandboxed.predict(what, {**asked, "check": check}, as_json)
            return
        from foretell.reports import answers
        from foretell.reports.rechecked import rechecked
        from foretell.reports.terminal import show_predictions

        if check:
            _start.prepare_jax()
        said = list(answers.predict(what, **asked))
        checks: list[Checked | None] = [None] * len(said)
        if check:
            said, checks = rechecked(said)
    if as_json:
        print(json.dumps(_document(said, checks)))
    else:
        show_predictions(Console(), said, checks)
    if not all(found is None or found.holds for found in checks):
        print("foretell: a certificate does not hold; a failure of ours", file=sys.stderr)
        raise typer.Exit(1)


def _document(said: Sequence[Any], checks: Sequence[Any]) -> dict[str, Any]:
    from foretell.core.prediction import NotApplicable, Prediction

    return {
        "task": said[0].question.task.name,
        "predictions": [
            {**answer.as_json(), **({"checked": vars(found)} if found else {})}
            for answer, found in zip(said, checks, strict=True)
            if isinstance(answer, Prediction)
        ],
        "not_applicable": [
            {
                "predictor": answer.predictor,
                "architecture": answer.question.architecture.as_json(),
                "reason": answer.reason,
            }
            for answer in said
            if isinstance(answer, NotApplicable)
        ],
    }
