"""What the passes before scheduling decide."""

import numpy as np
import pytest
from compiler_programs import TEXTS, all_words, program

from foretell.compiler.compiling import compile_program
from foretell.compiler.forms import ZERO, single
from foretell.compiler.needs import Kind, bounded_counts, flatten, needs_of
from foretell.compiler.network import Gap, Gather, Unit
from foretell.compiler.planning import ALWAYS, plan_steps
from foretell.crasp.builder import Builder
from foretell.crasp.operations import Core


def core_of(build: Builder, accept: int) -> Core:
    return Core(build.letters, tuple(build.operations), (), accept)


def form_of(build: Builder, place: int):
    plan = plan_steps(core_of(build, place), [place])
    return plan.booleans[place], plan


@pytest.fixture
def build() -> Builder:
    return Builder(("a", "b"))


def test_chains_of_and_and_or_are_flattened(build):
    a, b = build.letter("a"), build.letter("b")
    odd = build.periodic(2, (1,))
    whole = build.both(build.both(a, odd), build.both(odd, b))
    assert flatten(core_of(build, whole))[whole] == ((a, True), (odd, True), (b, True))
    some = build.either(build.either(a, b), odd)
    (inner,) = flatten(core_of(build, some))[some]
    assert inner[1] is False
    assert flatten(core_of(build, some))[inner[0]] == ((a, False), (b, False), (odd, False))


def test_a_long_conjunction_costs_one_unit(build):
    tests = [build.periodic(2 + k, (1,)) for k in range(6)]
    form, plan = form_of(build, build.both(*tests))
    units = [step for each in plan.definitions for step in each.steps if isinstance(step, Unit)]
    assert len(units) == 7  # six gates and one conjunction
    assert units[-1].bias == -5
    assert form == single(units[-1].direction)


def test_a_very_long_conjunction_is_cut(build):
    tests = [build.at_most(build.count(build.letter("a")), build.number(k)) for k in range(200)]
    core = core_of(build, build.both(*tests))
    assert max(map(len, flatten(core))) <= 64
    words = np.zeros((1, 4), int)
    assert compile_program(core).network.answer(words)[0, :, 1].tolist() == [0, 0, 0, 0, 0]


def test_negation_and_constants_cost_nothing(build):
    a = build.letter("a")
    assert form_of(build, build.negate(a))[0] == ALWAYS - single("letter a")
    assert form_of(build, build.negate(build.negate(a)))[0] == single("letter a")
    assert form_of(build, build.both(a, build.negate(a)))[0] == ZERO
    assert form_of(build, build.both(a, a, build.truth()))[0] == single("letter a")
    assert form_of(build, build.truth(False))[0] == ZERO
    assert form_of(build, build.at_most(build.number(2), build.number(3)))[0] == ALWAYS
    assert form_of(build, build.at_most(build.number(3), build.number(2)))[0] == ZERO
    assert form_of(build, build.at_most(build.number(0), build.count(a)))[0] == ALWAYS


def test_a_common_factor_is_divided_out(build):
    a, b = build.count(build.letter("a")), build.count(build.letter("b"))
    test = build.at_most(build.add(build.times(6, a), build.number(5)), build.times(4, b))
    _, plan = form_of(build, test)
    (unit,) = [s for each in plan.definitions for s in each.steps if isinstance(s, Unit)]
    weights = dict(unit.form.terms)  # 4 b − 6 a − 5 >= 0 is 2 b − 3 a − 3 >= 0, doubled, plus half
    assert sorted(weights.values()) == [-6, -5, 4]
    assert unit.gap is Gap.COUNT


def test_looking_back_one_position_needs_no_count():
    network = compile_program(program("far")).network
    assert [d for d in network.directions if d.startswith("count")] == []
    assert network.answers[1] == single("at 5 is_a") * 2


def test_windows_are_compared_as_whole_numbers():
    network = compile_program(program("window")).network
    (unit,) = [u for layer in network.layers for u in layer.units if u.gap is Gap.WHOLE]
    assert dict(unit.form.terms) == {
        "at 1 is_a": 2,
        "at 2 is_a": 2,
        "at 3 is_a": 2,
        "true": -3,
        "sos": -1,
    }
    assert bounded_counts(program("mixed").core).count(True) > 3


def test_a_test_of_the_position_is_said_with_its_smallest_period(build):
    _, plan = form_of(build, build.periodic(6, (1, 3, 5)))
    assert [(place.modulus, place.residues) for place in plan.places] == [(2, (1,))]
    assert form_of(build, build.periodic(3, (0, 1, 2)))[0] == ALWAYS
    assert form_of(build, build.periodic(3, ()))[0] == ZERO


def test_the_same_value_is_made_once(build):
    a = build.letter("a")
    twice = build.both(build.negate(a), build.truth())
    first = build.at_most(build.number(2), build.count(build.negate(a)))
    second = build.at_most(build.number(2), build.count(twice))
    _, plan = form_of(build, build.both(first, second))
    gathers = [s for each in plan.definitions for s in each.steps if isinstance(s, Gather)]
    assert len(gathers) == 2  # one, and one count


def test_only_what_is_needed_is_wanted():
    given = program("mixed").core
    needs = needs_of(given, [given.accept])
    booleans = [place for place, kind in needs.wanted if kind is Kind.BOOLEAN]
    assert given.accept in booleans
    assert len(needs.wanted) < 2 * len(given.operations)
    assert needs_of(given, []).wanted == frozenset()


def test_dead_steps_are_swept():
    build = Builder(("a", "b"))
    never = build.at_most(build.count(build.letter("a")), build.number(-1))
    back = build.at_most(build.number(1), build.count(build.letter("b"), (4,)))
    network = compile_program(core_of(build, build.both(never, back))).network
    assert network.directions == ("sos", "true")
    assert network.layers[0].gathers == network.layers[0].units == ()


@pytest.mark.parametrize("name", TEXTS)
def test_everything_but_one_and_sos_is_zero_at_sos(name):
    network = compile_program(program(name)).network
    words = np.array([word for word in all_words(4) if len(word) == 4])
    values = network.run(words)
    places = {place.direction for place in network.places}
    for direction in set(network.directions) - {"sos", "one"} - places:
        if not direction.startswith("back"):
            assert not values[direction][:, 0].any(), direction


@pytest.mark.parametrize("name", TEXTS)
def test_no_direction_leaves_its_declared_size(name):
    network = compile_program(program(name)).network
    values = network.run(np.array([word for word in all_words(6) if len(word) == 6]))
    seen = np.arange(1, 8)
    for direction, size in zip(network.directions, network.sizes, strict=True):
        assert (abs(values[direction]) <= size * seen).all(), direction
