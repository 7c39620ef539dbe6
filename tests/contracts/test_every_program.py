"""Every program of the library says what it promises: the folder walk finds new ones by itself."""

import doctest
import functools
import itertools

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from foretell.core.alphabet import PAD
from foretell.crasp import operations as op
from foretell.crasp import shelf
from foretell.crasp.interpreter import OnWords, evaluate
from foretell.crasp.program import Program
from foretell.crasp.words import Words
from foretell.numerics.keys import key_for, root_key
from foretell.plain import catalogue
from foretell.plain.errors import BadInput
from foretell.tasks.answering import AnsweringTask
from foretell.tasks.lookup import find_task
from foretell.tasks.next_symbols import NextSymbolsTask

NAMES = shelf.names()
FILES = sorted(shelf.FOLDER.glob("*.crasp"))
KNOWN = [entry.name for kind in ("tasks", "languages") for entry in catalogue.entries(kind)]
LONGEST = 150
EOS = "<eos>"
ALIKE = {"copy-unique-by-counting": "copy-unique"}  # a second program for a task


def task_name(name):
    return ALIKE.get(name, name)


OF_TASKS = [name for name in NAMES if task_name(name) in KNOWN]


@functools.cache
def task_of(name, longest=LONGEST):
    return find_task(task_name(name), longest)


def program_of(name, longest=LONGEST):
    task = task_of(name, longest)
    if isinstance(task, AnsweringTask):
        return shelf.load(name, letters=(*task.symbols, task.separator))
    assert shelf.load(name).letters == task.letters
    return shelf.load(name)


def predictions(program, words):
    """For every word the predicted sets after each of its prefixes, the empty one included."""
    places = [place for _, place in program.core.next]
    numbers = [program.encode(word) for word in words]
    batch = Words.of([word for word in numbers if word])
    values = evaluate(program.core, OnWords.create(program.core, batch), places)
    table = np.stack([np.broadcast_to(values[place], batch.letters.shape) for place in places], 1)
    symbols = np.array(program.symbols)
    rows = iter([frozenset(symbols[row].tolist()) for row in table])
    empty = program.core.next_of_empty
    return [[empty, *itertools.islice(rows, len(word))] for word in numbers]


def words_up_to(letters, most):
    """All words, shortest first, up to the length at which they become more than `most`."""
    found, length = [()], 1
    while length <= 14 and len(found) + len(letters) ** length <= most:
        found += itertools.product(letters, repeat=length)
        length += 1
    return found


# ---- what the files look like


def test_the_folder_is_the_list():
    assert FILES
    assert {file.stem for file in FILES} <= set(NAMES)
    for name in NAMES:
        assert shelf.path(name) in FILES
        assert shelf.load(name) is shelf.load(name)


def test_an_unknown_name_is_answered_with_the_nearest():
    with pytest.raises(BadInput, match="did you mean dyck-1"):
        shelf.load("dyck1")


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_documentation_has_every_section_and_the_example_runs(file):
    text = catalogue.leading_comment(file.read_text(encoding="utf-8"))
    title, sections = catalogue.parse_sections(text)
    assert title.endswith((".", "?"))
    assert tuple(name for name, _ in sections) == catalogue.SECTIONS
    example = doctest.DocTestParser().get_doctest(text, {"load": shelf.load}, file.stem, None, 0)
    assert example.examples
    assert doctest.DocTestRunner(verbose=False).run(example).failed == 0
    assert max(map(len, text.splitlines())) <= 98


@pytest.mark.parametrize("name", NAMES)
def test_printing_and_parsing_are_inverse(name):
    program = shelf.load(name)
    again = Program.parse(program.show())
    assert again == program
    assert again.show() == program.show()


@pytest.mark.parametrize("name", NAMES)
def test_the_core_form_lowers_to_the_same_operations(name):
    program = shelf.load(name)
    core = Program.parse(program.show(core=True)).core
    for part in ("letters", "operations", "accept", "next", "accepts_empty", "next_of_empty"):
        assert getattr(core, part) == getattr(program.core, part), part


