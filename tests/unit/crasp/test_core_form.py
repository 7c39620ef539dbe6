"""The core form as text: one definition an operation, names kept where there are some."""

from foretell.crasp import operations as op
from foretell.crasp.core_form import operation_names
from foretell.crasp.program import Program

TEXT = """
alphabet a "("
let f[x](i) := #[j <= i, j == i - 1] Q_x(j) >= 1
accept(i) := f["("](i) or (i mod 3 in {0, 2} ? 1 : -2) < #[j < i] true
next[a](i) := accept(i)
next[<eos>](i) := not accept(i)
empty accept
empty next a
"""


def test_every_operation_is_one_line_of_definition_8():
    program = Program.parse(TEXT)
    lines = program.show(core=True).splitlines()
    kinds = [type(operation) for operation in program.core.operations]
    assert {op.Letter, op.Count, op.One, op.AtMost, op.Not, op.Periodic, op.Truth} <= {*kinds}
    assert len(lines) == 1 + len(kinds) + 2 + 2  # the alphabet, next twice, the empty word twice
    for word in ("or", "<", "implies", "any", "sum", "exists_past", "max"):
        assert f" {word} " not in "\n".join(lines)


def test_it_lowers_to_itself():
    core = Program.parse(TEXT).core
    again = Program.parse(Program.parse(TEXT).show(core=True)).core
    assert (again.operations, again.accept, again.next) == (core.operations, core.accept, core.next)
    assert (again.accepts_empty, again.next_of_empty) == (True, {"a"})


def test_names_are_kept_where_they_can_be():
    names = operation_names(Program.parse(TEXT).core)
    assert len({*names}) == len(names)
    assert {"accept", "f_a", "is_a", "one", "always"} <= {*names}


def test_names_that_would_collide_are_replaced():
    text = (
        "alphabet a b\nis_a(i) := Q_b(i)\nt1(i) := Q_a(i)\nQ_ab(i) := not t1(i)\nlast(i) := Q_ab(i)"
    )
    program = Program.parse(text)
    again = Program.parse(program.show(core=True))
    assert again.core.operations == program.core.operations
    assert [again.run(word) for word in ("a", "b")] == [False, True]


def test_dead_operations_are_pruned_and_nothing_else():
    program = Program.parse("alphabet a b\nidle(i) := #[j <= i] Q_b(j)\naccept(i) := not Q_a(i)")
    pruned = program.core.pruned()
    assert pruned.operations == (op.Letter(0), op.Not(0))
    assert pruned.pruned() is pruned
    assert dict(pruned.names) == {"accept": 1}
