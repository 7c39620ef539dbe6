"""Laws of the C-RASP language over random programs."""

import itertools

import jax.numpy as jnp
import numpy as np
import pytest
from hypothesis import HealthCheck, assume, event, given, settings
from hypothesis import strategies as st

from foretell.crasp import shelf, tree
from foretell.crasp.interpreter import INT32, INT64, OnWords, evaluate, largest_count
from foretell.crasp.naming import EOS, index
from foretell.crasp.on_device import OnBatch
from foretell.crasp.printing import print_program
from foretell.crasp.program import Program
from foretell.crasp.words import Words
from foretell.plain.errors import BadInput

# The run-time type checker looks at random elements of containers, also inside strategies.
pytestmark = pytest.mark.filterwarnings("ignore:Do not use the `random` module")
some = settings(max_examples=100, deadline=None, suppress_health_check=[HealthCheck.too_slow])
ALPHABETS = [("a", "b"), ("a",), ("(", ")", "<sep>"), ("0", "10", "z", "and"), ("é", "'", '"')]
BATCH, WIDTH = 5, 8  # one shape for all batches, so that JAX compiles each primitive once


# ---- random well-typed programs, with all the sugar


class Maker:
    """Draws expressions over what is known so far; every choice is hypothesis'."""

    def __init__(self, draw, letters, largest, careless=False):
        self.draw, self.letters, self.largest, self.careless = draw, letters, largest, careless
        self.known = {bool: [], int: []}  # (name, number of letters in brackets)
        self.parameters = ()

    def one(self, *options):
        return self.draw(st.sampled_from(options))

    def letter(self, scope):
        return self.one(*self.letters, *scope)

    def whole(self):
        near = self.draw(st.integers(-9, 9))
        far = self.draw(st.integers(self.largest - 9, self.largest)) * self.one(1, -1)
        return self.one(*self.parameters, near, far)

    def reference(self, sort, scope):
        name, number = self.one(*self.known[sort])
        return tree.Reference(name, tuple(self.letter(scope) for _ in range(number)))

    def make(self, sort, scope, depth):
        if self.careless and self.one(*[False] * 9, True):
            sort = {bool: int, int: bool}[sort]
        kinds = [self.leaf] if depth == 0 else [self.leaf, self.compound, self.compound]
        return self.one(*kinds)(sort, scope, depth)

    def leaf(self, sort, scope, depth):
        if self.known[sort] and self.one(True, False):
            return self.reference(sort, scope)
        if sort is int:
            return tree.Number(self.whole())
        modulus = self.draw(st.integers(1, 5))
        residues = st.lists(st.integers(0, modulus - 1), max_size=3)
        return self.one(
            tree.Letter(self.letter(scope)),
            tree.Truth(self.one(True, False)),
            tree.Residue(modulus, tuple(self.draw(residues))),
        )

    def compound(self, sort, scope, depth):
        def part(of):
            return self.make(of, scope, depth - 1)

        def parts(of, low=2):
            return tuple(part(of) for _ in range(self.draw(st.integers(low, 3))))

        if self.one(*[False] * 5, True):
            return self.each(sort, scope, depth)
        if sort is bool:
            kind = self.one("not", "and", "or", "xor", "implies", "iff", "compare", "exists")
            if kind == "not":
                return tree.Not(part(bool))
            if kind == "exists":
                return tree.ExistsPast(part(bool))
            if kind == "compare":
                sign = self.one("<=", "<", ">=", ">", "==", "!=")
                return tree.Comparison(sign, part(int), part(int))
            two = kind in ("implies", "iff")
            return tree.Junction(kind, (part(bool), part(bool)) if two else parts(bool))
        kind = self.one("count", "count", "sum", "product", "choice", "max", "min", "abs")
        if kind == "count":
            return tree.Count(self.window(), part(bool))
        if kind == "sum":
            signs = (True, *self.draw(st.lists(st.booleans(), min_size=1, max_size=2)))
            return tree.Sum(tuple((sign, part(int)) for sign in signs))
        if kind == "product":
            return tree.Product(self.whole(), part(int))
        if kind == "choice":
            return tree.Choice(part(bool), part(int), part(int))
        return tree.Function(kind, (part(int),) if kind == "abs" else parts(int, 1))

    def window(self):
        offsets = st.lists(st.integers(0, 9), min_size=1, max_size=4, unique=True)
        if self.one(True, False):
            return tree.Window(tuple(sorted(self.draw(offsets))))
        return tree.Window(None, self.draw(st.integers(0, 3)))

    def each(self, sort, scope, depth):
        word = self.one("any", "all") if sort is bool else self.one("sum", "max", "min")
        signs = ["all", "in"] if word in ("max", "min") else ["all", "in", "!=", "<", "<=", ">"]
        sign = self.one(*signs)
        names = () if sign == "all" else (self.letter(scope),)
        variable = f"v{len(scope)}"
        body = self.make(sort, (*scope, variable), depth - 1)
        return tree.Each(word, variable, tree.LetterRange(sign, names), body)


