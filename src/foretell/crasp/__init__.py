"""C-RASP: a small language for what transformers compute at every length.

A program is a list of definitions. Each gives every position i = 1..n of a word a value, either
Boolean or a count, from the letter at i (`Q_a(i)`), from `i mod m`, from other definitions at i,
and from counting earlier positions: `#[j <= i] P(j)`, or only those at fixed distances,
`#[j <= i, j == i - 1] P(j)`. Counts can be added, subtracted, chosen between and compared.

    alphabet a b
    before_a(i) := #[j <= i, j == i - 1] Q_a(j)
    ab_here(i)  := Q_b(i) and before_a(i) >= 1
    accept(i)   := #[j <= i] ab_here(j) >= 1

A word is accepted when `accept` (or else the last Boolean definition) is true at its last
position; the empty word is rejected unless the program says `empty accept`. A next-symbol program
defines `next[a](i)`, alone or as well: may the symbol a come next? After the empty word that is
what `empty next a b` lists.

Text goes through `parsing` and `statements` to a tree (`tree`), the tree through `lowering` to the
operations of Definition 8 of Huang et al. (`operations`), and those are what everything else works
on: `interpreter`, `analysis`, `verifying`, and the compiler next door. Programs to start from are
in `library/`, found by name with `shelf.load`.
"""
