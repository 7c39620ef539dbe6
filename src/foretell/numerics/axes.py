"""The glossary of axis names used in every jaxtyping annotation of this project.

    member    models of one fleet
    batch     examples of one batch
    length    token positions, padded to a width
    query     the positions at which the last layer is evaluated
    key       the positions attended to
    head      attention heads
    width     the residual stream
    hidden    the MLP's inner layer
    part      one head's share of the width
    token     input vocabulary
    label     output classes
    state     states of an automaton
    letter    letters of an automaton
    size      problem sizes
    bit       inputs of a Boolean function
    set       subsets of the inputs, as components of a Boolean function
    draw      independent random draws
    parameter all weights of a model as one vector
    ending    distinct endings of inputs, looked up in a table
    back      how many tokens an ending has, or how far back a head looks

Names outside this list are refused by `tests/house/test_axes.py`.
"""

from __future__ import annotations

AXES = frozenset(
    {"member", "batch", "length", "query", "key", "head", "width", "hidden", "part"}
    | {"token", "label", "state", "letter", "size", "bit", "set", "draw", "parameter"}
    | {"ending", "back"}
)
