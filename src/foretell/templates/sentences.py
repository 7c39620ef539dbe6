"""Word problems that follow one pattern."""

from __future__ import annotations

from foretell.plain.errors import BadInput
from foretell.templates.template_set import TemplateSet

MOST_NUMBERS = 100
_SENTENCE = "\"'If' α 'gives' β {number} γ , 'how' 'many' γ 'does' β 'have' ?\" -> {label}"


def word_problems(numbers: int) -> TemplateSet:
    """If α gives β 5 γ, how many γ does β have? One template for each number; say it.

    >>> problems = word_problems(2)
    >>> problems.value("If Ann gives Bob 2 pears , how many pears does Bob have ?".split())
    2.0
    """
    if not 1 <= numbers <= MOST_NUMBERS:
        why = f"there is a template for each; from 1 to {MOST_NUMBERS}"
        raise BadInput("so many numbers are not built in", seen=f"numbers={numbers}", why=why)
    every = (_SENTENCE.format(number=f"'{n}'", label=n) for n in range(1, numbers + 1))
    return TemplateSet.parse("; ".join(every))


def symbolic_word_problem() -> TemplateSet:
    """The same sentence with a wildcard for the number: say what stands there.

    >>> problem = symbolic_word_problem()
    >>> problem.value("If Ann gives Bob seven pears , how many pears does Bob have ?".split())
    'seven'
    """
    return TemplateSet.parse(_SENTENCE.format(number="δ", label="δ"))
