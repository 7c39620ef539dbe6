"""The same question by the textbook route, for small semigroups: a cross-check, not the product.

Objects are idempotents of the semigroup of the words whose length fits the period, nodes are the
states each of them fixes, arrows are its elements between two idempotents. The language is
definable with windows exactly when a tower on every component of that graph, starting from "same
object", tells all nodes apart. The semigroup can be exponentially larger than the automaton.
"""

from __future__ import annotations

from foretell.crasp.deciding.graphs import components
from foretell.crasp.deciding.tower import Arrow, build_tower
from foretell.languages.dfa import DFA

Element = tuple[int, ...]  # where each state goes
MOST = 60
MOST_ARROWS = 200_000


def karoubi_definable(dfa: DFA, modulus: int | None = None, most: int = MOST) -> bool | None:
    """Definable with windows and that period (None: any)? None when the semigroup is too large.

    >>> from foretell.languages.regular import RegularLanguage
    >>> evens = RegularLanguage.from_regex("(aa)*").dfa
    >>> karoubi_definable(evens), karoubi_definable(evens, 1), karoubi_definable(evens, 4)
    (True, False, True)
    """
    dfa = dfa.minimal()
    letters = frozenset(zip(*dfa.delta, strict=True))
    semigroup = _stable(letters, most) if modulus is None else _closure(letters, modulus, most)
    if semigroup is None:
        return None
    idempotents = sorted(element for element in semigroup if _after(element, element) == element)
    if len(idempotents) ** 2 * len(semigroup) > MOST_ARROWS:
        return None
    nodes = [(state, e) for e in range(len(idempotents)) for state in sorted(set(idempotents[e]))]
    number = {node: place for place, node in enumerate(nodes)}
    arrows = _arrows(semigroup, idempotents, number)
    nexts: list[set[int]] = [set() for _ in nodes]
    for source, _, target in arrows:
        nexts[source].add(target)
    home, parts = components([sorted(targets) for targets in nexts])
    known = {place: e for place, (_, e) in enumerate(nodes)}
    for name, part in enumerate(parts):
        inner = [arrow for arrow in arrows if home[arrow[0]] == name == home[arrow[2]]]
        if len(part) > 1 and not build_tower(part, inner, known).separates:
            return False
    return True


def _after(first: Element, second: Element) -> Element:
    return tuple(second[state] for state in first)


def _arrows(
    semigroup: frozenset[Element], idempotents: list[Element], number: dict[tuple[int, int], int]
) -> list[Arrow]:
    found: list[Arrow] = []
    names: dict[tuple[int, Element, int], int] = {}
    for e, before in enumerate(idempotents):
        for f, behind in enumerate(idempotents):
            for element in {_after(_after(before, item), behind) for item in semigroup}:
                letter = names.setdefault((e, element, f), len(names))
                found += [
                    (number[state, e], letter, number[element[state], f]) for state in set(before)
                ]
    return found


def _stable(letters: frozenset[Element], most: int) -> frozenset[Element] | None:
    """Images of words of the stability index: as many letters as give what twice as many give."""
    by_length = [frozenset[Element](), letters]
    while True:
        longer = frozenset(_after(word, letter) for word in by_length[-1] for letter in letters)
        by_length.append(longer)
        size = len(by_length) - 1
        if len(longer) > most or size > 2 * MOST:
            return None
        if size % 2 == 0 and longer == by_length[size // 2]:
            return longer


def _closure(letters: frozenset[Element], modulus: int, most: int) -> frozenset[Element] | None:
    """Images of all words whose length is a positive multiple of the modulus."""
    blocks = letters
    for _ in range(modulus - 1):
        blocks = frozenset(_after(word, letter) for word in blocks for letter in letters)
        if len(blocks) > 20 * most:
            return None
    found = set(blocks)
    pending = list(blocks)
    while pending:
        word = pending.pop()
        for block in blocks:
            longer = _after(word, block)
            if longer not in found:
                found.add(longer)
                pending.append(longer)
        if len(found) > most:
            return None
    return frozenset(found) if len(found) <= most else None
