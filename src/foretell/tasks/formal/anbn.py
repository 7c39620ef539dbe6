"""As many b as a.

What: Words of the form a…ab…b with equally many of both, at least one.
Definition: aⁿbⁿ, n ≥ 1. Legal: at the start a; after aⁱ both a and b; after aⁱbʲ with j < i only
    b; after aⁿbⁿ only EOS. Size is the length 2n; there is one word of each even length.
Example:
    >>> Anbn().answer(("a", "b"))
    ('{a}', '{a,b}', '{<eos>}')

Known limits: One word a length, so testing 2,000 samples repeats 25 words a bin.
Sources: Bhattamishra, Ahuja, Goyal 2020, On the ability and limitations of transformers to
    recognize formal languages
"""

from __future__ import annotations

from dataclasses import dataclass

from foretell.tasks.counting import BlocksTask


@dataclass(frozen=True)
class Anbn(BlocksTask):
    """Equal blocks of a and b."""

    name = "anbn"
    letters = ("a", "b")
    smallest = 2
    step = 2
