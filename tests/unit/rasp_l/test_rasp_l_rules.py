"""Which programs are refused, by which rule, and where."""

from __future__ import annotations

import pytest

from foretell.plain.errors import BadInput
from foretell.rasp_l.checking import RULES
from foretell.rasp_l.library import cumsum, index_select, lasts, shift_right
from foretell.rasp_l.program import Program
from foretell.rasp_l.steps import Step
from foretell.rasp_l.values import (
    aggregate,
    as_value,
    full,
    indices,
    kqv,
    largest,
    lookup,
    sel_width,
    select,
    tokens,
    where,
)

ones = cumsum(tokens == 1)
REFUSED = {
    "an index doubled": ("index", where(indices * 2 == indices, tokens, 0)),
    "an index moved by two": ("index", index_select(tokens, indices - 2)),
    "an index negated": ("index", index_select(tokens, -indices)),
    "an index subtracted": ("index", index_select(tokens, 1 - indices)),
    "indices added": ("index", indices + indices),
    "an index halved": ("index", indices // 2 == indices),
    "an even index": ("index", indices % 2 == 0),
    "a mean of indices": ("index", aggregate(full, indices)),
    "an index in a table": ("index", lookup(indices, {0: 1}, 0)),
    "an index as a token": ("index", tokens + indices),
    "an index compared with a token": ("index", indices == tokens),
    "an index chosen as a token": ("index", where(tokens == 1, indices, tokens)),
    "an index doubled in a predicate": (
        "index",
        kqv(indices, indices, tokens, lambda key, query: key * 2 == query),
    ),
    "parity as the rest of a width": ("width", ones % 2),
    "a width compared with an index": ("index", ones == indices),
    "copying by rank": ("width", kqv(ones, ones, tokens, lambda key, query: key == query)),
    "a mean of widths": ("width", aggregate(full, ones)),
    "a foreign sequence in a predicate": (
        "predicate",
        sel_width(select(tokens, tokens, lambda key, query: key == tokens)),
    ),
    "a predicate of nothing": (
        "predicate",
        sel_width(select(tokens, tokens, lambda key, query: tokens == 1)),
    ),
    "a selector as output": ("predicate", full),
    "a selector compared": ("sort", full == 1),
    "a number as a condition": ("sort", where(tokens, 1, 2)),
    "a number as a predicate": ("sort", sel_width(select(tokens, 1, lambda key, query: key))),
    "a truth added": ("sort", (tokens == 1) + 1),
    "two truths added": ("sort", (tokens == 1) + (tokens == 2)),
    "ordered truths": ("sort", (tokens == 1) < (tokens == 2)),
    "a truth aggregated": ("sort", aggregate(full, tokens == 1, "max")),
    "a number joined": ("sort", tokens & (tokens == 1)),
    "a width without a selector": ("sort", sel_width(tokens)),
    "a truth in a table": ("sort", lookup(tokens == 1, {0: 1}, 0)),
    "division by a token": ("divisor", 6 // (tokens + 1)),
    "division by zero": ("divisor", tokens % 0),
}


@pytest.mark.parametrize("name", REFUSED)
def test_it_is_refused_by_its_rule(name: str) -> None:
    rule, value = REFUSED[name]
    with pytest.raises(BadInput) as refused:
        Program.of(value)
    assert refused.value.why == RULES[rule]
    assert "^" in refused.value.seen and "line" in refused.value.seen


def test_the_message_shows_the_line_and_the_piece() -> None:
    with pytest.raises(BadInput) as refused:
        Program.of(where(shift_right(indices * 2 + tokens) == 3, tokens, 0))
    lines = str(refused.value).splitlines()
    assert lines[0] == "'*' computes with an index"
    assert lines[1].strip() == "seen: line 1, column 14"
    assert lines[2].strip().startswith("h1 = max of (indices * 2) + tokens over")
    start = lines[3].index("^")
    assert lines[2][start : start + lines[3].count("^")] == "indices * 2"
    assert "rule 1" in lines[4] and "+ 1 or - 1" in lines[5]


def test_what_rules_allow_is_allowed() -> None:
    for value in (
        indices + 1 - 1 + 1,
        1 + indices,
        indices - -1,
        indices == 0,
        largest(lasts(tokens, 1), indices),
        where(tokens == 1, indices, -1),
        aggregate(full, ones, "max") == ones + 1,
        (tokens * tokens + 3) // 2 % 7,
        (tokens == 1) == (tokens == 2),
        as_value(3),
        as_value(True),
    ):
        assert Program.of(value).steps


@pytest.mark.parametrize(
    "wrong",
    [
        lambda: tokens + "a",
        lambda: aggregate(full, tokens, "sum"),
        lambda: aggregate(full, tokens, "max", True),
        lambda: bool(tokens),
        lambda: Program(()),
        lambda: Program((Step("power", (), ()),)),
        lambda: Program((Step("not", (0,)),)),
    ],
)
def test_what_is_no_value_is_refused_at_once(wrong) -> None:
    with pytest.raises(BadInput):
        wrong()
