"""What is made from the core: each of these is inlined, and counts by the heads it takes."""

from __future__ import annotations

from foretell.rasp_l.values import (
    Value,
    aggregate,
    full,
    indices,
    kqv,
    sel_width,
    select,
    tokens,
    where,
)


def _equal(key: Value, query: Value) -> Value:
    return key == query


def shift_right(values: Value, default: int = -1) -> Value:
    """What stands one position earlier; the default at the first. One head."""
    return kqv(indices, indices - 1, values, _equal, "max", default)


def cumsum(truths: Value) -> Value:
    """How often it has been true, up to here: a width. One head."""
    return sel_width(select(truths, True, lambda key, query: key))


def has_seen(values: Value, wanted: Value | int) -> Value:
    """Has what is wanted here come up, here or before? One head."""
    return sel_width(select(values, wanted, _equal)) > 0


def firsts(values: Value, wanted: Value | int, default: int = -1) -> Value:
    """The index at which what is wanted came first. One head."""
    return kqv(values, wanted, indices, _equal, "min", default)


def lasts(values: Value, wanted: Value | int, default: int = -1) -> Value:
    """The index at which what is wanted came last. One head."""
    return kqv(values, wanted, indices, _equal, "max", default)


def index_select(values: Value, places: Value, default: int = -1) -> Value:
    """The values at these indices, where they are no later than here. One head."""
    return kqv(indices, places, values, _equal, "max", default)


def induct(keys: Value, queries: Value, values: Value, default: int = -1) -> Value:
    """The value right after the last place whose key is the query here. Three heads."""
    after = lasts(shift_right(keys, default=-1), queries)
    return index_select(values, after, default)


def mode(values: Value = tokens, counted: Value | bool = True, default: int = -1) -> Value:
    """The most frequent of the values that are counted; among equals, who got there last. Four.

    A position is on top if its value is then as frequent as any; the last one on top has the mode.
    """
    marked = where(counted, values, -1)
    times = sel_width(select(marked, values, _equal))
    times = where(counted, times, 0)
    on_top = (times == aggregate(full, times, "max")) & counted
    last = kqv(on_top, True, indices, lambda key, query: key, "max", -1)
    return index_select(values, last, default)
