"""A figure's SVG with the same look in a third of the room: pages of results are kept for years.

Matplotlib writes six decimals, a style on every mark, a group around each, and all fonts again for
every number on an axis. Here each style becomes a class, named by what it says: figures that share
a page share the name only where they share the look.
"""

from __future__ import annotations

import re
import xml.etree.ElementTree as ElementTree
from xml.etree.ElementTree import Element

from foretell.plain.canonical import content_hash

SVG = "http://www.w3.org/2000/svg"
LINK = "{http://www.w3.org/1999/xlink}href"
PLACES = {"d": 2, "x": 2, "y": 2, "width": 2, "height": 2, "transform": 4}  # scales need more
NO_TURN = re.compile(r"rotate\(-?0(?:\.0*)?[ ,][^)]*\)")
NUMBER = re.compile(r"-?\d*\.\d+(?:e-?\d+)?")
NAMED = 6  # hexadecimal digits of a class: sixteen million looks
ElementTree.register_namespace("", SVG)  # written without a prefix, as a page needs it


def drawn_small(svg: str) -> str:
    """The same drawing; what is read aloud and every text stay as they are.

    >>> drawn_small(f'<svg xmlns="{SVG}"><g> <path d="M 0.123456 2.0 L 1 -0.0 "/></g></svg>')
    '<svg xmlns="http://www.w3.org/2000/svg"><path d="M.12 2L1 0"/></svg>'
    """
    root = ElementTree.fromstring(svg)
    looks: dict[str, str] = {}
    _visit(root, looks)
    if looks:
        rules = "".join(f".{name}{{{look}}}" for look, name in looks.items())
        style = Element(f"{{{SVG}}}style")
        style.text = rules
        root.insert(0, style)
    return ElementTree.tostring(root, encoding="unicode").replace(" />", "/>")


def _visit(element: Element, looks: dict[str, str]) -> None:
    """Shorter attributes, then the children, of which groups that say nothing are taken apart."""
    _shorten(element, looks)
    children: list[Element] = []
    for child in element:
        _visit(child, looks)
        says_nothing = child.tag == f"{{{SVG}}}g" and not child.attrib
        for each in child if says_nothing else (child,):
            _add(children, each)
    if not _is_text(element):
        element.text = element.text if element.text and element.text.strip() else None
        for each in children:
            each.tail = None
    element[:] = children


def _is_text(element: Element) -> bool:
    return element.tag in (f"{{{SVG}}}text", f"{{{SVG}}}tspan")


def _add(children: list[Element], new: Element) -> None:
    """A group with the same clip as the one before it goes on where that ended."""
    before = children[-1] if children else None
    alike = before is not None and before.tag == new.tag and before.attrib == new.attrib
    if before is not None and alike and set(new.attrib) == {"clip-path"} and len(new):
        before.extend(list(new))
    else:
        children.append(new)


def _shorten(element: Element, looks: dict[str, str]) -> None:
    found = element.attrib
    for name, places in PLACES.items():
        if name in found:
            found[name] = _numbers(found[name], places)
    if "d" in found:
        found["d"] = _path(found["d"])
    if "transform" in found:
        found["transform"] = NO_TURN.sub("", found["transform"]).strip()
        if not found["transform"]:
            del found["transform"]
    if LINK in found:  # inside a page, another prefix than xlink would not be understood
        found["href"] = found.pop(LINK)
    if "style" in found and element.tag != f"{{{SVG}}}svg":
        look = found.pop("style").replace(": ", ":").replace("; ", ";").rstrip(";")
        found["class"] = looks.setdefault(look, f"s{content_hash(look)[:NAMED]}")


def _numbers(text: str, places: int) -> str:
    return NUMBER.sub(lambda one: _short(float(one[0]), places), text)


def _short(value: float, places: int) -> str:
    """No more digits than can be seen.

    >>> _short(-0.501, 2), _short(3.0, 2), _short(-0.001, 2)
    ('-.5', '3', '0')
    """
    told = f"{value:.{places}f}".rstrip("0").rstrip(".")
    told = "0" if told in ("-0", "") else told
    return re.sub(r"^(-?)0\.", r"\1.", told)


def _path(text: str) -> str:
    """One space at most, and none beside a letter or before a sign."""
    text = re.sub(r"\s+", " ", text.strip())
    return re.sub(r" ?([A-Za-z]) ?", r"\1", text).replace(" -", "-")
