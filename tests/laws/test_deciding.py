"""Laws of the decision: two routes, one answer; closure; programs in, yes out; words that fool."""

from __future__ import annotations

import itertools
import random
import sys
from pathlib import Path
from unittest import mock

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from foretell.core.alphabet import Alphabet
from foretell.crasp.builder import Builder
from foretell.crasp.deciding.decide import decide
from foretell.crasp.deciding.karoubi import karoubi_definable
from foretell.crasp.operations import Core
from foretell.crasp.verifying.programs import ProgramReference
from foretell.crasp.verifying.verify import verify
from foretell.crasp.words import Words
from foretell.languages.dfa import DFA

# The run-time type checker looks at random elements of containers, also inside strategies.
pytestmark = pytest.mark.filterwarnings("ignore:Do not use the `random` module")
few = settings(max_examples=40, deadline=None)
many = settings(max_examples=1500, deadline=None)
PROTOTYPE = Path("/work/shared/prototype/decide")


def verdicts(dfa: DFA, accept: str = "last-letter", **asked) -> list[bool]:
    found = decide(dfa, accept, certificates=False, **asked)
    return [answer.answer == "yes" for answer in found.answers]


def random_automaton(generator: random.Random, most: int = 6) -> DFA:
    """Uniform, partial with a dead state, or partly injective: each kind has its own answers."""
    letters, states = generator.choice([1, 2, 2, 3]), generator.randint(2, most)
    kind = generator.choice(["uniform", "partial", "injective"])
    dead = states - 1
    delta = [[generator.randrange(states) for _ in range(letters)] for _ in range(states)]
    if kind != "uniform":
        delta[dead] = [dead] * letters
    if kind == "partial":
        for row, letter in itertools.product(delta[:-1], range(letters)):
            if generator.random() < 0.5:
                row[letter] = dead
    if kind == "injective":
        for letter in range(letters):
            targets = generator.sample(range(dead), dead)
            neutral = generator.random() < 0.2
            for state, target in enumerate(targets):
                kept = generator.random() < 0.65
                delta[state][letter] = state if neutral else (target if kept else dead)
    final = frozenset(state for state in range(states) if generator.random() < 0.4)
    return DFA(Alphabet("abc"[:letters]), tuple(map(tuple, delta)), 0, final).minimal()


automata = st.integers(0, 2**32).map(lambda seed: random_automaton(random.Random(seed)))
small = st.integers(0, 2**32).map(lambda seed: random_automaton(random.Random(seed), 4))


def every_certificate_holds(dfa: DFA) -> None:
    for accept in ("last-letter", "every-prefix"):
        found = decide(dfa, accept, moduli=(2,))
        answers = [answer.answer for answer in found.answers]
        assert answers == sorted(answers), "a larger fragment defines no less"
        for certificate in {id(a.certificate): a.certificate for a in found.answers}.values():
            checked = certificate.check()
            assert checked.holds, checked.how


@few
@given(automata)
def test_every_certificate_holds(dfa):
    every_certificate_holds(dfa)


@pytest.mark.slow
@many
@given(automata)
def test_every_certificate_holds_often(dfa):
    every_certificate_holds(dfa)


def routes_agree(dfa: DFA) -> None:
    _, local, even, free = verdicts(dfa, moduli=(2,))
    for modulus, expected in ((1, local), (2, even), (None, free)):
        textbook = karoubi_definable(dfa, modulus)
        assert textbook is None or textbook == expected


@settings(few, max_examples=120)
@given(small)
def test_the_textbook_route_gives_the_same_answers(dfa):
    routes_agree(dfa)


@pytest.mark.slow
@many
@given(small)
def test_the_textbook_route_gives_the_same_answers_often(dfa):
    routes_agree(dfa)


@settings(few, max_examples=100)
@given(st.integers(0, 2**32).map(lambda seed: random_automaton(random.Random(seed), 8)))
def test_shortcuts_for_large_automata_change_no_answer(dfa):
    usual = verdicts(dfa, moduli=(2,))
    room = "foretell.crasp.deciding"
    with mock.patch(f"{room}.pairs.MANY_PAIRS", 0), mock.patch(f"{room}.triples.SMALL", 0):
        assert verdicts(dfa, moduli=(2,)) == usual


@settings(few, max_examples=100)
@given(automata)
def test_the_state_at_every_prefix_is_one_letter_more(dfa):
    # w is followed by any letter: knowing the state of L before it is deciding L Σ at it.
    rows = [(q, f) for q in range(len(dfa.delta)) for f in (False, True)]
    number = {node: place for place, node in enumerate(rows)}
    delta = tuple(tuple(number[t, q in dfa.final] for t in dfa.delta[q]) for q, _ in rows)
    final = frozenset(number[node] for node in rows if node[1])
    longer = DFA(dfa.alphabet, delta, number[0, False], final)
    assert verdicts(dfa, "every-prefix") == verdicts(longer)


