"""The token tasks of capture: their distributions, their layouts, what they refuse."""

import functools
import itertools
from collections import Counter

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from scipy import stats

from foretell.core.alphabet import PAD, SEP
from foretell.numerics.keys import key_for, root_key
from foretell.plain.errors import BadInput
from foretell.tasks.capture._distinct import draw_distinct, draw_letters, draw_order
from foretell.tasks.capture.string_matching import StringMatching
from foretell.tasks.lookup import find_task, task_from_json

NAMES = ["induction-heads", "sorting", "string-matching", "multi-hop"]
LONG = 4096


@functools.cache
def drawn(name, size, count, longest=None):
    task = find_task(name, longest or size)
    sizes = jnp.full(count, size)
    batch = jax.jit(lambda key: task.sample(key, sizes, task.width(size)))(
        key_for(root_key(5), name)
    )
    return task, jax.tree.map(np.asarray, batch)


def fits(counts, chances):
    """Would draws be this far from their distribution at least once in ten thousand tries?"""
    counts, chances = np.array(counts, float), np.array(chances, float)
    return stats.chisquare(counts, chances / chances.sum() * counts.sum()).pvalue > 1e-4


def test_the_trigger_occurs_twice_and_is_not_the_answer():
    _, batch = drawn("induction-heads", 12, 3_000)
    trigger = batch.tokens[:, -1]
    same = batch.tokens == trigger[:, None]
    assert (same.sum(axis=1) == 2).all()
    answers = batch.targets[:, -1]
    assert (answers != trigger).all()
    first = same.argmax(axis=1)
    assert (answers == batch.tokens[np.arange(3_000), first + 1]).all()
    assert fits(np.bincount(first, minlength=10), [1] * 10)  # places 0 to T - 3
    assert (batch.mask.sum(axis=1) == 1).all() and (batch.first == 11).all()


def test_sorting_scores_the_separator_and_the_sorted_numbers():
    task, batch = drawn("sorting", 20, 100)
    assert (batch.mask.sum(axis=1) == 21).all() and task.scored(20) == 21
    assert (batch.tokens[:, 20] == SEP).all() and (batch.targets[:, 19] == SEP).all()
    assert (np.diff(batch.tokens[:, 21:], axis=1) > 0).all()
    assert (np.sort(batch.tokens[:, :20], axis=1) == batch.tokens[:, 21:]).all()
    assert (batch.targets[:, 20:40] == batch.tokens[:, 21:]).all()
    assert task.width(20) == batch.tokens.shape[1] == 41


def test_the_sorted_list_is_never_all_there_is():
    assert find_task("sorting", LONG).numbers == 2 * LONG
    assert find_task("sorting:vocabulary=4096", LONG).numbers == LONG
    with pytest.raises(BadInput, match="fewer numbers than places"):
        find_task("sorting:vocabulary=64", 65)


@pytest.mark.parametrize(("count", "among"), [(3, 5), (2, 20)])
def test_every_sequence_of_distinct_numbers_is_equally_likely(count, among):
    keys = jax.random.split(root_key(3), 20_000)
    rows = np.asarray(jax.jit(jax.vmap(lambda key: draw_distinct(key, count, among)))(keys))
    found = Counter(map(tuple, rows.tolist()))
    every = list(itertools.permutations(range(among), count))
    assert set(found) <= set(every)
    assert fits([found[each] for each in every], [1] * len(every))


def test_orders_and_letters_are_uniform():
    keys = jax.random.split(root_key(3), 6_000)
    orders = np.asarray(jax.vmap(lambda key: draw_order(key, jnp.int32(4), 6))(keys))[:, :4]
    found = Counter(map(tuple, orders.tolist()))
    every = list(itertools.permutations(range(4)))
    assert set(found) <= set(every) and fits([found[each] for each in every], [1] * 24)
    for among in (8, 10):
        assert fits(np.bincount(draw_letters(root_key(1), 10_000, among)), [1] * among)


def test_the_pattern_occurs_once():
    task, batch = drawn("string-matching", 200, 300)
    text, pattern = batch.tokens[:, :200], batch.tokens[:, 201:]
    windows = np.lib.stride_tricks.sliding_window_view(text, 3, axis=1)
    places = (windows == pattern[:, None]).all(axis=2)
    assert (places.sum(axis=1) == 1).all()
    after = text[np.arange(300), places.argmax(axis=1) + 3]
    assert (after == batch.targets[:, -1]).all()
    assert (pattern[:, 0] != pattern[:, -1]).all() and len(task.patterns) == 48


