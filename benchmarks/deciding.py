"""Deciding C-RASP: languages a second by number of states, growth, and the prototype beside it.

Random minimal automata of three kinds (uniform, partial, partly injective), because uniform ones
are nearly all undefinable and easy. Speeds are for all three fragments, with certificates written
out as JSON. The peer, where its folder is there, is the plain prototype. It decides two fragments
and keeps programs and certificates in memory, so the ratios (above 1: we are faster) are of the
best of five runs of exactly that on either side; its verdicts are compared with ours first.

    python benchmarks/deciding.py [--out FILE] [--count N]
"""

from __future__ import annotations

import argparse
import json
import random
import statistics
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from foretell.core.alphabet import Alphabet
from foretell.crasp.deciding.decide import Deciding, decide
from foretell.crasp.deciding.machines import Machine
from foretell.languages.dfa import DFA
from foretell.languages.regular import RegularLanguage
from foretell.plain.files import write_atomically
from foretell.training.provenance import describe_machine

TARGET = 50  # languages a second with certificates, up to six states, on one core
PROTOTYPE = Path("/work/shared/prototype/decide")
KINDS = ("uniform", "partial", "injective")


def random_automaton(generator: random.Random, states: int, letters: int, kind: str) -> DFA:
    """A minimal automaton with that many states, or nearly, if they are many."""
    dead = states - 1
    gone = 0.5 if states <= 8 else 3 / states  # so that a large automaton stays connected
    while True:
        delta = [[generator.randrange(states) for _ in range(letters)] for _ in range(states)]
        for state, row in enumerate(delta):
            for letter in range(letters):
                lost = kind == "partial" and generator.random() < gone
                if kind != "uniform" and (state == dead or lost):
                    row[letter] = dead
        for letter in range(letters if kind == "injective" else 0):
            for state, target in enumerate(generator.sample(range(dead), dead)):
                delta[state][letter] = target if generator.random() > 0.7 * gone else dead
        final = frozenset(state for state in range(states) if generator.random() < 0.5)
        found = DFA(Alphabet("abc"[:letters]), tuple(map(tuple, delta)), 0, final).minimal()
        if len(found.delta) >= (states if states <= 8 else 0.7 * states):
            return found


def each_seconds(work: Callable[[DFA], object], automata: list[DFA]) -> list[float]:
    times = []
    for dfa in automata:
        began = time.perf_counter()
        work(dfa)
        times.append(time.perf_counter() - began)
    return times


def best_seconds(work: Callable[[DFA], object], automata: list[DFA]) -> float:
    """The best of five runs for each: what else happens on the machine only ever slows down."""
    return sum(map(min, zip(*(each_seconds(work, automata) for _ in range(5)), strict=True)))


def two_fragments(dfa: DFA, certificates: bool) -> tuple[bool, bool]:
    """What the peer does: C-RASP[∅] and C-RASP[periodic, local]."""
    deciding = Deciding(Machine.of(fresh(dfa), "last-letter"), certificates)
    plain, free = deciding.plain(), deciding.windowed("crasp_periodic_local", None)
    return plain.answer == "yes", free.answer == "yes"


Peer = Callable[[DFA, bool], tuple[bool, bool]]


def prototype() -> Peer | None:
    """The peer's decision, with programs and certificates if asked; None when it is not here."""
    if not PROTOTYPE.is_dir():
        return None
    sys.path.insert(0, str(PROTOTYPE))
    import cert  # noqa: PLC0415
    import dfa as plain_dfa  # noqa: PLC0415
    import pl  # noqa: PLC0415
    import synth_pl  # noqa: PLC0415
    import tower  # noqa: PLC0415

    def run(dfa: DFA, certificates: bool) -> tuple[bool, bool]:
        other = plain_dfa.DFA(dfa.alphabet.symbols, list(map(list, dfa.delta)), 0, dfa.final)
        plain, _ = tower.decide_empty(other, want_program=certificates)
        system = pl.PairSystem(other.minimize())
        if not certificates:
            return plain, system.ok
        if not plain:
            cert.cert_empty(other)
        if system.ok:
            synth_pl.synth_pl(other)
        else:
            cert.cert_pl(other, system)
        return plain, system.ok

    return run


