"""Laws of the evidence: it fits its language only, every word of it counts, and it never varies."""

from __future__ import annotations

import copy
import functools
import json
import os
import random
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from fractions import Fraction

import pytest

from foretell.crasp.deciding.checking.checking import check_document
from foretell.crasp.deciding.configurations import NODES
from foretell.crasp.deciding.decide import decide
from foretell.crasp.deciding.machines import ACCEPT
from foretell.languages.dfa_json import dfa_as_json, dfa_from_json
from foretell.reports.programs.decided import answer_line

some_and_many = pytest.mark.parametrize("size", [20, pytest.param(500, marks=pytest.mark.slow)])


@functools.cache
def certificates(drawn, size: int, most: int) -> list[dict]:
    """All different certificates about the languages, as they are written to files."""
    found = []
    for dfa, _ in drawn(size):
        for accept in ACCEPT:
            answers = decide(dfa, accept, moduli=(2,), most_configurations=most).answers
            different = {id(one.certificate): one.certificate for one in answers}.values()
            found += [one.as_json() for one in different]
    return json.loads(json.dumps(found))


def with_answer(answer: str, drawn, size: int, most: int = NODES) -> list[dict]:
    return [one for one in certificates(drawn, size, most) if one["answer"] == answer]


# Every number and every word of a certificate against definability counts.

Path = tuple[str | int, ...]


def numbers(document: dict) -> Iterator[Path]:
    for f, flow in enumerate(document.get("flows", [])):
        yield "flows", f, "amount"
        yield from (("flows", f, "edges", e, 2) for e in range(len(flow["edges"])))
    for pair, terms in enumerate(document.get("derivations", [])):
        yield from (("derivations", pair, term, 1) for term in range(len(terms)))


def words(document: dict) -> Iterator[Path]:
    yield from (("access",), ("suffix",))
    yield from (("anchors", pair, 0) for pair in range(len(document.get("anchors", []))))
    yield from (("connections", c, 2) for c in range(len(document.get("connections", []))))
    for number, equation in enumerate(document.get("equations", [])):
        if "word" in equation:
            yield "equations", number, "word"
        if "anchor" in equation:
            yield "equations", number, "anchor", 0


def at(document, path: Path):
    for key in path:
        document = document[key]
    return document


def with_entry(document: dict, path: Path, entry) -> dict:
    copied = copy.deepcopy(document)
    at(copied, path[:-1])[path[-1]] = entry
    return copied


def misspelt(generator: random.Random, word: list[str], letters: list[str]) -> list[str]:
    """One letter more, less or different; or the word twice, which leads back wherever it did."""
    if generator.random() < 0.2:
        return word * 2
    place = generator.randrange(len(word) + 1)
    kept = generator.choice((place, place + 1))
    return word[:place] + generator.choice(([], [generator.choice(letters)])) + word[kept:]


def still_right(document: dict, path: Path) -> bool:
    """Does the word there do what it is there for? Said once more, as plainly as possible."""
    rows, letters = document["dfa"]["delta"], document["dfa"]["alphabet"]

    def after(word: list[str], *states: int) -> list[int]:
        for letter in word:
            states = tuple(rows[state][letters.index(letter)] for state in states)
        return list(states)

    word, pairs = at(document, path), document.get("pairs", [])
    one, two = document["pair"] if "pair" in document else pairs[0]
    step = document.get("step", 1)
    match path:
        case ("access",):
            end = after(word, 0)[0]
            return end in document["states"] if "states" in document else end == one
        case ("suffix",):
            if not word and "flows" in document and document["accept"] == "last-letter":
                return False
            return len({end in document["dfa"]["final"] for end in after(word, one, two)}) == 2
        case ("connections", number, _):
            source, target, _ = document["connections"][number]
            return after(word, source) == [target] and len(word) % step == 0
        case ("equations", number, "word"):
            kind, (first, *second) = (document["equations"][number][x] for x in ("kind", "pairs"))
            expected = pairs[second[0]] if kind == "transport" else [pairs[first][0]] * 2
            return after(word, *pairs[first]) == expected and len(word) % step == 0
        case ("anchors", number, 0):
            power, fixed = document["anchors"][number][1], pairs[number]
        case ("equations", number, "anchor", 0):
            equation = document["equations"][number]
            power, fixed = equation["anchor"][1], [q for p in equation["pairs"] for q in pairs[p]]
    length = len(word) * power
    fits = length == step if document["modulus"] is None else length % step == 0
    return length > 0 and fits and after(word * power, *fixed) == fixed


