"""As many b as a, and as many c.

What: Words of the form a…ab…bc…c with equally many of each, at least one.
Definition: aⁿbⁿcⁿ, n ≥ 1. Legal: at the start a; after aⁱ both a and b; inside the b block only
    b; inside the c block only c; at the end EOS. Size is the length 3n; there is one word of each.
Example:
    >>> Anbncn().answer(("a", "b", "c"))
    ('{a}', '{a,b}', '{c}', '{<eos>}')

Known limits: One word a length, so testing 2,000 samples repeats about 17 words a bin.
Sources: Bhattamishra, Ahuja, Goyal 2020, On the ability and limitations of transformers to
    recognize formal languages
"""

from __future__ import annotations

from dataclasses import dataclass

from foretell.tasks.counting import BlocksTask


@dataclass(frozen=True)
class Anbncn(BlocksTask):
    """Equal blocks of a, b and c."""

    name = "anbncn"
    letters = ("a", "b", "c")
    smallest = 3
    step = 3
