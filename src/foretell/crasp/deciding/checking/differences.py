"""Is a difference certificate right? Then windows do not help, with any period or a fixed one.

Anchors can be repeated until a window shows nothing else, and all lengths fit together, so that
positions modulo the period show nothing either (see `_check_lengths`). What is left is counting; by
induction on the level every listed pair has difference zero, because its derivation uses only
equations between listed pairs.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any

from foretell.crasp.deciding.checking.conventions import no_program
from foretell.crasp.deciding.checking.table import Table, connected, require, whole
from foretell.plain.wording import counted

FRAGMENTS = {None: "crasp_periodic_local", 1: "crasp_local"}


def check_differences(table: Table, document: Mapping[str, Any]) -> str:
    """What was checked, or `Refuted`."""
    modulus, step = document["modulus"], whole(document["step"])
    require(step > 0, "the step is not positive")
    require(modulus is None or whole(modulus) == step, "a fixed modulus is the step")
    fragment = FRAGMENTS.get(modulus, f"crasp_periodic_{modulus}_local")
    require(document["fragment"] == fragment, f"this would be about {fragment}")
    pairs = [tuple(map(table.state, pair)) for pair in document["pairs"]]
    require(len(pairs) > 0, "no pair is listed")
    require(all(len(pair) == 2 and pair[0] != pair[1] for pair in pairs), "a pair is no pair")
    require(len(document["anchors"]) == len(pairs), "every pair needs an anchor")
    for pair, anchor in zip(pairs, document["anchors"], strict=True):
        _check_anchor(table, anchor, pair, step, modulus)
    rows = [_row(table, pairs, item, step, modulus) for item in document["equations"]]
    _check_derivations(rows, document["derivations"], len(pairs))
    _check_connected(table, pairs, document["connections"], step)
    one, two = pairs[0]
    require(
        table.run(table.dfa.start, document["access"]) == one, "the access word leads elsewhere"
    )
    require(table.differ(one, two, document["suffix"]), "the suffix does not tell the pair apart")
    which = {None: "C-RASP[periodic, local]", 1: "C-RASP[local]"}.get(
        modulus, f"C-RASP[periodic modulo {modulus}, local]"
    )
    return (
        f"equations ({len(rows)}) force the differences of {counted(len(pairs), 'pair')} of states "
        f"to zero, among them {one} and {two}, which a suffix tells apart: "
        f"{no_program(which, table.accept)}"
    )


def _check_lengths(length: int, step: int) -> None:
    """Lengths are multiples of the step.

    With a fixed modulus the step is the modulus, and positions always show the same residue. For
    any other period, anchors of length exactly `step` bring every multiple of it to a multiple of
    the period.
    """
    require(length % step == 0, f"a word's length is no multiple of {step}")


def _check_anchor(
    table: Table, anchor: Sequence[Any], states: Sequence[int], step: int, modulus: int | None
) -> None:
    word, power = anchor
    require(whole(power) > 0 and len(word) > 0, "an anchor is empty")
    length = len(word) * power
    _check_lengths(length, step)
    require(modulus is not None or length == step, f"an anchor's length is not {step}")
    for state in states:
        require(_returns(table, state, word, power), "an anchor moves its states")


def _returns(table: Table, state: int, word: Sequence[str], power: int) -> bool:
    """Does the power of the word lead back? Then the first return is after a divisor of it."""
    found, times = table.run(state, word), 1
    while found != state and times < min(power, len(table.states)):
        found, times = table.run(found, word), times + 1
    return found == state and power % times == 0


def _row(
    table: Table,
    pairs: Sequence[tuple[int, ...]],
    equation: Mapping[str, Any],
    step: int,
    modulus: int | None,
) -> dict[int, int]:
    """Coefficients of an equation, once it is shown to hold."""
    kind, numbers = equation["kind"], equation["pairs"]
    require(all(0 <= whole(number) < len(pairs) for number in numbers), "no such pair")
    chosen = [pairs[number] for number in numbers]
    signs: tuple[int, ...]
    if kind == "transport":
        (one, two), signs = chosen, (1, -1)
        word = equation["word"]
        _check_lengths(len(word), step)
        moved = tuple(table.run(state, word) for state in one)
        require(moved == two, "a transport leads elsewhere")
    elif kind == "merge":
        ((one, two),), signs = chosen, (1,)
        word = equation["word"]
        _check_lengths(len(word), step)
        require(table.run(one, word) == one == table.run(two, word), "a merge does not merge")
    elif kind == "swap":
        (left, right), signs = chosen, (1, 1)
        require(left == right[::-1], "a swap is not about mirror images")
    else:
        require(kind == "triple", f"no such equation: {kind!r}")
        (left, right, across), signs = chosen, (1, 1, -1)
        fits = left[1] == right[0] and left[0] == across[0] and right[1] == across[1]
        require(fits, "a triple is not about three states")
        _check_anchor(table, equation["anchor"], (*left, right[1]), step, modulus)
    row: dict[int, int] = defaultdict(int)
    for number, sign in zip(numbers, signs, strict=True):
        row[number] += sign
    return row


def _check_derivations(rows: list[dict[int, int]], derivations: list[Any], pairs: int) -> None:
    require(len(derivations) == pairs, "every pair needs a derivation")
    for pair, derivation in enumerate(derivations):
        total: dict[int, Fraction] = defaultdict(Fraction)
        for number, factor in derivation:
            require(0 <= whole(number) < len(rows), "no such equation")
            for column, entry in rows[number].items():
                total[column] += Fraction(factor) * entry
        total[pair] -= 1
        require(not any(total.values()), f"pair {pair} is not derived")


def _check_connected(
    table: Table, pairs: Sequence[tuple[int, ...]], connections: list[Any], step: int
) -> None:
    states = {state for pair in pairs for state in pair}
    edges = []
    for source, target, word in connections:
        _check_lengths(len(word), step)
        require({source, target} <= states, "a connection is about other states")
        require(table.run(source, word) == target, "a connection leads elsewhere")
        edges.append((source, target))
    require(connected(states, edges), "the states are not connected both ways")