NAMED = [(), ("n",), ("n", "size")]


@st.composite
def lines(draw, largest=9, careless=False):
    """Letters and statements."""
    maker = Maker(draw, draw(st.sampled_from(ALPHABETS)), largest, careless)
    statements = [tree.Parameter(n, draw(st.integers(-3, 3))) for n in draw(st.sampled_from(NAMED))]
    maker.parameters = tuple(item.name for item in statements)
    for number in range(draw(st.integers(1, 5))):
        sort, scope = maker.one(bool, int), maker.one((), (), ("x",), ("x", "y"))
        body = maker.make(sort, scope, 3)
        name = f"d{number}"
        statements.append(tree.Macro(name, scope, body) if scope else tree.Definition(name, body))
        maker.known[sort].append((name, len(scope)))
    wanted = maker.one(("accept",), ("next",), ("accept", "next"))
    if "accept" in wanted:
        statements.append(tree.Definition("accept", maker.make(bool, (), 2)))
        statements += maker.one([], [tree.Empty("accept")], [tree.Empty("reject")])
    if "next" in wanted:
        symbols = draw(st.lists(st.sampled_from([*maker.letters, EOS]), unique=True))
        statements += [tree.Definition("next", maker.make(bool, (), 2), (x,)) for x in symbols]
        statements.append(tree.Macro("next", ("x",), maker.make(bool, ("x",), 2)))
        statements += maker.one([], [tree.Empty("next", tuple(symbols))])
    return maker.letters, tuple(statements)


def programs(largest=9):
    return lines(largest).map(lambda parts: Program(*parts))


def words_over(program):
    letter = st.integers(0, len(program.letters) - 1)
    return st.lists(st.lists(letter, max_size=WIDTH), min_size=BATCH, max_size=BATCH)


# ---- the obvious interpreter: Definition 8 and the meaning of the sugar, position by position


class Obvious:
    """What an expression is worth at one position of one word. Knows nothing of lowering."""

    def __init__(self, program, word):
        self.letters, self.word = program.letters, [program.letters[k] for k in word]
        self.numbers, self.bodies, self.macros, self.seen = {}, {}, {}, {}
        for item in program.statements:
            match item:
                case tree.Parameter(name, value):
                    self.numbers[name] = value
                case tree.Definition(name, body, letters):
                    self.bodies[name, letters] = body
                case tree.Macro(name, parameters, body):
                    self.macros[name] = (parameters, body)

    def named(self, name, letters, i):
        if (name, letters, i) not in self.seen:
            if (name, letters) in self.bodies:
                value = self.at(self.bodies[name, letters], i, {})
            else:
                parameters, body = self.macros[name]
                value = self.at(body, i, dict(zip(parameters, letters, strict=True)))
            self.seen[name, letters, i] = value
        return self.seen[name, letters, i]

    def number(self, value):
        return self.numbers[value] if isinstance(value, str) else value

    def at(self, item, i, scope):
        def now(part):
            return self.at(part, i, scope)

        match item:
            case tree.Letter(name):
                return self.word[i - 1] == scope.get(name, name)
            case tree.Truth(value):
                return value
            case tree.Residue(modulus, residues):
                return i % self.number(modulus) in map(self.number, residues)
            case tree.Not(body):
                return not now(body)
            case tree.Junction(word, parts):
                values = [now(part) for part in parts]
                return {
                    "and": all(values),
                    "or": any(values),
                    "xor": sum(values) % 2 == 1,
                    "implies": values[1] or not values[0],
                    "iff": values[0] == values[1],
                }[word]
            case tree.Comparison(sign, left, right):
                a, b = now(left), now(right)
                signs = {"<=": a <= b, "<": a < b, ">=": a >= b, ">": a > b}
                return (signs | {"==": a == b, "!=": a != b})[sign]
            case tree.ExistsPast(body):
                return any(self.at(body, j, scope) for j in range(1, i + 1))
            case tree.Count(window, body):
                return sum(
                    self.at(body, j, scope)
                    for j in range(1, i + 1)
                    if (i - j in window.offsets if window.offsets else i - j >= window.start)
                )
            case tree.Number(value):
                return self.number(value)
            case tree.Sum(terms):
                return sum(now(term) if plus else -now(term) for plus, term in terms)
            case tree.Product(factor, body):
                return self.number(factor) * now(body)
            case tree.Choice(condition, then, otherwise):
                return now(then) if now(condition) else now(otherwise)
            case tree.Function(word, parts):
                values = [now(part) for part in parts]
                return {"max": max(values), "min": min(values), "abs": abs(values[0])}[word]
            case tree.Each(word, variable, wanted, body):
                chosen = self.chosen(wanted, scope)
                values = [self.at(body, i, {**scope, variable: letter}) for letter in chosen]
                return {"any": any, "all": all, "sum": sum, "max": max, "min": min}[word](values)
            case tree.Reference(name, letters):
                return self.named(name, tuple(scope.get(x, x) for x in letters), i)

    def chosen(self, wanted, scope):
        if wanted.sign == "all":
            return self.letters
        names = [scope.get(name, name) for name in wanted.names]
        pivot, place = self.letters.index(names[0]), self.letters.index
        holds = {
            "in": lambda x: x in names,
            "!=": lambda x: x not in names,
            "<": lambda x: place(x) < pivot,
            "<=": lambda x: place(x) <= pivot,
            ">": lambda x: place(x) > pivot,
        }[wanted.sign]
        return [letter for letter in self.letters if holds(letter)]


