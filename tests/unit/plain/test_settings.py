"""Settings typed after a name: what they mean, and how each mistake is told."""

from __future__ import annotations

from typing import Any

import pytest

from foretell.plain.errors import BadInput
from foretell.plain.settings import Notation, changed, written

SMALL: dict[str, Any] = {
    "steps": 10,
    "rate": 0.1,
    "exact": True,
    "kind": "tied",
    "lengths": [8, 16],
    "window": [0.5, 1.5],
    "chains": [[0.5, 0.8], [0.1, 0.2]],
    "games": [["recall", 4, 2], ["flip", 8, 0.7]],
    "trees": {"chain": [-1, 0]},
    "tuning": {"rate": 0.3, "depth": 2},
    "training": None,
    "worlds": [{"law": {"p": 0.2}, "size": 3}],
}
LARGE = {
    **SMALL,
    "lengths": [],
    "trees": {"chain": [-1, 0, 1], "star": [-1, 0, 0]},
    "training": {"depth": 5},
}
NOTATION = Notation("a-world", (SMALL, LARGE), {"chains": ("p", "q"), "window": ("low", "high")})


def differing(text: str) -> dict[str, Any]:
    return {name: after for name, (_, after) in changed(SMALL, NOTATION.read(text, SMALL)).items()}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", {}),
        ("steps=10", {}),
        ("steps=12,rate=2", {"steps": 12, "rate": 2.0}),
        ("exact=no", {"exact": False}),
        ("exact", {}),
        ("kind=good start", {"kind": "good start"}),
        ("lengths=4", {"lengths": [4]}),
        ("lengths=", {"lengths": []}),
        ("chains=0.3/0.4", {"chains": [[0.3, 0.4]]}),
        ("chains=0.3/0.4+1/0", {"chains": [[0.3, 0.4], [1.0, 0.0]]}),
        ("chains.p=0.3", {"chains": [[0.3, 0.8]]}),
        ("chains.p=0.3,q=0.9", {"chains": [[0.3, 0.9]]}),
        ("low=0.7", {"window": [0.7, 1.5]}),
        ("games=recall/5/1+flip/9/0.5", {"games": [["recall", 5, 1], ["flip", 9, 0.5]]}),
        ("tuning.depth=3", {"tuning.depth": 3}),
        ("trees.mine=-1+0+0", {"trees": {"mine": [-1, 0, 0]}}),
        ("trees.a=-1,trees.b=-1+0", {"trees": {"a": [-1], "b": [-1, 0]}}),
        ("trees.star=-1+0", {"trees": {"star": [-1, 0]}}),
        ("training.depth=7", {"training": {"depth": 7}}),
        ("training=none", {}),
        ("size=4", {"worlds": [{"law": {"p": 0.2}, "size": 4}]}),
        (
            "worlds=0.4/5+0.6/7",
            {"worlds": [{"law": {"p": 0.4}, "size": 5}, {"law": {"p": 0.6}, "size": 7}]},
        ),
    ],
)
def test_what_is_said_is_all_that_changes(text: str, expected: dict[str, Any]) -> None:
    assert differing(text) == expected


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("stps=3", "no such setting(.|\n)*did you mean steps"),
        ("steps", "another kind"),
        ("steps=", "another kind"),
        ("steps=1.5", "takes a whole number"),
        ("steps=" + "9" * 5000, "another kind"),
        ("rate=fast", "takes a number"),
        ("rate=nan", "takes a number"),
        ("rate=inf", "takes a number"),
        ("exact=perhaps", "takes yes or no"),
        ("lengths=8+x", "another kind"),
        ("lengths", "has a value"),
        ("window=1", "low, high"),
        ("chains=0.3", "p, q"),
        ("chains=0.3/0.4/0.5", "p, q"),
        ("steps=3,steps=4", "said twice"),
        ("chains=0.1/0.2,q=0.5", "said twice"),
        ("q=0.5,chains=0.1/0.2", "said twice"),
        ("training=none,training.depth=3", "said twice"),
        ("trees.=1", "no such setting"),
        ("=1", "no such setting"),
        ("depth=3", "which one is meant(.|\n)*tuning.depth or training.depth"),
        ("tuning=3", "a group of settings"),
        ("steps=none", "another kind"),
        ("tuning.width=3", "no such setting"),
    ],
)
def test_a_mistake_is_told_in_one_message(text: str, message: str) -> None:
    with pytest.raises(BadInput, match=message):
        NOTATION.read(text, SMALL)


def test_the_preset_stays_as_it_was() -> None:
    before = written(SMALL)
    NOTATION.read("chains.p=0.9,trees.chain=-1,size=9,low=0.1", SMALL)
    assert written(SMALL) == before
