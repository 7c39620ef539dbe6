"""Regular languages: expressions, automata, exact counting and uniform sampling by length.

Start at `regular.py` (the value), then `benchmark.py` (the published languages as data),
`automaton_file.py` (automata people bring) and `classes.py` (which known classes a language is in).
`sampling.py` alone needs JAX, so nothing here imports it.
"""
