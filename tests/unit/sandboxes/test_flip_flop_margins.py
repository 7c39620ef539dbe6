"""Margins of one head on flip-flop words: the spec's numbers, the sampler, all short words."""

from __future__ import annotations

import math

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from foretell.numerics.keys import root_key
from foretell.plain.errors import BadInput
from foretell.protocols._asking import Budget
from foretell.sandboxes import compare
from foretell.sandboxes.representation.flip_flop_margins import FlipFlopMargins
from foretell.worlds.flip_flop_attention import last_share, misread, waits
from foretell.worlds.flip_flop_head import (
    branched_error,
    error_of,
    needed_kappa,
    share_bound,
    worst_share,
)
from foretell.worlds.flip_flops import (
    IGNORE,
    READ,
    WRITE,
    Word,
    all_words,
    gaps,
    require_law,
    sample,
    tokens,
)

SANDBOX = FlipFlopMargins()


@pytest.fixture(scope="module")
def words() -> dict[float, Word]:
    drawn = jax.jit(jax.vmap(lambda key, p: sample(key, p, 24), (0, None)))
    keys = jax.random.split(root_key(3), 4000)
    return {p: Word(*map(np.asarray, drawn(keys, p))) for p in (0.1, 0.8, 0.98)}


def stored(instructions: np.ndarray, bits: np.ndarray) -> list[int]:
    """The obvious way: what the memory holds after each pair."""
    held, found = -1, []
    for instruction, bit in zip(instructions, bits, strict=True):
        held = int(bit) if instruction == WRITE else held
        found.append(held)
    return found


@pytest.mark.parametrize("ignoring", [0.1, 0.8, 0.98])
def test_words_begin_with_a_write_and_reads_repeat_it(
    words: dict[float, Word], ignoring: float
) -> None:
    drawn = words[ignoring]
    assert (drawn.instructions[:, 0] == WRITE).all() and (drawn.instructions[:, -1] == READ).all()
    for instructions, bits in zip(drawn.instructions[:200], drawn.bits[:200], strict=True):
        reads = instructions == READ
        assert (np.array(stored(instructions, bits))[reads] == bits[reads]).all()
    inner = drawn.instructions[:, 1:-1]
    share = (1 - ignoring) / 2
    for kind, chance in ((WRITE, share), (READ, share), (IGNORE, ignoring)):
        spread = math.sqrt(chance * (1 - chance) / inner.size)
        assert abs((inner == kind).mean() - chance) < 5 * spread
    assert abs(drawn.bits.mean() - 0.5) < 0.03


def test_tokens_and_gaps() -> None:
    word = Word(jnp.array([WRITE, IGNORE, WRITE, READ]), jnp.array([1, 0, 0, 0]))
    assert tokens(word).tolist() == [0, 4, 2, 3, 0, 3, 1, 3]
    assert gaps(word.instructions).tolist() == [0, 1, 0, 1]


def test_all_words_are_all_there_once() -> None:
    found = all_words(5)
    rows = {tuple(row) for row in np.concatenate(found, axis=1).tolist()}
    assert len(rows) == len(found.bits) == 2 * 5**3
    for instructions, bits in zip(*found, strict=True):
        assert stored(instructions, bits)[-1] == bits[-1]


# The specification sampled a few thousand words; the law of Y is exact but for its grid.
@pytest.mark.parametrize(
    ("head", "errors"),
    [((8.0, 0.2), (0.142, 0.026, 0.316)), ((12.0, 1.0), (0.0, 0.114, 0.437))],
)
def test_errors_are_those_of_the_specification(
    head: tuple[float, float], errors: tuple[float, ...]
) -> None:
    for ignoring, error in zip((0.1, 0.8, 0.98), errors, strict=True):
        assert error_of(*head, ignoring, 256) == pytest.approx(error, abs=0.01)


@pytest.mark.parametrize(
    ("head", "share"), [((300.0, 1.0), 0.632), ((300.0, 1.2), 0.006), ((60.0, 1.0), 0.0)]
)
def test_worst_shares_are_those_of_the_specification(
    head: tuple[float, float], share: float
) -> None:
    found, gap = worst_share(*head, 256)
    assert found == pytest.approx(share, abs=5e-4)
    assert last_share(waits(256), *head)[gap - 1] == pytest.approx(found, abs=1e-12)


@pytest.mark.parametrize("head", [(8.0, 0.2), (3.0, 0.9)])
def test_the_recursion_is_attention_on_every_short_word(head: tuple[float, float]) -> None:
    found = all_words(6)
    wrong = misread(found, *head)
    for ignoring in (0.1, 0.8, 0.98):
        share = (1 - ignoring) / 2
        chance = np.array([share / 2, share, ignoring / 2])[found.instructions[:, 1:-1]]
        error = (chance.prod(axis=1) / 2) @ wrong
        assert branched_error(*head, ignoring, 6) == pytest.approx(error, abs=1e-12)
        assert error_of(*head, ignoring, 6) == pytest.approx(error, abs=4e-3)


def test_the_bound_is_met_by_endless_writes_and_a_share_below_half_misreads() -> None:
    shares = last_share(waits(300), 6.0, 0.9)
    bounds = np.array([share_bound(6.0, 0.9, gap) for gap in range(1, 40)])
    assert (shares[:39] >= bounds - 1e-12).all()
    np.testing.assert_allclose(shares[:39], bounds, atol=1e-12)
    for gap in (1, 5, 8, 20):  # everything but the last write carries the other bit
        writes = waits(60)[gap - 1]
        instructions = np.append(np.where(writes, WRITE, IGNORE), READ)[None]
        bits = np.zeros((1, 60), int)
        bits[0, [59 - gap, 59]] = 1
        share = last_share(writes[None], 6.0, 0.9)[0]
        assert misread(Word(instructions, bits), 6.0, 0.9)[0] == float(share < 0.5)


def test_kappa_must_grow_with_the_length_and_steepness_must_exceed_ln_2() -> None:
    needed = [needed_kappa(1.3, pairs) for pairs in (50, 100, 200)]
    assert np.diff(needed) == pytest.approx([65, 130], abs=1e-6)
    for pairs, kappa in zip((50, 100, 200), needed, strict=True):
        assert (
            worst_share(kappa + 0.01, 1.3, pairs)[0] > 0.5 > worst_share(kappa - 0.01, 1.3, 200)[0]
        )
    with pytest.raises(BadInput, match="no κ is enough"):
        needed_kappa(0.69, 256)
    assert needed_kappa(0.7, 256) > 0.7 * 250


def test_bad_input_is_refused() -> None:
    with pytest.raises(BadInput, match="chance of an ignore"):
        require_law(1.2, 8)
    with pytest.raises(BadInput, match="too short"):
        branched_error(8.0, 0.2, 0.8, 1)
    with pytest.raises(BadInput, match="prefer late pairs"):
        share_bound(8.0, 0.0, 3)


@pytest.mark.slow
def test_every_claim_holds_on_a_processor() -> None:
    settings = SANDBOX.settings(Budget.CPU)
    rows = compare(SANDBOX.claims(settings), SANDBOX.measure(settings, lambda progress: None))
    assert [row for row in rows if not row.agrees] == []
