"""The law of the compiler: interpreter = steps = Limit Transformer = T_N, at every offset."""

import itertools
import random
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import foretell.crasp
from foretell.compiler.compiling import compile_program
from foretell.compiler.invariance import violations
from foretell.compiler.running import Form, answers
from foretell.crasp.builder import Builder
from foretell.crasp.interpreter import OnWords, evaluate
from foretell.crasp.operations import Core
from foretell.crasp.program import Program
from foretell.crasp.words import Words

LIBRARY = sorted((Path(foretell.crasp.__file__).parent / "library").glob("*.crasp"))
# The run-time type checker looks at random elements of containers, also inside strategies.
pytestmark = pytest.mark.filterwarnings("ignore:Do not use the `random` module")
OFFSETS = st.sets(st.sampled_from([0, 1, 2, 3, 7, 20]), min_size=1, max_size=3)


@st.composite
def cores(draw, most: int = 9) -> Core:
    """A random program over a and b with every kind of operation; the last Boolean accepts."""
    build = Builder(("a", "b"))
    booleans = [build.letter("a"), build.letter("b"), build.truth()]
    counts = [build.number(1), build.count(booleans[0]), build.count(booleans[1])]
    for _ in range(draw(st.integers(1, most))):
        # mostly recent values, so that the last ones depend on much of the program
        one, two = (draw(st.sampled_from(booleans[-3:])) for _ in range(2))
        left, right = (draw(st.sampled_from(counts[-3:])) for _ in range(2))
        match draw(st.integers(0, 13)):
            case 0:
                modulus = draw(st.integers(2, 4))
                residues = draw(st.sets(st.integers(0, modulus - 1), max_size=modulus - 1))
                booleans.append(build.periodic(modulus, tuple(residues)))
            case 1:
                booleans.append(build.negate(one))
            case 2:
                booleans.append(build.both(one, two))
            case 3:
                booleans.append(build.either(one, two))
            case 4 | 5 | 6:
                booleans.append(build.at_most(left, right))
            case 7:
                counts.append(build.count(one))
            case 8:
                counts.append(build.count(one, tuple(sorted(draw(OFFSETS)))))
            case 9:
                counts.append(build.choose(one, left, right))
            case 10:
                counts.append(build.subtract(left, build.times(draw(st.integers(0, 3)), right)))
            case 11:
                counts.append(build.add(left, right))
            case 12 | 13:
                near = build.count(one, tuple(sorted(draw(OFFSETS))))
                booleans.append(build.at_most(build.number(draw(st.integers(1, 2))), near))
                counts.append(build.add(left, near))
    final = build.at_most(counts[-2], counts[-1])
    accept = build.differ(booleans[-1], final) if draw(st.booleans()) else booleans[-1]
    operations = tuple(build.operations)
    return Core(("a", "b"), operations, (), accept, accepts_empty=draw(st.booleans()))


def interpreted(core: Core, words):
    """Acceptance by the interpreter."""
    full = Words.of(word for word in words if word)
    value = evaluate(core, OnWords.create(core, full), [core.accept])[core.accept]
    ends = iter(value[full.ends - 1].tolist())
    return [bool(next(ends)) if word else core.accepts_empty for word in words]


def all_words(longest: int, letters: int = 2):
    return [w for n in range(longest + 1) for w in itertools.product(range(letters), repeat=n)]


def random_words(count: int, low: int, high: int, letters: int = 2):
    source = random.Random(count + high)
    lengths = [source.randint(low, high) for _ in range(count)]
    return [tuple(source.choices(range(letters), k=length)) for length in lengths]


def agree(compiled, words, wanted, offsets, forms=tuple(Form)):
    """Every form says what the interpreter says, the finite ones at every offset."""
    for form in forms:
        for offset in offsets if form in (Form.FINITE, Form.EXACT) else (0,):
            found = answers(compiled, words, form, offset)
            wrong = [k for k, (x, y) in enumerate(zip(found, wanted, strict=True)) if x != y]
            assert not wrong, (form, offset, words[wrong[0]], found[wrong[0]], wanted[wrong[0]])


@settings(max_examples=30, deadline=None)
@given(cores())
def test_interpreter_steps_and_limit_agree_on_random_programs(core):
    words = [*all_words(6), *random_words(2, 25, 40)]
    agree(compile_program(core), words, interpreted(core, words), (0,), (Form.STEPS, Form.LIMIT))


@settings(max_examples=25, deadline=None)
@given(cores())
def test_the_exact_t_n_agrees_on_random_programs_at_every_offset(core):
    compiled = compile_program(core, context=9)
    words = all_words(4)[::2]
    agree(compiled, words, interpreted(core, words), (0, 1, 4), (Form.EXACT,))
    assert violations(compiled.transformer) == ()


@settings(max_examples=6, deadline=None)
@given(cores())
def test_t_n_agrees_on_random_programs_at_several_offsets(core):
    compiled = compile_program(core, context=32)
    words = [*all_words(7)[::3], *random_words(3, 6, 7)]
    agree(compiled, words, interpreted(core, words), (0, 1, 17), (Form.FINITE,))


def library_case(path: Path, longest: int, context: int | None):
    program = Program.parse(path.read_text(encoding="utf-8"))
    letters = len(program.letters)
    while letters**longest > 2000:
        longest -= 1
    return program, compile_program(program, context=context), all_words(longest, letters)


def expected(program: Program, words):
    return program.accepts(words).tolist() if program.is_acceptor else program.following(words)


@pytest.mark.parametrize("path", LIBRARY, ids=lambda path: path.stem)
def test_interpreter_steps_and_limit_agree_on_the_library(path):
    program, compiled, words = library_case(path, 5, None)
    words = [*words[-400:], *random_words(2, 30, 40, len(program.letters))]
    agree(compiled, words, expected(program, words), (0,), (Form.STEPS, Form.LIMIT))


@pytest.mark.parametrize("path", LIBRARY[::6], ids=lambda path: path.stem)
def test_t_n_agrees_on_some_of_the_library(path):
    program, compiled, words = library_case(path, 6, 16)
    words = [*words[:200], *random_words(4, 6, 7, len(program.letters))]
    agree(compiled, words, expected(program, words), (0, 5), (Form.FINITE,))


@pytest.mark.slow
@pytest.mark.parametrize("path", LIBRARY, ids=lambda path: path.stem)
def test_the_whole_law_on_the_library(path):
    program, compiled, words = library_case(path, 8, 230)
    words += random_words(12, 100, 200, len(program.letters))
    forms = (Form.STEPS, Form.LIMIT, Form.FINITE)
    agree(compiled, words, expected(program, words), (0, 1, 2, 29), forms)


@pytest.mark.slow
@settings(max_examples=30, deadline=None)
@given(cores(most=14))
def test_the_whole_law_on_random_programs(core):
    compiled = compile_program(core, context=216)
    words = [*all_words(8), *random_words(6, 130, 200)]
    forms = (Form.STEPS, Form.LIMIT, Form.FINITE)
    agree(compiled, words, interpreted(core, words), (0, 1, 6, 15), forms)