@pytest.mark.parametrize("name", NAMES)
def test_every_symbol_is_predicted_and_next_to_nothing_is_idle(name):
    core = shelf.load(name).core
    symbols = {symbol for symbol, _ in core.next}
    assert symbols in ({*core.letters, EOS}, {*core.letters})
    assert len(core.operations) - len(core.live) <= max(2, len(core.operations) // 8)


# ---- what the paper's tables say


def relations_of(name):
    """Which positional relations the operations that matter use."""
    program = shelf.load(name)
    used = [program.core.operations[place] for place in program.core.live]
    found = set()
    if any(isinstance(item, op.Count) and item.offsets is not None for item in used):
        found.add("local")
    if any(isinstance(item, op.Periodic) for item in used):
        found.add("periodic")
    return found


@pytest.mark.parametrize("name", KNOWN)
def test_there_is_a_program_exactly_where_the_paper_has_one(name):
    fact = find_task(name).fact("crasp-periodic-local")
    if fact is not None and fact.value in ("yes", "no"):
        assert (name in NAMES) == (fact.value == "yes")


@pytest.mark.parametrize("name", [name for name in OF_TASKS if name not in ALIKE])
def test_positional_relations_are_used_only_where_the_paper_needs_them(name):
    without = task_of(name).fact("crasp").value
    assert (relations_of(name) == set()) == (without == "yes")


@pytest.mark.parametrize(
    ("name", "used"),
    [
        ("majority-language", set()),
        ("piecewise-testable", set()),
        ("first-letter", set()),
        ("copy-unique-by-counting", set()),
        ("contains-ab", {"local"}),
        ("induction-argmax", {"local"}),
        ("induction-all", {"local"}),
        ("tomita-4", {"local"}),
        ("copy-unique", {"local"}),
        ("aa-star", {"periodic"}),
        ("binary-majority-interleave", {"periodic"}),
    ],
)
def test_relations_of(name, used):
    assert relations_of(name) == used


# ---- next-symbol tasks: all short words, and long samples

NEXT_SYMBOLS = [name for name in OF_TASKS if isinstance(task_of(name), NextSymbolsTask)]
ANSWERING = [name for name in OF_TASKS if isinstance(task_of(name), AnsweringTask)]


@pytest.mark.parametrize("name", NEXT_SYMBOLS)
def test_agrees_with_the_task_on_all_short_words(name):
    task, program = task_of(name), program_of(name)
    words = words_up_to(task.letters, 6_000)
    legal = [task.legal_next(word) for word in words]
    accepted = program.accepts([program.encode(word) for word in words])
    following = program.following([program.encode(word) for word in words])
    for word, wanted, accept, found in zip(words, legal, accepted, following, strict=True):
        assert accept == (EOS in wanted), word
        if wanted:  # a prefix that can still become a member
            assert found == wanted, word


def sampled(task, probe, count):
    """Examples of sizes spread up to the longest, drawn as for training."""
    sizes = np.array(task.sizes(1, task.longest, probe))
    if not len(sizes):
        return None
    picked = sizes[np.linspace(0, len(sizes) - 1, count).astype(int)]
    width = task.width(task.longest)
    sample = jax.jit(lambda key, sizes: task.sample(key, sizes, width, probe))
    key = key_for(root_key(3), task.name, probe)
    return jax.tree.map(np.asarray, sample(key, jnp.asarray(picked)))


PROBES = [
    pytest.param(name, probe, marks=() if place < 2 else pytest.mark.slow)
    for name in NEXT_SYMBOLS
    for place, probe in enumerate(task_of(name).probes)
]


@pytest.mark.parametrize(("name", "probe"), PROBES)
def test_agrees_with_the_task_on_long_samples(name, probe):
    task, program = task_of(name), program_of(name)
    batch = sampled(task, probe, 30)
    if batch is None:
        pytest.skip("this language has no such word")
    words = [task.read_word(tokens.tolist()) for tokens in batch.tokens]
    for row, found in enumerate(predictions(program, words)):
        scored = np.flatnonzero(batch.mask[row])  # position 0 is SOS: the empty prefix
        wanted = [task.label_sets[batch.targets[row][place]] for place in scored]
        assert [found[place] for place in scored] == wanted


# ---- answering tasks


def one_winner(word):
    counts = [word.count(letter) for letter in {*word}]
    return counts.count(max(counts)) == 1


def distinct(word):
    return len({*word}) == len(word)


VALID = {"majority": one_winner, "sort": distinct, "copy-unique": distinct}  # else every input


def small_inputs(task):
    symbols = task.symbols[:4]
    sizes = task.sizes(1, 6)
    words = (word for size in sizes for word in itertools.product(symbols, repeat=size))
    valid = VALID.get(task.name, lambda word: True)
    return [word for word in words if valid(word)]


@pytest.mark.parametrize("name", ANSWERING)
def test_predicts_the_answer_of_every_small_input(name):
    task, program = task_of(name, 6), program_of(name, 6)
    words = small_inputs(task)
    answers = [task.answer(word) for word in words]
    written = [(*word, "<sep>", *answer) for word, answer in zip(words, answers, strict=True)]
    for word, found in zip(words, predictions(program, written), strict=True):
        tokens, targets, mask = task.lay_out(word)
        for place in np.flatnonzero(mask):  # tokens[0] is SOS, so this prefix has `place` letters
            assert found[place] == {task.alphabet.tokens[targets[place]]}, tokens[:place]
    assert program.accepts([program.encode(word) for word in written]).all()


@pytest.mark.parametrize("name", ANSWERING)
def test_accepts_nothing_but_the_answer(name):
    task, program = task_of(name, 4), program_of(name, 4)
    letters = program.letters[:3] if len(program.letters) <= 5 else task.symbols[:3]
    for word in small_inputs(task)[:40]:
        right = task.answer(word)
        tried = words_up_to(dict.fromkeys([*letters, *right, "<sep>"]), 200)
        numbers = [program.encode((*word, "<sep>", *answer)) for answer in tried]
        assert [tried[k] for k in np.flatnonzero(program.accepts(numbers))] == [right] * (
            right in tried
        )
        assert not program.accepts([program.encode(word)])[0]


# bigrams make copy-unique's 94,000 operations at 150 symbols too slow under the type checker
SIZES = [(name, 60 if name == "copy-unique" else LONGEST) for name in ANSWERING]
SIZES.append(pytest.param("copy-unique", LONGEST, marks=pytest.mark.slow))


@pytest.mark.parametrize(("name", "longest"), SIZES)
def test_predicts_the_answers_of_long_samples(name, longest):
    task, program = task_of(name, longest), program_of(name, longest)
    batch = sampled(task, task.probes[0], 12)
    lengths = [len(tokens) - tokens[::-1].tolist().count(PAD) for tokens in batch.tokens]
    written = [
        task.alphabet.decode(tokens[1 : length - 1].tolist())  # without SOS and EOS
        for tokens, length in zip(batch.tokens, lengths, strict=True)
    ]
    for row, found in enumerate(predictions(program, written)):
        for place in np.flatnonzero(batch.mask[row]):
            assert found[place] == {task.alphabet.tokens[batch.targets[row][place]]}


# ---- programs without a task, against oracles of their own


def successors(word):
    """How often each letter followed the last one so far."""
    pairs = list(itertools.pairwise(word))
    return {letter: pairs.count((word[-1], letter)) for letter in "abc"}


def argmax(word):
    counts = successors(word)
    return {letter for letter in counts if counts[letter] == max(counts.values())}


def _end(accepted):
    return {EOS} if accepted else set()


def scattered(word):
    return "c" in "".join(word).partition("a")[2].partition("b")[2]


ACCEPTS = {
    "majority-language": lambda word: word.count("1") >= word.count("0"),
    "piecewise-testable": scattered,
    "contains-ab": lambda word: "ab" in "".join(word),
    "first-letter": lambda word: word[:1] == ("a",),
}
PREDICTS = {
    "majority-language": lambda word: {"0", "1"} | _end(ACCEPTS["majority-language"](word)),
    "piecewise-testable": lambda word: {*"abc"} | _end(scattered(word)),
    "contains-ab": lambda word: {*"ab"} | _end(ACCEPTS["contains-ab"](word)),
    "first-letter": lambda word: {"a", "b", EOS} if word[0] == "a" else set(),
    "induction-argmax": argmax,
    "induction-all": lambda word: {x for x, times in successors(word).items() if times},
}
AFTER_NOTHING = {
    "majority-language": {"0", "1", EOS},
    "piecewise-testable": {*"abc"},
    "contains-ab": {*"ab"},
    "first-letter": {"a"},
    "induction-argmax": set(),
    "induction-all": set(),
}


def test_every_program_is_held_against_something():
    assert set(NAMES) - set(OF_TASKS) - set(PREDICTS) == {"d-n"}  # tested as d-2, d-3, d-4, d-12


def random_words(letters, seed):
    generator = np.random.default_rng(seed)
    sizes = [20, 50, 100, 150]
    return [tuple(generator.choice([*letters], size).tolist()) for size in sizes for _ in range(5)]


@pytest.mark.parametrize("name", PREDICTS)
def test_agrees_with_an_oracle_of_its_own(name):
    program = shelf.load(name)
    words = [*words_up_to(program.letters, 4_000), *random_words(program.letters, 0)]
    if name in ACCEPTS:
        accepted = program.accepts([program.encode(word) for word in words]).tolist()
        assert accepted == [ACCEPTS[name](word) for word in words]
    for word, found in zip(words, predictions(program, words), strict=True):
        assert found[0] == AFTER_NOTHING[name]
        for length in {len(word), len(word) // 2} - {0}:
            assert found[length] == PREDICTS[name](word[:length]), word[:length]


@pytest.mark.parametrize("depth", [1, 5, 30])
def test_brackets_of_any_depth(depth):
    program = shelf.load("d-n", {"n": depth})
    inside = ("a",) * depth + ("b",) * depth
    assert program.run(inside * 3)
    assert not program.run(("a", *inside, "b"))
    assert program.answers(["a" * depth])[0]["next"] == ["b"]


def test_another_alphabet_meets_the_checks_of_the_first():
    assert shelf.load("majority", letters=("x", "y", "<sep>")).letters == ("x", "y", "<sep>")
    with pytest.raises(BadInput, match="not a letter of the alphabet"):
        shelf.load("sort", letters=("1", "2"))  # no separator
    with pytest.raises(BadInput, match="x cannot be a parameter"):
        shelf.load("sort", letters=("x", "<sep>"))
