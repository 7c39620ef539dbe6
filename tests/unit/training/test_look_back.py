"""Tables of the last few tokens, against the same said in plain Python."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest

from foretell.core.task import Example
from foretell.training import look_back
from foretell.training.look_back import BACKS, LookBack

Words = list[list[int]]


def example(words: Words, targets: Words, scored: Words | None = None) -> Example:
    """Padded with zeros, which do not count."""
    width = max(map(len, words))
    mask = [[1] * len(word) for word in words] if scored is None else scored

    def padded(rows: Words) -> np.ndarray:
        return np.array([row + [0] * (width - len(row)) for row in rows], np.int32)

    return Example(padded(words), padded(targets), padded(mask) > 0, np.zeros(len(words)))


def plainly(seen: Example, asked: Example) -> np.ndarray:
    """The definition: the commonest target after the longest known ending of a listed length."""

    def ending(row: np.ndarray, place: int, back: int) -> tuple[int, ...]:
        return tuple(([-1] * back + row[: place + 1].tolist())[-back:])

    counts: dict[tuple[int, ...], Counter[int]] = {}
    for row, targets, mask in zip(*seen[:3], strict=True):
        for place in np.flatnonzero(mask):
            for back in BACKS:
                counts.setdefault(ending(row, place, back), Counter())[int(targets[place])] += 1
    found = []
    for longest in BACKS:
        rights = []
        for row, targets, mask in zip(*asked[:3], strict=True):
            good = True
            for place in np.flatnonzero(mask):
                known = [
                    counts[ending(row, place, back)]
                    for back in BACKS
                    if back <= longest and ending(row, place, back) in counts
                ]
                best = max(known[-1].values()) if known else 0
                guess = (
                    min((k for k, v in known[-1].items() if v == best), default=-1) if known else -1
                )
                good &= guess == targets[place]
            rights.append(good)
        found.append(rights)
    return np.array(found)


def drawn(draw: np.random.Generator, count: int, longest: int, letters: int) -> Example:
    """Words with a target that depends on three letters, some places not scored."""
    words = [
        draw.integers(letters, size=draw.integers(1, longest + 1)).tolist() for _ in range(count)
    ]
    targets = [[(w[i] + (w[i - 2] if i > 1 else 0)) % 3 for i in range(len(w))] for w in words]
    return example(
        words, targets, [draw.integers(4, size=len(word)).clip(0, 1).tolist() for word in words]
    )


@pytest.mark.parametrize("dense", [True, False])
@pytest.mark.parametrize("seed", range(5))
def test_tables_are_those_of_the_definition(
    seed: int, dense: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(look_back, "DENSE", 2**22 if dense else 0)
    draw = np.random.default_rng(seed)
    seen, asked = drawn(draw, 40, 9, 2 + seed % 2), drawn(draw, 60, 7 + 9 * seed, 3)
    assert (LookBack(seen).right(asked) == plainly(seen, asked)).all()


def test_what_lies_two_back_needs_a_table_of_four() -> None:
    draw = np.random.default_rng(0)
    seen, asked = drawn(draw, 2_000, 20, 2), drawn(draw, 300, 60, 2)
    shares = LookBack(seen).shares(asked, 300)
    assert shares[1] < 0.5 and shares[2:] == (1.0, 1.0, 1.0, 1.0)


def test_parity_cannot_be_looked_up() -> None:
    draw = np.random.default_rng(0)
    words = draw.integers(2, size=(2_000, 100))
    whole = Example(words, words.cumsum(axis=1) % 2, np.ones_like(words, bool), np.zeros(2_000))
    short = Example(*(part[:, :50] for part in whole[:3]), whole.first)
    assert max(LookBack(short).shares(whole, 2_000)) == 0


def test_a_token_that_was_never_seen_is_no_guess() -> None:
    seen = example([[0, 1, 0]], [[0, 0, 0]])
    assert not LookBack(seen).right(example([[2]], [[0]])).any()
    assert LookBack(seen).right(example([[2, 1]], [[0, 0]], [[0, 1]])).all()  # the 1 is known


def test_only_examples_that_count_are_asked() -> None:
    seen = example([[0, 1]], [[0, 1]])
    asked = example([[0, 1], [1, 0], [0, 0]], [[0, 1], [0, 0], [0, 0]])
    assert LookBack(seen).shares(asked, 1)[0] == 1.0
    assert LookBack(seen).shares(asked, 3)[0] == pytest.approx(2 / 3)


def test_files_name_the_tables_by_powers_of_two():
    assert tuple(2**at for at in range(len(BACKS))) == BACKS  # as `Value.as_json` does
