"""Heads of known logits: what they look at, what is left of it, and what that would be by odds."""

from __future__ import annotations

import dataclasses

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import pytest

from foretell.core.architecture import Architecture
from foretell.models.transformer import Transformer
from foretell.numerics.keys import root_key
from foretell.protocols._attending import MIXES, START, Head, Shares, _heads, _lengths
from foretell.protocols._trained import Trained
from foretell.tasks.lookup import find_task

TASK = find_task("tomita-4", 40)
LENGTHS = (5, 20, 40)


def trained(positional: str = "local", scale: str = "sqrt") -> Trained:
    """No logit but those of positions."""
    sizes = {"layers": 2, "heads": 2, "width": 8, "context": 60}
    shape = Architecture(positional=positional, attention_scale=scale, tied=False, **sizes)
    model = Transformer.create(shape, TASK.alphabet.size, len(TASK.labels), root_key(0))
    silent = eqx.tree_at(
        lambda m: [block.attention.query for block in m.blocks],
        model,
        replace_fn=lambda own: jax.tree.map(jnp.zeros_like, own),
    )
    return Trained("seed 0", silent, TASK, (1, 5), (40, 5, 20))


def looking(back: int, logit: float, scale: str = "sqrt") -> Trained:
    """The first head of each layer prefers one distance by that much."""
    own = trained("local", scale)
    table = jnp.zeros_like(own.model.positional.table).at[back, 0].set(logit)
    return dataclasses.replace(
        own, model=eqx.tree_at(lambda m: m.positional.table, own.model, table)
    )


def test_lengths_are_the_end_of_training_and_the_ends_of_the_tests() -> None:
    assert _lengths(trained()) == LENGTHS
    assert _lengths(Trained("gpt2", trained().model)) == (7, 15, 30, 60)


def test_a_fixed_logit_fades_as_its_odds_say() -> None:
    first, second, *_ = _heads(looking(3, 4.0), LENGTHS)
    assert (first.looks_at, first.looks_back, second.looks_at) == ("3 back", True, MIXES)
    keys = np.array([each.keys for each in first.lengths])
    expected = np.exp(4) / (np.exp(4) + keys - 1)
    np.testing.assert_allclose(first.shares, expected, rtol=1e-4)
    np.testing.assert_allclose(first.diluted, expected, rtol=1e-4)
    np.testing.assert_allclose([each.entropy for each in second.lengths], np.log(keys), rtol=1e-4)
    np.testing.assert_allclose(second.lengths[2].near, 1 / keys[2], rtol=1e-4)


def test_logits_that_grow_do_not_fade() -> None:
    first = _heads(looking(2, 2.0, "log-length"), LENGTHS)[0]
    assert first.looks_at == "2 back"
    assert first.shares[-1] > first.shares[0] > first.diluted[-1]


def test_a_head_that_looks_at_itself_or_at_the_first_token_is_told_so() -> None:
    itself = _heads(looking(0, 9.0), LENGTHS)[0]
    assert itself.looks_at == "itself" and not itself.looks_back
    near = (0.1,) * 16
    at = [Shares(50.0, near, share, share, 1.0) for share in (0.9, 0.6)]
    head = Head("seed 0", 0, 0, tuple(at))
    assert head.looks_at == START and not head.looks_back and head.shares == (0.9, 0.6)
    picks = dataclasses.replace(head, lengths=(dataclasses.replace(at[0], first=0.2),))
    assert picks.looks_at.startswith("one token") and picks.shares == (0.9,)


def test_in_short_inputs_the_first_token_is_near_and_longer_ones_tell() -> None:
    near = tuple(0.9 if back == 7 else 0.01 for back in range(16))
    short, none = Shares(8.0, near, 0.9, 0.9, 0.1), tuple(0.01 for _ in range(16))
    first = Head("seed 0", 0, 0, (short, Shares(40.0, none, 0.8, 0.8, 0.1)))
    assert (first.looks_at, first.shares) == (START, (0.9, 0.8))
    back = Head("seed 0", 0, 0, (short, Shares(40.0, near, 0.0, 0.9, 0.1)))
    assert (back.looks_at, back.shares) == ("7 back", (0.9, 0.9))


def test_no_forecast_where_far_keys_are_pushed_away_or_nothing_is_looked_back_at() -> None:
    assert _heads(looking(3, 4.0), LENGTHS)[1].diluted is None  # looks at many
    assert _heads(looking(0, 9.0), LENGTHS)[0].diluted is None  # at itself
    head = _heads(looking(3, 4.0), LENGTHS)[0]
    assert dataclasses.replace(head, evenly=False).diluted is None
    assert not any(each.evenly for each in _heads(trained("alibi"), LENGTHS))


@pytest.mark.parametrize("back", [1, 4])
def test_what_has_all_attention_keeps_it_in_the_forecast(back: int) -> None:
    head = _heads(looking(back, 60.0), LENGTHS)[2]  # the second layer shares the numbers
    assert head.shares == pytest.approx((1, 1, 1)) and head.diluted[-1] > 0.99
