"""From C-RASP programs to transformer weights.

    program ─ needs ─ planning ─ scheduling ─► Network            (`network`)   named steps, exact
                              limit          ─► LimitTransformer   (`limit`)     Theorem 27, exact
                              regions        ─► T_N, exact         (`regions`)   Lemma 47
                              arrays         ─► FiniteTransformer  (`finite`)    T_N in JAX
    FiniteTransformer ─ invariance ─ products ─► LimitTransformer  (`products`)  Lemma 52

`compiling.compile_program` goes the whole way and reads as a table of contents. `running` asks
any of the forms about words, `regularizer` reports R(T), `precision` says how far floats are safe,
`saving` writes weights and description, `patterns` shows where heads look.

Where the construction differs from the paper's proof, and why:
every Boolean is 0 at SOS by construction, so no layer cleans SOS up; comparisons are shifted by
half a count, so that no input sits on a threshold; a head that looks back also reads −offset at
SOS, because before the word is that long attention is uniform and an average could pass for a
yes; counts that cannot grow are compared as whole numbers; all weights are whole.
"""
