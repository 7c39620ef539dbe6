"""Do a program and something else agree on every word?

Start at `verify.py`. It tries, in this order: all words up to some length (`exhaustive`), then the
exact decisions, each of which settles the question for every word or says why it does not apply
(`unary`: one letter; `finite_state`: finitely many joint states; `depth_one`: linear conditions on
how often each letter occurs), then long random words (`random_words`, `shrinking`). What comes
out is a `Verification`: proved, checked, or refuted with a word. "Checked" is never called
"proved". No method settles all cases: already for counts of counts there is no computable length
up to which checking would be enough (Yang et al., Length generalization bounds for transformers,
2026, arXiv 2603.02238).

The other side is a `Reference` (`reference.py`): a program, an automaton, or an oracle.
"""