# ---- the laws


@some
@given(programs())
def test_parsing_what_is_printed_gives_the_same_tree(program):
    text = program.show()
    again = Program.parse(text)
    assert again == program
    assert hash(again) == hash(program)
    assert again.show() == text


@some
@given(programs())
def test_the_core_form_lowers_to_the_same_operations(program):
    core = Program.parse(program.show(core=True)).core
    for part in ("letters", "operations", "accept", "next", "accepts_empty", "next_of_empty"):
        assert getattr(core, part) == getattr(program.core, part), part


@some
@given(st.data(), programs())
def test_the_interpreter_agrees_with_the_obvious_one_everywhere(data, program):
    check_against_the_obvious(program, data.draw(words_over(program)))


@some
@given(st.data(), programs(largest=2**63 - 1))
def test_numbers_of_any_size_are_exact(data, program):
    event(f"Python's integers: {largest_count(program.core, WIDTH) > INT64}")
    check_against_the_obvious(program, data.draw(words_over(program)))


def check_against_the_obvious(program, words):
    """All definitions and macros, at all positions of all words; then what the program answers."""
    oracles = [Obvious(program, word) for word in words]
    spoken = [(word, oracle) for word, oracle in zip(words, oracles, strict=True) if word]
    batch = Words.of([word for word, _ in spoken])
    every = range(len(program.core.operations))
    values = evaluate(program.core, OnWords.create(program.core, batch), every)
    places = dict(program.core.names)
    for name, letters in keys(program):
        if name + index(letters) in places:  # of a macro only what is used
            value = values[places[name + index(letters)]]
            found = np.broadcast_to(np.asarray(value), batch.letters.shape).tolist()
            wanted = [o.named(name, letters, i + 1) for w, o in spoken for i in range(len(w))]
            assert found == wanted, name + index(letters)
    for word, oracle in zip(words, oracles, strict=True):
        answer = program.answers([[program.letters[k] for k in word]])[0]
        if "accept" in answer and ("accept", ()) in oracle.bodies:
            here = word and oracle.named("accept", (), len(word))
            assert answer["accept"] == (here if word else program.core.accepts_empty)
        if "next" in answer:
            here = {x for x in program.symbols if word and oracle.named("next", (x,), len(word))}
            assert {*answer["next"]} == (here if word else program.core.next_of_empty)


def keys(program):
    """Names with the letters in their brackets."""
    for item in program.statements:
        if isinstance(item, tree.Definition):
            yield item.name, item.letters
        if isinstance(item, tree.Macro):
            choices = itertools.product(program.letters, repeat=len(item.parameters))
            yield from ((item.name, chosen) for chosen in choices)


@some
@given(st.data(), programs())
def test_many_words_at_once_are_the_same_as_one_by_one(data, program):
    words = data.draw(words_over(program))
    if program.is_acceptor:
        assert program.accepts(words).tolist() == [program.accepts([w])[0] for w in words]
    if program.symbols:
        assert program.following(words) == [program.following([w])[0] for w in words]


@settings(some, max_examples=30)
@given(st.data(), programs())
def test_the_device_path_agrees_with_numpy(data, program):
    words = [word for word in data.draw(words_over(program)) if word]
    assume(words)
    padded = np.zeros((BATCH, WIDTH), np.int32)
    for row, word in enumerate(words):
        padded[row, : len(word)] = word
    if largest_count(program.core, WIDTH) > INT32:
        with pytest.raises(BadInput, match="32 bits"):
            OnBatch.create(program.core, jnp.asarray(padded))
        return
    on_device = evaluate(program.core, OnBatch.create(program.core, jnp.asarray(padded)))
    batch = Words.of(words)
    exact = evaluate(program.core, OnWords.create(program.core, batch))
    for place in program.core.outputs:
        rows = np.asarray(on_device[place])
        found = [rows[row, : len(word)] for row, word in enumerate(words)]
        assert (np.concatenate(found) == exact[place]).all()


