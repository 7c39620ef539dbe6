"""From text to a raw parse tree, by the grammar next to this file; `building` makes it a program.

Lark is loaded when the first program is parsed: machines that only train do not have it.
"""

from __future__ import annotations

import importlib
import importlib.util
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

from foretell.crasp.messages import refuse
from foretell.crasp.tree import Place
from foretell.plain.errors import BadInput

LONGEST_TEXT = 2_000_000  # characters
DEEPEST = 200  # brackets inside brackets
WORDS = {  # how the grammar's terminals read in "expected one of"
    "NAME": "a name",
    "INT": "a number",
    "STRING": 'a quoted letter "…"',
    "SPECIAL": "<sep> or <eos>",
    "EMPTY_WORD": "accept or reject",
    "LETTER_TEST": "Q_letter",
    "DEFINED": "`:=`",
    "SIGN": "a comparison",
    "PLUS": "`+`",
    "MINUS": "`-`",
    "_TIMES": "`*`",
    "_AND": "and",
    "_OR": "or",
    "_XOR": "xor",
    "_NOT": "not",
    "IMPLIES": "implies",
    "IFF": "iff",
    "_EXISTS": "exists_past",
    "TRUE": "true",
    "FALSE": "false",
    "_MOD": "mod",
    "_EQUIV": "`≡`",
    "_IN": "in",
    "EACH": "any, all or sum",
    "FUNCTION": "max, min or abs",
    "_ALPHABET": "alphabet",
    "_PARAMETER": "parameter",
    "_LET": "let",
    "_EMPTY": "empty",
    "_NEXT": "next",
    "_NL": "a new line",
    "$END": "the end of the text",
    "__ANON_0": "`#[`",
}


def can_parse() -> bool:
    """Is the parser's library installed?"""
    return importlib.util.find_spec("lark") is not None


def parse_tree(text: str) -> Any:
    """Lark's tree of the text, or a message with line, caret and what was expected."""
    if len(text) > LONGEST_TEXT:
        raise BadInput("the program is too long", seen=f"{len(text):,} characters")
    parser = _parser()
    lark = importlib.import_module("lark")
    try:
        return parser.parse(text if text.endswith("\n") else text + "\n")
    except _TooDeep as error:
        raise refuse(
            text,
            error.place,
            f"brackets are nested more than {DEEPEST} deep",
            hint="give the inner parts names of their own",
        ) from None
    except lark.exceptions.UnexpectedToken as error:
        raise _unexpected(text, error, parser) from None
    except lark.exceptions.UnexpectedCharacters as error:
        place = Place(error.line, error.column, error.line, error.column + 1)
        letter = text[error.pos_in_stream] if error.pos_in_stream < len(text) else ""
        raise refuse(
            text,
            place,
            f"the character {letter!r} has no meaning here",
            why=_expected(error.allowed, parser),
            hint="the arithmetic is + and -, and * by a fixed number"
            if letter in ("/", "%", "^")
            else 'a letter that is not a name is quoted: Q_"("(i)',
        ) from None


def _unexpected(text: str, error: Any, parser: Any) -> BadInput:
    token, acceptable = error.token, error.accepts or error.expected
    expected, hint = _expected(acceptable, parser), None
    if "_ALPHABET" in acceptable and "NAME" not in acceptable:
        hint = "the first statement lists the letters: alphabet a b"
    lines = text.split("\n")
    if token.type in ("$END", "_NL"):
        line = min(token.line or len(lines), len(lines))
        place = Place(line, len(lines[line - 1]) + 1, line, len(lines[line - 1]) + 2)
        what = "the program stops in the middle of something"
        return refuse(text, place, what if text.strip() else "the program is empty", expected, hint)
    place = Place(token.line, token.column, token.line, token.column + len(token))
    if hint is None and lines[token.line - 1][:1].isspace():
        hint = "an indented line continues the one before; statements begin at the margin"
    return refuse(text, place, f"{str(token)!r} cannot stand here", why=expected, hint=hint)


def _expected(terminals: Any, parser: Any) -> str:
    literals = {term.name: term.pattern for term in parser.terminals}
    named = set()
    for name in terminals or ():
        if name in WORDS:
            named.add(WORDS[name])
        elif name in literals and type(literals[name]).__name__ == "PatternStr":
            named.add(f"`{literals[name].value}`")
    return f"expected one of: {', '.join(sorted(named))}" if named else "nothing can follow"


class _TooDeep(Exception):
    """Brackets inside brackets inside brackets; the place of one too many."""

    def __init__(self, place: Place) -> None:
        super().__init__()
        self.place = place


class _Lines:
    """Newlines end a statement only outside brackets, and only if the next line is not indented.

    Decided without looking ahead: the lexer needs the parser's state to read the next token.
    """

    always_accept = ("_NL",)

    def process(self, stream: Iterator[Any]) -> Iterator[Any]:
        """Drop the newlines that do not count."""
        depth, base = 0, None
        for token in stream:
            if token.type == "_NL":
                indent = len(token.rpartition("\n")[2].partition("#")[0])
                if depth or (base is not None and indent > base):
                    continue
            elif base is None:
                base = token.column - 1
            depth += token.value in ("(", "[", "#[", "{")
            depth -= token.value in (")", "]", "}") and depth > 0
            if depth > DEEPEST:
                raise _TooDeep(Place(token.line, token.column, token.line, token.column + 1))
            yield token


@cache
def _parser() -> Any:
    if not can_parse():
        raise BadInput(
            "reading a C-RASP program needs the package lark",
            why="it is not installed here",
            hint="pip install lark",
        )
    lark = importlib.import_module("lark")
    grammar = Path(__file__).with_name("grammar.lark").read_text(encoding="utf-8")
    return lark.Lark(grammar, parser="lalr", propagate_positions=True, postlex=_Lines())