@some_and_many
def test_certificates_with_another_number_do_not_hold(drawn, size):
    generator = random.Random(size)
    seen: Counter[str] = Counter()
    for document in with_answer("no", drawn, size):
        every = list(numbers(document))
        for path in generator.sample(every, min(4, len(every))):
            entry = Fraction(at(document, path)) + generator.choice((-2, -1, 1, 2))
            exact = int(entry) if entry.denominator == 1 else str(entry)
            assert not check_document(with_entry(document, path, exact)).holds, (document, path)
            seen[path[-1] if path[-1] == "amount" else path[0]] += 1
    assert len(seen) == 3 and min(seen.values()) >= size // 4, seen


@some_and_many
def test_certificates_with_another_word_hold_only_if_it_does_the_same(drawn, size):
    generator = random.Random(size)
    seen: Counter[tuple[str, bool]] = Counter()
    for document in with_answer("no", drawn, size):
        every = list(words(document))
        assert all(still_right(document, path) for path in every)
        for path in generator.sample(every, min(20, len(every))):
            word = misspelt(generator, at(document, path), document["dfa"]["alphabet"])
            changed = with_entry(document, path, word)
            holds = check_document(changed).holds
            assert holds == still_right(changed, path), (changed, path)
            if changed != document:
                seen[path[0], holds] += 1
    refused = [seen[kind, False] for kind in ("access", "suffix", "anchors", "equations")]
    assert min(refused) >= size // 4, seen
    assert sum(seen[kind] for kind in seen if kind[1]) >= size // 4, seen


# Evidence for one language offered for others, near and far.


def near(generator: random.Random, table: dict) -> dict:
    """The same automaton but for one transition or one final state."""
    table = copy.deepcopy(table)
    state = generator.randrange(len(table["delta"]))
    if generator.random() < 0.3:
        table["final"] = sorted({state} ^ set(table["final"]))
    else:
        letter = generator.randrange(len(table["alphabet"]))
        table["delta"][state][letter] = generator.randrange(len(table["delta"]))
    return table


def is_true(document: dict) -> bool:
    fragment = document["fragment"]
    moduli = [int(part) for part in fragment.split("_") if part.isdigit()]
    dfa = dfa_from_json(document["dfa"])
    found = decide(dfa, document["accept"], moduli=moduli, certificates=False)
    return found[fragment].answer == document["answer"]


@some_and_many
@pytest.mark.parametrize(
    ("answer", "most"), [("no", NODES), ("yes", NODES), ("yes", 1)], ids=["no", "yes", "no program"]
)
def test_certificates_never_hold_for_a_language_with_the_other_answer(drawn, answer, most, size):
    generator = random.Random(size)
    others = [dfa_as_json(dfa) for dfa, _ in drawn(size)]
    seen: Counter[tuple[bool, bool]] = Counter()
    for document in with_answer(answer, drawn, size, most):
        far = [table for table in others if table["alphabet"] == document["dfa"]["alphabet"]]
        tables = generator.sample(far, 1) + [near(generator, document["dfa"]) for _ in range(3)]
        for table in tables:
            changed = {**document, "dfa": table}
            if "program" in changed:  # running it would refute it; the heights must be enough
                changed["program"] = None
            holds, true = check_document(changed).holds, is_true(changed)
            assert true or not holds, changed
            seen[true, holds] += 1
    assert seen[False, False] >= size and seen[True, True] >= size // 4, seen


# The same input, the same output.


@pytest.mark.slow
def test_answers_are_the_same_in_every_process(drawn, tmp_path):
    lines = [json.dumps({"id": n, "dfa": dfa_as_json(x.dfa)}) for n, x in enumerate(drawn(20)[:8])]
    lines += ['{"id": "r", "regex": "(a|bbc|bcc)*"}', '{"regex": "a", "dfas": 1}', '{"regex": "("}']
    batch = tmp_path / "batch.jsonl"
    batch.write_text("\n".join(lines))
    single = ["--regex", "(abab|c)*", "--json", "--check"]
    runs = [
        subprocess.Popen(
            [sys.executable, "-m", "foretell", "decide", *arguments],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env={**os.environ, "PYTHONHASHSEED": seed},
        )
        for seed, arguments in (("1", single), ("2", single), ("3", ["--batch", str(batch)]))
    ]
    one, other, several = [run.communicate()[0].decode() for run in runs]
    assert one == other and json.loads(one)["fragments"]
    for _ in range(2):  # here hashes are different again
        answers = [answer_line(line, number, ACCEPT[0]) for number, line in enumerate(lines, 1)]
        written = [json.dumps(answer, ensure_ascii=False) + "\n" for answer in answers]
        assert "".join(written) == several
