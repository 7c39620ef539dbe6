"""Circuits by steps: the transformer against the plain oracle, refusals, words to train on."""

from __future__ import annotations

import itertools
import math

import jax.numpy as jnp
import numpy as np
import pytest

from foretell.constructions.circuit_tasks import SERIAL
from foretell.constructions.circuits import (
    Circuit,
    Gate,
    random_circuit,
    rewired,
    sorted_circuit,
)
from foretell.constructions.gate_by_gate import gate_by_gate, prompt_for
from foretell.numerics.keys import root_key
from foretell.plain.errors import BadInput
from foretell.protocols._asking import Budget
from foretell.sandboxes import compare
from foretell.sandboxes.representation.circuits_by_steps import CircuitsBySteps, evaluate
from foretell.worlds.permutation_training import rows_of
from foretell.worlds.permutation_words import draw_products, symmetric_group

SANDBOX = CircuitsBySteps()
ADDER = {
    "carry": ("MAJ3", ["a", "b", "c"]),
    "sum": ("XOR", ["half", "c"]),
    "half": ("XOR", ["a", "b"]),
}


def test_a_full_adder_by_name_in_any_order() -> None:
    circuit, numbers = sorted_circuit(["a", "b", "c"], ADDER)
    words = np.array(list(itertools.product((0, 1), repeat=3)))
    values = np.concatenate([words, circuit.answers(words)], axis=1)
    total = values[:, numbers["sum"]] + 2 * values[:, numbers["carry"]]
    np.testing.assert_array_equal(total, words.sum(axis=1))


def test_the_transformer_evaluates_every_gate_hard_and_soft_in_any_order_of_wires() -> None:
    circuits = [random_circuit(4, 12, seed) for seed in range(30)]
    words = np.random.default_rng(0).integers(0, 2, (30, 4))
    truth = [each.answers(word[None])[0] for each, word in zip(circuits, words, strict=True)]
    for sharpness in (math.inf, 40.0):
        found = evaluate(circuits, words, sharpness)
        np.testing.assert_array_equal(found.bits, truth)
        np.testing.assert_allclose(found.raw, truth, atol=1e-12)
    other = [rewired(circuit, seed) for seed, circuit in enumerate(circuits)]
    assert other != circuits
    np.testing.assert_array_equal(evaluate(other, words, 40.0).bits, truth)
    # blunt attention mixes values up: the check can fail
    assert (evaluate(circuits, words, 0.5).bits != truth).any()


@pytest.mark.parametrize("task", SERIAL)
@pytest.mark.parametrize("size", [1, 2, 3])
def test_serial_tasks_are_what_their_circuits_say(task: str, size: int) -> None:
    circuit, outputs, oracle = SERIAL[task](size)
    words = np.random.default_rng(size).integers(0, 2, (64, circuit.inputs))
    known = np.concatenate([words, circuit.answers(words)], axis=1)
    np.testing.assert_array_equal(known[:, list(outputs)], oracle(words))


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: sorted_circuit(["x"], {"a": ("NAND", ["x", "b"]), "b": ("XOR", ["a", "x"])}),
         "has a cycle\n  seen: .*a → b|has a cycle\n  seen: .*b → a"),
        (lambda: sorted_circuit(["x"], {"a": ("NAND", ["a", "x"])}), "has a cycle"),
        (lambda: sorted_circuit(["x"], {"a": ("NAND", ["x", "y"])}), "an input that is missing"),
        (lambda: sorted_circuit(["x"], {"a": ("NOR", ["x", "x"])}), "no known kind"),
        (lambda: Circuit(2, (Gate("NAND", (0, 2)),)), "not there yet"),
        (lambda: Circuit(2, (Gate("NAND", (0, -1)),)), "not there yet"),
        (lambda: Circuit(2, (Gate("MAJ3", (0, 1)),)), "wrong number of inputs"),
        (lambda: random_circuit(0, 3, 0), "no such circuit"),
        (lambda: prompt_for(random_circuit(2, 9, 0), np.array([0, 1]), 8), "more values"),
        (lambda: SERIAL["iterated squaring"](0), "too few squarings"),
        (lambda: symmetric_group(9), "too few or too many points"),
    ],
)  # fmt: skip
def test_bad_circuits_are_refused(make, message: str) -> None:
    with pytest.raises(BadInput, match=message):
        make()


def test_bad_settings_are_refused() -> None:
    settings = SANDBOX.settings(Budget.SMOKE)
    for wrong in ({"tasks": {"sorting": 3}}, {"gates": 0}):
        with pytest.raises(BadInput, match="no circuit"):
            SANDBOX.claims({**settings, **wrong})


def test_width_grows_with_the_logarithm_of_the_circuit() -> None:
    widths = [gate_by_gate(2**k).find.shape[0] for k in (3, 4, 5, 6)]
    assert np.diff(widths).tolist() == [9, 9, 9]


def test_products_are_those_of_permutations_composed_one_by_one() -> None:
    group = symmetric_group(4)
    words, products = (np.asarray(each) for each in draw_products(group, root_key(0), 20, 6))
    letters = group.maps[group.table[0]]
    for word, found in zip(words, products, strict=True):
        images = np.arange(4)
        for letter, product in zip(word, found, strict=True):
            images = letters[letter][images]
            np.testing.assert_array_equal(group.maps[product], images)


def test_rows_ask_for_each_product_where_it_can_be_known() -> None:
    words, products = jnp.array([[0, 1, 2]]), jnp.array([[2, 3, 1]])
    rows = rows_of(symmetric_group(3), words, products)
    with_steps, without = (np.where(rows.asked[way], rows.answers[way, 0], -1) for way in (0, 1))
    assert with_steps.tolist() == [-1, -1, 2, 3, 1, -1]
    assert without.tolist() == [2, 3, 1, -1, -1, -1]


@pytest.mark.slow
def test_every_claim_holds_on_a_cpu() -> None:
    settings = SANDBOX.settings(Budget.CPU)
    rows = compare(SANDBOX.claims(settings), SANDBOX.measure(settings, lambda progress: None))
    assert [row.claim.quantity for row in rows if not row.agrees] == []
