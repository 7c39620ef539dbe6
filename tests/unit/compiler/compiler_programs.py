"""Programs that the tests of this folder share, one for every kind of operation."""

import itertools
import random
import textwrap

from foretell.crasp.program import Program

TEXTS = {
    "letter": "accept(i) := Q_a(i)",
    "majority": "accept(i) := #[j <= i] Q_a(j) >= #[j <= i] Q_b(j)",
    "contains-ab": """
        before_a(i) := #[j <= i, j == i - 1] Q_a(j)
        ab_here(i) := Q_b(i) and before_a(i) >= 1
        seen(i) := #[j <= i] ab_here(j)
        accept(i) := seen(i) >= 1""",
    "dyck": """
        violated(i) := #[j <= i] Q_b(j) > #[j <= i] Q_a(j)
        accept(i) := #[j <= i] violated(j) == 0 and #[j <= i] Q_a(j) == #[j <= i] Q_b(j)
        empty accept""",
    "even": "accept(i) := i mod 2 == 0 and #[j <= i] Q_b(j) == 0",
    "far": "accept(i) := #[j <= i, j == i - 5] Q_a(j) >= 1",
    "window": "accept(i) := #[i - 3 <= j <= i - 1] Q_a(j) >= 2",
    "mixed": """
        near(i) := #[i - 3 <= j <= i - 1] Q_a(j)
        most(i) := max(near(i), #[j <= i] Q_b(j) - 2 * near(i))
        accept(i) := most(i) >= 2 or i mod 3 == 1""",
    "negative": """
        gap(i) := #[j <= i] Q_a(j) - #[j <= i] Q_b(j)
        chosen(i) := Q_a(i) ? gap(i) : (0 - gap(i))
        accept(i) := chosen(i) + #[j <= i] Q_b(j) >= 1 and abs(gap(i)) <= 2""",
    "next": """
        next[a](i) := #[j <= i] Q_a(j) <= 2
        next[b](i) := Q_a(i)
        next[<eos>](i) := #[j <= i] Q_a(j) == #[j <= i] Q_b(j)
        empty next a <eos>""",
}


def program(name: str) -> Program:
    return Program.parse("alphabet a b\n" + textwrap.dedent(TEXTS[name]))


def expected(given: Program, words):
    return given.accepts(words).tolist() if given.is_acceptor else given.following(words)


def all_words(longest: int, letters: int = 2):
    return [w for n in range(longest + 1) for w in itertools.product(range(letters), repeat=n)]


def random_words(count: int, low: int, high: int, letters: int = 2, seed: int = 0):
    source = random.Random(seed)
    lengths = [source.randint(low, high) for _ in range(count)]
    return [tuple(source.randrange(letters) for _ in range(length)) for length in lengths]
