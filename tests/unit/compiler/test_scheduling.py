from compiler_programs import program

from foretell.compiler.compiling import compile_program
from foretell.compiler.forms import single
from foretell.compiler.network import Gather, Unit
from foretell.compiler.planning import Definition, Plan
from foretell.compiler.scheduling import ready_times, schedule, sweep


def plan(*definitions: Definition) -> Plan:
    names = ["true", "sos", "letter a", *(each.direction for each in definitions)]
    return Plan(("a",), (), definitions, {}, dict.fromkeys(names, 1))


def mean(direction: str, of: str) -> Definition:
    return Definition(direction, (Gather(direction, single(of)),))


def unit(direction: str, *of: str) -> Definition:
    return Definition(direction, tuple(Unit(direction, single(name)) for name in of))


def test_steps_happen_as_soon_as_they_can():
    given = plan(
        mean("one", "sos"),
        unit("early", "letter a"),
        unit("after mean", "one"),
        mean("late mean", "after mean"),
        unit("last", "early", "late mean"),
    )
    assert ready_times(given) == {
        "one": 1,
        "early": 2,
        "after mean": 2,
        "late mean": 3,
        "last": 4,
    }
    network = schedule(given, ("x",), (single("last"),))
    assert [len(layer.gathers) for layer in network.layers] == [1, 1]
    assert [len(layer.units) for layer in network.layers] == [2, 2]


def test_there_is_always_a_layer():
    network = compile_program(program("letter")).network
    assert len(network.layers) == 1
    assert network.directions == ("sos", "true", "letter a")


def test_sweeping_keeps_only_what_answers_need():
    given = plan(mean("one", "sos"), unit("x", "one"), unit("y", "letter a"))
    assert [d.direction for d in sweep(given, [single("x")]).definitions] == ["one", "x"]
    assert sweep(given, []).definitions == ()


def test_one_head_serves_all_means_of_a_layer():
    limit = compile_program(program("dyck")).limit
    assert limit.heads == 1
    assert len(limit.layers) == 3