def random_core(generator: random.Random, letters: str, plain: bool, size: int) -> Core:
    """A random program; without `plain` it may look back and at the position."""
    build = Builder(tuple(letters))
    booleans = [build.letter(letter) for letter in letters]
    counts = [build.count(body) for body in booleans]
    pick = generator.choice
    for _ in range(size):
        kind = pick("nabcccllll-" + ("" if plain else "wwp"))
        if kind == "n":
            booleans.append(build.negate(pick(booleans)))
        elif kind == "a":
            booleans.append(build.both(pick(booleans), pick(booleans)))
        elif kind == "b":
            booleans.append(build.either(pick(booleans), pick(booleans)))
        elif kind == "c":
            counts.append(build.count(pick(booleans), start=pick((0, 0, 1))))
        elif kind == "l":
            bound = pick([*counts, *(build.number(k) for k in (0, 1, 1, 2))])
            sides = (pick(counts), bound)
            booleans.append(build.at_most(*sides) if pick((0, 1)) else build.at_most(*sides[::-1]))
        elif kind == "-":
            counts.append(build.subtract(pick(counts), pick(counts)))
        elif kind == "w":
            counts.append(build.count(pick(booleans), (pick((1, 2)),)))
        else:
            booleans.append(build.periodic(2, (pick((0, 1)),)))
    return Core(tuple(letters), tuple(build.operations), (), booleans[-1]).pruned()


def learned(core: Core, most: int = 6) -> DFA | None:
    """The automaton that a program's answers on short words suggest, if it is small."""
    letters = len(core.letters)
    reach, look = 5, 4
    words = [
        w for n in range(reach + look + 2) for w in itertools.product(range(letters), repeat=n)
    ]
    reference = ProgramReference(core, "accept")
    answers = reference.at_ends(Words.of(words[1:])).values[:, 0].tolist()
    accepted = dict(zip(words, [False, *answers], strict=True))
    suffixes = [w for w in words if len(w) <= look]

    def row(prefix):
        return tuple(accepted[prefix + suffix] for suffix in suffixes)

    names, order, delta = {row(()): 0}, [()], []
    for prefix in order:  # grows while it is walked
        if len(prefix) > reach:
            return None
        after = []
        for letter in range(letters):
            found = row((*prefix, letter))
            if found not in names:
                if len(order) == most:
                    return None
                names[found] = len(order)
                order.append((*prefix, letter))
            after.append(names[found])
        delta.append(tuple(after))
    final = frozenset(k for k, prefix in enumerate(order) if accepted[prefix])
    return DFA(Alphabet(core.letters), tuple(delta), 0, final)


def programs_define_what_is_decided(seed: int, tries: int) -> int:
    generator = random.Random(seed)
    known = set()
    for _ in range(tries):
        plain = generator.random() < 0.5
        core = random_core(generator, "ab", plain, generator.randint(2, 9))
        dfa = learned(core)
        if dfa is None or (dfa.minimal(), plain) in known:
            continue
        if verify(core, dfa, budget=3_000, longest=50).status == "proved":
            known.add((dfa.minimal(), plain))
            answers = verdicts(dfa)
            assert answers[0 if plain else 2], (core, dfa)
    return len(known)


def test_random_programs_define_languages_that_come_out_as_yes():
    assert programs_define_what_is_decided(seed=1, tries=300) >= 15


@pytest.mark.slow
def test_random_programs_define_languages_that_come_out_as_yes_often():
    assert programs_define_what_is_decided(seed=2, tries=10_000) >= 100


def fooled(seed: int, automata_tried: int, programs: int, fragment: str) -> int:
    """Long words that a certificate says look alike: no random program may tell them apart.

    A single repeated walk may be special, so a program has to succeed with three of them.
    """
    generator = random.Random(seed)
    attacked = 0
    plain = fragment == "crasp"
    while attacked < automata_tried:
        dfa = random_automaton(generator)
        certificate = decide(dfa)[fragment].certificate
        if certificate.answer == "yes":
            continue
        attacked += 1
        make = flow_words if plain else anchored_words
        pairs = [make(generator, dfa, certificate) for _ in range(3)]
        for _ in range(programs):
            letters = "".join(dfa.alphabet.symbols)
            core = random_core(generator, letters, plain, generator.randint(3, 12))
            reference = ProgramReference(core, "accept")
            assert not all(np.all(told_apart(reference, longer)) for longer in pairs)
    return attacked


