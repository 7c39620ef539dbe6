"""From a C-RASP program to transformers: the whole way, one call a pass."""

from __future__ import annotations

from dataclasses import dataclass

from foretell.compiler.answers import Labels, Reading, answers_for, reading_of
from foretell.compiler.arrays import as_arrays, refuse_too_large
from foretell.compiler.finite import FiniteTransformer
from foretell.compiler.limit import LimitTransformer, limit_transformer
from foretell.compiler.network import Network
from foretell.compiler.planning import plan_steps
from foretell.compiler.precision import Precision, precision_of
from foretell.compiler.regions import parameters, with_positions
from foretell.compiler.scheduling import schedule, sweep
from foretell.core.alphabet import RESERVED, Alphabet
from foretell.crasp.operations import Core
from foretell.crasp.program import Program
from foretell.plain.errors import BadInput


@dataclass(frozen=True)
class Compiled:
    """A program and what it became: steps, the Limit Transformer and, given a context N, T_N.

    `exact` is T_N with exact parameters, `finite` the same as arrays. `alphabet` owns the token ids
    that `finite` reads; `precision` is for its floating-point type.
    """

    core: Core
    network: Network
    limit: LimitTransformer
    alphabet: Alphabet
    reading: Reading
    precision: Precision
    exact: LimitTransformer | None = None
    finite: FiniteTransformer | None = None

    @property
    def labels(self) -> tuple[str, ...]:
        """What the outputs mean."""
        return self.network.labels

    @property
    def transformer(self) -> FiniteTransformer:
        """T_N, which must have been asked for."""
        if self.finite is None:
            raise BadInput("no finite transformer was compiled", hint="give a context")
        return self.finite

    @property
    def context(self) -> int:
        """N, tokens with SOS."""
        return self.transformer.architecture.context

    @property
    def warning(self) -> str | None:
        """Why the floating-point network may err at this context, if it may."""
        return None if self.finite is None else self.precision.warning(self.context)


def compile_program(
    program: Program | Core,
    *,
    context: int | None = None,
    labels: Labels = None,
    alphabet: Alphabet | None = None,
    dtype: str = "float32",
    refuse: bool = True,
) -> Compiled:
    """Compile to the Limit Transformer and, given a context N, to T_N.

    `labels` are the outputs (see `answers_for`), `alphabet` the one a task uses, if it has more
    symbols than the program. A context at which the type is hopeless is bad input, unless
    `refuse` is false. A word of n letters takes n + 1 tokens of the context.

    >>> text = "alphabet a b\\naccept(i) := #[j <= i] Q_a(j) >= #[j <= i] Q_b(j)"
    >>> compiled = compile_program(Program.parse(text), context=50)
    >>> compiled.transformer.architecture.label
    'nope 1L 1H 8d no norm heaviside log-length'
    """
    core = (program.core if isinstance(program, Program) else program).pruned()
    answers = answers_for(core, labels)
    plan = plan_steps(core, {place for answer in answers for place, _ in answer.weights})
    forms = tuple(answer.form(plan.booleans) for answer in answers)
    network = schedule(sweep(plan, forms), tuple(answer.label for answer in answers), forms)
    limit = limit_transformer(network)
    tokens = alphabet or own_alphabet(core)
    reading, precision = reading_of(core, labels), precision_of(network, dtype)
    if context is None:
        return Compiled(core, network, limit, tokens, reading, precision)
    check_context(limit, precision, context, refuse)
    exact = with_positions(limit, context)
    finite = as_arrays(exact, tokens, dtype)
    return Compiled(core, network, limit, tokens, reading, precision, exact, finite)


def check_context(
    limit: LimitTransformer, precision: Precision, context: int, refuse: bool = True
) -> None:
    """Refuse a context that cannot be: empty, too large for memory, or for the type."""
    if context < 1:
        raise BadInput("a context holds at least SOS", seen=context, hint="1 or more")
    refuse_too_large(parameters(limit, context), context)
    if refuse:
        precision.refuse_hopeless(context)


def own_alphabet(core: Core) -> Alphabet:
    """The program's letters; the reserved ones have their ids already."""
    return Alphabet(tuple(letter for letter in core.letters if letter not in RESERVED))