def row(states: int, count: int, peer: Peer | None) -> dict[str, Any]:
    """One line of the table."""
    generator = random.Random(f"deciding {states}")
    automata = [
        random_automaton(generator, states, generator.choice((2, 3)), KINDS[k % 3])
        for k in range(count)
    ]
    for dfa in automata if peer is not None else ():
        if peer is not None and peer(dfa, False) != two_fragments(dfa, False):
            raise SystemExit(f"the two procedures disagree on {dfa}")
    decided = [decide(dfa) for dfa in automata]
    verdicts = each_seconds(lambda dfa: decide(fresh(dfa), certificates=False), automata)
    whole = each_seconds(lambda dfa: decide(fresh(dfa)).as_json(), automata)
    ratios = (
        {}
        if peer is None
        else {
            name: best_seconds(lambda dfa: peer(dfa, certificates), automata)  # noqa: B023
            / best_seconds(lambda dfa: two_fragments(dfa, certificates), automata)  # noqa: B023
            for name, certificates in (("verdicts", False), ("certificates", True))
        }
    )
    checks = each_seconds(lambda dfa: decide(dfa).crasp.certificate.check(), automata[:20])
    found = {
        "states": states,
        "languages": count,
        "yes": {
            name: sum(decision[name].answer == "yes" for decision in decided)
            for name in ("crasp", "crasp_local", "crasp_periodic_local")
        },
        "verdicts_per_second": count / sum(verdicts),
        "with_certificates_per_second": count / sum(whole),
        "median_seconds": statistics.median(whole),
        "slowest_seconds": max(whole),
        "check_seconds": statistics.mean(checks),
        "ratio_of_verdicts": ratios.get("verdicts"),
        "ratio_with_certificates": ratios.get("certificates"),
    }
    print(
        f"{states:>6} {count:>9} {found['verdicts_per_second']:>11.0f} "
        f"{found['with_certificates_per_second']:>11.0f} {found['median_seconds'] * 1e3:>9.2f} "
        f"{found['slowest_seconds'] * 1e3:>9.1f} {found['check_seconds'] * 1e3:>9.1f} "
        f"{found['ratio_of_verdicts'] or float('nan'):>7.2f} "
        f"{found['ratio_with_certificates'] or float('nan'):>7.2f}",
        flush=True,
    )
    return found


def fresh(dfa: DFA) -> DFA:
    """The same automaton without what it remembers, so that minimising counts too."""
    return DFA(dfa.alphabet, dfa.delta, dfa.start, dfa.final)


def families() -> list[tuple[str, DFA]]:
    """Languages that grow in one way."""
    found = []
    for depth in (20, 40, 80):
        dead = depth + 1
        rows = [(q + 1 if q < depth else dead, q - 1 if q else dead, q) for q in range(dead)]
        dfa = DFA(Alphabet("abn"), (*rows, (dead,) * 3), 0, frozenset({0}))
        found.append((f"brackets {depth} deep, neutral letter", dfa))
    for back in (4, 6, 8):
        regex = "(a|b)*a" + "(a|b)" * (back - 1)
        found.append((f"letter {back} from the end", RegularLanguage.from_regex(regex).dfa))
    for width in (6, 12, 24):
        dfa = RegularLanguage.from_regex(f"~(.*a{{{width}}}.*)", Alphabet("ab")).dfa
        found.append((f"no run of {width}", dfa))
    for size in (60, 150, 300):
        delta = tuple(((state + 1) % size, state) for state in range(size))
        dfa = DFA(Alphabet("ab"), delta, 0, frozenset({0}))
        found.append((f"a modulo {size}, neutral letter", dfa))
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--out", type=Path)
    parser.add_argument("--count", type=int, default=300)
    options = parser.parse_args()
    peer = prototype()
    print(
        f"{'states':>6} {'languages':>9} {'verdicts/s':>11} {'certified/s':>11} {'median ms':>9} "
        f"{'slowest':>9} {'check ms':>9} {'ratios':>15}"
    )
    rows = [row(states, options.count, peer) for states in (2, 3, 4, 5, 6)]
    rows += [row(states, max(options.count // 3, 10), None) for states in (8, 9)]
    rows += [row(states, max(options.count // 10, 10), None) for states in (12, 20, 40)]
    grown = []
    for label, dfa in families():
        (verdict,) = each_seconds(lambda item: decide(fresh(item), certificates=False), [dfa])
        (whole,) = each_seconds(lambda item: decide(fresh(item)), [dfa])
        program = decide(dfa).crasp_periodic_local.program
        size = None if program is None else len(program.core.live)
        grown.append(
            {
                "what": label,
                "states": len(dfa.delta),
                "verdict_seconds": verdict,
                "seconds": whole,
                "operations": size,
            }
        )
        print(f"{label:40} {len(dfa.delta):>5} states {verdict:>8.3f} s {whole:>8.3f} s, {size}")
    small = [item for item in rows if item["states"] <= 6]
    speed = len(small) / sum(1 / item["with_certificates_per_second"] for item in small)
    print(f"target: {speed:.0f} languages/s >= {TARGET}: {'met' if speed >= TARGET else 'missed'}")
    if options.out:
        document = {
            "provenance": describe_machine(),
            "target_per_second": TARGET,
            "up_to_six_states_per_second": speed,
            "rows": rows,
            "families": grown,
        }
        write_atomically(options.out, json.dumps(document, indent=1) + "\n")


if __name__ == "__main__":
    main()
