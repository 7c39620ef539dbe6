"""A core program as a tree again: one definition an operation, nothing left to desugar."""

from __future__ import annotations

import re
from collections.abc import Callable

from foretell.crasp import operations as op
from foretell.crasp import tree
from foretell.crasp.operations import Core, Operation


def core_statements(core: Core) -> tuple[tree.Statement, ...]:
    """Statements that lower to exactly these operations, in this order."""
    names = operation_names(core)

    def refer(place: int) -> tree.Reference:
        return tree.Reference(names[place])

    found: list[tree.Statement] = [
        tree.Definition(names[place], _body(operation, core.letters, refer))
        for place, operation in enumerate(core.operations)
    ]
    found += [tree.Definition("next", refer(place), (symbol,)) for symbol, place in core.next]
    if core.accept is not None and names[core.accept] != "accept":
        found.append(tree.Definition("accept", refer(core.accept)))
    if core.accepts_empty:
        found.append(tree.Empty("accept"))
    if core.next_of_empty:
        found.append(tree.Empty("next", tuple(sorted(core.next_of_empty))))
    return tuple(found)


def operation_names(core: Core) -> tuple[str, ...]:
    """A different name for every operation: its own where it has one, `t1`, `t2`, … elsewhere."""
    chosen: dict[int, str] = {}
    taken = {"next", *tree.RESERVED}
    for name, place in core.names:
        plain = re.sub(r"[^A-Za-z0-9_']+", "_", name).rstrip("_")
        usable = plain not in taken and not plain.startswith("Q_") and plain.isidentifier()
        if usable and place not in chosen:
            chosen[place] = plain
            taken.add(plain)
    counter = 0
    names = []
    for place, operation in enumerate(core.operations):
        if place not in chosen:
            wanted = _letter_name(operation, core.letters)
            while wanted is None or wanted in taken:
                counter += 1
                wanted = f"t{counter}"
            chosen[place] = wanted
            taken.add(wanted)
        names.append(chosen[place])
    return tuple(names)


def _letter_name(operation: Operation, letters: tuple[str, ...]) -> str | None:
    if isinstance(operation, op.Letter):
        name = f"is_{letters[operation.letter]}"
        return name if name.isidentifier() and name.isascii() else None
    return {op.One: "one", op.Truth: "always"}.get(type(operation))


def _body(
    operation: Operation, letters: tuple[str, ...], refer: Callable[[int], tree.Reference]
) -> tree.Expression:
    match operation:
        case op.Letter(letter):
            return tree.Letter(letters[letter])
        case op.Truth():
            return tree.Truth(True)
        case op.Periodic(modulus, residues):
            return tree.Residue(modulus, residues)
        case op.Not(body):
            return tree.Not(refer(body))
        case op.And(left, right):
            return tree.Junction("and", (refer(left), refer(right)))
        case op.AtMost(left, right):
            return tree.Comparison("<=", refer(left), refer(right))
        case op.Count(body, offsets):
            return tree.Count(tree.Window(offsets), refer(body))
        case op.Choice(condition, then, otherwise):
            return tree.Choice(refer(condition), refer(then), refer(otherwise))
        case op.Add(left, right):
            return tree.Sum(((True, refer(left)), (True, refer(right))))
        case op.Subtract(left, right):
            return tree.Sum(((True, refer(left)), (False, refer(right))))
        case op.One():
            return tree.Number(1)
    raise TypeError(f"not an operation of Definition 8: {operation}")
