"""From a tree back to text. Parsing what is printed gives the same tree."""

from __future__ import annotations

import json
import re

from foretell.crasp import tree
from foretell.crasp.tree import RESERVED, Expression

POSITIONS = "ijkl"
LOOSE, IMPLICATION, OR, XOR, AND, NOT, COMPARISON, SUM, PRODUCT, TIGHT = range(10)
LEVEL = {"implies": IMPLICATION, "iff": IMPLICATION, "or": OR, "xor": XOR, "and": AND}


def print_program(letters: tuple[str, ...], statements: tuple[tree.Statement, ...]) -> str:
    """The program as text, ending with a newline."""
    lines = [" ".join(["alphabet", *map(write_letter, letters)])]
    lines += [_statement(statement) for statement in statements]
    return "\n".join(lines) + "\n"


def write_letter(letter: str) -> str:
    """A letter as it is written in the text: quoted unless it is a name or a number."""
    if (
        re.fullmatch(r"[A-Za-z_][A-Za-z0-9_]*|[0-9]+|<sep>|<eos>", letter)
        and letter not in RESERVED
    ):
        return letter
    return json.dumps(letter, ensure_ascii=False)


def _statement(item: tree.Statement) -> str:
    match item:
        case tree.Parameter(name, value):
            return f"parameter {name} = {value}"
        case tree.Empty(word, letters):
            return " ".join(["empty", word, *map(write_letter, letters)])
        case tree.Macro(name, parameters, body):
            return f"let {name}[{', '.join(parameters)}](i) := {write(body)}"
        case tree.Definition(name, body, letters):
            return f"{name}{write_letters(letters)}(i) := {write(body)}"


def write_letters(letters: tuple[str, ...]) -> str:
    """Letters in brackets, or nothing."""
    return f"[{', '.join(map(write_letter, letters))}]" if letters else ""


def position(depth: int) -> str:
    """What a position is called: i, then j inside a count, then k, l, m1, m2, …"""
    return POSITIONS[depth] if depth < len(POSITIONS) else f"m{depth - len(POSITIONS) + 1}"


def write(expression: Expression, level: int = LOOSE, depth: int = 0) -> str:
    """The expression, in brackets if it binds more loosely than `level` asks."""
    own, text = _write(expression, depth)
    return text if own >= level else f"({text})"


def _write(item: Expression, depth: int) -> tuple[int, str]:
    here = position(depth)
    match item:
        case tree.Letter(name):
            return TIGHT, f"Q_{write_letter(name)}({here})"
        case tree.Truth(value):
            return TIGHT, "true" if value else "false"
        case tree.Residue(modulus, residues):
            if len(residues) == 1:
                return COMPARISON, f"{here} mod {modulus} == {residues[0]}"
            return COMPARISON, f"{here} mod {modulus} in {{{', '.join(map(str, residues))}}}"
        case tree.Not(body):
            return NOT, f"not {write(body, NOT, depth)}"
        case tree.Junction(word, parts):
            level = LEVEL[word]
            return level, f" {word} ".join(_operand(part, level + 1, depth) for part in parts)
        case tree.Comparison(sign, left, right):
            return COMPARISON, f"{write(left, SUM, depth)} {sign} {write(right, SUM, depth)}"
        case tree.ExistsPast(body):
            return TIGHT, f"exists_past {write(body, TIGHT, depth)}"
        case tree.Count(window, body):
            relation = write_window(window, here, position(depth + 1))
            return TIGHT, f"#[{relation}] {_body(body, depth + 1)}"
        case tree.Number(value):
            negative = isinstance(value, int) and value < 0
            return (PRODUCT if negative else TIGHT), str(value)
        case tree.Sum(terms):
            first, *rest = terms
            text = write(first[1], PRODUCT, depth)
            for plus, term in rest:
                text += f" {'+' if plus else '-'} {write(term, PRODUCT, depth)}"
            return SUM, text
        case tree.Product(factor, body):
            return PRODUCT, f"{_factor(factor)}*{write(body, TIGHT, depth)}"
        case tree.Choice(condition, then, otherwise):
            branches = f"{write(then, IMPLICATION, depth)} : {write(otherwise, LOOSE, depth)}"
            return LOOSE, f"{write(condition, IMPLICATION, depth)} ? {branches}"
        case tree.Function(word, parts):
            return TIGHT, f"{word}({', '.join(write(part, LOOSE, depth) for part in parts)})"
        case tree.Each(word, variable, chosen, body):
            return TIGHT, f"{word} {variable}{_letters(chosen)}: {_body(body, depth)}"
        case tree.Reference(name, letters):
            return TIGHT, f"{name}{write_letters(letters)}({here})"


def _body(body: Expression, depth: int) -> str:
    """What follows a binder: `not` needs no brackets there, everything loose does."""
    if isinstance(body, tree.Not):
        return f"not {_body(body.body, depth)}"
    return write(body, TIGHT, depth)


def _operand(part: Expression, level: int, depth: int) -> str:
    """In a junction, `exists_past` always stands in brackets: see `building`."""
    text = write(part, level, depth)
    return f"({text})" if isinstance(part, tree.ExistsPast) else text


def _factor(factor: tree.Whole) -> str:
    return f"({factor})" if isinstance(factor, int) and factor < 0 else str(factor)


def _letters(chosen: tree.LetterRange) -> str:
    match chosen.sign:
        case "all":
            return ""
        case "in":
            return f" in {{{', '.join(map(write_letter, chosen.names))}}}"
        case sign:
            return f" {sign} {write_letter(chosen.names[0])}"


def write_window(window: tree.Window, here: str, there: str) -> str:
    """The relation of a count."""
    if window.offsets is None:
        back = {0: f"<= {here}", 1: f"< {here}"}.get(window.start, f"<= {here} - {window.start}")
        return f"{there} {back}"
    low, high = window.offsets[0], window.offsets[-1]
    if low == high:
        return f"{there} <= {here}, {there} == {_back(here, low)}"
    if len(window.offsets) == high - low + 1:
        return f"{_back(here, high)} <= {there} <= {_back(here, low)}"
    return f"{there} <= {here}, {here} - {there} in {{{', '.join(map(str, window.offsets))}}}"


def _back(here: str, offset: int) -> str:
    return f"{here} - {offset}" if offset else here
