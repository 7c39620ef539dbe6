"""The lines of a program: its alphabet, parameters, definitions, macros, the empty word."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any

from foretell.crasp import raw as text
from foretell.crasp import tree
from foretell.crasp.building import Builder

POSITION = re.compile(r"[ijkl]|m[0-9]+")  # what the printer calls positions


def build(raw: Any, source: str) -> tuple[tuple[str, ...], tuple[tree.Statement, ...]]:
    """Letters and statements of a parsed program."""
    text.check_depth(source, raw)
    alphabet, *statements = (child for child in raw.children if text.is_tree(child))
    letters = _letters(source, alphabet)
    named = (item.children[0] for item in statements if item.data == "parameter")
    builder = Builder(source, letters, frozenset(map(str, named)))
    return letters, tuple(_statement(builder, item) for item in statements)


def _letters(source: str, alphabet: Any) -> tuple[str, ...]:
    letters: list[str] = []
    for child in alphabet.children:
        letter = text.letter(child)
        if letter in letters:
            text.fail(source, child, f"the alphabet lists {letter} twice")
        if letter in tree.FRAME:
            text.fail(
                source,
                child,
                f"{letter} cannot be a letter",
                "words hold no such token; <eos> only stands in next[<eos>]",
            )
        if not letter or not letter.isprintable() or any(map(str.isspace, letter)):
            text.fail(
                source,
                child,
                "a letter is at least one visible character, without spaces",
                "words are cut into letters at spaces",
            )
        letters.append(letter)
    return tuple(letters)


def _statement(builder: Builder, raw: Any) -> tree.Statement:
    place, children = text.place(raw), list(raw.children)
    match raw.data:
        case "parameter":
            return _parameter(builder, raw)
        case "empty":
            return tree.Empty(str(children[0]), place=place)
        case "empty_next":
            return tree.Empty("next", tuple(map(text.letter, children)), place=place)
        case "second_alphabet":
            text.fail(
                builder.source,
                raw,
                "the alphabet is listed twice",
                "a program has one alphabet, in its first statement",
            )
    name = builder.name(children[0])
    brackets = children[1].children if children[1].data == "letters" else []
    position = next(child for child in children[1:] if child.data == "position")
    inside = replace(builder, here=str(position.children[0]))
    if raw.data == "macro":
        chosen = _macro_parameters(builder, name, brackets)
        inside = replace(inside, variables=chosen)
        return tree.Macro(name, chosen, inside.expression(children[-1]), place=place)
    letters = tuple(map(text.letter, brackets))
    return tree.Definition(name, inside.expression(children[-1]), letters, place=place)


def _parameter(builder: Builder, raw: Any) -> tree.Parameter:
    name, signed = builder.name(raw.children[0]), raw.children[1]
    if POSITION.fullmatch(name):
        text.fail(
            builder.source,
            raw.children[0],
            f"a parameter cannot be called {name}",
            "positions are called i, j, k, l, m1, m2, …",
            "parameter n = 2",
        )
    value = text.integer(builder.source, signed.children[-1])
    negative = len(signed.children) > 1
    return tree.Parameter(name, -value if negative else value, place=text.place(raw))


def _macro_parameters(builder: Builder, name: str, brackets: list[Any]) -> tuple[str, ...]:
    letters = tuple(map(text.letter, brackets))
    if name.startswith("Q_"):
        text.fail(
            builder.source,
            brackets[0],
            f"a macro cannot be called {name}",
            "names that begin with Q_ test letters",
        )
    for child, letter in zip(brackets, letters, strict=True):
        reason = None
        if letter in builder.letters:
            reason = "it is a letter of the alphabet"
        elif letters.count(letter) > 1:
            reason = "it is listed twice"
        elif child.children[0].type != "NAME" or "'" in letter or letter in tree.RESERVED:
            reason = "a parameter is a name"
        if reason:
            text.fail(
                builder.source,
                child,
                f"{letter} cannot be a parameter of {name}",
                reason,
                f"another name: let {name}[x](i) := …",
            )
    return letters