def test_texts_are_uniform_among_those_with_one_occurrence():
    """Few letters, so that most texts need cleaning: the distribution is listed in full."""
    task, size = StringMatching(9, letters=2, pattern=4), 9
    sizes = jnp.full(40_000, size)
    batch = jax.jit(lambda key: task.sample(key, sizes, task.width(size)))(root_key(11))
    found = Counter(task.alphabet.decode(row) for row in np.asarray(batch.tokens).tolist())
    chances = {}
    for pattern in itertools.product("ab", repeat=4):
        if any(pattern[:n] == pattern[-n:] for n in (1, 2, 3)):
            continue
        for place in range(size - 4):
            texts = [
                (*rest[:place], *pattern, *rest[place:])
                for rest in itertools.product("ab", repeat=size - 4)
            ]
            alone = [
                text for text in texts if sum(text[s : s + 4] == pattern for s in range(6)) == 1
            ]
            chances |= {(*text, "<sep>", *pattern): 1 / len(alone) for text in alone}
    assert set(found) <= set(chances)
    assert fits([found[word] for word in chances], list(chances.values()))


def test_arrows_form_one_cycle():
    task, batch = drawn("multi-hop:hops=3", 11, 2_000)
    place = (batch.tokens[:, 0:22:2] == batch.tokens[:, -1:]).argmax(axis=1)
    assert fits(np.bincount(place, minlength=11), [1] * 11)  # a start is anywhere in the list
    batch = jax.tree.map(lambda array: array[:50], batch)
    for row, answer in zip(batch.tokens.tolist(), batch.targets[:, -1].tolist(), strict=True):
        arrows = dict(zip(row[:-1:2], row[1:-1:2], strict=True))
        trip = [row[-1]]
        for _ in range(11):
            trip.append(arrows[trip[-1]])
        assert len(set(trip[:-1])) == 11 and trip[-1] == trip[0]
        assert answer == trip[3]
    assert len(task.alphabet.symbols) == 16


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.slow
def test_long_inputs_agree_with_the_oracle(name):
    task, batch = drawn(name, LONG, 2)
    for row in range(2):
        tokens = batch.tokens[row].tolist()
        laid, targets, mask = task.lay_out(task.read_word(tokens))
        assert laid == tokens and PAD not in tokens
        assert batch.mask[row].tolist() == mask
        assert batch.targets[row][batch.mask[row]].tolist() == [t for t in targets if t != PAD]


@pytest.mark.parametrize(
    "name",
    [
        *NAMES,
        "induction-heads:vocabulary=16",
        "sorting:vocabulary=4096",
        "string-matching:letters=5,pattern=4",
        "multi-hop:hops=3",
    ],
)
def test_a_name_says_everything(name):
    task = find_task(name, 30)
    assert task.name == name
    assert task_from_json(task.as_json()) == task
    assert task.fact("heuristic-complexity").value in {"T", "T log T"}


@pytest.mark.parametrize(
    ("what", "message"),
    [
        ("multi-hop:hops=9", "number of hops is out of range"),
        ("multi-hop:hop=2", "did you mean hops"),
        ("multi-hop:hops=two", "a setting is a number"),
        ("multi-hop:hops=1,hops=2", "said twice"),
        ("string-matching:letters=2,pattern=2", "too frequent"),
        ("string-matching:letters=26,pattern=7", "too many"),
        ("induction-heads:vocabulary=1", "vocabulary is out of range"),
        ("majority:size=3", "has no settings"),
    ],
)
def test_bad_settings_are_refused(what, message):
    with pytest.raises(BadInput, match=message):
        find_task(what, 30)


@pytest.mark.parametrize(("name", "size"), [("induction-heads", 2), ("multi-hop", 7)])
def test_sizes_below_the_smallest_are_refused(name, size):
    with pytest.raises(BadInput, match="no input that small"):
        find_task(name, size)


@pytest.mark.parametrize(
    ("name", "word"),
    [
        ("induction-heads", "t1 t2 t3"),
        ("induction-heads", "t1 t2 t1 t1"),
        ("string-matching", "a b c d a b c d <sep> a b c"),
        ("string-matching", "d d d d d a b c <sep> a b c"),
        ("multi-hop", "n1 n2 n1 n3 n1"),
        ("multi-hop", "n1 n2 n1"),
    ],
)
def test_oracles_refuse_what_has_no_answer(name, word):
    with pytest.raises(BadInput):
        find_task(name).answer(tuple(word.split()))


def test_different_settings_do_not_share_a_sampler():
    tasks = (find_task("multi-hop:hops=3"), find_task("multi-hop"))
    with pytest.raises(BadInput, match="one sampler"):
        type(tasks[0]).stack(tasks)
    assert type(tasks[0]).stack(tasks[:1]) == ()
