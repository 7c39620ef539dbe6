"""`foretell crasp`: run, trace, show, verify and compile C-RASP programs."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from foretell.plain.errors import BadInput

if TYPE_CHECKING:
    from foretell.crasp.program import Program

app = typer.Typer(
    help="C-RASP programs: run them, look inside, verify them, compile them into weights.",
    no_args_is_help=True,
)
File = Annotated[str, typer.Argument(help="A .crasp file, or a name from `list programs`.")]
Values = Annotated[
    list[str] | None, typer.Option("--set", help="A parameter, as in --set n=3; may be repeated.")
]
Json = Annotated[bool, typer.Option("--json", help="JSON on stdout, nothing else.")]
Html = Annotated[Path | None, typer.Option(help="Write a page there.")]


@app.command()
def run(
    file: File,
    words: Annotated[list[str] | None, typer.Argument(help="Words to run it on.")] = None,
    words_file: Annotated[
        str | None, typer.Option(help="A file with one word a line; - reads standard input.")
    ] = None,
    values: Values = None,
    as_json: Json = False,
) -> None:
    """Accepted or not, or which symbols may come next: one line a word."""
    from rich.console import Console

    from foretell.crasp.words import read_word
    from foretell.reports.programs.shown import answer_line

    program = read_program(file, values)
    given = [*(words or []), *_read_words(words_file)]
    if not given:
        raise BadInput(
            "there are no words to run the program on", hint=f"foretell crasp run {file} WORD"
        )
    listed = [read_word(word, program.letters) for word in given]
    console = Console(soft_wrap=True)
    show = console.print if console.is_terminal else print  # colours cost time, and only help eyes
    for text, answer in zip(given, program.answers(listed), strict=True):
        if as_json:
            print(json.dumps({"word": text, **answer}, ensure_ascii=False))
        else:
            show(answer_line(text, answer))


@app.command()
def trace(
    file: File,
    word: Annotated[str, typer.Argument(help="One word.")],
    core: Annotated[bool, typer.Option("--core", help="Every core operation.")] = False,
    values: Values = None,
    html: Html = None,
    as_json: Json = False,
) -> None:
    """Every definition at every position, as a table."""
    from rich.console import Console

    from foretell.cli import _start
    from foretell.crasp.tracing import trace as follow
    from foretell.plain.files import write_atomically
    from foretell.reports.programs.shown import show_trace

    _start.require_folder(html)
    program = read_program(file, values)
    found = follow(program, word, core)
    if as_json:
        print(json.dumps(found.as_json(), ensure_ascii=False))
    else:
        show_trace(Console(), found)
    if html is not None:
        from foretell.reports.programs.traces import trace_page

        write_atomically(html, trace_page(Path(file).stem, program, found))


@app.command()
def show(
    file: File,
    core: Annotated[bool, typer.Option("--core", help="Operation by operation.")] = False,
    values: Values = None,
    as_json: Json = False,
) -> None:
    """The program as text, and what can be read off it: fragment, depth, operations."""
    from rich.console import Console

    from foretell.crasp.analysis import analyse
    from foretell.reports.programs.shown import show_analysis

    program = read_program(file, values)
    analysis = analyse(program)
    if as_json:
        text = {"program": program.show(), "core": program.show(core=True)}
        print(json.dumps({**text, **analysis.as_json()}, ensure_ascii=False))
        return
    print(program.show(core=core))
    show_analysis(Console(), analysis)


@app.command()
def verify(
    first: File,
    second: Annotated[
        str, typer.Argument(help="A program, a task, a language, a DFA file or `regex:…`.")
    ],
    budget: Annotated[int, typer.Option(help="Tokens that may be tried.")] = 4_000_000,
    seed: Annotated[int, typer.Option(help="Of the random words.")] = 0,
    kind: Annotated[
        str | None,
        typer.Option(help="accept or next: what to compare. (default: accept, if both can)"),
    ] = None,
    values: Values = None,
    as_json: Json = False,
) -> None:
    """Do the two agree on every word? Proved, checked up to a length, or refuted."""
    from rich.console import Console

    from foretell.cli import _start

    if budget < 1 or seed < 0:
        raise BadInput("the budget is positive and the seed not negative", seen=(budget, seed))
    if kind not in (None, "accept", "next"):
        raise BadInput("what is compared is accept or next", seen=kind)
    program = read_program(first, values)
    with _start.computing():
        from foretell.reports.programs.verified import show_verification, verify_against

        asked: Any = kind
        found = verify_against(program, second, budget, seed, asked)
    if as_json:
        print(json.dumps(found.as_json(), ensure_ascii=False))
    else:
        show_verification(Console(), found)


@app.command("compile")
def compile_file(
    file: File,
    length: Annotated[int, typer.Option(help="Longest word it must read.")] = 100,
    task: Annotated[
        str | None, typer.Option("--for", help="A task or language whose answers it shall give.")
    ] = None,
    out: Annotated[
        Path | None, typer.Option(help="Save it: NAME.json, and the arrays beside it.")
    ] = None,
    word: Annotated[str | None, typer.Option(help="Draw where the heads look on it.")] = None,
    growth: Annotated[
        bool, typer.Option(help="Show R(T) at several contexts, which takes seconds.")
    ] = True,
    values: Values = None,
    html: Html = None,
    as_json: Json = False,
) -> None:
    """The program as the weights of a transformer, with every term of its regularizer."""
    from rich.console import Console

    from foretell.cli import _start
    from foretell.plain.files import write_atomically

    for path in (html, out):
        _start.require_folder(path)
    if word is not None and html is None:
        raise BadInput("a drawing needs a page", seen=f"--word {word}", hint="--html heads.html")
    program = read_program(file, values)
    with _start.computing():
        from foretell.reports.programs import compiled as report
        from foretell.reports.programs.building import build

        built = build(program, length, task, word, growth)
        if out is not None:
            described = out if out.suffix == ".json" else out.with_name(f"{out.name}.json")
            arrays = built.save(described)
            print(f"saved {described} and {arrays}", file=sys.stderr)
        if as_json:
            print(json.dumps(report.compiled_json(built.compiled, built.growth)))
        else:
            report.show_compiled(Console(), built.compiled, built.growth)
        if html is not None:
            name, text = Path(file).stem, program.show()
            shown = report.compiled_page(name, text, built.compiled, built.growth, built.drawn)
            write_atomically(html, shown)


def read_program(file: str, values: list[str] | None = None) -> Program:
    """A program from a file or from the library, with its parameters set."""
    from foretell.crasp import shelf
    from foretell.crasp.program import Program
    from foretell.plain.files import read_text

    chosen = dict(map(_setting, values or []))
    if file.endswith(".crasp") or Path(file).is_file():
        return Program.parse(read_text(Path(file)), chosen)
    return shelf.load(file.removeprefix("program:"), values=chosen)


def _setting(text: str) -> tuple[str, int]:
    name, _, value = text.partition("=")
    try:
        return name.strip(), int(value)
    except ValueError:
        raise BadInput(
            "a parameter is set to a whole number", seen=text, hint="--set n=3"
        ) from None


def _read_words(file: str | None) -> list[str]:
    from foretell.plain.files import read_standard_input, read_text

    if file is None:
        return []
    text = read_standard_input() if file == "-" else read_text(Path(file))
    return [line.strip() for line in text.splitlines()]
