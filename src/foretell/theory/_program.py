"""A C-RASP program as a certificate: anyone can run it, compare it, and compile it."""

from __future__ import annotations

from dataclasses import dataclass

import jax
import jax.numpy as jnp
import numpy as np

from foretell.compiler.finite import FiniteTransformer
from foretell.compiler.for_task import compile_for_task
from foretell.core.alphabet import PAD
from foretell.core.prediction import Certificate, Checked
from foretell.core.task import Example, Task
from foretell.crasp.analysis import analyse
from foretell.crasp.program import Program
from foretell.crasp.verifying.verify import verify
from foretell.tasks.agreement import Tested, compare_program, draw_examples, report_wrong
from foretell.tasks.regular import RegularTask

NETWORK_TOKENS = 64  # length up to which the compiled network is run; the program goes further
PIECE = 32  # examples a forward pass takes at once
EACH = 6  # examples of one length that the network is run on
LETTERS = 30  # with more of them no network is compiled, and the answer says so


@dataclass(frozen=True)
class ProgramCertificate(Certificate):
    """A program, the fragment it claims to lie in, and the task it claims to compute."""

    program: Program
    fragment: str  # "C-RASP[∅]" or "C-RASP[periodic, local]"
    task: Task

    @property
    def summary(self) -> str:
        """Fragment and size."""
        found = analyse(self.program)
        return f"a {found.fragment} program of {found.operations} operations"

    def check(self) -> Checked:
        """Read the program again, run it against the task's oracle, compile it and run that too."""
        program = Program.parse(self.program.show())
        own = analyse(program).fragment
        if self.fragment == "C-RASP[∅]" and own != self.fragment:
            return Checked(False, f"the program lies in {own}, not in {self.fragment}")
        sizes, example = draw_examples(self.task, self.task.longest)
        tested = compare_program(program, self.task, sizes, example)
        if tested.wrong is not None:
            return Checked(False, f"the program is wrong: {_where(tested)}")
        said = [
            f"{own}; right at {tested.positions:,} positions of {tested.examples:,} examples of "
            f"sizes up to {max(sizes)}"
        ]
        if isinstance(self.task, RegularTask):
            found = verify(program, self.task.language, budget=200_000, kind="next")
            if found.status == "refuted":
                return Checked(False, found.summary())
            said.append(f"against the automaton: {found.summary().rstrip('.')}")
        network = self._check_network(program, example)
        return Checked(network.holds, "; ".join([*said, network.how]))

    def _check_network(self, program: Program, drawn: Example) -> Checked:
        width = min(self.task.width(self.task.longest), NETWORK_TOKENS)
        if len(program.letters) > LETTERS:
            return Checked(
                True, f"no network was compiled: {len(program.letters)} letters make it too large"
            )
        context = 2 * width
        model = compile_for_task(program, self.task, context).transformer
        example = _short(drawn, width)
        for offset in (0, context - width):
            tested = _compare_network(model, self.task, example, offset)
            if tested.wrong is not None:
                return Checked(False, f"the network is wrong at offset {offset}: {_where(tested)}")
        return Checked(
            True,
            f"compiled network ({model.architecture.label}) right on the {tested.examples:,} of "
            f"these with up to {width} tokens, at two offsets",
        )

    def as_json(self) -> dict[str, object]:
        """The program's text is the evidence."""
        return {
            "kind": "crasp-program",
            "fragment": self.fragment,
            "program": self.program.show(),
            "task": self.task.as_json(),
        }


def _short(example: Example, width: int) -> Example:
    """The examples that fit into so many tokens, a few of each length."""
    lengths = (np.asarray(example.tokens) != PAD).sum(axis=1)
    rank = np.zeros(len(lengths), int)
    for length in np.unique(lengths):
        rank[lengths == length] = np.arange((lengths == length).sum())
    kept = (lengths <= width) & (rank < EACH)
    tokens, targets, mask, first = (np.asarray(part)[kept] for part in example)
    return Example(tokens[:, :width], targets[:, :width], mask[:, :width], first)


def _compare_network(model: FiniteTransformer, task: Task, example: Example, offset: int) -> Tested:
    """The network's most likely label at every scored position."""
    tokens, mask = np.asarray(example.tokens), np.asarray(example.mask)
    positions = jnp.arange(tokens.shape[1])[None] + offset
    padded = np.pad(tokens, ((0, -len(tokens) % PIECE), (0, 0)))
    pieces = jnp.asarray(padded.reshape(-1, PIECE, tokens.shape[1]))
    logits = jax.lax.map(lambda piece: jnp.argmax(model(piece, positions), axis=-1), pieces)
    said = np.asarray(logits).reshape(padded.shape)[: len(tokens)]
    wrong = ((said != np.asarray(example.targets)) & mask).any(axis=1)
    tested = Tested(len(tokens), int(mask.sum()), ())
    if not wrong.any():
        return tested
    row = int(np.argmax(wrong))
    return report_wrong(task, example, row, said[row], tested)


def _where(tested: Tested) -> str:
    word = " ".join(tested.wrong or ()) or "the empty word"
    return f"after {word} it says {tested.found}, the oracle {tested.expected}"
