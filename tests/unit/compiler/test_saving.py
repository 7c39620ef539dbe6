import hashlib
import json

import numpy as np
import pytest
from compiler_programs import all_words, expected, program
from safetensors.numpy import load_file, save_file

from foretell.compiler.compiling import compile_program
from foretell.compiler.running import run_tokens
from foretell.compiler.saving import load_compiled, save_compiled
from foretell.crasp.program import Program
from foretell.plain.errors import BadInput


@pytest.fixture
def saved(tmp_path):
    compiled = compile_program(program("mixed"), context=12)
    path = tmp_path / "net.json"
    return path, save_compiled(path, compiled), compiled


def test_what_was_saved_comes_back(saved):
    path, _, compiled = saved
    found = load_compiled(path)
    assert found.labels == compiled.labels
    assert found.alphabet == compiled.alphabet
    assert found.directions == compiled.exact.directions
    assert found.model.heads == compiled.transformer.heads
    words = all_words(5)
    tokens = [tuple(letter + 4 for letter in word) for word in words]
    logits = run_tokens(found.model, tokens, 2)
    assert (logits == run_tokens(compiled.transformer, tokens, 2)).all()
    assert [bool(b > a) for a, b in logits] == expected(program("mixed"), words)


def test_the_description_says_what_it_is(saved):
    path, arrays, compiled = saved
    text = json.loads(path.read_text())
    assert text["arrays"] == arrays.name
    assert text["context"] == 12
    assert text["architecture"]["layers"] == len(compiled.limit.layers) + 2
    assert text["regularizer"]["total"] > 0
    assert text["precision"]["dtype"] == "float32"
    assert Program.parse(text["program"]).core.operations == compiled.core.operations
    assert [len(names) for names in text["heads"]] == [
        len(layer.key_query) for layer in compiled.transformer.layers
    ]


def test_the_text_of_the_author_is_kept(tmp_path):
    save_compiled(tmp_path / "x.json", compile_program(program("dyck"), context=5), "# mine\n")
    assert load_compiled(tmp_path / "x.json").program == "# mine\n"


def spoil(path, **changes):
    text = json.loads(path.read_text())
    path.write_text(json.dumps({k: v for k, v in (text | changes).items() if v is not None}))


@pytest.mark.parametrize(
    ("changes", "why"),
    [
        ({"format": "something else"}, "does not say"),
        ({"arrays": None}, "'arrays' is missing"),
        ({"sha256": "00"}, "not those that were written"),
        ({"dtype": "object"}, "computes in"),
        ({"logit_bits": "many"}, "computes in"),
        ({"labels": ["one"]}, "does not fit"),
        ({"labels": [1, 2]}, "not a list of strings"),
        ({"symbols": ["a"]}, "does not fit"),
        ({"heads": [["x"]]}, "does not fit"),
        ({"heads": 3}, "not iterable"),
        ({"architecture": {"layers": 1}}, "missing"),
    ],
)
def test_a_damaged_description_is_bad_input(saved, changes, why):
    path, _, _ = saved
    spoil(path, **changes)
    with pytest.raises(BadInput, match="can be loaded") as error:
        load_compiled(path)
    assert why in str(error.value)


def test_damaged_arrays_are_bad_input(saved):
    path, arrays, _ = saved
    good = load_file(arrays)
    for change in (
        {"embedding": good["embedding"] * np.nan},
        {"embedding": good["embedding"].astype(np.float64)},
        {"spare": good["embedding"]},
        {"layers.0.bias": good["layers.0.bias"][:0]},
    ):
        save_file(good | change, arrays)
        spoil(path, sha256=hashlib.sha256(arrays.read_bytes()).hexdigest())
        with pytest.raises(BadInput, match="can be loaded"):
            load_compiled(path)
    arrays.write_bytes(b"not arrays")
    with pytest.raises(BadInput, match="can be loaded"):
        load_compiled(path)


@pytest.mark.parametrize("text", ["", "[]", "{", "null", "[" * 100_000, '{"format": 3}'])
def test_other_files_are_bad_input(tmp_path, text):
    path = tmp_path / "x.json"
    path.write_text(text)
    with pytest.raises(BadInput, match="can be loaded"):
        load_compiled(path)
    with pytest.raises(BadInput, match="no such file"):
        load_compiled(tmp_path / "nothing.json")
