"""Is a flow certificate right? Then there is no C-RASP[∅] program (see `conventions`).

By induction on the level, states of one class have equal heights under every potential of every
level: a flow between them uses each letter in each class as often forwards as backwards, so heights
cannot change along it. Hence they stay together, and a program cannot tell them apart; but the
suffix does.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Any

from foretell.crasp.deciding.checking.conventions import no_program
from foretell.crasp.deciding.checking.table import Table, connected, require, whole
from foretell.plain.wording import counted


def check_flows(table: Table, document: Mapping[str, Any]) -> str:
    """What was checked, or `Refuted`."""
    require(document["fragment"] == "crasp", "flows are about C-RASP[∅]")
    states = {table.state(state) for state in document["states"]}
    _check_component(table, states, document["access"])
    classes = [[table.state(state) for state in group] for group in document["classes"]]
    listed = [state for group in classes for state in group]
    require(sorted(listed) == sorted(states), "the classes are no partition of the component")
    home = {state: number for number, group in enumerate(classes) for state in group}
    joined: dict[int, set[int]] = {state: {state} for state in states}
    for flow in document["flows"]:
        source, target = table.state(flow["from"]), table.state(flow["to"])
        require({source, target} <= states, "a flow begins or ends outside the component")
        require(home[source] == home[target], "a flow joins two classes")
        _check_flow(table, states, home, flow)
        both = joined[source] | joined[target]
        for state in both:
            joined[state] = both
    for group in classes:
        require(joined[group[0]] >= set(group), f"no flows hold the class {group} together")
    one, two = map(table.state, document["pair"])
    require({one, two} <= states and home[one] == home[two], "the pair is not in one class")
    suffix = document["suffix"]
    if table.accept == "last-letter":
        require(len(suffix) > 0, "an empty suffix proves nothing: the last letter is visible")
    require(table.differ(one, two, suffix), "the suffix does not tell the pair apart")
    return (
        f"{counted(len(document['flows']), 'flow')} without content and "
        f"{counted(len(classes), 'class', 'classes')} of the {len(states)} states; states "
        f"{one} and {two} of one class are told apart by a suffix "
        f"of length {len(suffix)}: {no_program('C-RASP[∅]', table.accept)}"
    )


def _check_component(table: Table, states: set[int], access: list[str]) -> None:
    require(len(states) > 1, "the component is a single state")
    require(table.run(table.dfa.start, access) in states, "the access word leads elsewhere")
    rows = table.dfa.delta
    inner = [(state, to) for state in states for to in rows[state] if to in states]
    require(connected(states, inner), "the component is not strongly connected")


def _check_flow(
    table: Table, states: set[int], home: dict[int, int], flow: Mapping[str, Any]
) -> None:
    amount = whole(flow["amount"])
    require(amount > 0, "a flow carries nothing")
    balance: Counter[int] = Counter()
    content: Counter[tuple[str, int]] = Counter()
    for state, symbol, times in flow["edges"]:
        target = table.run(table.state(state), [symbol])
        require(state in states and target in states, "a flow leaves the component")
        balance[target] += whole(times)
        balance[state] -= times
        content[symbol, home[state]] += times
    balance[flow["from"]] += amount
    balance[flow["to"]] -= amount
    require(not any(balance.values()), "a flow does not lead where it says")
    require(not any(content.values()), "a flow has content: counting can feel it")
