"""The command line: one file per verb, registered here, loaded when called.

Exit codes: 0 answered; 1 a failure of ours; 2 bad input, with one clear message; 130 Ctrl-C.
"""

from __future__ import annotations

import os
import sys

import typer

from foretell.cli.attention import attention
from foretell.cli.boolean import boolean
from foretell.cli.check import check
from foretell.cli.crasp import app as crasp
from foretell.cli.decide import decide
from foretell.cli.explain import explain
from foretell.cli.export import export
from foretell.cli.learned import learned
from foretell.cli.list import list_names
from foretell.cli.positions import positions
from foretell.cli.predict import predict
from foretell.cli.represent import represent
from foretell.cli.reproduce import reproduce
from foretell.cli.scoreboard import scoreboard
from foretell.cli.survey import survey
from foretell.plain.errors import BadInput, MachineProblem

app = typer.Typer(
    help="Will a transformer learn this, and will it still work on longer inputs? "
    "A prediction from theory beside a measurement.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)
app.command("list")(list_names)
app.command("explain")(explain)
app.command("predict")(predict)
app.command("decide")(decide)
app.command("represent")(represent)
app.command("check")(check)
# the same work without the theories: the function looks at the name it was called by
app.command("measure", help="Train models on short inputs, test them on longer ones.")(check)
app.add_typer(crasp, name="crasp")
app.command("survey")(survey)
app.command("reproduce")(reproduce)
app.command("positions")(positions)
app.command("attention")(attention)
app.command("learned")(learned)
app.command("boolean")(boolean)
app.command("scoreboard")(scoreboard)
app.command("export")(export)


def main() -> None:
    """Run a command; turn every refusal into one message and the right exit code."""
    try:
        app()
    except BadInput as problem:
        print(f"foretell: {problem}", file=sys.stderr)
        sys.exit(1 if isinstance(problem, MachineProblem) else 2)
    except BrokenPipeError:  # `foretell list | head`
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(0)
