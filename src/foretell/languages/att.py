"""Automata in the AT&T text format of finite-state tool kits (OpenFst, foma, HFST).

One line for each transition, `source target symbol [output] [weight]`, and one for each accepting
state, `state [weight]`; fields are separated by tabs or blanks. The first line's first state is
the start. An output must repeat its input (an acceptor, not a transducer). Weights are read and
forgotten, except that an infinite one means "not there".
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator

from foretell.core.alphabet import Alphabet
from foretell.languages.arcs import Arc, Reading, automaton
from foretell.languages.dfa import DFA
from foretell.plain.errors import BadInput

EPSILONS = frozenset({"<eps>", "<epsilon>", "@0@", "@_EPSILON_SYMBOL_@", "ε", "__epsilon__"})
_FORM = "0 1 a (from state 0 to state 1 by a), 1 (state 1 accepts)"


def dfa_from_att(
    text: str,
    alphabet: Alphabet | None = None,
    *,
    sink: bool = False,
    determinize: bool = False,
    trim: bool = False,
) -> DFA:
    """The automaton in an AT&T text; without an alphabet, its symbols in order are the alphabet.

    >>> dfa_from_att("0 1 a a\\n1 0 a a\\n0").accepts("aa")
    True
    >>> dfa_from_att("0 1 a\\n1")
    Traceback (most recent call last):
    ...
    foretell.plain.errors.BadInput: an automaton has missing transitions
      seen: none from 1 by 'a'
      why:  a complete automaton has one transition for every state and letter
      try:  sink=True (--sink): missing transitions then lead to a state that refuses everything
    """
    arcs, endings, mentioned = _read(text)
    for name, where in endings.items():
        if name not in mentioned:
            raise _refused(
                f"{where}: state {name} accepts", "no transition enters or leaves that state"
            )
    symbols = alphabet or Alphabet(tuple(sorted({arc.symbol for arc in arcs if arc.symbol})))
    reading = Reading(sink, determinize, trim)
    return automaton(symbols, mentioned, arcs, mentioned[0], list(endings), reading)


def state_names(text: str) -> list[str]:
    """The states as the text calls them, in the order of the automaton that `dfa_from_att` makes.

    >>> state_names("7 1 a\\n1 7 a\\n7")
    ['7', '1']
    """
    return _read(text)[2]


def _read(text: str) -> tuple[list[Arc], dict[str, str], list[str]]:
    """Transitions, accepting states and where they are listed, and all states, the start first."""
    lines = list(_lines(text))
    if not lines:
        raise _refused("no lines", "an automaton needs a start state")
    arcs, endings = _arcs_and_endings(lines)
    named = (str(name) for arc in arcs for name in (arc.source, arc.target))
    states = [lines[0][1][0], *named]
    return arcs, endings, list(dict.fromkeys(states))


def dfa_as_att(dfa: DFA) -> str:
    """The automaton as text that `dfa_from_att` reads back over the same alphabet.

    >>> dfa_as_att(dfa_from_att("0 0 a"))
    '0\\t0\\ta\\ta\\n'
    """
    # The start must come first.
    order = [dfa.start, *(state for state in range(len(dfa.delta)) if state != dfa.start)]
    lines = [
        f"{state}\t{target}\t{symbol}\t{symbol}"
        for state in order
        for symbol, target in zip(dfa.alphabet.symbols, dfa.delta[state], strict=True)
    ]
    return "\n".join([*lines, *map(str, sorted(dfa.final))]) + "\n"


def _lines(text: str) -> Iterator[tuple[str, list[str]]]:
    for count, line in enumerate(text.splitlines(), 1):
        fields = line.rstrip().split("\t") if "\t" in line else line.split()
        if any(fields):
            yield f"line {count}", [field.strip() for field in fields]


def _arcs_and_endings(lines: list[tuple[str, list[str]]]) -> tuple[list[Arc], dict[str, str]]:
    weighted = _fourth_is_weight(lines)
    arcs: list[Arc] = []
    endings: dict[str, str] = {}
    for where, fields in lines:
        for name in fields[: 1 if len(fields) < 3 else 2]:
            if not re.fullmatch(r"\d{1,18}", name):
                raise _refused(f"{where}: {name!r}", "a state is a whole number")
        if len(fields) > 5:
            raise _refused(f"{where}: {len(fields)} fields", "a line has at most five fields")
        if not _there(where, fields, weighted):
            continue
        if len(fields) < 3:
            if fields[0] in endings:
                raise _refused(
                    f"{endings[fields[0]]} and {where}: state {fields[0]} accepts",
                    "an accepting state is listed twice",
                )
            endings[fields[0]] = where
        else:
            arcs.append(_arc(where, fields, weighted))
    return arcs, endings


def _arc(where: str, fields: list[str], weighted: bool) -> Arc:
    source, target, symbol = fields[:3]
    if len(fields) > 3 and not (weighted and len(fields) == 4) and fields[3] != symbol:
        raise _refused(
            f"{where}: {symbol!r} becomes {fields[3]!r}",
            "that is a transducer; a language is given by an acceptor, whose outputs repeat inputs",
        )
    if not symbol:
        raise _refused(f"{where}: an empty symbol", "write <eps> for a transition without a letter")
    return Arc(source, None if symbol in EPSILONS else symbol, target, where)


def _fourth_is_weight(lines: list[tuple[str, list[str]]]) -> bool:
    """Is the last of four fields a weight? Yes if all are numbers and not all repeat the symbol."""
    four = [fields for _, fields in lines if len(fields) == 4]
    repeated = all(fields[3] == fields[2] for fields in four)
    return not repeated and all(_number(fields[3]) is not None for fields in four)


def _there(where: str, fields: list[str], weighted: bool) -> bool:
    """False for a weight of infinity; a weight that is no number is refused."""
    if len(fields) in (1, 3) or (len(fields) == 4 and not weighted):
        return True
    weight = _number(fields[-1])
    if weight is None:
        raise _refused(f"{where}: {fields[-1]!r}", "the last field is a weight, a number")
    return not math.isinf(weight)


def _number(text: str) -> float | None:
    try:
        return float(text)
    except ValueError:
        return None


def _refused(seen: str, why: str) -> BadInput:
    return BadInput("an automaton file cannot be read", seen=seen, why=why, hint=_FORM)
