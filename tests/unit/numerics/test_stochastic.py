"""Tables that are not chances, refused at every public entry that takes one."""

from __future__ import annotations

from collections.abc import Callable

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from foretell.constructions.lag_selection import select_lag
from foretell.numerics.stochastic import require_chances
from foretell.plain.errors import BadInput
from foretell.worlds import chains, graph_information, graph_lags, graph_parents, graph_trees
from foretell.worlds.k_gram_backcopy import draw_backcopy, next_laws, sample_backcopy
from foretell.worlds.n_grams import chain_levels
from foretell.worlds.topics import Corpus, document, word_laws

GOOD = np.array([[0.5, 0.5], [0.5, 0.5]])
TOO_MUCH = np.array([[0.5, 0.6], [0.5, 0.5]])
NEGATIVE = np.array([[0.5, 0.5], [1.5, -0.5]])
KEY = jax.random.key(0)
WORDS = np.zeros((1, 6), int)
LAGS, PARENTS = (1, 2), (-1, 0, 1)
ENTRIES: dict[str, Callable[[np.ndarray], object]] = {
    "select_lag": lambda table: select_lag(table, LAGS, 8, 1.0),
    "chances_of": lambda table: graph_lags.chances_of(WORDS, table, LAGS),
    "predicted": lambda table: graph_lags.predicted(WORDS, table, LAGS, np.full((1, 2), 0.5)),
    "weave": lambda table: graph_lags.weave(KEY, jnp.asarray(table), jnp.int32(1), 2, 6),
    "chain_levels": lambda table: chain_levels(np.stack([GOOD, table])),
    "stationary": lambda table: chains.stationary(jnp.asarray(table)),
    "sample_words": lambda table: chains.sample_words(KEY, jnp.asarray(table), 6, 2),
    "sample_words, uniform start": lambda table: chains.sample_words(
        KEY, jnp.asarray(table), 6, 2, "uniform"
    ),
    "chi_square": lambda table: graph_information.chi_square(table, PARENTS),
    "chi_square, second of a batch": lambda table: graph_information.chi_square(
        np.stack([GOOD, table]), PARENTS
    ),
    "counted_information": lambda table: graph_information.counted_information(
        table, PARENTS, 10, 0
    ),
    "grow": lambda table: graph_trees.grow(jnp.array(PARENTS), jnp.asarray(table), jnp.zeros(4)),
    "grow_family": lambda table: graph_parents.grow_family(
        jnp.array([1]), jnp.asarray(table), jnp.zeros(4), 1
    ),
    "sample_backcopy": lambda table: sample_backcopy(
        draw_backcopy(0, 2, 1, 1.0)._replace(rows=jnp.asarray(table)), 4, KEY
    ),
    "next_laws": lambda table: next_laws(
        draw_backcopy(0, 2, 1, 1.0)._replace(rows=jnp.asarray(table)), jnp.zeros(4, jnp.int32)
    ),
    "document": lambda table: document(KEY, jnp.asarray(table), Corpus(2, 1), 4),
}


@pytest.mark.parametrize("table", [TOO_MUCH, NEGATIVE], ids=["too much", "negative"])
@pytest.mark.parametrize("entry", ENTRIES)
def test_every_entry_refuses(entry: str, table: np.ndarray) -> None:
    with pytest.raises(BadInput, match="not stochastic"):
        ENTRIES[entry](table)


@pytest.mark.parametrize("entry", ENTRIES)
def test_every_entry_takes_chances(entry: str) -> None:
    ENTRIES[entry](GOOD)


def test_the_row_is_named() -> None:
    with pytest.raises(BadInput, match="row 1: "):
        require_chances(NEGATIVE)
    with pytest.raises(BadInput, match="table 2, row 0: "):
        require_chances(np.stack([GOOD, GOOD, TOO_MUCH]))


@pytest.mark.parametrize("table", [[0.5, 0.5], [[0.5, np.nan], [0.5, 0.5]], np.zeros((0, 2))])
def test_what_is_no_table(table: object) -> None:
    with pytest.raises(BadInput, match="table of chances"):
        require_chances(table)


def test_what_is_not_square() -> None:
    require_chances(np.full((3, 2), 0.5))
    with pytest.raises(BadInput, match="not square"):
        select_lag(np.full((3, 2), 0.5), LAGS, 8, 1.0)


def test_a_constant_of_a_compiled_function_is_checked_and_an_argument_is_not() -> None:
    """An argument has no values while it is traced: the caller has to ask before."""
    bad = jnp.asarray(TOO_MUCH, jnp.float32)
    with pytest.raises(BadInput, match="not stochastic"):
        jax.jit(lambda key: chains.sample_words(key, bad, 6, 2))(KEY)
    jax.jit(chains.stationary)(bad)


def test_rounding_in_32_bits_is_not_refused() -> None:
    require_chances(word_laws(KEY, Corpus(10, 10)))
    drawn = jax.vmap(lambda key: chains.sample_rows(key, 1, 65, chains.Prior(alpha=0.3)))
    require_chances(drawn(jax.random.split(KEY, 200)))
