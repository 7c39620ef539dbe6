"""RASP-L: programs a decoder can run at every length, as values built with operators.

A program gives every position of a word a value, from the token there (`tokens`), from where it
stands (`indices`), element by element (`+`, `==`, `where`, …), and from earlier positions: `select`
says which of them a position looks at, `sel_width` how many those are, `aggregate` what they hold
on average, at most or at least.

    counts = sel_width(select(tokens, tokens, lambda key, query: key == query))
    most = aggregate(full, counts, "max")

Indices and widths grow with the length, so they may be compared and moved by one, and nothing else:
`checking` refuses the rest and names the rule. `values` has the core, `library` what is derived
from it, `programs` what solves the tasks of the suite. A `Program` (`program`) is checked, knows
its size, prints, and runs on NumPy (`interpreter`) or, compiled and in padded batches, on JAX
(`on_device`). Nothing here is read from text, and no text is ever run.
"""
