"""Independent checkers of certificates.

They read a certificate as plain JSON, recompute what it states from the automaton in it, and share
nothing with the code that found it: no search here, no linear algebra, no names from next door.
Start at `checking.py`.
"""
