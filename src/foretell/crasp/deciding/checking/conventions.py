"""What a program, or that there is none, means under each convention of acceptance."""

from __future__ import annotations


def no_program(fragment: str, accept: str) -> str:
    """What is proved by an obstruction.

    >>> no_program("C-RASP[∅]", "last-letter")
    'no C-RASP[∅] program accepts exactly this language'
    """
    if accept == "last-letter":
        return f"no {fragment} program accepts exactly this language"
    return (
        f"no {fragment} program knows, before each letter, whether the prefix so far is in the "
        "language"
    )


def what_it_tells(accept: str) -> str:
    """What a program that was written out does.

    >>> what_it_tells("every-prefix")
    'is true at position i of a word w exactly when w_1…w_(i-1) is in the language'
    """
    if accept == "last-letter":
        return "accepts exactly the words of the language"
    return "is true at position i of a word w exactly when w_1…w_(i-1) is in the language"


def compared_with(accept: str) -> str:
    """The language that a program's answers at the last position are compared with."""
    if accept == "last-letter":
        return "the automaton"
    return "the words of the language with any one letter more"