def walk(generator, dfa, inside, start, goal, least, modulus=1):
    """Letters of a random walk inside a component, of a length that the modulus divides."""
    state, word = start, []
    while len(word) < least or state != goal or len(word) % modulus:
        letters = [a for a, target in enumerate(dfa.delta[state]) if target in inside]
        word.append(generator.choice(letters))
        state = dfa.delta[state][word[-1]]
    return word


def flow_words(generator, dfa, certificate):
    """x Wⁿ z and x Wⁿ y z for some n, where y leads from one state of the pair to the other."""
    inside = set(certificate.states)
    one, two = certificate.pair
    access, suffix = dfa.letters(certificate.access), dfa.letters(certificate.suffix)
    loop = walk(generator, dfa, inside, one, one, 12)
    across = walk(generator, dfa, inside, one, two, 0)
    return [
        ([*access, *loop * n, *suffix], [*access, *loop * n, *across, *suffix])
        for n in (40, 41, 57)
    ]


def anchored_words(generator, dfa, certificate):
    """The same with the pair's anchor around every piece, longer than any window of the programs.

    Pieces have even length, so that a test for odd positions sees nothing either.
    """
    one, two = certificate.pairs[0]
    root, power = certificate.anchors[0]
    anchor = [*dfa.letters(root)] * (2 * power)
    anchor *= -(-16 // len(anchor))
    inside = {state for state in range(len(dfa.delta)) if {one} <= reachable(dfa, state)}
    inside &= reachable(dfa, one)
    even = 2 * certificate.step
    access, suffix = dfa.letters(certificate.access), dfa.letters(certificate.suffix)
    loop: list[int] = []
    for _ in range(3):
        loop += [*anchor, *walk(generator, dfa, inside, one, one, 4, even), *anchor]
    across = [*anchor, *walk(generator, dfa, inside, one, two, 0, even), *anchor]
    return [
        ([*access, *anchor, *loop * n, *suffix], [*access, *anchor, *loop * n, *across, *suffix])
        for n in (15, 16, 23)
    ]


def reachable(dfa, state):
    found = [state]
    for node in found:  # grows while it is walked
        found += [target for target in set(dfa.delta[node]) if target not in found]
    return set(found)


def told_apart(reference, pairs):
    return [
        reference.at_ends(Words.of([one])).differs(reference.at_ends(Words.of([two])))[0]
        for one, two in pairs
    ]


@pytest.mark.parametrize("fragment", ["crasp", "crasp_periodic_local"])
def test_programs_do_not_tell_apart_what_certificates_hold_together(fragment):
    assert fooled(seed=3, automata_tried=10, programs=10, fragment=fragment) == 10


@pytest.mark.slow
@pytest.mark.parametrize("fragment", ["crasp", "crasp_periodic_local"])
def test_programs_do_not_tell_apart_what_certificates_hold_together_often(fragment):
    assert fooled(seed=4, automata_tried=200, programs=50, fragment=fragment) == 200


def prototype_verdict(dfa: DFA):
    sys.path.insert(0, str(PROTOTYPE))
    try:
        import dfa as plain_dfa
        import pl
        import tower
    finally:
        sys.path.remove(str(PROTOTYPE))
    other = plain_dfa.DFA(dfa.alphabet.symbols, list(map(list, dfa.delta)), 0, dfa.final)
    plain = tower.decide_empty(other, want_program=False)[0]
    windowed = [pl.PairSystem(other, modulus).ok for modulus in (1, 2, 6, None)]
    states = dict.fromkeys(range(len(dfa.delta)), 0)
    whole = tower.Config(other.alphabet, other.delta, states, [()] * len(states), 0)
    return [plain, *windowed], tower.analyse(whole)[0]


@pytest.mark.skipif(not PROTOTYPE.is_dir(), reason="the prototype is not here")
@settings(few, max_examples=100)
@given(st.integers(0, 2**32).map(lambda seed: random_automaton(random.Random(seed), 8)))
def test_the_prototype_gives_the_same_answers(dfa):
    expected, strict = prototype_verdict(dfa)
    assert verdicts(dfa, moduli=(2, 6)) == expected
    assert verdicts(dfa, "every-prefix", moduli=(2, 6)) == [strict, *expected[1:]]


@pytest.mark.slow
def test_all_minimal_automata_with_three_states_and_two_letters():
    """The published counts: 1,054 automata, 108 definable without windows, 246 with."""
    found = set()
    for states in (1, 2, 3):
        for targets in itertools.product(range(states), repeat=2 * states):
            delta = tuple(zip(targets[::2], targets[1::2], strict=True))
            for bits in itertools.product((False, True), repeat=states):
                final = frozenset(q for q in range(states) if bits[q])
                found.add(DFA(Alphabet("ab"), delta, 0, final).minimal())
    answers = [verdicts(dfa) for dfa in found]
    assert len(found) == 1054
    assert [sum(column) for column in zip(*answers, strict=True)][::2] == [108, 246]
