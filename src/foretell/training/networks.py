"""Networks that a plan brings along instead of training them."""

from __future__ import annotations

from pathlib import Path

from foretell.compiler.finite import FiniteTransformer
from foretell.compiler.for_task import compile_for_task
from foretell.compiler.saving import load_compiled
from foretell.core.task import Task
from foretell.crasp.program import Program
from foretell.plain.errors import BadInput
from foretell.training.plan import Plan


def build_network(plan: Plan) -> FiniteTransformer:
    """The network of the plan: read from its file, or compiled for the task's labels."""
    assert plan.network is not None
    task = plan.members[0].task
    if plan.network.weights is not None:
        return read_network(plan.network.weights, task)
    program = Program.parse(plan.network.program)
    return compile_for_task(program, task, plan.architecture.context).transformer


def read_network(path: str, task: Task) -> FiniteTransformer:
    """A saved network, if it speaks the task's language."""
    saved = load_compiled(Path(path))
    for what, own, wanted in (
        ("tokens", saved.alphabet.tokens, task.alphabet.tokens),
        ("labels", saved.labels, task.labels),
    ):
        if tuple(own) != tuple(wanted):
            raise BadInput(
                f"the network's {what} are not those of the task",
                seen=f"{' '.join(own[:12])} in {path}, {' '.join(wanted[:12])} in {task.name}",
                why="an id would mean one thing to the network and another to the task",
                hint=f"foretell crasp compile PROGRAM --for {task.name}",
            )
    return saved.model
