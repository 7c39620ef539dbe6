"""Puzzles of psychologists as templates: rows of three, matching to a sample, matrices."""

from __future__ import annotations

import itertools

from foretell.templates.notation import LETTERS, Wildcard
from foretell.templates.template import template_of
from foretell.templates.template_set import TemplateSet

_ROW = (0, 1, 2)
_TRIPLES = ((0, 0, 0), (0, 0, 1), (0, 1, 0), (0, 1, 1), (0, 1, 2))  # equal or not, in any way


def distribution_of_three() -> TemplateSet:
    """Three objects, two of them again in some order, four options: which option is missing?

    The label is the place of the missing object among the options, from 1 to 4. The fourth option
    is an object that was not there; 6 orders times 24 arrangements are 144 templates.

    >>> puzzles = distribution_of_three()
    >>> len(puzzles.templates), str(puzzles.templates[0]), puzzles.labels[0]
    (144, 'abcababcd', 3.0)
    """
    forms, labels = [], []
    for first, second, missing in itertools.permutations(_ROW):
        for options in itertools.permutations((*_ROW, 3)):
            forms.append((*_ROW, first, second, *options))
            labels.append(1.0 + options.index(missing))
    return TemplateSet(templates=tuple(map(template_of, forms)), labels=tuple(labels))


def match_to_sample() -> TemplateSet:
    """A row of three and two more: which of the two, 1 or 2, has the pattern of the first?

    All objects of a row are new. 5 patterns, 4 others for the wrong row, and 2 sides for the right
    one are 40 templates.

    >>> puzzles = match_to_sample()
    >>> len(puzzles.templates), str(puzzles.templates[0]), puzzles.labels[0]
    (40, 'aaabbbccd', 1.0)
    """
    forms, labels = [], []
    for sample, other in itertools.permutations(_TRIPLES, 2):
        for label, rows in ((1.0, (sample, sample, other)), (2.0, (sample, other, sample))):
            form: tuple[int, ...] = ()
            for row in rows:
                new = max(form, default=-1) + 1
                form += tuple(new + number for number in row)
            forms.append(form)
            labels.append(label)
    return TemplateSet(templates=tuple(map(template_of, forms)), labels=tuple(labels))


def raven() -> TemplateSet:
    """A matrix of three by three without its last entry, one feature of it: say the last entry.

    Each row has the three values in some order (36 templates), or each row has one value.

    >>> puzzles = raven()
    >>> len(puzzles.templates), str(puzzles.templates[0]), str(puzzles.labels[0])
    (37, 'abcabcab', 'c')
    >>> str(puzzles.templates[-1]), str(puzzles.labels[-1])
    ('aaabbbcc', 'c')
    """
    orders = tuple(itertools.permutations(_ROW))
    matrices = [(*_ROW, *second, *third) for second, third in itertools.product(orders, orders)]
    matrices.append((0, 0, 0, 1, 1, 1, 2, 2, 2))
    return TemplateSet(
        templates=tuple(template_of(matrix[:-1]) for matrix in matrices),
        labels=tuple(Wildcard(LETTERS[matrix[-1]]) for matrix in matrices),
    )
