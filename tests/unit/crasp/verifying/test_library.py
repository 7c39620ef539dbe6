"""Every program of the library that is named after a language of the benchmark is proved."""

import pytest

from foretell.crasp import shelf
from foretell.crasp.verifying.verify import verify
from foretell.languages import benchmark

NAMES = sorted(set(shelf.names()) & set(benchmark.names()))


def test_there_are_some():
    assert len(NAMES) >= 10


@pytest.mark.parametrize("name", NAMES)
def test_it_accepts_the_language(name):
    found = verify(shelf.load(name), benchmark.load(name), budget=20_000, kind="accept")
    assert found.status == "proved", found.summary()


@pytest.mark.parametrize("name", [name for name in NAMES if shelf.load(name).symbols])
def test_it_knows_what_may_come_next(name):
    found = verify(shelf.load(name), benchmark.load(name), budget=20_000, kind="next")
    assert found.status == "proved", found.summary()