@some
@given(lines(careless=True))
def test_programs_with_the_wrong_sorts(parts):
    try:
        program = Program.parse(print_program(*parts))
    except BadInput as refused:
        assert refused.seen
    else:
        assert (program.letters, program.statements) == parts


def test_the_obvious_interpreter_knows_a_word_when_it_sees_one():
    program = shelf.load("contains-ab")
    for word in itertools.product((0, 1), repeat=4):
        oracle = Obvious(program, word).named("accept", (), 4)
        assert oracle == ("01" in "".join(map(str, word)))


# ---- every kind of expression inside every other, so that no precedence is left to chance

A, B = tree.Letter("a"), tree.Letter("b")
ONCE, EVER = tree.Window((0, 2)), tree.Window(None, 2)
FRESH = itertools.count()
HERE, COUNTED = tree.LetterRange("!=", ("a",)), tree.Count(tree.Window(), A)
BOOLEANS = {  # kind: (sorts of the parts, how to put them together)
    "letter": ("", lambda: A),
    "reference": ("", lambda: tree.Reference("p", ("b",))),
    "residue": ("", lambda: tree.Residue(3, (1,))),
    "residues": ("", lambda: tree.Residue(3, (0, 2))),
    "not": ("b", tree.Not),
    "and": ("bb", lambda *parts: tree.Junction("and", parts)),
    "or": ("bb", lambda *parts: tree.Junction("or", parts)),
    "xor": ("bb", lambda *parts: tree.Junction("xor", parts)),
    "implies": ("bb", lambda *parts: tree.Junction("implies", parts)),
    "iff": ("bb", lambda *parts: tree.Junction("iff", parts)),
    "at most": ("cc", lambda *parts: tree.Comparison("<=", *parts)),
    "differs": ("cc", lambda *parts: tree.Comparison("!=", *parts)),
    "exists": ("b", tree.ExistsPast),
    "any": ("b", lambda body: tree.Each("any", f"v{next(FRESH)}", HERE, body)),
}
COUNTS = {
    "number": ("", lambda: tree.Number(3)),
    "negative": ("", lambda: tree.Number(-3)),
    "parameter": ("", lambda: tree.Number("n")),
    "local": ("b", lambda body: tree.Count(ONCE, body)),
    "ever": ("b", lambda body: tree.Count(EVER, body)),
    "sum": ("cc", lambda *parts: tree.Sum(((True, parts[0]), (True, parts[1])))),
    "difference": ("cc", lambda *parts: tree.Sum(((True, parts[0]), (False, parts[1])))),
    "product": ("c", lambda body: tree.Product(3, body)),
    "minus": ("c", lambda body: tree.Product(-1, body)),
    "times": ("c", lambda body: tree.Product("n", body)),
    "choice": ("bcc", tree.Choice),
    "max": ("cc", lambda *parts: tree.Function("max", parts)),
    "abs": ("c", lambda body: tree.Function("abs", (body,))),
    "total": ("c", lambda body: tree.Each("sum", f"v{next(FRESH)}", HERE, body)),
}
KINDS = {"b": BOOLEANS, "c": COUNTS}
PLAIN = {"b": [A, B], "c": [COUNTED, tree.Number(1), tree.Number(2)]}


def filled(kind, slot=None, body=None):
    """An expression of that kind, its parts plain except one."""
    sorts, make = kind
    return make(*(body if k == slot else PLAIN[s][k % 2] for k, s in enumerate(sorts)))


@pytest.mark.parametrize("kind", [*BOOLEANS, *COUNTS])
def test_every_kind_inside_every_other(kind):
    outer = (BOOLEANS | COUNTS)[kind]
    known = (tree.Parameter("n", 2), tree.Macro("p", ("x",), tree.Not(tree.Letter("x"))))
    bodies = [
        filled(outer, slot, filled(inner))
        for slot, sort in enumerate(outer[0])
        for inner in KINDS[sort].values()
    ]
    for body in bodies or [filled(outer)]:
        named = tree.Definition("d", body)
        program = Program(("a", "b"), (*known, named, tree.Definition("accept", A)))
        assert Program.parse(program.show()) == program, program.show()
        check_against_the_obvious(program, [[0, 1, 1, 0, 1, 0, 0], [1], [1, 0, 1, 1]])
