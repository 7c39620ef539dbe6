"""The short form of a figure: the same marks at the same places, the same words, less room."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ElementTree
from xml.etree.ElementTree import Element

import matplotlib
import pytest
from matplotlib.figure import Figure

from foretell.reports.drawn_small import LINK, SVG, drawn_small
from foretell.reports.plots import STYLE, _clean, _render


def figure() -> str:
    with matplotlib.rc_context({**STYLE, "svg.hashsalt": "salt"}):
        drawn = Figure()
        panel = drawn.subplots()
        for place in range(20):
            panel.plot(place, place**2 / 7, "o", color="#0072B2")
        panel.imshow([[0.0, 1.0], [0.5, 0.2]], extent=(0, 19, 0, 60))
        panel.set_title("1.23456789  is <kept> & read")
        panel.set_xlabel("turned", rotation=30)
        return _clean(_render(drawn), "what is drawn")


def named(root: Element, name: str) -> list[Element]:
    return list(root.iter(f"{{{SVG}}}{name}"))


def coordinates(text: str) -> list[float]:
    return [float(one) for one in re.findall(r"-?(?:\d+\.?\d*|\.\d+)", text)]


@pytest.fixture(scope="module")
def both() -> tuple[Element, Element]:
    return ElementTree.fromstring(figure()), ElementTree.fromstring(drawn_small(figure()))


def test_every_path_and_mark_stays_where_it_was(both: tuple[Element, Element]) -> None:
    before, after = both
    for name, attributes in {"path": ("d",), "use": ("x", "y"), "text": ("x", "y")}.items():
        assert len(named(before, name)) == len(named(after, name)) > 0
        for old, new in zip(named(before, name), named(after, name), strict=True):
            for attribute in attributes:
                known = coordinates(old.get(attribute, ""))
                assert coordinates(new.get(attribute, "")) == pytest.approx(known, abs=0.0051)


def test_looks_and_clips_reach_the_same_marks(both: tuple[Element, Element]) -> None:
    before, after = both
    rules = dict(
        re.findall(r"\.(\w+)\{([^}]*)\}", "".join(x.text or "" for x in named(after, "style")))
    )
    for old, new in zip(named(before, "use"), named(after, "use"), strict=True):
        assert old.get("style", "").replace(" ", "") == rules[new.get("class", "")]
        assert old.get(LINK) == new.get("href")
    clipped = [
        len(list(group.iter(f"{{{SVG}}}use")))
        for group in named(after, "g")
        if "clip-path" in group.attrib
    ]
    assert sum(clipped) == 20 > len(clipped)


def test_words_pictures_and_turns_are_kept(both: tuple[Element, Element]) -> None:
    after = both[1]
    told = [[node.text for node in named(root, "text")] for root in both]
    assert told[0] == told[1] and "1.23456789  is <kept> & read" in told[1]
    (old,), (new,) = (named(root, "image") for root in both)
    assert (old.get(LINK) or "").startswith("data:") and old.get(LINK) == new.get("href")
    assert any("rotate(-30)" in node.get("transform", "") for node in named(after, "text"))
    assert not any("rotate(-0 " in node.get("transform", "") for node in after.iter())


def test_it_is_much_smaller() -> None:
    picture = len(re.findall(r"data:image[^\"]*", figure())[0])
    assert len(drawn_small(figure())) - picture < (len(figure()) - picture) / 2
